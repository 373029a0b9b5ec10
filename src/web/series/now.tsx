/** Large numbers beside the chart they come from, so that the eye does not travel. */
import type { JSX, RefObject } from 'preact'
import { useRef } from 'preact/hooks'
import { Painter } from '../chart/painter.ts'
import { drawPlot } from '../chart/plot.ts'
import { SteadyRange } from '../chart/scale.ts'
import { format, NO_BREAK_SPACE } from '../format/number.ts'
import { useSubscription } from '../overview/cell.tsx'
import { usePage, usePanel } from '../shell/page.ts'
import { Section, setText } from '../shell/parts.tsx'
import type { Entry } from '../store/catalogue.ts'
import type { SeriesData } from '../store/series-data.ts'

export interface Figure {
  readonly caption: string
  readonly unit: string
  /** The value at a second, or over the window that ends there. */
  readonly read: (data: SeriesData, second: number, window: number) => number
}

export function Now({ entry, figures }: { entry: Entry; figures: readonly Figure[] }): JSX.Element {
  const page = usePage()
  const { store } = page
  const spans = useRef<(HTMLSpanElement | null)[]>([])
  const box = usePanel<HTMLDivElement>({
    draw: () => {
      const data = store.data(entry.id)
      const second = page.readingSecond()
      const isGone = store.isStale(entry.id) && page.cursor.second.value === null
      figures.forEach(({ unit, read }, i) => {
        const value = data && !isGone ? read(data, second, store.clock.window.value) : Number.NaN
        const [number, name] = format(value, unit)
        setText(spans.current[2 * i], number)
        setText(spans.current[2 * i + 1], name === '' ? '' : NO_BREAK_SPACE + name)
      })
    },
  })
  return (
    <div class="now" ref={box}>
      {figures.map(({ caption }, i) => (
        <div key={caption}>
          <span class="cap">{caption}</span>
          <span class="value">
            <span
              ref={(span) => {
                spans.current[2 * i] = span
              }}
            />
            <span
              class="unit"
              ref={(span) => {
                spans.current[2 * i + 1] = span
              }}
            />
          </span>
        </div>
      ))}
    </div>
  )
}

export function Observations({ entry }: { entry: Entry }): JSX.Element {
  const { cursor } = usePage()
  const canvas = useChart(entry, (painter, { data, ...view }, element) => {
    const values = new Float64Array(view.to - view.from + 1)
    data.copy('count', view.from, values)
    const drawn = drawPlot(painter, {
      ...view,
      step: 1,
      lines: [{ values, color: 'trace', width: 1.5, isFilled: true }],
      axis: 'zero',
      unit: '/s',
      size: 'large',
    })
    cursor.setAxis(element, drawn.time)
  })
  const figure: Figure = {
    caption: 'per second',
    unit: '/s',
    read: (data, second) => data.at('count', second),
  }
  return (
    <Section title="Observations" note="per second" isNoteRight>
      <div class="beside">
        <canvas
          ref={canvas}
          class="h104"
          role="img"
          aria-label={`Observations per second of ${entry.text}`}
        />
        <Now entry={entry} figures={[figure]} />
      </div>
    </Section>
  )
}

export interface ChartView {
  readonly data: SeriesData
  readonly from: number
  readonly to: number
  readonly cursor: number | null
  readonly steady: SteadyRange
}

export function useChart(
  entry: Entry,
  draw: (painter: Painter, view: ChartView, canvas: HTMLCanvasElement) => void,
): RefObject<HTMLCanvasElement | null> {
  const page = usePage()
  const { store, cursor } = page
  const steady = useRef(new SteadyRange())
  const canvas = usePanel<HTMLCanvasElement>({
    ...useSubscription(entry.id),
    draw: (size) => {
      const data = store.data(entry.id)
      if (canvas.current === null || size.width === 0 || data === undefined) return
      const to = store.clock.edge()
      const painter = new Painter(canvas.current, size, page.theme.palette)
      const view = { data, from: to - store.clock.window.value, to, steady: steady.current }
      draw(painter, { ...view, cursor: cursor.second.value }, canvas.current)
    },
  })
  return canvas
}
