/** A counter or gauge: its value large, and the last ten minutes with the shown part. */
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { drawnUnit, pictureOf } from '../chart/picture.ts'
import { drawPlot } from '../chart/plot.ts'
import { text } from '../format/number.ts'
import { usePage } from '../shell/page.ts'
import { Section, setText } from '../shell/parts.tsx'
import type { Entry } from '../store/catalogue.ts'
import { MAIN_LANE, type SeriesData } from '../store/series-data.ts'
import { type Figure, Now, useChart } from './now.tsx'

const LONG_SECONDS = 600

/** Reduces the known values of the window that ends at `second`. */
function over(
  data: SeriesData,
  second: number,
  window: number,
  pick: (a: number, b: number) => number,
): number {
  const values = new Float64Array(window)
  data.copy(MAIN_LANE[data.kind], second - window + 1, values)
  return values.reduce(
    (kept, value) => (Number.isNaN(value) ? kept : Number.isNaN(kept) ? value : pick(kept, value)),
    Number.NaN,
  )
}

export function ValuePanels({ entry }: { entry: Entry }): JSX.Element {
  const { store, cursor } = usePage()
  const { kind, unit = '' } = entry.info
  const shown = drawnUnit(kind, unit)
  const usual = useRef<HTMLSpanElement>(null)
  useLongWindow(entry, LONG_SECONDS)
  const large = useChart(entry, (painter, { data, steady, ...view }, element) => {
    const drawn = drawPlot(painter, pictureOf(data, view, { unit, size: 'large', steady }))
    cursor.setAxis(element, drawn.time)
    setText(usual.current, `usual value ${text(store.watch.finding(entry.id).usual, shown)}`)
  })
  const long = useChart(entry, (painter, { data, steady, ...view }, element) => {
    const from = view.to - LONG_SECONDS
    const picture = pictureOf(data, { ...view, from }, { unit, size: 'large', steady })
    const mark = { from: view.from, to: view.to, words: 'shown above' }
    const drawn = drawPlot(painter, { ...picture, mark })
    cursor.setAxis(element, drawn.time)
  })
  const lane = MAIN_LANE[kind]
  const figures: Figure[] = [
    { caption: 'now', unit: shown, read: (data, second) => data.at(lane, second) },
    {
      caption: 'lowest',
      unit: shown,
      read: (data, _, window) => over(data, store.clock.edge(), window, Math.min),
    },
    {
      caption: 'highest',
      unit: shown,
      read: (data, _, window) => over(data, store.clock.edge(), window, Math.max),
    },
  ]
  const title = kind === 'counter' ? 'Rate' : 'Value'
  return (
    <>
      <Section title={title} note={<span ref={usual} />} isNoteRight>
        <div class="beside">
          <canvas
            ref={large}
            class="h360"
            role="img"
            aria-label={`${title} of ${entry.text} over time; as a table below`}
          />
          <Now entry={entry} figures={figures} />
        </div>
      </Section>
      <Section title="Last 10 minutes">
        <div class="beside">
          <canvas
            ref={long}
            class="h168"
            role="img"
            aria-label={`${title} of ${entry.text} over the last 10 minutes`}
          />
        </div>
      </Section>
    </>
  )
}

export function useLongWindow(entry: Entry, seconds: number): void {
  const { store } = usePage()
  const pausedAt = store.clock.pausedAt.value
  useEffect(() => store.screen.showLong(entry.id, seconds), [store, entry.id, seconds, pausedAt])
}
