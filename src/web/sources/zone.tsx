/** The shared memory of all totals: what takes it up, and what its threads went through. */
import type { ComponentChildren, JSX } from 'preact'
import type { ZoneStatus } from '../../http/api.ts'
import { exact, text } from '../../viewer/format/number.ts'
import { Section, Table } from '../shell/parts.tsx'
import { partWords, zoneRefusalWords } from './words.ts'

interface RowProps {
  readonly title: string
  readonly value: string
  readonly limit?: string
  readonly isBad?: boolean
  readonly children: ComponentChildren
}

function Row({ title, value, limit, isBad = false, children }: RowProps): JSX.Element {
  return (
    <tr>
      <td class={isBad ? 'error strong' : ''}>{title}</td>
      <td class={isBad ? 'num error' : 'num'}>
        {value}
        {limit !== undefined && <span class="muted"> of {limit}</span>}
      </td>
      <td class="soft wrap">{children}</td>
    </tr>
  )
}

function Sizes({ zone }: { zone: ZoneStatus }): JSX.Element {
  const { bytesTotal, bytesLimit, budget, metrics, metricsLimit, segments, segmentsLimit } = zone
  return (
    <>
      <Row title="In use" value={text(bytesTotal, 'B')} limit={text(bytesLimit, 'B')}>
        {partWords(zone)}
      </Row>
      {budget && (
        <Row title="Charged" value={text(budget.charged, 'B')} limit={text(budget.bytes, 'B')}>
          Budget of definitions.
        </Row>
      )}
      <Row title="Metrics" value={exact(metrics)} limit={exact(metricsLimit)}>
        A series has one or two.
      </Row>
      <Row title="Segments" value={exact(segments)} limit={exact(segmentsLimit)}>
        One for each thread that writes, and one for those that left.
      </Row>
    </>
  )
}

function Events({ zone }: { zone: ZoneStatus }): JSX.Element {
  const refused = Object.values(zone.refusals).reduce((sum, count) => sum + count, 0)
  return (
    <>
      <Row title="Refused" value={exact(refused)} isBad={refused > 0}>
        {refused > 0 && <span class="error">{zoneRefusalWords(zone)}. </span>}
        What is known goes on counting.
      </Row>
      <Row title="Threads lost" value={exact(zone.orphansFolded)}>
        What they had counted was kept. Locks taken over from them: {exact(zone.lockTakeovers)}.
      </Row>
      <Row title="Waits" value={exact(zone.lockWaits)}>
        A new name had to wait for another thread’s.
      </Row>
      <Row title="Coarser buckets" value={exact(zone.binFallbacks)}>
        Counted at the next larger bound for want of memory.
      </Row>
      <Row title="Replaced" value={exact(zone.replacements)}>
        Moved into another zone by a reconfiguration.
      </Row>
    </>
  )
}

const MEMORY_WORDS = { sab: 'read and written by all threads', wasm: 'open to filters, too' }

export function SharedMemory({ zone }: { zone: ZoneStatus }): JSX.Element {
  return (
    <Section title="Shared memory" note={MEMORY_WORDS[zone.backing]}>
      <Table label="Shared memory" heads={['What', 'Count', 'Meaning']} numeric={[1]}>
        <Sizes zone={zone} />
        <Events zone={zone} />
      </Table>
    </Section>
  )
}
