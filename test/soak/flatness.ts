/** What a process holds and whether it grows: samples, judged by medians of thirds; pure. */
import type { Row } from './comparison.ts'

/** Growth that is none: a share of the middle third, or so much, whichever is more. */
export interface Bound {
  readonly share: number
  readonly amount: number
}

/**
 * Compares the last third with the middle one; the first is for warming up.
 * @param samples in their order; at least three
 */
export function flat(name: string, samples: readonly number[], bound: Bound): Row {
  const third = Math.floor(samples.length / 3)
  const begin = median(samples.slice(0, third))
  const middle = median(samples.slice(third, 2 * third))
  const end = median(samples.slice(2 * third))
  const limit = middle + Math.max(bound.share * Math.abs(middle), bound.amount)
  return {
    name,
    expected: `${short(limit)} at most`,
    seen: [begin, middle, end].map(short).join(' -> '),
    isMet: samples.length >= 3 && end <= limit,
  }
}

/** Computes the middle one; NaN of none. */
function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  if (sorted.length % 2 === 1) return sorted[middle]!
  return (sorted[middle - 1]! + sorted[middle]!) / 2
}

function short(value: number): string {
  return String(Math.round(value * 10) / 10)
}
