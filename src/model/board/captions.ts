/** Texts of a board: values to six significant digits, and captions. */
import { unitSymbol } from '../text/unit.ts'
import type { Line } from './line/line.ts'
import type { Plot } from './plots.ts'
import type { Window } from './sma.ts'

const SIGNIFICANT = 6
/** Numbers outside of these are written with an exponent. */
const SMALLEST_FIXED = 1e-5
const LARGEST_FIXED = 1e9
const MINUS = '\u2212'
const NO_BREAK_SPACE = '\u00a0'

/**
 * Writes a value to six significant digits, the unit behind it; `–` for NaN.
 *
 * @example
 * import { boardValueText } from 'pentameter/scope'
 *
 * console.log(boardValueText(9.2712345)) // 9.27123
 */
export function boardValueText(value: number, unit?: string): string {
  if (Number.isNaN(value)) return '–'
  const number = numberText(value).replaceAll('-', MINUS)
  const symbol = unitSymbol(unit ?? '')
  return symbol === '' ? number : number + NO_BREAK_SPACE + symbol
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '-∞'
  const rounded = Number(value.toPrecision(SIGNIFICANT))
  const size = Math.abs(rounded)
  if (size !== 0 && (size < SMALLEST_FIXED || size >= LARGEST_FIXED)) {
    return rounded.toExponential().replace('e+', 'e')
  }
  return String(rounded)
}

/**
 * Writes the caption of a plot: its name, where it differs from its first line's.
 *
 * @example
 * import { Board, plotTitle } from 'pentameter/scope'
 *
 * const board = new Board()
 * board.describe('motor', { plot: 'current' })
 * console.log(plotTitle(board.plots()[0])) // current
 */
export function plotTitle({ name, lines }: Plot): string {
  return name === lines[0]?.name ? '' : name
}

/**
 * Writes `metric=value`, as the caption has it for each line.
 *
 * @example
 * import { Board, lineCaption } from 'pentameter/scope'
 *
 * const board = new Board()
 * board.feed([{ timesMs: [0], names: ['motor'], values: [9.25] }])
 * const line = board.lineOf('motor')!
 * console.log(lineCaption(line, line.value)) // motor=9.25
 */
export function lineCaption({ name, about }: Line, value: number): string {
  return `${name}=${boardValueText(value, about.unit)}`
}

/** Names a moving average: `SMA metric`. */
export function averageName({ name }: Line): string {
  return `SMA ${name}`
}

/** Writes a moving average's window: `20` samples, `2s`; empty for none. */
export function windowText(window: Window | undefined): string {
  if (window === undefined) return ''
  return 'samples' in window ? String(window.samples) : `${window.seconds}s`
}
