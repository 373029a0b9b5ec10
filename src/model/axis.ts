/** Axes of values: ranges with round ends, steps between ticks, and ranges that stand still. */

export interface Range {
  readonly lo: number
  readonly hi: number
}

/** Steps between ticks: 1, 2, 2.5, 5 × 10ⁿ, or for bytes 1, 2, 4 × 2ⁿ. */
type StepKind = 'decimal' | 'binary'

const STEPS = { decimal: [1, 2, 2.5, 5, 10], binary: [1, 2, 4] } as const
/** Span below which steps would be subnormal doubles, which are no round numbers. */
const SMALLEST_SPAN = 1e-300
/** Ends beyond which sums and differences may be greater than any double. */
const LARGEST_END = 1e307
/** Greater ends are made smaller, and what is found for them larger again, so many times. */
const SHRUNK = 1e10

/** Finds the smallest round step that gives at most `count`. */
function niceStep(span: number, count: number, kind: StepKind = 'decimal'): number {
  const rough = span / count
  const base =
    kind === 'binary' ? 2 ** Math.floor(Math.log2(rough)) : 10 ** Math.floor(Math.log10(rough))
  // A hair of slack: 0.3 / 0.1 is a little more than 3 in binary fractions.
  const fits = STEPS[kind].find((step) => span / (step * base) <= count + 1e-9)
  return (fits ?? 10) * base
}

/** Kind of an axis: one that begins at zero, or one that lies around its data. */
export type AxisKind = 'zero' | 'around'

/** Widens a range to round ends that are never less than two ticks apart. */
export function niceRange(
  axis: AxisKind,
  range: Range,
  count: number,
  kind: StepKind = 'decimal',
): Range {
  if (isHuge(range)) return grown(niceRange(axis, shrunk(range), count, kind))
  let { lo, hi } = range
  if (axis === 'zero') lo = Math.min(0, lo)
  if (isOneValue({ lo, hi })) {
    const room = Math.abs(hi) > SMALLEST_SPAN ? Math.abs(hi) * 0.5 : 1
    hi += room
    if (axis === 'around') lo -= room
  }
  const step = niceStep(hi - lo, count, kind)
  const low = Math.floor(lo / step + 1e-6) * step
  const high = Math.ceil(hi / step - 1e-6) * step
  return { lo: low, hi: high > low ? high : low + step }
}

/** Tells whether ends are so near to each other that a double hardly holds ticks between them. */
export function isOneValue({ lo, hi }: Range): boolean {
  return !(hi - lo > Math.max(Math.abs(lo), Math.abs(hi)) * 1e-9 && hi - lo > SMALLEST_SPAN)
}

function isHuge({ lo, hi }: Range): boolean {
  return Math.max(Math.abs(lo), Math.abs(hi)) > LARGEST_END
}

function shrunk({ lo, hi }: Range): Range {
  return {
    lo: Math.max(lo, -Number.MAX_VALUE) / SHRUNK,
    hi: Math.min(hi, Number.MAX_VALUE) / SHRUNK,
  }
}

/** Makes a range as large as it was; the ends of all doubles are round enough. */
function grown({ lo, hi }: Range): Range {
  return {
    lo: Math.max(lo * SHRUNK, -Number.MAX_VALUE),
    hi: Math.min(hi * SHRUNK, Number.MAX_VALUE),
  }
}

/** Lists the ticks of a range, about `count` of them, never less than two. */
export function ticksOf(range: Range, count: number, kind: StepKind = 'decimal'): number[] {
  if (isHuge(range)) {
    return ticksOf(shrunk(range), count, kind)
      .map((tick) => tick * SHRUNK)
      .filter(Number.isFinite)
  }
  const { lo, hi } = range
  let ticks = multiples(range, niceStep(hi - lo, count, kind))
  // Ends that are multiples of another step may leave room for one tick only: take a finer step.
  for (let more = count + 1; ticks.length < 2 && more <= count + 8; more += 1) {
    ticks = multiples(range, niceStep(hi - lo, more, kind))
  }
  return ticks
}

function multiples({ lo, hi }: Range, step: number): number[] {
  const found: number[] = []
  for (let i = Math.ceil(lo / step - 1e-6); i * step <= hi + step / 1e3; i += 1) {
    found.push(i * step)
  }
  return found
}

/** Range of an axis that grows at once, and shrinks only after a whole window without need. */
export class SteadyRange {
  #range: Range | undefined
  #key = ''
  #hiNeeded = 0
  #loNeeded = 0

  /** The range that was given last. */
  get current(): Range | undefined {
    return this.#range
  }

  /**
   * Gives the range to draw.
   * @param range what the data need now, with round ends
   * @param second the right edge of the picture
   * @param key another key is another picture: nothing is kept
   */
  update(range: Range, second: number, window: number, key: string): Range {
    const kept = this.#range
    const isOther = key !== this.#key || kept === undefined || second < this.#hiNeeded - window
    if (isOther) {
      this.#key = key
      this.#hiNeeded = second
      this.#loNeeded = second
      this.#range = range
      return range
    }
    if (range.hi >= kept.hi) this.#hiNeeded = second
    if (range.lo <= kept.lo) this.#loNeeded = second
    const mayLower = second - this.#hiNeeded >= window
    const mayRaise = second - this.#loNeeded >= window
    if (mayLower) this.#hiNeeded = second
    if (mayRaise) this.#loNeeded = second
    this.#range = {
      lo: mayRaise ? range.lo : Math.min(range.lo, kept.lo),
      hi: mayLower ? range.hi : Math.max(range.hi, kept.hi),
    }
    return this.#range
  }
}
