/**
 * What happened between two snapshots of a zone: counters and histograms by their increase, gauges
 * by their later value.
 */
import { jsonInteger } from '../codec.ts'
import { peerBinDelta } from '../map.ts'
import type { JsonBin, JsonDocument, JsonInteger, JsonMetric } from '../spec.ts'

export interface DocumentDifference {
  /** Metrics of the later snapshot. */
  readonly metrics: JsonDocument
  /** Names whose values began anew in between: their difference is the later value. */
  readonly resets: readonly string[]
}

export interface DiffOptions {
  /** The snapshots are the original program's, whose bins count in 32 bits and wrap. */
  readonly isPeer?: boolean
}

const TWO_64 = 1n << 64n
/** A counter that falls by this much passed 2^64; by less, it began anew. */
const HALF = 1n << 63n

/**
 * Computes what happened between two snapshots. A metric that the earlier one has not, or as
 * another type, counts from nothing.
 *
 * @example
 * import { diffDocuments, MetricStore } from 'pentameter/proxywasm'
 *
 * const store = MetricStore.create()
 * const requests = store.attach().handle(store.define({ name: 'requests', type: 'counter' }))
 * requests.increment(5)
 * const before = store.snapshot()
 * requests.increment(2)
 * const { metrics } = diffDocuments(before, store.snapshot())
 * console.log(metrics) // { requests: { type: 'counter', value: 2 } }
 * store.close()
 */
export function diffDocuments(
  before: JsonDocument,
  after: JsonDocument,
  { isPeer = false }: DiffOptions = {},
): DocumentDifference {
  const resets: string[] = []
  const metrics = Object.entries(after).map(([name, later]): [string, JsonMetric] => {
    const earlier = Object.hasOwn(before, name) ? before[name] : undefined
    if (earlier?.type !== later.type) return [name, later]
    const gain = metricGain(earlier, later, isPeer)
    if (gain === undefined) resets.push(name)
    return [name, gain ?? later]
  })
  return { metrics: Object.fromEntries(metrics), resets }
}

/** Computes the gain of a metric; undefined for a reset. */
function metricGain(
  before: JsonMetric,
  after: JsonMetric,
  isPeer: boolean,
): JsonMetric | undefined {
  if (after.type !== 'histogram') {
    if (after.type === 'gauge' || before.type === 'histogram') return after
    const gain = counterGain(BigInt(before.value), BigInt(after.value))
    return gain === undefined ? undefined : { type: 'counter', value: jsonInteger(gain) }
  }
  if (before.type !== 'histogram') return after
  const value = binsGain(before.value, after.value, isPeer)
  if (value === undefined) return undefined
  const { sum, bounds } = after
  const sums = sum === undefined || before.sum === undefined ? undefined : [before.sum, sum]
  return {
    type: 'histogram',
    value,
    ...(sums === undefined ? {} : { sum: sumGain(sums[0]!, sums[1]!) }),
    ...(bounds === undefined ? {} : { bounds }),
  }
}

function counterGain(before: bigint, after: bigint): bigint | undefined {
  if (after >= before) return after - before
  return before - after >= HALF ? after + TWO_64 - before : undefined
}

/** Sums are modulo 2^64. */
function sumGain(before: JsonInteger, after: JsonInteger): JsonInteger {
  return jsonInteger(BigInt.asUintN(64, BigInt(after) - BigInt(before)))
}

function binsGain(
  before: readonly JsonBin[],
  after: readonly JsonBin[],
  isPeer: boolean,
): JsonBin[] | undefined {
  const later = new Map(after.map(({ ub, count }) => [ub, BigInt(count)]))
  const earlier = new Map(before.map(({ ub, count }) => [ub, BigInt(count)]))
  const gains: JsonBin[] = []
  for (const ub of [...new Set([...later.keys(), ...earlier.keys()])].sort((a, b) => a - b)) {
    const gain = binGain(earlier.get(ub) ?? 0n, later.get(ub) ?? 0n, isPeer)
    if (gain === undefined) return undefined
    if (gain > 0n || later.has(ub)) gains.push({ ub, count: jsonInteger(gain) })
  }
  return gains
}

function binGain(before: bigint, after: bigint, isPeer: boolean): bigint | undefined {
  if (isPeer) return peerBinDelta(before, after)
  return after >= before ? after - before : undefined
}
