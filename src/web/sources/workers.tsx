/** The threads that take in text: whether each runs, and whether the kernel spreads the load. */
import type { JSX } from 'preact'
import type { SourcesAnswer, WorkerStatus } from '../../http/api.ts'
import { exact, NO_VALUE, text } from '../../viewer/format/number.ts'
import { Badge, Section, Table } from '../shell/parts.tsx'
import { receiveWords } from './words.ts'

const STATE_WORDS = { starting: 'Starting', running: 'Runs' } as const
const STATE_DOTS = { starting: 'dot idle', running: 'dot' } as const
const HEADS = [
  'Thread',
  'State',
  'UDP datagrams',
  'Segment',
  'Rate',
  'Taken',
  'Connections',
  'Restarts',
] as const

function WorkerRow({ worker }: { worker: WorkerStatus }): JSX.Element {
  const { thread, state, segment, ratePerSecond, measurements, connections, restarts } = worker
  return (
    <tr>
      <td>
        <code>ingest {thread}</code>
      </td>
      <td>
        <Badge words={STATE_WORDS[state]} dot={STATE_DOTS[state]} />
      </td>
      <td class="soft">{receiveWords(worker)}</td>
      <td class="num">{segment === null ? NO_VALUE : exact(segment)}</td>
      <td class="num">{text(ratePerSecond, '/s')}</td>
      <td class="num">{exact(measurements)}</td>
      <td class="num">{exact(connections)}</td>
      <td class={restarts > 0 ? 'num error' : 'num'}>{exact(restarts)}</td>
    </tr>
  )
}

export function IngestThreads({ sources }: { sources: SourcesAnswer }): JSX.Element | null {
  const { workers = [], workerFailure } = sources
  if (workerFailure !== undefined) {
    return (
      <Section title="Ingest threads" note="none">
        <p class="small warn">
          ◆ No thread starts: {workerFailure}. The hub's main thread takes what comes; nothing is
          lost, but it takes less in a second.
        </p>
      </Section>
    )
  }
  if (workers.length === 0) return null
  return (
    <Section title="Ingest threads" note="each counts in memory of its own">
      <Table label="Ingest threads" heads={HEADS} numeric={[3, 4, 5, 6, 7]}>
        {workers.map((worker) => (
          <WorkerRow key={worker.thread} worker={worker} />
        ))}
      </Table>
    </Section>
  )
}
