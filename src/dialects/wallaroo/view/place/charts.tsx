/** The charts of a place: bars by latency bin, percentiles over time, messages per second. */
import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { SteadyRange } from '../../../../viewer/chart/scale.ts'
import { shownName } from '../../../../viewer/format/name.ts'
import type { Line } from '../../../../web/chart/line.ts'
import type { Painter } from '../../../../web/chart/painter.ts'
import { drawPlot, type Plot } from '../../../../web/chart/plot.ts'
import { type ChartFile, ChartTools, ToolsTable } from '../../../../web/chart-file/chart-tools.tsx'
import { periodText } from '../../../../web/chart-file/period.ts'
import { useDrawing, usePage } from '../../../../web/shell/page.ts'
import { Section } from '../../../../web/shell/parts.tsx'
import type { ViewAnswer } from '../../http/api.ts'
import { WALLAROO } from '../address.ts'
import { numberOf } from '../latency.ts'
import { binText, skewWords, throughputWords } from '../words.ts'
import { binAt, drawBinBars } from './bin-bars.ts'
import { SKEW_BIN } from './bin-layout.ts'
import { BinColumns, type ChartLine, countsOf, firstSecond, lastSecond, lineOf } from './columns.ts'
import { binsFile, binsTable, secondsTable } from './tables.ts'

interface ViewProps {
  readonly view: ViewAnswer
  /** Name of what is shown, for the names of pictures. */
  readonly of: string
}

const BARS_NOTE = 'each bar up to its label, inclusive; square-root axis'

/** Heights of the charts, CSS pixels. */
const TALL = 252
const LOW = 120

const LINES = [
  { line: 'p50Ns', name: 'p50', color: 'trace', width: 1 },
  { line: 'p95Ns', name: 'p95', color: 'trace', width: 1.5 },
  { line: 'p99Ns', name: 'p99', color: 'ink', width: 1.75 },
] as const satisfies readonly { line: ChartLine; name: string; color: string; width: number }[]

type Lines = Pick<Plot, 'lines' | 'axis' | 'unit' | 'heat'>

/** Plots a view over its own window. */
function usePlot(view: ViewAnswer, plot: Lines) {
  const { cursor } = usePage()
  const steady = useRef(new SteadyRange())
  return useDrawing((painter, canvas) => {
    const drawn = drawLines(painter, view, plot, steady.current, cursor.second.value)
    cursor.setAxis(canvas, drawn.time)
  })
}

function drawLines(
  painter: Painter,
  view: ViewAnswer,
  plot: Lines,
  steady = new SteadyRange(),
  cursor: number | null = null,
) {
  const [from, to] = [firstSecond(view), lastSecond(view)]
  return drawPlot(painter, { ...plot, from, to, step: 1, size: 'large', steady, cursor })
}

/** Says when, of which application. */
function noteOf(view: ViewAnswer): string {
  return `${periodText(firstSecond(view), lastSecond(view))}, ${shownName(view.application)}`
}

/**
 * Shows the bars; the values of the bin under the pointer stand where the note was: nothing covers
 * the bars.
 */
function Bars({ view, of }: ViewProps): JSX.Element {
  const { latency } = view.total
  const [marked, setMarked] = useState<number | null>(null)
  const counts = countsOf(view.bins)
  const draw = (painter: Painter, bin: number | null): void => {
    drawBinBars(painter, {
      counts,
      marked: bin,
      percentiles: [
        ['p50', numberOf(latency.p50Ns)],
        ['p95', numberOf(latency.p95Ns)],
        ['p99', numberOf(latency.p99Ns)],
      ],
    })
  }
  const canvas = useDrawing((painter) => draw(painter, marked))
  const chart: ChartFile = {
    title: `Per cent by latency bin of ${of}`,
    note: () => `${noteOf(view)}; ${BARS_NOTE}`,
    height: TALL,
    draw: (painter) => draw(painter, null),
    table: () => binsTable(view.bins),
    all: () => binsFile(view.bins),
  }
  const bin = view.bins.find((each) => each.bin === marked)
  const note = bin ? <span class="at-pointer">{binText(bin)}</span> : BARS_NOTE
  return (
    <Section
      title="Per cent by latency bin"
      note={note}
      tools={<ChartTools chart={chart} width={() => canvas.current?.clientWidth ?? 0} />}
    >
      <canvas
        ref={canvas}
        class="h252"
        role="img"
        aria-label={`Per cent by latency bin of ${of}; T: as a table`}
        onPointerMove={({ offsetX, currentTarget }) => {
          setMarked(binAt(counts, offsetX, currentTarget.clientWidth))
        }}
        onPointerLeave={() => setMarked(null)}
      />
      <ToolsTable chart={chart} />
    </Section>
  )
}

