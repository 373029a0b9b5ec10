/**
 * One metric of a document (§3.4), in the shape the peer's Lua library gives:
 *
 *   {type: 'counter' | 'gauge', value}
 *   {type: 'histogram', value: [{ub, count}, …], sum?, bounds?}
 *
 * Numbers are u64: JSON numbers up to 2^53 - 1, decimal text above; both are read everywhere. Bins
 * may come in any order, equal bounds are added up, the bound 0 ends the list, a missing last bin
 * counts 0. `bounds` (ours) are those that a definition named; without them all bounds must be of
 * the 33.
 */
import { type Exact, exact, exactToJson, U64_MAX } from '../../../model/index.ts'
import {
  BIN_BOUNDS,
  DOCUMENT_LAST_BOUND,
  type ErrorCode,
  type JsonBin,
  type JsonInteger,
  type JsonMetric,
  LAST_BOUND,
  USER_BOUNDS_LIMIT,
} from '../spec.ts'

/** Error of one metric. */
export class MetricError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Reads the metric in its one written form. @throws {MetricError} */
export function readMetric(json: unknown): JsonMetric {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new MetricError('bad_type', 'a metric is an object with a type')
  }
  const { type, value, sum, bounds } = json as Readonly<Record<string, unknown>>
  if (type === 'counter' || type === 'gauge') return { type, value: jsonInteger(readU64(value)) }
  if (type !== 'histogram') throw new MetricError('bad_type', `type ${text(type)}`)
  const own = bounds === undefined ? undefined : readBounds(bounds)
  return {
    type,
    value: readBins(value, own),
    ...(sum === undefined ? {} : { sum: jsonInteger(readU64(sum)) }),
    ...(own === undefined ? {} : { bounds: own }),
  }
}

/** Reads a u64 as number or decimal text. @throws {MetricError} */
function readU64(json: unknown): bigint {
  if (typeof json === 'number' && Number.isSafeInteger(json) && json >= 0) return BigInt(json)
  if (typeof json === 'string' && /^[0-9]{1,20}$/.test(json)) {
    const value = BigInt(json)
    if (value <= U64_MAX) return value
  }
  throw new MetricError('bad_value', `value ${text(json)} is no integer of 0 to 2^64 - 1`)
}

export function jsonInteger(value: Exact): JsonInteger {
  return exactToJson(exact(value))
}

function readBins(json: unknown, own: readonly number[] | undefined): JsonBin[] {
  if (!Array.isArray(json)) throw new MetricError('bad_value', 'bins of a histogram are a list')
  const counts = new Map<number, bigint>()
  for (const bound of [...(own ?? []), LAST_BOUND]) counts.set(bound, 0n)
  for (const bin of json) {
    if (typeof bin !== 'object' || bin === null) throw new MetricError('bad_value', 'a bin is none')
    const { ub, count } = bin as Readonly<Record<string, unknown>>
    const bound = readBound(ub)
    if (bound === 0) break
    const isOwn = own === undefined ? isDocumented(bound) : counts.has(bound)
    if (!isOwn) throw new MetricError('bad_bound', `bound ${bound}`)
    const total = (counts.get(bound) ?? 0n) + readU64(count)
    if (total > U64_MAX)
      throw new MetricError('bad_value', `count of bound ${bound} above 2^64 - 1`)
    counts.set(bound, total)
  }
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([ub, count]) => ({ ub, count: jsonInteger(count) }))
}

const documentedBounds = new Set(BIN_BOUNDS)

function isDocumented(bound: number): boolean {
  return documentedBounds.has(bound)
}

/** Reads a bound: the document writes the last one as 2^32, Prometheus as `+Inf`. */
function readBound(json: unknown): number {
  if (json === '+Inf') return LAST_BOUND
  const bound = typeof json === 'string' && /^[0-9]{1,10}$/.test(json) ? Number(json) : json
  if (bound === DOCUMENT_LAST_BOUND) return LAST_BOUND
  if (Number.isInteger(bound) && (bound as number) >= 0 && (bound as number) <= LAST_BOUND) {
    return bound as number
  }
  throw new MetricError('bad_bound', `bound ${text(json)}`)
}

function readBounds(json: unknown): number[] {
  if (!Array.isArray(json) || json.length === 0 || json.length > USER_BOUNDS_LIMIT) {
    throw new MetricError('bad_bound', `bounds are a list of 1 to ${USER_BOUNDS_LIMIT} integers`)
  }
  json.forEach((bound, i) => {
    const isAscending = Number.isInteger(bound) && bound > (i === 0 ? 0 : json[i - 1])
    if (!isAscending || bound >= LAST_BOUND) {
      throw new MetricError('bad_bound', `bounds ${text(json)} do not ascend from 1`)
    }
  })
  return json as number[]
}

const TEXT_LIMIT = 64

function text(json: unknown): string {
  return (JSON.stringify(json) ?? String(json)).slice(0, TEXT_LIMIT)
}
