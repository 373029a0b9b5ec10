/** What is typed for one plot or line at a time: ranges of values, and moving means. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { windowText } from '../../../../model/board/captions.ts'
import { parseSma } from '../../../../model/board/options.ts'
import type { ScopeSession } from '../session/session.ts'
import { Choose, NumberField, SetRow, TextField } from './fields.tsx'
import { linesOf, plotsOf, withAbsent } from './lines.ts'

export function RangePanel({ session }: { session: ScopeSession }): JSX.Element {
  const chosen = useSignal('')
  const { yRanges } = session.shown
  const plots = plotsOf(session)
  const isThere = plots.some(([each]) => each === chosen.value)
  const plot = isThere ? chosen.value : (plots[0]?.[0] ?? '')
  const { min, max } = yRanges.find((each) => each.plot === plot) ?? { min: null, max: null }
  const others = yRanges.filter((each) => each.plot !== plot)
  const put = (lo: number | null, hi: number | null): void => {
    const isAutomatic = lo === null && hi === null
    session.change({ yRanges: isAutomatic ? others : [...others, { plot, min: lo, max: hi }] })
  }
  const ORDER = 'The minimum has to be below the maximum'
  return (
    <section aria-label="Y range">
      <h2>Y range</h2>
      <Choose
        label="Plot of the range"
        value={plot}
        choices={plots}
        choose={(next) => {
          chosen.value = next
        }}
      />
      <div class="duo">
        <NumberField
          caption="min"
          label="Least value"
          placeholder="auto"
          value={min}
          fault={(value) => (value !== null && max !== null && value >= max ? ORDER : undefined)}
          take={(value) => put(value, max)}
        />
        <NumberField
          caption="max"
          label="Greatest value"
          placeholder="auto"
          value={max}
          fault={(value) => (value !== null && min !== null && value <= min ? ORDER : undefined)}
          take={(value) => put(min, value)}
        />
      </div>
      {others.length > 0 && (
        <ul>
          {others.map((each) => (
            <SetRow
              key={each.plot}
              words={`${each.plot} ${each.min ?? 'auto'} … ${each.max ?? 'auto'}`}
              removeLabel={`Remove the range of ${each.plot}`}
              remove={() => session.change({ yRanges: yRanges.filter((one) => one !== each) })}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

/** Writes a window for people: `2 s`, `20` samples. */
function shownWindow(text: string): string {
  return text.endsWith('s') ? `${text.slice(0, -1)} s` : text
}

export function AveragePanel({ session }: { session: ScopeSession }): JSX.Element {
  const chosen = useSignal('')
  const { averages } = session.shown
  const lines = linesOf(session)
  const isThere = lines.some(([each]) => each === chosen.value)
  const key = isThere ? chosen.value : (averages[0]?.key ?? lines[0]?.[0] ?? '')
  const known = averages.find((each) => each.key === key)
  const others = averages.filter((each) => each.key !== key)
  const read = (text: string) => parseSma(`${key}=${text.replace(/\s/g, '') || '0'}`)
  return (
    <section aria-label="Moving mean">
      <h2>Moving mean</h2>
      <Choose
        label="Line of the moving mean"
        value={key}
        choices={withAbsent(lines, key)}
        choose={(next) => {
          chosen.value = next
        }}
      />
      <TextField
        caption="over"
        label="Window of the moving mean: samples, or seconds with an s"
        placeholder="20 samples or 2 s"
        value={shownWindow(windowText(known))}
        fault={(text) =>
          read(text) === undefined
            ? 'Not a window: write 20 for samples, 2 s for seconds, at most 600 s'
            : undefined
        }
        take={(text) => {
          const next = read(text)
          const isOff =
            next === undefined || ('samples' in next ? next.samples : next.seconds) === 0
          session.change({ averages: isOff ? others : [...others, next] })
        }}
      />
      {others.length > 0 && (
        <ul>
          {others.map((each) => (
            <SetRow
              key={each.key}
              words={`${each.key} over ${shownWindow(windowText(each))}`}
              removeLabel={`Remove the moving mean of ${each.key}`}
              remove={() => session.change({ averages: averages.filter((one) => one !== each) })}
            />
          ))}
        </ul>
      )}
    </section>
  )
}
