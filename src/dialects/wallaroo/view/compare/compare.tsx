/** The same thing on two workers: one distribution up, one down, over the same bins. */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { SteadyRange } from '../../../../viewer/chart/scale.ts'
import { shownName } from '../../../../viewer/format/name.ts'
import type { Line } from '../../../../web/chart/line.ts'
import type { Painter } from '../../../../web/chart/painter.ts'
import { type Drawn, drawPlot } from '../../../../web/chart/plot.ts'
import { type ChartFile, ChartTools, ToolsTable } from '../../../../web/chart-file/chart-tools.tsx'
import { periodText } from '../../../../web/chart-file/period.ts'
import { SIDES } from '../../../../web/compare/butterfly.ts'
import { ButterflyPanel } from '../../../../web/compare/butterfly-panel.tsx'
import { type ComparedRow, ComparedTable } from '../../../../web/compare/sides.tsx'
import { useAnswer, useDrawing, usePage } from '../../../../web/shell/page.ts'
import { Section } from '../../../../web/shell/parts.tsx'
import type { Route } from '../../../../web/shell/view.ts'
import type { ViewAnswer } from '../../http/api.ts'
import type { WallarooState } from '../address.ts'
import { numberOf } from '../latency.ts'
import { boundText } from '../place/bin-layout.ts'
import { type ChartLine, countsOf, firstSecond, lastSecond, valueAt } from '../place/columns.ts'
import { titleOf } from '../place/heading.tsx'
import { secondsTable } from '../place/tables.ts'
import { viewAddress } from '../requests.ts'
import { boundsText, RANGES, unknownWords } from '../words.ts'
import { ByComputation } from './by-computation.tsx'

type Sides<T> = readonly [T, T]

interface ComparedProps {
  readonly views: Sides<ViewAnswer>
  readonly names: Sides<string>
  readonly of: string
}

/** Height of the chart of lines, CSS pixels; its class has the same. */
const HEIGHT = 360
const LINES = [
  ['p50Ns', 'p50', 1.25, [2, 3]],
  ['p99Ns', 'p99', 1.75, []],
] as const satisfies readonly (readonly [ChartLine, string, number, readonly number[]])[]
/** Room for the names at the ends of the lines, CSS pixels, and in narrow windows. */
const NAME_ROOM = 112
const NAME_ROOM_NARROW = 84

function noteOf([view]: Sides<ViewAnswer>): string {
  return `${periodText(firstSecond(view), lastSecond(view))}, ${shownName(view.application)}`
}

function linesOf({ views, names }: ComparedProps): readonly Line[] {
  return views.flatMap((view, side) =>
    LINES.map(([line, name, width, dash]): Line => {
      const label = `${names[side]} ${name}`
      // the answers may be a second apart
      const [from, to] = [firstSecond(views[0]), lastSecond(views[0])]
      const values = Float64Array.from({ length: to - from + 1 }, (_, i) =>
        valueAt(view, line, from + i),
      )
      return { values, color: SIDES[side]!, width, dash, name: label }
    }),
  )
}

function Percentiles(props: ComparedProps): JSX.Element {
  const { views, names, of } = props
  const { cursor } = usePage()
  const steady = useRef(new SteadyRange())
  const lines = linesOf(props)
  const isAboveZero = lines.every(({ values }) => !values.some((value) => value <= 0))
  const draw = (painter: Painter, range: SteadyRange, second: number | null): Drawn =>
    drawPlot(painter, {
      lines,
      from: firstSecond(views[0]),
      to: lastSecond(views[0]),
      step: 1,
      size: 'large',
      unit: 'ns',
      axis: isAboveZero ? 'log' : 'zero',
      nameRoom: painter.width < 480 ? NAME_ROOM_NARROW : NAME_ROOM,
      steady: range,
      cursor: second,
    })
  const canvas = useDrawing((painter, element) => {
    cursor.setAxis(element, draw(painter, steady.current, cursor.second.value).time)
  })
  const chart: ChartFile = {
    title: `p50 and p99 of ${of}, ${names[0]} and ${names[1]}`,
    note: () => noteOf(views),
    height: HEIGHT,
    draw: (painter) => draw(painter, new SteadyRange(), null),
    table: () => joined(views, names),
  }
  return (
    <Section
      title="p50 and p99 over time"
      note="p50 dotted, p99 solid"
      tools={<ChartTools chart={chart} width={() => canvas.current?.clientWidth ?? 0} />}
    >
      <canvas
        ref={canvas}
        class="h360"
        role="img"
        aria-label={`${chart.title} over time; T: as a table`}
      />
      <ToolsTable chart={chart} />
    </Section>
  )
}

