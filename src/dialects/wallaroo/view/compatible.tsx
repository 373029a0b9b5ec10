/**
 * A place in the numbers of the original Metrics UI (wallaroo.md §8), rounded as it does: always
 * of the last five minutes, percentiles as upper bounds of bins. For whoever compares the two.
 */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { CompatibleAnswer } from '../../../http/api.ts'
import { drawPlot } from '../../../web/chart/plot.ts'
import { SteadyRange } from '../../../web/chart/steady-range.ts'
import { shownName } from '../../../web/format/name.ts'
import { exact } from '../../../web/format/number.ts'
import { usePage } from '../../../web/shell/page.ts'
import { Section, Table } from '../../../web/shell/parts.tsx'
import type { Route } from '../../../web/shell/route.ts'
import { useAnswer } from '../../../web/store/polling.ts'
import { CompatibleNotice, CompatibleRows } from './compatible-rows.tsx'
import { Exports } from './exports.tsx'
import { drawGroupBars } from './group-bars.ts'
import { titleOf } from './place/heading.tsx'
import { categoryOf, INGESTION } from './place.ts'
import { viewAddress } from './requests.ts'
import { useDrawing } from './use-drawing.ts'
import { tableTitle, unknownWords } from './words.ts'

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

function Bars({ answer, of }: { answer: CompatibleAnswer; of: string }): JSX.Element {
  const canvas = useDrawing((painter) => drawGroupBars(painter, answer.chart))
  return (
    <Section title="Percent by latency bin" note="linear, 0 to 100; groups of bins">
      <canvas ref={canvas} class="h252" role="img" aria-label={`Percent by latency bin of ${of}`} />
    </Section>
  )
}

function Throughput({ answer, of }: { answer: CompatibleAnswer; of: string }): JSX.Element {
  const { cursor } = usePage()
  const steady = useRef(new SteadyRange())
  const canvas = useDrawing((painter, element) => {
    const { line, nowS } = answer
    const from = line[0]?.[0] ?? nowS - 1
    const values = Float64Array.from(line, ([, count]) => Number(count))
    const drawn = drawPlot(painter, {
      from,
      to: Math.max(from + 1, line.at(-1)?.[0] ?? nowS),
      step: 1,
      lines: [{ values, color: 'trace', width: 1.5, isFilled: true }],
      axis: 'zero',
      unit: '/s',
      size: 'large',
      steady: steady.current,
      cursor: cursor.second,
    })
    cursor.setAxis(element, drawn.time)
  })
  return (
    <Section title="Throughput (msgs/sec)" note="seconds without any window are 0">
      <canvas ref={canvas} class="h252" role="img" aria-label={`Throughput of ${of}`} />
    </Section>
  )
}

export function CompatibleView({ route }: { route: Route }): JSX.Element {
  const address = `${viewAddress(route.place, route)}&mode=compatible`
  const { answer, refusal } = useAnswer<CompatibleAnswer>(address, route.at !== null)
  const of = shownName(titleOf(route.place))
  const isCounter = categoryOf(route.place) === INGESTION
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
          title={tableTitle(table, route.place)}
          application={answer.application}
          label={table.label}
          rows={table.rows}
        />
      ))}
      <Exports json={address} name={`${of}-compatible`} tables={[]} />
    </>
  )
}
