/** A large chart of one series: subscribed while on screen, its numbers beside it. */
import type { ComponentChildren, JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { withClockStep } from '../chart/picture.ts'
import { type Drawn, drawPlot, emptyWordsOf, type Plot } from '../chart/plot.ts'
import { SteadyRange } from '../chart/scale.ts'
import { format, NO_BREAK_SPACE } from '../format/number.ts'
import { useSubscription } from '../overview/cell.tsx'
import { useDrawing, usePage, usePanel } from '../shell/page.ts'
import { Section, setText } from '../shell/parts.tsx'
import type { Entry } from '../store/catalogue.ts'
import type { Lane, SeriesData } from '../store/series-data.ts'

interface Figure {
  readonly caption: string
  readonly unit: string
  /** The value at a second, or over the window that ends there. */
  readonly read: (data: SeriesData, second: number, window: number) => number
}

/** Makes the figure of a lane's value. */
export function laneFigure(lane: Lane, unit: string, caption: string = lane): Figure {
  return { caption, unit, read: (data, second) => data.at(lane, second) }
}

function Now({ entry, figures }: { entry: Entry; figures: readonly Figure[] }): JSX.Element {
  const page = usePage()
  const { store } = page
  const box = usePanel<HTMLDivElement>({
    draw: () => {
      const data = store.data(entry.id)
      const second = page.readingSecond()
      const isGone = store.isStale(entry.id) && page.cursor.second.value === null
      const values = box.current?.querySelectorAll('.value')
      figures.forEach(({ unit, read }, i) => {
        const value = data && !isGone ? read(data, second, store.clock.window.value) : Number.NaN
        const [number, name] = format(value, unit)
        setText(values?.[i]?.children[0], number)
        setText(values?.[i]?.children[1], name === '' ? '' : NO_BREAK_SPACE + name)
      })
    },
  })
  return (
    <div class="now" ref={box}>
      {figures.map(({ caption }) => (
        <div key={caption}>
          <span class="cap">{caption}</span>
          <span class="value">
            <span />
            <span class="unit" />
          </span>
        </div>
      ))}
    </div>
  )
}

interface ChartView {
  readonly from: number
  readonly to: number
  readonly cursor: number | null
  readonly steady: SteadyRange
}

interface ChartPanelProps {
  readonly entry: Entry
  readonly title: string
  readonly note?: ComponentChildren
  readonly height: 'h104' | 'h168' | 'h216' | 'h232' | 'h360'
  /** Text of what the picture is, for those who do not see it. */
  readonly label: string
  readonly plot: (data: SeriesData, view: ChartView) => Plot
  /** Called when it has been drawn. */
  readonly onDrawn?: (drawn: Drawn, data: SeriesData, view: ChartView) => void
  readonly figures?: readonly Figure[]
  /** Content beside the chart instead of figures. */
  readonly children?: ComponentChildren
}

export function ChartPanel(props: ChartPanelProps): JSX.Element {
  const { entry, title, note, height, label, plot, onDrawn, figures, children } = props
  const { store, cursor } = usePage()
  const steady = useRef(new SteadyRange())
  const canvas = useDrawing((painter, element) => {
    const data = store.data(entry.id)
    if (data === undefined) return
    const to = store.clock.edge()
    const from = to - store.clock.window.value
    const view = { from, to, cursor: cursor.second.value, steady: steady.current }
    const steps = store.sources.value?.clockSteps
    const words = { emptyWords: emptyWordsOf(data, from), ...plot(data, view) }
    const drawn = drawPlot(painter, withClockStep(words, steps))
    cursor.setAxis(element, drawn.time)
    onDrawn?.(drawn, data, view)
  }, useSubscription(entry.id))
  return (
    <Section title={title} note={note} isNoteRight>
      <div class="beside">
        <canvas ref={canvas} class={height} role="img" aria-label={label} />
        {figures && <Now entry={entry} figures={figures} />}
        {children}
      </div>
    </Section>
  )
}

export function Observations({ entry }: { entry: Entry }): JSX.Element {
  return (
    <ChartPanel
      entry={entry}
      title="Observations"
      note="per second"
      height="h104"
      label={`Observations per second of ${entry.text}`}
      figures={[laneFigure('count', '/s', 'per second')]}
      plot={(data, view) => {
        const values = new Float64Array(view.to - view.from + 1)
        data.copy('count', view.from, values)
        const line = { values, color: 'trace', width: 1.5, isFilled: true } as const
        return { ...view, step: 1, lines: [line], axis: 'zero', unit: '/s', size: 'large' }
      }}
    />
  )
}
