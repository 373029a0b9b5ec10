/** A store of several threads: definitions agree, totals are exact, filters have their own. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { JsonMetric } from '../spec.ts'
import { MetricStore, type SharedStore } from './metric-store.ts'

const INDEX = new URL('../index.ts', import.meta.url).href

/** Opens the store, defines its names in an order of its own, counts, and says what it got. */
const THREAD = `
  import { parentPort, workerData } from 'node:worker_threads'
  import { MetricStore } from ${JSON.stringify(INDEX)}
  const { shared, names, updates, shift } = workerData
  const store = MetricStore.open(shared)
  const worker = store.attach()
  const numbers = {}
  for (let i = 0; i < names; i++) {
    const name = 'm' + ((i + shift) % names)
    numbers[name] = store.define({ filter: 'f', name, type: 'counter' })
  }
  const histogram = store.define({ filter: 'f', name: 'h', type: 'histogram' })
  const counter = worker.handle(numbers.m0)
  const observer = worker.handle(histogram)
  for (let i = 0; i < updates; i++) {
    counter.increment()
    observer.record(i % 100)
  }
  store.close()
  parentPort.postMessage(numbers)
`

async function runThread(data: {
  readonly shared: SharedStore
  readonly names: number
  readonly updates: number
  readonly shift: number
}): Promise<Record<string, number>> {
  const source = new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`)
  const thread = new Worker(source, { workerData: data })
  // Asked for at once: a thread that ends hands over its last message and its exit in one go.
  const [[numbers]] = await Promise.all([once(thread, 'message'), once(thread, 'exit')])
  return numbers as Record<string, number>
}

test('three threads agree on all names and count exactly, expanding histograms too', async () => {
  const updates = 50_000
  const store = MetricStore.create({ histogram: 'expanding', profile: 'peer', workers: 3 })
  const shared = store.shared
  const found = await Promise.all(
    [0, 100, 200].map((shift) => runThread({ shared, names: 300, updates, shift })),
  )
  assert.equal(new Set(Object.values(found[0]!)).size, 300)
  for (const numbers of found) assert.deepEqual(numbers, found[0])
  assert.deepEqual(store.getByName('pw:f:m0'), { type: 'counter', value: 3 * updates })
  const histogram = store.getByName('pw:f:h') as JsonMetric & { type: 'histogram' }
  const total = histogram.value.reduce((all, { count }) => all + Number(count), 0)
  assert.deepEqual([total, histogram.sum], [3 * updates, (3 * updates * 99) / 2])
  const { redefinition, zoneFull, droppedValue } = store.counts()
  assert.deepEqual([redefinition, zoneFull, droppedValue], [0, 0, 0])
})
