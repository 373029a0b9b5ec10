/** Values of a filter's metrics as its threads have them; read while it is open. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { exact, NO_VALUE } from '../../../viewer/format/number.ts'
import { useAnswer } from '../../../web/shell/page.ts'
import { Table } from '../../../web/shell/parts.tsx'
import type { FilterStatus, MetricValues, ValuesAnswer, WorkerNumber } from '../http/api.ts'

function shown(value: WorkerNumber | null): string {
  return value === null ? NO_VALUE : exact(value)
}

function ValuesRow({ metric }: { metric: MetricValues }): JSX.Element {
  const { name, type, total, workers, ended } = metric
  return (
    <tr>
      <td>
        <code>{name}</code>{' '}
        <span class="small soft">{type === 'histogram' ? 'observations' : type}</span>
      </td>
      <td class="num">{exact(total)}</td>
      {workers.map((value, i) => (
        <td key={`worker ${i + 1}`} class="num">
          {shown(value)}
        </td>
      ))}
      <td class="num soft">{shown(ended)}</td>
    </tr>
  )
}

function Values({ filter, threads }: { filter: string; threads: number }): JSX.Element {
  const path = `/proxywasm/values?filter=${encodeURIComponent(filter)}`
  const { answer } = useAnswer<ValuesAnswer>(path)
  const numbers = Array.from({ length: threads }, (_, i) => `Thread ${i + 1}`)
  const heads = ['Metric', 'Total', ...numbers, 'Gone']
  const metrics = (answer?.metrics ?? []).filter(({ workers }) => workers.length === threads)
  return (
    <>
      <Table
        label={`Values of ${filter} by thread`}
        heads={heads}
        numeric={heads.map((_, i) => i).slice(1)}
      >
        {metrics.map((metric) => (
          <ValuesRow key={`${metric.type} ${metric.name}`} metric={metric} />
        ))}
      </Table>
      {answer !== undefined && answer.count > answer.metrics.length && (
        <p class="small soft">{exact(answer.count - answer.metrics.length)} more metrics.</p>
      )}
    </>
  )
}

/** Shows the values of a filter with several threads, once they are asked for. */
export function ByThread({ filter }: { filter: FilterStatus }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="panel" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Values of {filter.name} by thread ({exact(filter.workers.length)})
      </summary>
      {isOpen && <Values filter={filter.name} threads={filter.workers.length} />}
    </details>
  )
}
