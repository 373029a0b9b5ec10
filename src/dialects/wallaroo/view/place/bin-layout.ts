/** Where bars, percentiles and labels of latency bins stand, and how bins are called. */
import { axisText, text } from '../../../../viewer/format/number.ts'

/** Pixels between the names of two percentiles. */
const NAME_GAP = 4

/** Bin of messages without a latency: its bar stands apart, for no axis reaches so far. */
export const SKEW_BIN = 64

/** Bins from the first to the last one that has messages, each a column. */
export interface BinSpan {
  readonly first: number
  readonly last: number
  /** Columns: one for each bin, and behind a gap that of bin 64, where it has messages. */
  readonly columns: number
}

/** Finds the span from the first to the last filled bin; undefined without messages. */
export function filledSpan(counts: readonly number[]): BinSpan | undefined {
  const hasSkew = (counts[SKEW_BIN] ?? 0) > 0
  const below = counts.slice(0, SKEW_BIN)
  const first = below.findIndex((count) => count > 0)
  if (first < 0) return hasSkew ? { first: SKEW_BIN, last: SKEW_BIN, columns: 1 } : undefined
  const last = below.findLastIndex((count) => count > 0)
  return { first, last, columns: last - first + 1 + (hasSkew ? 2 : 0) }
}

/** Lists bins of a span with their columns. */
export function columnsOf({
  first,
  last,
  columns,
}: BinSpan): readonly (readonly [number, number])[] {
  const bins = Array.from({ length: last - first + 1 }, (_, i) => [first + i, i] as const)
  return columns > bins.length ? [...bins, [SKEW_BIN, columns - 1]] : bins
}

/**
 * Computes the height of a share of all, of 1: square root, with a little room above the fullest
 * bin.
 */
export function shareHeight(share: number, most: number): number {
  return Math.sqrt(share / Math.min(1, most * 1.1))
}

/** Computes the place of a latency in bins: 1.5 is half way of bin 1, on its logarithmic scale. */
export function placeOf(ns: number, first: number): number {
  return Math.max(0, Math.log2(ns) - first + 1)
}

/**
 * Finds where labels begin that stand above their places, side by side where those are too close.
 */
export function labelStarts(
  places: readonly number[],
  widths: readonly number[],
  right: number,
): readonly number[] {
  const starts: number[] = []
  places.forEach((x, i) => {
    const free = i === 0 ? 0 : starts[i - 1]! + widths[i - 1]! + NAME_GAP
    starts.push(Math.max(free, x - widths[i]! / 2))
  })
  // from the right edge back, so that the last one is whole
  let end = right
  for (let i = starts.length - 1; i >= 0; i -= 1) {
    starts[i] = Math.min(starts[i]!, end - widths[i]!)
    end = starts[i]! - NAME_GAP
  }
  return starts
}

/** Writes the upper bound of a bin: `1 ms` for 2^20 ns, `16 µs`, `34 s`; `bin 64` has none. */
export function boundText(bin: number): string {
  if (bin === SKEW_BIN) return 'bin\u00a064'
  const ns = 2 ** bin
  return ns < 1000 ? axisText(ns, 'ns') : text(ns, 'ns').replace(/\.\d+/, '')
}
