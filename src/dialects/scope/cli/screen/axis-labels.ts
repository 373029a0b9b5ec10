/** Labels of a Y axis in a terminal: short, and with the digits that tell its ticks apart. */
import { type Range, ticksOf } from '../../../../model/axis.ts'
import { axisText } from '../../../../viewer/format/number.ts'

export interface AxisLabel {
  readonly value: number
  readonly text: string
}

const PREFIXES = [
  [1e15, 'P'],
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
  [1, ''],
  [1e-3, 'm'],
  [1e-6, 'µ'],
  [1e-9, 'n'],
] as const
/** Numbers from here on have a prefix, as those below the least. */
const PLAIN_BELOW = 1e4
const PLAIN_FROM = 0.01
/** Places behind the point at most. */
const DECIMALS_LIMIT = 6
/** Part of its numbers that a step has to be, so that they can be written out. */
const LEAST_STEP_PART = 1e-5
/** Part of a step that makes no difference. */
const NEAR_PART = 1e-3
const BYTES = 'B'
const MINUS = '\u2212'

/** Lists the labels of a range: its ends first, then the ticks between them. */
export function axisLabels(range: Range, count: number, unit: string | undefined): AxisLabel[] {
  const isBytes = unit === BYTES
  const ticks = ticksOf(range, count, isBytes ? 'binary' : 'decimal')
  const step = ticks.length > 1 ? ticks[1]! - ticks[0]! : range.hi - range.lo
  const values = [range.hi, range.lo, ...ticks]
  if (isBytes) {
    return values.map((value) => ({ value, text: axisText(value, unit).replace('\u00a0', '') }))
  }
  return values.map((value) => ({ value, text: textOf(value, range, step) }))
}

/** Writes a label; where numbers are long and hardly differ, how far it is from the lower end. */
function textOf(value: number, range: Range, step: number): string {
  const size = Math.max(Math.abs(range.lo), Math.abs(range.hi))
  if (value === range.lo || step > size * LEAST_STEP_PART) return labelText(value, range, step)
  const above = value - range.lo
  return `+${labelText(above, { lo: 0, hi: range.hi - range.lo }, step)}`
}

function labelText(value: number, { lo, hi }: Range, step: number): string {
  const size = Math.max(Math.abs(lo), Math.abs(hi))
  if (Math.abs(value) < step * 1e-6) return '0'
  const isPlain = size < PLAIN_BELOW && size >= PLAIN_FROM
  const [factor, prefix] = isPlain ? ([1, ''] as const) : prefixOf(size)
  const scaled = value / factor
  const isBeyond = Math.abs(scaled) >= PLAIN_BELOW || size < 1e-9
  const text = isBeyond ? value.toExponential(1) : roundText(scaled, step / factor)
  return text.replace('-', MINUS) + (isBeyond ? '' : prefix)
}

function prefixOf(size: number) {
  return PREFIXES.find(([factor]) => size >= factor) ?? PREFIXES.at(-1)!
}

/** Writes a number with as few decimals as it has, seen with a step as measure. */
function roundText(value: number, step: number): string {
  let decimals = 0
  while (decimals < DECIMALS_LIMIT && !isNear(Number(value.toFixed(decimals)), value, step)) {
    decimals += 1
  }
  return value.toFixed(decimals)
}

function isNear(a: number, b: number, step: number): boolean {
  return Math.abs(a - b) < NEAR_PART * step
}
