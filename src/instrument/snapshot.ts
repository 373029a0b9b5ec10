/**
 * Statistics of a set of values (statshero.md §4.7), by the two rules of the metrics libraries:
 * all values alike, or each with a weight. An empty set is all zeros.
 */
export interface Snapshot {
  readonly min: number
  readonly max: number
  readonly mean: number
  readonly stddev: number
  readonly median: number
  readonly p75: number
  readonly p95: number
  readonly p98: number
  readonly p99: number
  readonly p999: number
}

export interface WeightedValue {
  readonly value: number
  readonly weight: number
}

const EMPTY: Snapshot = fields(0, 0, 0, 0, () => 0)

/** Every value counts alike; percentiles lie between neighbours, the deviation has n - 1. */
export function uniformSnapshot(values: Iterable<number>): Snapshot {
  const sorted = Float64Array.from(values).sort()
  const n = sorted.length
  if (n === 0) return EMPTY
  const mean = sorted.reduce((sum, value) => sum + value, 0) / n
  const squares = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const stddev = n === 1 ? 0 : Math.sqrt(squares / (n - 1))
  return fields(sorted[0]!, sorted[n - 1]!, mean, stddev, (q) => uniformQuantile(sorted, q))
}

/** Position q * (n + 1), counted from 1, linear between the neighbours. */
function uniformQuantile(sorted: Float64Array, q: number): number {
  const n = sorted.length
  const position = q * (n + 1)
  const index = Math.floor(position)
  if (position < 1) return sorted[0]!
  if (index >= n) return sorted[n - 1]!
  const low = sorted[index - 1]!
  return low + (position - index) * (sorted[index]! - low)
}

/** Every value counts by its weight; percentiles are values, none in between. */
export function weightedSnapshot(values: Iterable<WeightedValue>): Snapshot {
  const sorted = [...values].sort((a, b) => a.value - b.value)
  const sum = sorted.reduce((total, { weight }) => total + weight, 0)
  if (sorted.length === 0) return EMPTY
  const shares = sorted.map(({ weight }) => (sum === 0 ? 0 : weight / sum))
  const mean = sorted.reduce((total, { value }, i) => total + value * shares[i]!, 0)
  const squares = sorted.reduce(
    (total, { value }, i) => total + shares[i]! * (value - mean) ** 2,
    0,
  )
  const { value: min } = sorted[0]!
  const { value: max } = sorted.at(-1)!
  return fields(min, max, mean, Math.sqrt(squares), (q) => weightedQuantile(sorted, shares, q))
}

/** The value at the largest i whose cumulative share C_i, with C_0 = 0, is at most q. */
function weightedQuantile(
  sorted: readonly WeightedValue[],
  shares: readonly number[],
  q: number,
): number {
  let cumulative = 0
  let found = 0
  for (let i = 1; i < sorted.length; i++) {
    cumulative += shares[i - 1]!
    if (cumulative > q) break
    found = i
  }
  return sorted[found]!.value
}

function fields(
  min: number,
  max: number,
  mean: number,
  stddev: number,
  quantile: (q: number) => number,
): Snapshot {
  return {
    min,
    max,
    mean,
    stddev,
    median: quantile(0.5),
    p75: quantile(0.75),
    p95: quantile(0.95),
    p98: quantile(0.98),
    p99: quantile(0.99),
    p999: quantile(0.999),
  }
}
