/** Axes: round steps, linear and logarithmic scales, ticks of time. */
import { parseUnit } from '../format/number.ts'

export interface Range {
  readonly lo: number
  readonly hi: number
}

export interface Scale extends Range {
  /** Value to CSS pixels from the top. */
  readonly y: (value: number) => number
  readonly ticks: readonly number[]
}

type LinearKind = 'zero' | 'around'

const DECIMAL_STEPS = [1, 2, 2.5, 5, 10] as const
const BINARY_STEPS = [1, 2, 4] as const
/** Span below which steps would be subnormal doubles, which are no round numbers. */
const SMALLEST_SPAN = 1e-300
const TIME_STEPS = [0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600] as const

/**
 * Finds the smallest round step that gives at most `count`: 1, 2, 2.5, 5 × 10ⁿ; bytes 1, 2, 4 × 2ⁿ.
 */
function niceStep(span: number, count: number, unit = ''): number {
  const isBinary = parseUnit(unit).sort === 'bytes'
  const rough = span / count
  const base = isBinary ? 2 ** Math.floor(Math.log2(rough)) : 10 ** Math.floor(Math.log10(rough))
  const steps = isBinary ? BINARY_STEPS : DECIMAL_STEPS
  // A hair of slack: 0.3 / 0.1 is a little more than 3 in binary fractions.
  const fits = steps.find((step) => span / (step * base) <= count + 1e-9)
  return (fits ?? 10) * base
}

/** Widens a range to round ends that are never less than two ticks apart. */
export function niceRange(kind: LinearKind, range: Range, count: number, unit = ''): Range {
  let { lo, hi } = range
  if (kind === 'zero') lo = Math.min(0, lo)
  // Ends so near to each other that a double hardly holds ticks between them are one value.
  if (!(hi - lo > Math.max(Math.abs(lo), Math.abs(hi)) * 1e-9 && hi - lo > SMALLEST_SPAN)) {
    const room = Math.abs(hi) > SMALLEST_SPAN ? Math.abs(hi) * 0.5 : 1
    hi += room
    if (kind === 'around') lo -= room
  }
  const step = niceStep(hi - lo, count, unit)
  const low = Math.floor(lo / step + 1e-6) * step
  const high = Math.ceil(hi / step - 1e-6) * step
  return { lo: low, hi: high > low ? high : low + step }
}

export function linearScale(
  range: Range,
  top: number,
  bottom: number,
  count: number,
  unit = '',
): Scale {
  const { lo, hi } = range
  let ticks = multiples(range, niceStep(hi - lo, count, unit))
  // Ends that are multiples of another step may leave room for one tick only: take a finer step.
  for (let more = count + 1; ticks.length < 2 && more <= count + 8; more += 1) {
    ticks = multiples(range, niceStep(hi - lo, more, unit))
  }
  return { lo, hi, ticks, y: (value) => bottom - ((value - lo) / (hi - lo)) * (bottom - top) }
}

function multiples({ lo, hi }: Range, step: number): number[] {
  const found: number[] = []
  for (let i = Math.ceil(lo / step - 1e-6); i * step <= hi + step / 1e3; i += 1) {
    found.push(i * step)
  }
  return found
}

/** Makes a log2 axis, labelled in decades of the unit: bins stay exact, labels stay human. */
export function logScale(range: Range, top: number, bottom: number, count: number): Scale {
  const low = Math.log2(range.lo)
  const high = Math.log2(range.hi)
  const y = (value: number): number =>
    bottom - ((Math.log2(value) - low) / (high - low)) * (bottom - top)
  return { ...range, y, ticks: decades(range, count) }
}

function decades({ lo, hi }: Range, count: number): number[] {
  const within = (value: number): boolean => value >= lo * 0.999 && value <= hi * 1.001
  const powers: number[] = []
  for (let k = Math.floor(Math.log10(lo)) - 1; k <= Math.ceil(Math.log10(hi)); k += 1) {
    powers.push(10 ** k)
  }
  let ticks = powers.filter(within)
  if (ticks.length < 2) ticks = powers.flatMap((v) => [v, 2 * v, 5 * v]).filter(within)
  while (ticks.length > count + 1) {
    const keep = ticks.length % 2
    ticks = ticks.filter((_, i) => i % 2 !== keep)
  }
  return ticks
}

/** Computes the distance of time ticks in seconds, so that a label has `room` pixels. */
function timeStep(seconds: number, pixels: number, room = 72): number {
  return TIME_STEPS.find((step) => seconds / step <= pixels / room) ?? 600
}

export function timeTicks(from: number, to: number, pixels: number, room = 72): number[] {
  const step = timeStep(to - from, pixels, room)
  const ticks: number[] = []
  for (let i = Math.ceil(from / step); i * step <= to; i += 1) ticks.push(i * step)
  return ticks
}

/** Range of an axis that grows at once, and shrinks only after a whole window without need. */
export class SteadyRange {
  #range: Range | undefined
  #key = ''
  #hiNeeded = 0
  #loNeeded = 0

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
