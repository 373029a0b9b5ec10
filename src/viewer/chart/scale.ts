/** Axes: round steps, linear and logarithmic scales, ticks of time. */
import { type AxisKind, niceRange as niceRangeOf, type Range, ticksOf } from '../../model/axis.ts'
import { parseUnit } from '../format/number.ts'

export { type Range, SteadyRange } from '../../model/axis.ts'

export interface Scale extends Range {
  /** Value to CSS pixels from the top. */
  readonly y: (value: number) => number
  readonly ticks: readonly number[]
}

const DAY = 86_400
const TIME_STEPS = [
  ...[0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200],
  ...[DAY, 2 * DAY, 4 * DAY, 7 * DAY, 14 * DAY, 28 * DAY, 91 * DAY, 182 * DAY, 364 * DAY],
] as const

/** Widens a range to round ends that are never less than two ticks apart. */
export function niceRange(kind: AxisKind, range: Range, count: number, unit = ''): Range {
  const { factor } = parseUnit(unit)
  const { lo, hi } = niceRangeOf(kind, times(range, factor), count, stepsOf(unit))
  return { lo: lo / factor, hi: hi / factor }
}

/** Gives a range in the unit that it is labelled in, of which each has so many. */
function times({ lo, hi }: Range, factor: number): Range {
  return { lo: lo * factor, hi: hi * factor }
}

function stepsOf(unit: string): 'binary' | 'decimal' {
  return parseUnit(unit).sort === 'bytes' ? 'binary' : 'decimal'
}

export function linearScale(
  range: Range,
  top: number,
  bottom: number,
  count: number,
  unit = '',
): Scale {
  const { lo, hi } = range
  const { factor } = parseUnit(unit)
  const ticks = ticksOf(times(range, factor), count, stepsOf(unit)).map((tick) => tick / factor)
  // Halves: the whole of a range of the largest doubles is none.
  const span = hi / 2 - lo / 2
  const y = (value: number): number => bottom - ((value / 2 - lo / 2) / span) * (bottom - top)
  return { lo, hi, ticks, y }
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
  return TIME_STEPS.find((step) => seconds / step <= pixels / room) ?? 364 * DAY
}

export function timeTicks(from: number, to: number, pixels: number, room = 72): number[] {
  const step = timeStep(to - from, pixels, room)
  // hours and days begin where the reader's do
  const ahead = step > 600 ? new Date(to * 1000).getTimezoneOffset() * 60 : 0
  const ticks: number[] = []
  for (let i = Math.ceil((from - ahead) / step); i * step + ahead <= to; i += 1) {
    ticks.push(i * step + ahead)
  }
  return ticks
}
