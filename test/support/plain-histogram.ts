/** A histogram as plain values that can be compared: every bucket that is not empty. */
import type { Histogram } from '../../src/model/index.ts'

export interface PlainHistogram {
  readonly scale: number
  readonly count: bigint
  readonly sum: Histogram['sum']
  readonly zeroCount: bigint
  readonly positive: readonly (readonly [index: number, count: bigint])[]
  readonly negative: readonly (readonly [index: number, count: bigint])[]
}

/** Lists all but least and most, which windows know and their gains do not. */
export function plainHistogram(histogram: Histogram): PlainHistogram {
  const { scale, count, sum, zeroCount } = histogram
  const [positive, negative] = (['positive', 'negative'] as const).map((side) => {
    const buckets: [number, bigint][] = []
    histogram[side].forEach((index, times) => {
      buckets.push([index, times])
    })
    return buckets
  })
  return { scale, count, sum, zeroCount, positive: positive!, negative: negative! }
}
