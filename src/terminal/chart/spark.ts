/**
 * A line of numbers as a small picture in braille: two numbers a cell, each a bar of one to four
 * dots from the bottom, and no dot at all where there is no number. What moves about a value of its
 * own is a line in place of bars, in which each number has the least and the greatest beside it.
 */
import { BrailleCanvas, DOTS_ACROSS, DOTS_DOWN } from '../braille.ts'

/**
 * Draws bars from zero, or from the least value where that is below it.
 * @param values oldest first; NaN = no value. The last ones are shown, at the right end
 * @param cells how many characters wide
 */
export function spark(values: ArrayLike<number>, cells: number): string {
  return sparkRows(values, cells, 1)[0]!
}

/** Does the same in several rows, for more heights than four; the highest row comes first. */
export function sparkRows(values: ArrayLike<number>, cells: number, rows: number): string[] {
  const columns = cells * DOTS_ACROSS
  const first = values.length - columns
  const [low, high] = widened([0, 0], values, first)
  const canvas = new BrailleCanvas(cells, rows)
  const most = rows * DOTS_DOWN
  for (let x = 0; x < columns; x++) {
    const dots = height(values[first + x] ?? Number.NaN, low, high, most)
    if (dots > 0) canvas.column(x, most - dots, most - 1)
  }
  return Array.from({ length: rows }, (_, row) => canvas.rowText(row))
}

/**
 * Draws a line between the least and the greatest of all.
 * @param least of each number, oldest first; NaN = no value. The last ones are shown
 * @param greatest the same, as many
 */
export function sparkLine(
  least: ArrayLike<number>,
  greatest: ArrayLike<number>,
  cells: number,
): string {
  const columns = cells * DOTS_ACROSS
  const first = least.length - columns
  const nothing = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] as const
  const [low, high] = widened(widened(nothing, least, first), greatest, first)
  const canvas = new BrailleCanvas(cells, 1)
  const dotsOf = (values: ArrayLike<number>): number[] =>
    Array.from({ length: columns }, (_, x) => {
      const dots = height(values[first + x] ?? Number.NaN, low, high, DOTS_DOWN)
      return dots === 0 ? Number.NaN : DOTS_DOWN - dots
    })
  canvas.line(dotsOf(greatest), dotsOf(least))
  return canvas.rowText(0)
}

type Ends = readonly [low: number, high: number]

/** Widens ends so that the values from a place on are between them. */
function widened([low, high]: Ends, values: ArrayLike<number>, first: number): Ends {
  for (let i = Math.max(0, first); i < values.length; i++) {
    const value = values[i]!
    if (value < low) low = value
    if (value > high) high = value
  }
  return [low, high]
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
