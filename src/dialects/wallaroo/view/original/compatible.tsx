/**
 * A place in the numbers of the original Metrics UI (wallaroo.md §8), rounded as it does: always
 * of the last five minutes, percentiles as upper bounds of bins. For comparing the two.
 */
import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { SteadyRange } from '../../../../viewer/chart/scale.ts'
import { shownName } from '../../../../viewer/format/name.ts'
import { exact } from '../../../../viewer/format/number.ts'
import type { Painter } from '../../../../web/chart/painter.ts'
import { type Drawn, drawPlot } from '../../../../web/chart/plot.ts'
import { type ChartFile, ChartTools, ToolsTable } from '../../../../web/chart-file/chart-tools.tsx'
import { periodText } from '../../../../web/chart-file/period.ts'
import { useAnswer, useDrawing, usePage } from '../../../../web/shell/page.ts'
import { Link, Name, Section, Table } from '../../../../web/shell/parts.tsx'
import type { Route } from '../../../../web/shell/view.ts'
import type {
  CompatibleAnswer,
  CompatibleApplicationAnswer,
  CompatiblePipelineRow,
  CompatibleRow,
} from '../../http/api.ts'
import { toPlace, type WallarooState } from '../address.ts'
import { Exports } from '../exports.tsx'
import { titleOf } from '../place/heading.tsx'
import { categoryOf, INGESTION } from '../place.ts'
import { applicationAddress, placeOfKey, viewAddress } from '../requests.ts'
import { LongTable } from '../rows/lazy-rows.tsx'
import { groupWords, tableTitle, unknownWords } from '../words.ts'
import { drawGroupBars, groupAt, lastBin } from './group-bars.ts'

/** Seconds that the original shows, and the height of its charts in CSS pixels. */
const LAST_S = 300
const HEIGHT = 252
const BAR_COLUMNS = [
  { name: 'up to', form: 'count', unit: 'ns' },
  { name: 'share', form: 'percent' },
] as const
const LINE_COLUMNS = [
  { name: 'Second', form: 'second' },
  { name: 'messages', form: 'count' },
] as const

const PERCENTILES = ['50.0', '95.0', '99.0', '99.9', '99.99'] as const

function Stats({ answer }: { answer: CompatibleAnswer }): JSX.Element {
  const { percentiles, throughput } = answer.texts
  const isCounter = answer.key.category === INGESTION
  const heads = isCounter ? [] : PERCENTILES.map((name) => `${name.replace('.0', '')}% are`)
  const rates = ['Minimum', 'Median', 'Maximum']
  return (
    <Section
      title="Last 5 mins"
      note="as the original Metrics UI counts and rounds; throughput in messages a second"
    >
      <Table label="Stats" heads={[...heads, ...rates]} numeric={[]}>
        <tr>
          {!isCounter &&
            PERCENTILES.map((name) => (
              <td key={name} title={`${exact(answer.percentiles[name])} ns`}>
                {percentiles[name]}
              </td>
            ))}
          {(['min', 'med', 'max'] as const).map((name) => (
            <td key={name} title={`${exact(answer.throughput[name])} /s`}>
              {throughput[name]}
            </td>
          ))}
        </tr>
      </Table>
    </Section>
  )
}

/** Says what the group under the pointer is; without one, what the chart is. */
function groupNote(chart: CompatibleAnswer['chart'], marked: number | null): string | JSX.Element {
  const group = marked === null ? undefined : chart[marked]
  if (group === undefined) return 'linear, 0 to 100; groups of bins'
  const before = chart[marked! - 1]
  const words = groupWords(lastBin(group), before === undefined ? -1 : lastBin(before), group[1])
  return <span class="at-pointer">{words}</span>
}

function Bars({ answer, of }: { answer: CompatibleAnswer; of: string }): JSX.Element {
  const { chart } = answer
  const [marked, setMarked] = useState<number | null>(null)
  const canvas = useDrawing((painter) => drawGroupBars(painter, chart, marked))
  const file: ChartFile = {
    title: `Percent by latency bin of ${of}`,
    note: () =>
      `${periodText(answer.nowS - LAST_S, answer.nowS)}, ${shownName(answer.application)}`,
    height: HEIGHT,
    draw: (painter) => drawGroupBars(painter, chart, null),
    table: () => ({ columns: BAR_COLUMNS, length: chart.length, row: (i) => chart[i]! }),
  }
  return (
    <Section
      title="Percent by latency bin"
      note={groupNote(chart, marked)}
      tools={<ChartTools chart={file} width={() => canvas.current?.clientWidth ?? 0} />}
    >
      <canvas
        ref={canvas}
        class="h252"
        role="img"
        aria-label={`Percent by latency bin of ${of}`}
        onPointerMove={({ offsetX, currentTarget }) => {
          setMarked(groupAt(chart, offsetX, currentTarget.clientWidth))
        }}
        onPointerLeave={() => setMarked(null)}
      />
      <ToolsTable chart={file} />
    </Section>
  )
}

