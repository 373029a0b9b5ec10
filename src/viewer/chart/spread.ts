/** What a value went through between two ticks, and a line through the ticks does not show. */
export interface SpreadLine {
  /** One value per step from the left edge on, at its end; NaN where nothing is known. */
  readonly values: Float64Array
  /** Extremes of each step around the value at its end. */
  readonly spread?: { readonly low: Float64Array; readonly high: Float64Array }
}

/** Stroke beside a line, at the middle of a step. */
interface SpreadStroke {
  /** Step, counted from the left edge on. */
  readonly at: number
  readonly low: number
  readonly high: number
}

/**
 * Finds what a line does not show itself of its extremes: a peak at a tick is drawn once.
 * @param first absolute number of the first step, for the grid
 * @param group steps per column of pixels
 */
export function spreadStrokes(
  { values, spread }: SpreadLine,
  first: number,
  group: number,
): SpreadStroke[] {
  if (spread === undefined) return []
  const strokes: SpreadStroke[] = []
  let at = 0
  while (at < values.length) {
    const end = Math.min(values.length, (Math.floor((first + at) / group) + 1) * group - first)
    const least = leastOf(spread.low, at, end)
    const most = -leastOf(spread.high, at, end, -1)
    // where each step is drawn, its line comes from the value before
    const from = group === 1 ? Math.max(0, at - 1) : at
    const lo = leastOf(values, from, end)
    const hi = -leastOf(values, from, end, -1)
    const middle = lo <= hi ? (lo + hi) / 2 : least
    const low = least < lo ? least : middle
    const high = most > hi ? most : middle
    // A step ends at its place: what it went through lies before.
    if (high > low) strokes.push({ at: (at + end) / 2 - 1, low, high })
    at = end
  }
  return strokes
}

/** Finds the least of known values times a sign, infinite where there are none. */
function leastOf(values: Float64Array, from: number, to: number, sign = 1): number {
  let least = Number.POSITIVE_INFINITY
  for (let i = from; i < to; i += 1) if (values[i]! * sign < least) least = values[i]! * sign
  return least
}
