/** The order of rows, as the URL has it; equal ones stay as the hub sent them. */
import type { RowJson } from '../../../http/api.ts'
import type { Order } from '../../../web/shell/route.ts'
import { numberOf } from './latency.ts'

/** What rows are ordered by; NaN is last. */
export interface Worth {
  readonly times: number
  readonly p99: number
  readonly rate: number
}

export function worthOf({ latency, throughput }: RowJson, times: number): Worth {
  return { times, p99: numberOf(latency.p99Ns), rate: numberOf(throughput.median) }
}

/** The greatest of several in each respect. */
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
