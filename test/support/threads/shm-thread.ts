/**
 * What a thread does with a zone in tests. All threads of a test wait at the gate, an int in shared
 * memory, so that they really race; then each does its task and posts one answer.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { type MetricType, type SharedZone, type Writer, Zone } from '../../../src/shm/index.ts'

export type ThreadTask = { readonly gate: Int32Array } & (
  | { readonly name: 'count'; readonly metrics: readonly number[]; readonly times: number }
  | { readonly name: 'leaseAndCount'; readonly metric: number; readonly rounds: number }
  | { readonly name: 'define'; readonly keys: readonly string[]; readonly type: MetricType }
  | { readonly name: 'setGauge'; readonly metric: number; readonly until: Int32Array }
  | {
      readonly name: 'addShared'
      readonly metric: number
      readonly delta: number
      readonly times: number
    }
  | { readonly name: 'observe'; readonly metric: number; readonly times: number }
  | { readonly name: 'find'; readonly key: string }
  | { readonly name: 'churn'; readonly prefix: string; readonly rounds: number }
)

type Task<N extends ThreadTask['name']> = Extract<ThreadTask, { readonly name: N }>

const zone = Zone.open((workerData as { shared: SharedZone }).shared)
const task = (workerData as { task: ThreadTask }).task

Atomics.add(task.gate, 0, 1)
Atomics.notify(task.gate, 0)
Atomics.wait(task.gate, 1, 0)
parentPort!.postMessage(run(task))

function run(given: ThreadTask): unknown {
  switch (given.name) {
    case 'count':
      return count(zone.attach(), given)
    case 'leaseAndCount':
      return leaseAndCount(given)
    case 'define':
      return given.keys.map((key) => zone.define(new TextEncoder().encode(key), given.type))
    case 'setGauge':
      return setGauge(zone.attach(), given)
    case 'addShared':
      return addShared(zone.attach(), given)
    case 'observe':
      return observe(zone.attach(), given)
    case 'find':
      Atomics.add(task.gate, 0, 1)
      return zone.find(new TextEncoder().encode(given.key))
    case 'churn':
      return churn(zone.attach(), given)
  }
}

/** Adds 1 to each of the metrics in turn. */
function count(writer: Writer, given: Task<'count'>): number {
  const handles = given.metrics.map((metric) => writer.counter(metric)!)
  for (let i = 0; i < given.times; i++) handles[i % handles.length]!.add(1)
  return writer.segment
}

/** In each round: attach, add 1,000, detach. */
function leaseAndCount(given: Task<'leaseAndCount'>): number {
  for (let round = 0; round < given.rounds; round++) {
    const writer = zone.attach()
    const counter = writer.counter(given.metric)!
    for (let i = 0; i < 1_000; i++) counter.add(1)
    writer.detach()
  }
  return given.rounds
}

/** Values that need the three representations, each telling how it must be read. */
function setGauge(writer: Writer, given: Task<'setGauge'>): number {
  const gauge = writer.gauge(given.metric)!
  let writes = 0
  for (; Atomics.load(given.until, 0) === 0; writes++) {
    gauge.set(2n ** 64n - 1n)
    gauge.set(-(2n ** 63n))
    gauge.set(1.5)
  }
  return writes
}

function addShared(writer: Writer, given: Task<'addShared'>): number {
  const gauge = writer.sharedGauge(given.metric)!
  for (let i = 0; i < given.times; i++) gauge.add(given.delta)
  return given.times
}

/**
 * Pairs of a value and its opposite, growing by a factor of 10 every so often, so that scale,
 * spans, extremes and the wide sum change again and again.
 */
function observe(writer: Writer, given: Task<'observe'>): number {
  const handle = writer.exponential(given.metric)!
  for (let i = 0; i < given.times; i++) {
    const value = 10n ** BigInt(Math.floor((i * 90) / given.times)) + BigInt(i % 7)
    handle.observe(value)
    handle.observe(-value)
  }
  return given.times
}

/**
 * Defines a new name in each round, records into it, and retires the one of ten rounds before.
 * Answers how many metrics did not hold what this thread alone has recorded.
 */
function churn(writer: Writer, given: Task<'churn'>): number {
  const reader = zone.reader()
  const held: number[] = []
  let wrong = 0
  for (let round = 0; round < given.rounds; round++) {
    const key = new TextEncoder().encode(`${given.prefix}.${round}`)
    const metric = zone.define(key, 'exponential')
    const handle = writer.exponential(metric)!
    for (const value of [3, -5]) handle.observe(value)
    const { count, sum } = reader.exponential(metric)
    if (count !== 2n || sum !== -2 || zone.find(key) !== metric) wrong++
    held.push(metric)
    if (held.length > 10 && !zone.retire(held.shift()!)) wrong++
    if (held.length === 10 && zone.find(key) !== metric) wrong++
  }
  return wrong
}
