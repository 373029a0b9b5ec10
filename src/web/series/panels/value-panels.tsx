/** A counter or gauge: its value large, and the last ten minutes with the shown part. */
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { digitsApart, text } from '../../../viewer/format/number.ts'
import { PERS, perText, SECONDS, statedS } from '../../../viewer/format/rate.ts'
import { pacedRate } from '../../../viewer/series/pace.ts'
import { pacedWords } from '../../../viewer/series/reading.ts'
import { extremeOf, valueNow } from '../../../viewer/series/statistics.ts'
import type { Entry } from '../../../viewer/store/catalogue.ts'
import { MAIN_LANE, type SeriesData } from '../../../viewer/store/series-data.ts'
import { pictureOf } from '../../chart/picture.ts'
import { usePage } from '../../shell/page.ts'
import { setText } from '../../shell/parts.tsx'
import { ChartPanel } from '../chart-panel.tsx'
import { seriesTable } from '../tables.ts'

const LONG_SECONDS = 600

/**
 * Offers what a rate is stated per. The sender's own choice leaves all other counters as theirs
 * have it.
 */
function Pers({ entry }: { entry: Entry }): JSX.Element {
  const page = usePage()
  const stated = statedS(entry.info)
  const { factor } = page.shown(entry.info)
  const offered = [...new Set([stated, ...PERS.map((per) => SECONDS[per])])]
  return (
    <div class="segments" role="radiogroup" aria-label="Rate per">
      {offered
        .sort((a, b) => a - b)
        .map((seconds) => (
          // biome-ignore lint/a11y/useSemanticElements: drawn as one control with its neighbours
          <button
            key={seconds}
            type="button"
            role="radio"
            aria-checked={factor === seconds}
            title={seconds === stated ? 'as its sender states it' : ''}
            onClick={() => {
              const per = PERS.find((each) => SECONDS[each] === seconds && seconds !== stated)
              page.navigation.span({ per: per ?? '' })
            }}
          >
            {perText(seconds)}
          </button>
        ))}
    </div>
  )
}

export function ValuePanels({ entry }: { entry: Entry }): JSX.Element {
  const page = usePage()
  const { store } = page
  const { kind } = entry.info
  const shown = page.shown(entry.info)
  const { unit, factor } = shown
  const usual = useRef<HTMLSpanElement>(null)
  const pausedAt = store.clock.pausedAt.value
  useEffect(() => store.screen.showLong(entry.id, LONG_SECONDS), [store, entry.id, pausedAt])
  const extreme = (caption: string, end: 'min' | 'max') => ({
    caption,
    unit,
    read: () => {
      const data = store.data(entry.id)
      const edge = store.clock.edge()
      const from = edge - store.clock.window.value
      return data === undefined ? Number.NaN : factor * extremeOf(data, end, from, edge)
    },
  })
  const [lowest, highest] = [extreme('lowest', 'min'), extreme('highest', 'max')]
  const readNow = (data: SeriesData, at: number): number => {
    const hasCursor = page.cursor.second.peek() !== null
    return hasCursor ? data.at(MAIN_LANE[kind], at) : valueNow(data, at)
  }
  const title = kind === 'counter' ? 'Rate' : 'Value'
  return (
    <>
      <ChartPanel
        key={unit}
        entry={entry}
        title={title}
        note={
          <>
            <span ref={usual} />
            {kind === 'counter' && <Pers entry={entry} />}
          </>
        }
        height="h360"
        label={`${title} of ${entry.text}`}
        table={(data, view) => seriesTable(data, view, shown)}
        plot={(data, view) =>
          pictureOf(data, view, { ...shown, size: 'large', steady: view.steady })
        }
        onDrawn={(_, data, { to, cursor }) => {
          const { usual: value } = store.watch.finding(entry.id)
          const values = [value * factor, lowest.read(), highest.read()]
          // as the numbers beside it are told apart
          const words = text(values[0], unit, digitsApart(values))
          const paced = kind === 'counter' ? pacedRate(data, to) : undefined
          const mean = paced && cursor === null ? `now: ${pacedWords(paced)}\u2003` : ''
          setText(usual.current, `${mean}usual value ${words}`)
        }}
        figures={[
          { caption: 'now', unit, read: (data, at) => factor * readNow(data, at) },
          lowest,
          highest,
        ]}
      />
      {store.clock.window.value < LONG_SECONDS && (
        <ChartPanel
          key={`${unit} long`}
          entry={entry}
          title="Last 10 minutes"
          height="h168"
          label={`${title} of ${entry.text}`}
          seconds={LONG_SECONDS}
          table={(data, { to }) => seriesTable(data, { from: to - LONG_SECONDS, to }, shown)}
          plot={(data, { from, to, cursor, steady }) => {
            const view = { from: to - LONG_SECONDS, to, cursor }
            const picture = pictureOf(data, view, { ...shown, size: 'large', steady })
            return { ...picture, mark: { from, to, words: 'shown above' } }
          }}
        />
      )}
    </>
  )
}
