/** Computations of two workers side by side: the one that makes the difference has the ratio. */
import type { JSX } from 'preact'
import { shownName } from '../../../../viewer/format/name.ts'
import { changeText, exact, NO_VALUE } from '../../../../viewer/format/number.ts'
import { Name, Section } from '../../../../web/shell/parts.tsx'
import type { RowJson, ViewAnswer } from '../../http/api.ts'
import { numberOf, SLOW_FACTOR } from '../latency.ts'
import { LongTable } from '../rows/lazy-rows.tsx'
import { Amount } from '../rows/ranges.tsx'

interface Pair {
  readonly key: string
  readonly name: string
  readonly pipeline: string
  readonly rows: readonly [RowJson | undefined, RowJson | undefined]
}

/** Joins the computations of both by pipeline and name, those of the first in their order first. */
function pairsOf(views: readonly [ViewAnswer, ViewAnswer]): readonly Pair[] {
  const byKey = views.map((view) => {
    const rows = view.tables
      .filter(({ name }) => name === 'computations')
      .flatMap((table) => table.rows)
    return new Map(rows.map((row) => [JSON.stringify([row.key.pipeline, row.key.name]), row]))
  })
  const [first, second] = byKey as [Map<string, RowJson>, Map<string, RowJson>]
  return [...new Set([...first.keys(), ...second.keys()])].map((key) => {
    const rows = [first.get(key), second.get(key)] as const
    const { name = '', pipeline = '' } = (rows[0] ?? rows[1])!.key
    return { key, name, pipeline, rows }
  })
}

type Percentile = 'p50Ns' | 'p99Ns'

function latencyOf(row: RowJson | undefined, key: Percentile): number {
  return numberOf(row?.latency[key])
}

function Ratio({ rows, of }: { rows: Pair['rows']; of: Percentile }): JSX.Element {
  const ratio = latencyOf(rows[0], of) / latencyOf(rows[1], of)
  const isFar = ratio >= SLOW_FACTOR
  const words = Number.isFinite(ratio) ? changeText(ratio) : NO_VALUE
  return <td class={isFar ? 'num warn strong' : 'num'}>{words}</td>
}

interface ByComputationProps {
  readonly views: readonly [ViewAnswer, ViewAnswer]
  readonly names: readonly [string, string]
}

export function ByComputation({ views, names }: ByComputationProps): JSX.Element | null {
  const pairs = pairsOf(views)
  if (pairs.length === 0) return null
  const [a, b] = names
  const heads = [
    'Computation',
    ...[`${a} p50`, `${a} p99`, `${b} p50`, `${b} p99`],
    ...['Ratio p50', 'Ratio p99', `Messages ${a}`, `Messages ${b}`],
  ]
  return (
    <Section title="By computation" note={`${a} against ${b}`}>
      <LongTable
        label="By computation"
        heads={heads}
        numeric={[1, 2, 3, 4, 5, 6, 7, 8]}
        rows={pairs}
        row={({ key, name, pipeline, rows }) => (
          <tr
            key={key}
            class={
              latencyOf(rows[0], 'p99Ns') >= SLOW_FACTOR * latencyOf(rows[1], 'p99Ns') ? 'slow' : ''
            }
          >
            <td title={shownName(name)}>
              <Name text={name} />
              <span class="muted">
                {' '}
                <Name text={pipeline} />
              </span>
            </td>
            {rows.flatMap((row, side) =>
              (['p50Ns', 'p99Ns'] as const).map((of) => (
                <td key={`${side} ${of}`} class="num">
                  <Amount value={latencyOf(row, of)} unit="ns" />
                </td>
              )),
            )}
            <Ratio rows={rows} of="p50Ns" />
            <Ratio rows={rows} of="p99Ns" />
            {rows.map((row, side) => (
              <td key={side} class="num">
                {row === undefined ? NO_VALUE : exact(row.latency.count)}
              </td>
            ))}
          </tr>
        )}
      />
    </Section>
  )
}