function Throughput({ answer, of }: { answer: CompatibleAnswer; of: string }): JSX.Element {
  const { cursor } = usePage()
  const steady = useRef(new SteadyRange())
  const { line, nowS } = answer
  const from = line[0]?.[0] ?? nowS - 1
  const to = Math.max(from + 1, line.at(-1)?.[0] ?? nowS)
  const draw = (painter: Painter, of: SteadyRange, second: number | null): Drawn => {
    const values = Float64Array.from(line, ([, count]) => Number(count))
    return drawPlot(painter, {
      from,
      to,
      step: 1,
      lines: [{ values, color: 'trace', width: 1.5, isFilled: true }],
      axis: 'zero',
      unit: '/s',
      size: 'large',
      steady: of,
      cursor: second,
    })
  }
  const canvas = useDrawing((painter, element) => {
    cursor.setAxis(element, draw(painter, steady.current, cursor.second.value).time)
  })
  const file: ChartFile = {
    title: `Throughput of ${of}`,
    note: () => `${periodText(from, to)}, ${shownName(answer.application)}`,
    height: HEIGHT,
    draw: (painter) => draw(painter, new SteadyRange(), null),
    table: () => ({ columns: LINE_COLUMNS, length: line.length, row: (i) => line[i]! }),
  }
  return (
    <Section
      title="Throughput (msgs/sec)"
      note="seconds without any window are 0"
      tools={<ChartTools chart={file} width={() => canvas.current?.clientWidth ?? 0} />}
    >
      <canvas ref={canvas} class="h252" role="img" aria-label={`Throughput of ${of}`} />
      <ToolsTable chart={file} />
    </Section>
  )
}

export function CompatibleView({ route }: { route: Route<WallarooState> }): JSX.Element {
  const address = `${viewAddress(route.state.place, route)}&mode=compatible`
  const { answer, refusal } = useAnswer<CompatibleAnswer>(address, { isHeld: route.at !== null })
  const of = shownName(titleOf(route.state.place))
  const isCounter = categoryOf(route.state.place) === INGESTION
  if (answer === undefined) return <p class="soft">{refusal ? unknownWords(refusal) : '–'}</p>
  return (
    <>
      <CompatibleNotice />
      <Stats answer={answer} />
      <div class={isCounter ? '' : 'halves'}>
        {!isCounter && <Bars answer={answer} of={of} />}
        <Throughput answer={answer} of={of} />
      </div>
      {answer.tables.map((table) => (
        <CompatibleRows
          key={`${table.name} ${table.label}`}
          title={tableTitle(table, route.state.place)}
          application={answer.application}
          label={table.label}
          rows={table.rows}
        />
      ))}
      <Exports json={address} name={`${of}-compatible`} tables={[]} />
    </>
  )
}

export function CompatibleApplication({
  application,
  isHeld,
}: {
  application: string
  isHeld: boolean
}): JSX.Element {
  const address = `${applicationAddress(application)}&mode=compatible`
  const { answer, refusal } = useAnswer<CompatibleApplicationAnswer>(address, { isHeld })
  if (answer === undefined) return <p class="soft">{refusal ? unknownWords(refusal) : '–'}</p>
  const { pipelines, workers, computations, others } = answer
  const of = { application }
  return (
    <>
      <CompatibleNotice />
      <CompatibleRows {...of} title="Pipeline Stats" label="pipeline" rows={pipelines} />
      <CompatibleRows {...of} title="Worker Stats" label="worker" rows={workers} />
      <CompatibleRows {...of} title="Computation Stats" label="name" rows={computations} />
      <CompatibleRows {...of} title="Other Stats" label="name" rows={others} />
      <Exports json={address} name={`${application}-compatible`} tables={[]} />
    </>
  )
}

const SHARES = ['50.0', '95.0', '99.0'] as const
const RATES = ['min', 'med', 'max'] as const
const SHARE_HEADS = ['50% are', '95% are', '99% are'] as const
const RATE_HEADS = ['Minimum', 'Median', 'Maximum'] as const

type Label = 'pipeline' | 'worker' | 'name'

/** Writes of a pipeline what came in and what went out, as the original writes the pair. */
function rateText(
  row: CompatibleRow | CompatiblePipelineRow,
  rate: (typeof RATES)[number],
): string {
  const out = row.texts.throughput[rate]
  const ingested = 'ingested' in row ? row.ingested : null
  return ingested === null ? out : `${ingested.texts[rate]} -|< ${out}`
}

interface CompatibleRowsProps {
  readonly title: string
  readonly application: string
  readonly label: Label
  readonly rows: readonly CompatibleRow[]
}

function CompatibleRows(props: CompatibleRowsProps): JSX.Element | null {
  const { title, application, label, rows } = props
  if (rows.length === 0) return null
  const isCounted = rows.every(({ key }) => key.category === INGESTION)
  const shares = isCounted ? [] : SHARES
  return (
    <Section title={title} note="latency and messages a second, last 5 mins, as the original">
      <LongTable
        label={title}
        heads={['ID', ...(isCounted ? [] : SHARE_HEADS), ...RATE_HEADS]}
        numeric={[]}
        rows={rows}
        row={(row) => (
          <tr key={JSON.stringify(row.key)}>
            <td>
              <Link to={toPlace(placeOfKey(application, row.key))} class="link row-link">
                <Name text={row.key[label] ?? ''} />
              </Link>
            </td>
            {shares.map((share) => (
              <td key={share} title={`${exact(row.percentiles[share])} ns`}>
                {row.texts.percentiles[share]}
              </td>
            ))}
            {RATES.map((rate) => (
              <td key={rate}>{rateText(row, rate)}</td>
            ))}
          </tr>
        )}
      />
    </Section>
  )
}

/** Shows a notice wherever these numbers stand, since they look like the exact ones. */
function CompatibleNotice(): JSX.Element {
  return (
    <p class="small verdict-none">
      <strong>Metrics UI compatible.</strong> Percentiles are upper bounds of bins, throughput is
      rounded; always the last 5 minutes, whatever window is chosen. The exact mode shows what is
      known.
    </p>
  )
}
