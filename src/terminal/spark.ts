/**
 * A line of numbers as a small picture in braille: two numbers a cell, each a bar of one to four
 * dots from the bottom, and no dot at all where there is no number.
 */
import { BrailleCanvas, DOTS_ACROSS, DOTS_DOWN } from './braille.ts'

/** End of the scale: zero, unless a value is below it, or the least value. */
type SparkBase = 'zero' | 'own'

/**
 * @param values oldest first; NaN = no value. The last ones are shown, at the right end
 * @param cells how many characters wide
 */
export function spark(values: ArrayLike<number>, cells: number, base: SparkBase = 'zero'): string {
  return sparkRows(values, cells, 1, base)[0]!
}

/** Does the same in several rows, for more heights than four; the highest row comes first. */
export function sparkRows(
  values: ArrayLike<number>,
  cells: number,
  rows: number,
  base: SparkBase = 'zero',
): string[] {
  const columns = cells * DOTS_ACROSS
  const first = values.length - columns
  let low = base === 'zero' ? 0 : Number.POSITIVE_INFINITY
  let high = base === 'zero' ? 0 : Number.NEGATIVE_INFINITY
  for (let i = Math.max(0, first); i < values.length; i++) {
    const value = values[i]!
    if (value < low) low = value
    if (value > high) high = value
  }
  const canvas = new BrailleCanvas(cells, rows)
  const most = rows * DOTS_DOWN
  for (let x = 0; x < columns; x++) {
    const dots = height(values[first + x] ?? Number.NaN, low, high, most)
    if (dots > 0) canvas.column(x, most - dots, most - 1)
  }
  return Array.from({ length: rows }, (_, row) => canvas.rowText(row))
}

/** Scales a value to dots. */
function height(value: number, low: number, high: number, most: number): number {
  if (Number.isNaN(value)) return 0
  if (value === high && high > low) return most
  if (value === low) return 1
  const range = high - low
  if (!Number.isFinite(range)) return 1
  return range === 0 ? 1 : 1 + Math.round(((value - low) / range) * (most - 1))
}
