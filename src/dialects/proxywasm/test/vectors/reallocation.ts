/** Vectors of Proxy-Wasm metrics: what a change of sizes moves, keeps or refuses. */

import { Mismatch, same } from '../../../../../test/vectors/expect.ts'
import type { VectorCase } from '../../../../../test/vectors/vector-file.ts'
import { MetricStore } from '../../store/metric-store.ts'
import type { StoreChange } from '../../store/options.ts'
import { attachAll, record, type WorkerOps } from './store.ts'

export function checkReallocation(testCase: VectorCase): undefined {
  switch (testCase.kind) {
    case 'histogram':
      return checkHistogram(testCase)
    case 'counter':
    case 'gauge':
      return checkNumber(testCase)
    case 'rule':
      return checkRule(testCase)
    case 'sequence':
      return checkSequence(testCase)
    default:
      throw new Mismatch('kind', 'histogram, counter, gauge, rule or sequence', testCase.kind)
  }
}

interface Table {
  readonly bins: readonly (readonly [bound: number, count: number])[]
  readonly sum?: string
}

function checkHistogram({ oldWorkers, newWorkers, ops, after }: VectorCase): undefined {
  const { dense, documented } = after as { dense: Table; documented: Table }
  for (const histogram of ['dense', 'expanding'] as const) {
    const workers = oldWorkers as number
    const store = MetricStore.create({ histogram, profile: 'peer', workers })
    const metric = store.define({ name: 'h', type: 'histogram' })
    record(store, metric, ops as WorkerOps, workers)
    same('reconfigured', store.reconfigure({ workers: newWorkers as number }), 'moved')
    const filled = binsOf(store, metric, 'dense').filter(([, count]) => count > 0)
    same(`dense bins, ${histogram}`, filled, dense.bins)
    same(`documented bins, ${histogram}`, binsOf(store, metric, 'documented'), documented.bins)
    same(`sum, ${histogram}`, String(store.bins(metric).sum), dense.sum)
    same(`documented sum, ${histogram}`, documentedSum(store, metric), documented.sum)
    store.close()
  }
}

function binsOf(store: MetricStore, metric: number, view: 'dense' | 'documented') {
  const value = store.get(metric, { view })
  if (value?.type !== 'histogram') throw new Mismatch('type', 'histogram', value)
  return value.value.map(({ ub, count }) => [ub, Number(count)] as const)
}

function documentedSum(store: MetricStore, metric: number): string | undefined {
  const value = store.get(metric, { view: 'documented' })
  return value?.type === 'histogram' ? String(value.sum) : undefined
}

/** Slots by worker; those of gauges in the order of their clock. */
function checkNumber({ kind, oldWorkers, newWorkers, slots, after }: VectorCase): undefined {
  const type = kind as 'counter' | 'gauge'
  const store = MetricStore.create({ workers: oldWorkers as number })
  const metric = store.define({ name: 'm', type })
  const workers = attachAll(store, metric, oldWorkers as number)
  const writes = (slots as (string | [string, number])[])
    .map((slot, worker) => {
      const [value, clock] = typeof slot === 'string' ? [slot, 0] : slot
      return { worker: workers[worker]!, value: BigInt(value), clock }
    })
    .toSorted((a, b) => a.clock - b.clock)
  for (const { worker, value } of writes) {
    if (type === 'counter') worker.increment(metric, value)
    else worker.record(metric, value)
  }
  const { get } = after as { get: string }
  same('reconfigured', store.reconfigure({ workers: newWorkers as number }), 'moved')
  same('value', String(store.get(metric)?.value), get)
  store.close()
  same('value, workers gone', String(store.get(metric)?.value), get)
}

const NAME = 'a_counter_with_a_long_name'
const WORDS: Readonly<Record<string, StoreChange>> = {
  'workers same': { workers: 2 },
  'workers different': { workers: 4 },
  'zone same': { slabSize: '5m' },
  'zone different': { slabSize: '4m' },
  'zone too small for the existing metrics': { slabSize: '12k' },
  'maxMetricNameLength same': { maxMetricNameLength: 256 },
  'maxMetricNameLength smaller than an existing name': { maxMetricNameLength: 10 },
}

function checkRule({ change, reallocates, result }: VectorCase): undefined {
  const store = MetricStore.create({ workers: 2, slabSize: '5m', onFull: 'error' })
  const metric = store.define({ name: NAME, type: 'counter' })
  for (let i = 0; i < 200; i++) store.define({ name: `filler_${i}`, type: 'histogram' })
  const worker = store.attach()
  worker.increment(metric, 5)
  const zone = store.shared.zone
  const outcome = attempt(store, changeOf(change as Record<string, string>))
  const isError = (result as string).startsWith('error')
  same('outcome', outcome, isError ? 'error' : reallocates === true ? 'moved' : 'kept')
  same('another zone', store.shared.zone !== zone, reallocates === true && !isError)
  worker.increment(metric, 2)
  same('counts on', store.get(metric)?.value, 7)
  same('its name', Buffer.from(store.prefixedName(metric)!).toString(), NAME)
  store.close()
}

function changeOf(words: Readonly<Record<string, string>>): StoreChange {
  const changes = Object.entries(words).map(([what, how]) => {
    const change = WORDS[`${what} ${how}`]
    if (change === undefined) throw new Mismatch('change', Object.keys(WORDS), `${what} ${how}`)
    return change
  })
  return Object.assign({}, ...changes)
}

function attempt(store: MetricStore, change: StoreChange): string {
  try {
    return store.reconfigure(change)
  } catch (error) {
    const { message } = error as Error
    if (!/^failed redefining metric ".+"$/.test(message)) throw error
    return 'error'
  }
}

/** Each step counts by two, changes something, and sees the whole. */
function checkSequence({ steps }: VectorCase): undefined {
  const store = MetricStore.create({ workers: 1, slabSize: '5m', onFull: 'error' })
  const metric = store.define({ filter: 'f', name: 'c', type: 'counter' })
  const workers = attachAll(store, metric, 1)
  let last = 0
  for (const [step, total] of steps as [string, string][]) {
    const [what, size] = step.split(' ') as [string, string]
    store.reconfigure(what === 'workers' ? { workers: Number(size) } : { slabSize: size })
    workers[0]!.increment(metric, BigInt(total) - BigInt(last))
    last = Number(total)
    same(step, String(store.get(metric)?.value), total)
  }
  store.close()
}
