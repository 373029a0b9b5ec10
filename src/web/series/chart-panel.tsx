/** A large chart of one series: subscribed while on screen, its numbers beside it. */
import type { ComponentChildren, JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { escapeUnseen } from '../../model/text/unseen.ts'
import { SteadyRange } from '../../viewer/chart/scale.ts'
import { digitsApart, format, NO_BREAK_SPACE, text } from '../../viewer/format/number.ts'
import { spanText } from '../../viewer/format/time.ts'
import { emptyWordsOf } from '../../viewer/series/reading.ts'
import type { Entry } from '../../viewer/store/catalogue.ts'
import type { Lane, SeriesData } from '../../viewer/store/series-data.ts'
import type { Painter } from '../chart/painter.ts'
import { stepsOf, withClockStep } from '../chart/picture.ts'
import { type Drawn, drawPlot, type Plot } from '../chart/plot.ts'
import { type ChartFile, ChartTools, ToolsTable } from '../chart-file/chart-tools.tsx'
import type { ChartTable } from '../chart-file/table.ts'
import { useSubscription } from '../overview/cell.tsx'
import { useDrawing, usePage, usePanel } from '../shell/page.ts'
import { Section, setText } from '../shell/parts.tsx'
import { noteOf } from './series-chart.ts'
import { lanesTable } from './tables.ts'

interface Figure {
  readonly caption: string
  readonly unit: string
  /** The value at a second. */
  readonly read: (data: SeriesData, second: number) => number
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
      const hasCursor = page.cursor.second.value !== null
      const data = store.readings(entry.id, hasCursor)
      const second = page.readingSecond()
      const isGone = store.isStale(entry.id) && !hasCursor
      const boxes = box.current?.querySelectorAll('.value')
      const values = figures.map(({ read }) => (data && !isGone ? read(data, second) : Number.NaN))
      const significant = digitsApart(values)
      figures.forEach(({ unit }, i) => {
        const [number, name] = format(values[i], unit, undefined, significant)
        setText(boxes?.[i]?.children[0], number)
        setText(boxes?.[i]?.children[1], name === '' ? '' : NO_BREAK_SPACE + name)
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
  /** Text of what the picture is, for those who do not see it: time and values come behind it. */
  readonly label: string
  /** Seconds that are shown, where it is not the window of the page. */
  readonly seconds?: number
  readonly plot: (data: SeriesData, view: ChartView) => Plot
  /** Rows of what the picture shows. */
  readonly table: (data: SeriesData, view: ChartView) => ChartTable
  /** Rows for a file, where those are more. */
  readonly all?: (data: SeriesData, view: ChartView) => ChartTable
  /** Called when it has been drawn. */
  readonly onDrawn?: (drawn: Drawn, data: SeriesData, view: ChartView) => void
  readonly figures?: readonly Figure[]
  /** Nothing stands beside the chart, or beside others in line with it. */
  readonly isWide?: boolean
  /** Content beside the chart instead of figures. */
  readonly children?: ComponentChildren
}

export function ChartPanel(props: ChartPanelProps): JSX.Element {
  const { entry, title, note, height, label, plot, table, all, onDrawn, figures, children } = props
  const page = usePage()
  const { store, cursor } = page
  const steady = useRef(new SteadyRange())
  const named = useRef('')
  const viewOf = (of: SteadyRange, second: number | null): ChartView => {
    const to = store.clock.edge()
    return { from: to - store.clock.window.peek(), to, cursor: second, steady: of }
  }
  const draw = (painter: Painter, data: SeriesData, view: ChartView): Drawn => {
    const words = { emptyWords: emptyWordsOf(data, view.from), ...plot(data, view) }
    return drawPlot(painter, withClockStep(words, store.sources.value?.clockSteps))
  }
  const canvas = useDrawing((painter, element) => {
    const data = store.data(entry.id)
    if (data === undefined) return
    const view = viewOf(steady.current, cursor.second.value)
    const drawn = draw(painter, data, view)
    cursor.setAxis(element, drawn.time)
    const shown = { ...view, from: view.to - (props.seconds ?? view.to - view.from) }
    const name = escapeUnseen(`${label}, ${statedWords(data, shown, figures)}; T: as a table`)
    if (name !== named.current) element.setAttribute('aria-label', name)
    named.current = name
    onDrawn?.(drawn, data, view)
  }, useSubscription(entry.id))
  const rowsOf = (rows: ChartPanelProps['table']) => (): ChartTable | undefined => {
    const data = store.data(entry.id)
    return data && rows(data, viewOf(steady.current, null))
  }
  const chart: ChartFile = {
    title: `${title} of ${entry.text}`,
    note: () => {
      const { from, to } = viewOf(steady.current, null)
      return noteOf(page, entry, from, to)
    },
    height: Number(height.slice(1)),
    draw: (painter) => {
      const data = store.data(entry.id)
      if (data !== undefined) draw(painter, data, viewOf(new SteadyRange(), null))
    },
    table: rowsOf(table),
    ...(all && { all: rowsOf(all) }),
  }
  const tools = <ChartTools chart={chart} width={() => canvas.current?.clientWidth ?? 0} />
  return (
    <Section title={title} note={note} isNoteRight tools={tools}>
      <div class={props.isWide ? '' : 'beside'}>
        <canvas ref={canvas} class={height} role="img" aria-label={label} />
        {figures && <Now entry={entry} figures={figures} />}
        {children}
      </div>
      <ToolsTable chart={chart} />
    </Section>
  )
}

/** Says which time a picture shows, and its numbers at the end of that. */
function statedWords(
  data: SeriesData,
  { from, to, cursor }: ChartView,
  figures: readonly Figure[] = [],
): string {
  const values = figures.map(({ caption, unit, read }) => {
    return `${caption} ${text(read(data, cursor ?? to), unit)}`
  })
  return [`last ${spanText(to - from)}`, ...values].join(', ')
}

/** Says what a point of a line stands for. */
export function EachStep(): JSX.Element {
  const step = usePage().store.clock.step.value
  return <>each {step === 1 ? 'second' : spanText(step)}</>
}

const OBSERVATIONS = [{ lane: 'count', unit: '/s', name: 'observations' }] as const

export function Observations({ entry }: { entry: Entry }): JSX.Element {
  return (
    <ChartPanel
      entry={entry}
      title="Observations"
      note="per second"
      height="h104"
      label={`Observations of ${entry.text}`}
      figures={[laneFigure('count', '/s', 'per second')]}
      table={(data, view) => lanesTable(data, view, OBSERVATIONS)}
      plot={(data, view) => {
        const values = data.values('count', view.from - data.step, view.to)
        const line = { values, color: 'trace', width: 1.5, isFilled: true } as const
        const lines = [line]
        return { ...view, ...stepsOf(data, view), lines, axis: 'zero', unit: '/s', size: 'large' }
      }}
    />
  )
}
