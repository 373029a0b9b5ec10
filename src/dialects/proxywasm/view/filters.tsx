/** Proxy-Wasm filters that the hub runs: whether they work, what they cost, what went wrong. */
import type { JSX } from 'preact'
import type { SourcesAnswer } from '../../../http/api.ts'
import { exact, NO_VALUE, text } from '../../../viewer/format/number.ts'
import { Badge, Section, Table } from '../../../web/shell/parts.tsx'
import type { FilterStatus, FiltersAnswer } from '../http/api.ts'
import { Estimator } from './estimator.tsx'
import { Slab } from './slab.tsx'
import { importWords, problemWords } from './words.ts'
import { ByThread } from './workers.tsx'

const STATE_WORDS = { running: 'Runs', refused: 'Refused', stopped: 'Stopped' } as const
const STATE_DOTS = { running: 'dot', refused: 'dot error', stopped: 'dot idle' } as const
const HEADS = [
  'Filter',
  'State',
  'Threads',
  'Rate',
  'Per call',
  'Memory',
  'Series',
  'Problems',
] as const

function FilterRow({ filter }: { filter: FilterStatus }): JSX.Element {
  const { name, path, host, state, message, abi } = filter
  const isRefused = state === 'refused'
  const problems = problemWords(filter)
  const imports = importWords(filter)
  return (
    <tr>
      <td>
        <code title={path}>{name}</code>{' '}
        <span class="small soft">{[host, abi && `ABI ${abi}`].filter(Boolean).join(', ')}</span>
      </td>
      <td>
        <Badge words={STATE_WORDS[state]} dot={STATE_DOTS[state]} />
        {message && <span class="small soft"> {message}</span>}
      </td>
      <td class="num">{isRefused ? NO_VALUE : exact(filter.workers.length)}</td>
      <td class="num">{isRefused ? NO_VALUE : text(filter.ratePerSecond, '/s')}</td>
      <td class="num">{filter.callNs > 0 ? text(filter.callNs, 'ns') : NO_VALUE}</td>
      <td class="num">{filter.memoryBytes > 0 ? text(filter.memoryBytes, 'B') : NO_VALUE}</td>
      <td class="num">{exact(filter.series)}</td>
      <td class="wrap">
        {problems !== '' && <span class="error">{problems}</span>}
        {imports !== '' && <span class="soft"> {imports}</span>}
      </td>
    </tr>
  )
}

export function Filters({ sources }: { sources: SourcesAnswer }): JSX.Element | null {
  const { filters = [], filterMetrics }: FiltersAnswer = sources
  if (filters.length === 0) return null
  return (
    <>
      <Section title="Filters" note="Proxy-Wasm, in threads of their own">
        <Table label="Filters" heads={HEADS} numeric={[2, 3, 4, 5, 6]}>
          {filters.map((filter) => (
            <FilterRow key={filter.name} filter={filter} />
          ))}
        </Table>
      </Section>
      {filters
        .filter(({ workers }) => workers.length > 1)
        .map((filter) => (
          <ByThread key={filter.name} filter={filter} />
        ))}
      {filterMetrics && <Slab metrics={filterMetrics} />}
      {filterMetrics && <Estimator metrics={filterMetrics} />}
    </>
  )
}