/** Makes a row for each second of the first, with both sides' columns. */
function joined(views: Sides<ViewAnswer>, names: Sides<string>) {
  const [first, second] = views.map((view, side) =>
    secondsTable(
      view,
      LINES.map(([line, name]) => [line, `${names[side]} ${name}`, 'ns']),
    ),
  )
  const shift = firstSecond(views[0]) - firstSecond(views[1])
  return {
    columns: [...first!.columns, ...second!.columns.slice(1)],
    length: first!.length,
    row: (i: number) => {
      const at = i + shift
      const other = at >= 0 && at < second!.length ? second!.row(at).slice(1) : []
      return [...first!.row(i), ...other]
    },
  }
}

function rowsOf(views: Sides<ViewAnswer>): readonly ComparedRow[] {
  const percentiles = [
    ['p50', 'p50Ns'],
    ['p95', 'p95Ns'],
    ['p99', 'p99Ns'],
    ['p99.9', 'p999Ns'],
    ['p99.99', 'p9999Ns'],
  ] as const
  const of = (read: (view: ViewAnswer) => number): Sides<number> => [read(views[0]), read(views[1])]
  return [
    ...percentiles.map(([name, key]) => ({
      ...{ name, unit: 'ns' },
      values: of(({ total }) => numberOf(total.latency[key])),
    })),
    {
      ...{ name: 'messages per second, median', unit: '/s' },
      values: of(({ total }) => numberOf(total.throughput.median)),
    },
  ]
}

function Compared(props: ComparedProps): JSX.Element {
  const { views, names, of } = props
  return (
    <>
      <div class="halves">
        <ButterflyPanel
          title="Per cent by latency bin"
          counts={[countsOf(views[0].bins), countsOf(views[1].bins)]}
          bounds={RANGES.map(({ bin }) => boundText(bin))}
          ranges={RANGES.map(boundsText)}
          note={() => noteOf(views)}
          {...{ of, names }}
        />
        <Percentiles {...props} />
      </div>
      <ByComputation views={views} names={names} />
      <Section title="Numbers" note={`${names[0]} against ${names[1]}`}>
        <ComparedTable label="Numbers" names={names} rows={rowsOf(views)} />
      </Section>
    </>
  )
}

interface CompareViewProps {
  readonly route: Route<WallarooState>
  readonly workers: Sides<string>
}

/** Shows a place of one worker against the same place of another one. */
export function CompareView({ route, workers }: CompareViewProps): JSX.Element {
  const { place } = route.state
  const isHeld = route.at !== null
  const first = useAnswer<ViewAnswer>(viewAddress({ ...place, worker: workers[0] }, route), {
    isHeld,
  })
  const second = useAnswer<ViewAnswer>(viewAddress({ ...place, worker: workers[1] }, route), {
    isHeld,
  })
  const refusal = first.refusal ?? second.refusal
  if (first.answer === undefined || second.answer === undefined) {
    return <p class="soft">{refusal === undefined ? '–' : unknownWords(refusal)}</p>
  }
  const views = [first.answer, second.answer] as const
  const names = [shownName(workers[0]), shownName(workers[1])] as const
  return (
    <>
      {refusal !== undefined && <p class="small warn">{unknownWords(refusal)}</p>}
      <Compared views={views} names={names} of={shownName(titleOf({ ...place, worker: null }))} />
    </>
  )
}
