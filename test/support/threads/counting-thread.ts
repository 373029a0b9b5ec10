/** A thread with counters that another thread serves; it records into all of them alike. */
import { workerData } from 'node:worker_threads'
import {
  Counter,
  CounterRegistry,
  EventCounter,
  EventSource,
  Gauge,
  Histogram,
  IncrementingEventCounter,
  type SharedRegistry,
} from '../../../src/instrument/index.ts'
import { recordUntilTold, type Told } from './told-thread.ts'

export interface CountingTask extends Told {
  readonly shared: SharedRegistry
  /** Of the thread: the value of its own label. */
  readonly name: string
}

const { countingThread } = workerData as { countingThread: CountingTask }
const registry = CounterRegistry.open(countingThread.shared)
const source = new EventSource('App', { registry })
const latency = new EventCounter('latency', source, {
  displayName: 'Latency',
  displayUnits: 'ms',
  metaData: { tier: 'worker' },
})
const offset = new EventCounter('offset', source)
const bytes = new IncrementingEventCounter('bytes', source, { displayRateTimeScale: 60 })
const requests = new Counter('requests', source, { unit: 'count', description: 'Requests' })
const jobs = new Counter('jobs', source, { labels: ['thread'] })
const mine = jobs.with({ thread: countingThread.name })
const sizes = new Histogram('sizes', source, { unit: 'B' })
const level = new Gauge('level', source, { across: 'sum' })
level.set(3)
recordUntilTold(countingThread, (value) => {
  latency.writeMetric(value)
  offset.writeMetric(1e6 + value)
  bytes.increment(value)
  requests.add()
  mine.add(2)
  sizes.record(value)
})