function Percentiles({ view, of }: ViewProps): JSX.Element {
  const { aboveNs } = usePage().navigation.state(WALLAROO)
  const lines: Line[] = LINES.map(({ line, ...look }) => ({ ...look, values: lineOf(view, line) }))
  if (aboveNs !== null) {
    const values = new Float64Array(view.charts.throughput.length + 1).fill(aboveNs)
    lines.push({ values, color: 'warn-mark', width: 1, name: 'limit' })
  }
  const isAboveZero = lines.every(({ values }) => !values.some((value) => value <= 0))
  const plot: Lines = {
    lines,
    unit: 'ns',
    // A logarithmic axis has no place for 0.
    axis: isAboveZero ? 'log' : 'zero',
    ...(isAboveZero ? { heat: { data: new BinColumns(view), ramp: 'faint' as const } } : {}),
  }
  const canvas = usePlot(view, plot)
  const chart: ChartFile = {
    title: `Percentiles of ${of}`,
    note: () => noteOf(view),
    height: TALL,
    draw: (painter) => drawLines(painter, view, plot),
    table: () =>
      secondsTable(
        view,
        LINES.map(({ line, name }) => [line, name, 'ns']),
      ),
  }
  return (
    <Section
      title="Percentiles over time"
      note="of the windows that cover each second; interpolated inside a bin"
      tools={<ChartTools chart={chart} width={() => canvas.current?.clientWidth ?? 0} />}
    >
      <canvas
        ref={canvas}
        class="h252"
        role="img"
        aria-label={`Percentiles of ${of} over time; T: as a table`}
      />
      <ToolsTable chart={chart} />
    </Section>
  )
}

function Throughput({ view, of }: ViewProps): JSX.Element {
  const values = lineOf(view, 'throughput')
  const plot: Lines = {
    lines: [{ values, color: 'trace', width: 1.5, isFilled: true }],
    unit: '/s',
    axis: 'zero',
  }
  const canvas = usePlot(view, plot)
  const chart: ChartFile = {
    title: `Messages per second of ${of}`,
    note: () => noteOf(view),
    height: LOW,
    draw: (painter) => drawLines(painter, view, plot),
    table: () => secondsTable(view, [['throughput', 'messages', '/s']]),
  }
  return (
    <Section
      title="Messages per second"
      note={throughputWords(view.total)}
      tools={<ChartTools chart={chart} width={() => canvas.current?.clientWidth ?? 0} />}
    >
      <canvas
        ref={canvas}
        class="h120"
        role="img"
        aria-label={`Messages per second of ${of}; T: as a table`}
      />
      <ToolsTable chart={chart} />
    </Section>
  )
}

/** Tells whether bin 64 counts: the hub may be told that it is clock skew. */
function isCounted({ bins }: ViewAnswer): boolean {
  return bins.some(({ bin }) => bin === SKEW_BIN)
}

/** Says what has no latency, and whether it counts. */
function SkewNote({ view }: { view: ViewAnswer }): JSX.Element | null {
  const { skewed } = view.total.latency
  if (Number(skewed) === 0) return null
  return <p class="small warn">{skewWords(skewed, isCounted(view))}</p>
}

export function Charts({ view, of }: ViewProps): JSX.Element {
  const isCounter = view.key.category === 'pipeline-ingestion'
  return (
    <>
      {!isCounter && (
        <div class="halves">
          <Bars view={view} of={of} />
          <Percentiles view={view} of={of} />
        </div>
      )}
      <SkewNote view={view} />
      <Throughput view={view} of={of} />
    </>
  )
}
