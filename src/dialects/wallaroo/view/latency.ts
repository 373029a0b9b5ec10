/** What rows of the API mean for the page: numbers to draw, who is slow, what is in flight. */
import type { CountJson, RowJson } from '../http/api.ts'
import type { Order } from './address.ts'
import type { Percentiles } from './rows/range-bar.ts'

/** A computation is slow where its p99 is so many times that of the other workers. */
export const SLOW_FACTOR = 2
/** Messages from which on a p99 is judged: of fewer it is one message. */
const JUDGED_FROM = 100

const NS_PER_S = 1e9

export function numberOf(value: CountJson | null | undefined): number {
  return value === null || value === undefined ? Number.NaN : Number(value)
}

export function percentilesOf({ latency }: RowJson): Percentiles {
  const { p50Ns, p95Ns, p99Ns, p999Ns } = latency
  return {
    p50: numberOf(p50Ns),
    p95: numberOf(p95Ns),
    p99: numberOf(p99Ns),
    p999: numberOf(p999Ns),
  }
}

/**
 * Estimates messages in flight by Little's law: messages per second × mean latency; NaN where
 * either is unknown.
 */
export function inFlight({ throughput, latency }: RowJson): number {
  return (numberOf(throughput.median) * numberOf(latency.meanNsEstimated)) / NS_PER_S
}

/**
 * Computes how many times the mean p99 of its siblings each row's is; NaN without siblings, or with
 * too few messages to judge.
 */
export function siblingTimes(rows: readonly RowJson[]): readonly number[] {
  let sum = 0
  let judged = 0
  for (const row of rows) {
    if (!isJudged(row)) continue
    sum += row.latency.p99Ns!
    judged += 1
  }
  return rows.map((row) => {
    if (judged < 2 || !isJudged(row)) return Number.NaN
    const own = row.latency.p99Ns!
    return own / Math.max(1, (sum - own) / (judged - 1))
  })
}

function isJudged({ latency }: RowJson): boolean {
  return latency.p99Ns !== null && Number(latency.count) >= JUDGED_FROM
}

/**
 * Tells whether a row is far above its siblings; with a limit of the reader's own, above that,
 * whatever they are.
 */
export function isSlow(row: RowJson, times: number, aboveNs: number | null): boolean {
  return aboveNs === null ? times >= SLOW_FACTOR : numberOf(row.latency.p99Ns) > aboveNs
}

/** One computation with its cells, one per worker that has it. */
export interface MatrixRow {
  readonly pipeline: string
  readonly name: string
  readonly id: number
  readonly cells: ReadonlyMap<string, MatrixCell>
}

export interface MatrixCell {
  readonly row: RowJson
  readonly times: number
}

/** Arranges computations × workers; by pipeline and place in it. */
export function matrixOf(rows: readonly RowJson[]): readonly MatrixRow[] {
  const groups = new Map<string, RowJson[]>()
  for (const row of rows) {
    const key = JSON.stringify([row.key.pipeline, row.key.name])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  const matrix = [...groups.values()].map((group) => {
    const times = siblingTimes(group)
    return {
      pipeline: group[0]!.key.pipeline ?? '',
      name: group[0]!.key.name ?? '',
      id: group.reduce((least, { id = 0 }) => Math.min(least, id), Number.POSITIVE_INFINITY),
      cells: new Map(group.map((row, i) => [row.key.worker ?? '', { row, times: times[i]! }])),
    }
  })
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
  return matrix.sort(
    (a, b) => order(a.pipeline, b.pipeline) || a.id - b.id || order(a.name, b.name),
  )
}

/** Lists the slow cells, the worst first: furthest above its siblings, or with the largest p99. */
export function slowCells(
  matrix: readonly MatrixRow[],
  aboveNs: number | null,
): readonly MatrixCell[] {
  const slow: MatrixCell[] = []
  for (const { cells } of matrix) {
    for (const cell of cells.values()) if (isSlow(cell.row, cell.times, aboveNs)) slow.push(cell)
  }
  const worth = ({ row, times }: MatrixCell): number =>
    aboveNs === null ? times : numberOf(row.latency.p99Ns)
  return slow.sort((a, b) => worth(b) - worth(a))
}

/** Tells whether any cell can be compared with its siblings. */
export function isCompared(matrix: readonly MatrixRow[]): boolean {
  return matrix.some(({ cells }) => [...cells.values()].some(({ times }) => !Number.isNaN(times)))
}

/** Number of workers that stand side by side; of more the slow ones come first. */
const WORKERS_BESIDE = 4

/**
 * Lists workers of the matrix, by name; of many first those where something is slow, and no more
 * than a limit. Their order changes only where what is slow changes.
 */
export function workersOf(
  matrix: readonly MatrixRow[],
  limit: number,
  aboveNs: number | null = null,
): readonly string[] {
  const slow = new Map<string, boolean>()
  for (const { cells } of matrix) {
    for (const [worker, { row, times }] of cells) {
      slow.set(worker, (slow.get(worker) ?? false) || isSlow(row, times, aboveNs))
    }
  }
  const names = [...slow.keys()].sort()
  if (names.length <= WORKERS_BESIDE) return names.slice(0, limit)
  const at = (isFirst: boolean): string[] => names.filter((name) => slow.get(name) === isFirst)
  return [...at(true), ...at(false)].slice(0, limit)
}

/** Worth that rows are ordered by; NaN is last. */
export interface Worth {
  readonly times: number
  readonly p99: number
  readonly rate: number
}

export function worthOf({ latency, throughput }: RowJson, times: number): Worth {
  return { times, p99: numberOf(latency.p99Ns), rate: numberOf(throughput.median) }
}

/** Finds the greatest of several in each respect. */
export function greatest(all: readonly Worth[]): Worth {
  const most = (key: keyof Worth): number => {
    const known = all.map((each) => each[key]).filter((value) => !Number.isNaN(value))
    return known.reduce((a, b) => Math.max(a, b), known[0] ?? Number.NaN)
  }
  return { times: most('times'), p99: most('p99'), rate: most('rate') }
}

export function inOrder<T>(
  items: readonly T[],
  order: Order,
  worth: (item: T) => Worth,
): readonly T[] {
  if (order === 'place') return items
  const key = ({ times, p99, rate }: Worth): number => {
    const value = order === 'slow' ? times : order === 'p99' ? p99 : rate
    return Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value
  }
  const keyed = items.map((item) => {
    const own = worth(item)
    return { item, key: key(own), p99: Number.isNaN(own.p99) ? 0 : own.p99 }
  })
  // what can't be compared with siblings comes by its p99
  keyed.sort((a, b) => (a.key === b.key ? b.p99 - a.p99 : b.key > a.key ? 1 : -1))
  return keyed.map(({ item }) => item)
}
