/** A counter or gauge: its value large, and the last ten minutes with the shown part. */
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { drawnUnit, pictureOf } from '../chart/picture.ts'
import { text } from '../format/number.ts'
import { usePage } from '../shell/page.ts'
import { setText } from '../shell/parts.tsx'
import type { Entry } from '../store/catalogue.ts'
import { MAIN_LANE, type SeriesData } from '../store/series-data.ts'
import { ChartPanel, laneFigure } from './chart-panel.tsx'

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
  const { store } = usePage()
  const { kind, unit = '' } = entry.info
  const shown = drawnUnit(kind, unit)
  const usual = useRef<HTMLSpanElement>(null)
  const pausedAt = store.clock.pausedAt.value
  useEffect(() => store.screen.showLong(entry.id, LONG_SECONDS), [store, entry.id, pausedAt])
  const extreme = (caption: string, pick: (a: number, b: number) => number) => ({
    caption,
    unit: shown,
    read: (data: SeriesData, _: number, window: number) =>
      over(data, store.clock.edge(), window, pick),
  })
  const title = kind === 'counter' ? 'Rate' : 'Value'
  return (
    <>
      <ChartPanel
        entry={entry}
        title={title}
        note={<span ref={usual} />}
        height="h360"
        label={`${title} of ${entry.text} over time; as a table below`}
        plot={(data, view) => pictureOf(data, view, { unit, size: 'large', steady: view.steady })}
        onDrawn={() => {
          const { usual: value } = store.watch.finding(entry.id)
          setText(usual.current, `usual value ${text(value, shown)}`)
        }}
        figures={[
          laneFigure(MAIN_LANE[kind], shown, 'now'),
          extreme('lowest', Math.min),
          extreme('highest', Math.max),
        ]}
      />
      <ChartPanel
        entry={entry}
        title="Last 10 minutes"
        height="h168"
        label={`${title} of ${entry.text} over the last 10 minutes`}
        plot={(data, { from, to, cursor, steady }) => {
          const view = { from: to - LONG_SECONDS, to, cursor }
          const picture = pictureOf(data, view, { unit, size: 'large', steady })
          return { ...picture, mark: { from, to, words: 'shown above' } }
        }}
      />
    </>
  )
}
