/** A thread that observes into a summary until it is told to end. */
import { workerData } from 'node:worker_threads'
import { type SharedZone, Zone } from '../../../src/shm/index.ts'
import { recordUntilTold, type Told } from './told-thread.ts'

export interface SummaryThreadTask extends Told {
  readonly shared: SharedZone
  readonly key: string
  /** Added to each of its values. */
  readonly offset: number
}

const { summaryThread } = workerData as { summaryThread: SummaryThreadTask }
const { shared, key, offset, tally } = summaryThread
const zone = Zone.open(shared)
const writer = zone.attach()
const summary = writer.summary(zone.define(new TextEncoder().encode(key), 'summary'))!
recordUntilTold(summaryThread, (value) => {
  summary.observe(offset + value)
  tally[1]! += offset
})
writer.detach()
