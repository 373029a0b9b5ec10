/**
 * A line of numbers as a small picture in braille: two numbers a cell, each a bar of one to four
 * dots from the bottom, and no dot at all where there is no number (terminal.md, principle 2).
 */

const BRAILLE = 0x2800
/** Dots of the left and the right column from the bottom: bits of U+2800 to U+28FF. */
const LEFT = [0, 0x40, 0x44, 0x46, 0x47] as const
const RIGHT = [0, 0x80, 0xa0, 0xb0, 0xb8] as const
const HEIGHT = 4

/**
 * @param values oldest first; NaN = no value. The last ones are shown, at the right end
 * @param cells how many characters wide
 */
export function spark(values: ArrayLike<number>, cells: number): string {
  const columns = cells * 2
  const first = values.length - columns
  let low = 0
  let high = 0
  for (let i = Math.max(0, first); i < values.length; i++) {
    const value = values[i]!
    if (value < low) low = value
    if (value > high) high = value
  }
  const dots = (index: number): number => height(values[index] ?? Number.NaN, low, high)
  let text = ''
  for (let cell = 0; cell < cells; cell++) {
    const left = dots(first + 2 * cell)
    const right = dots(first + 2 * cell + 1)
    const bits = LEFT[left]! | RIGHT[right]!
    text += bits === 0 ? ' ' : String.fromCharCode(BRAILLE + bits)
  }
  return text
}

/** Scales a value to dots. Zero is the lowest line unless a value is below it. */
function height(value: number, low: number, high: number): number {
  if (Number.isNaN(value)) return 0
  if (value === high && high > low) return HEIGHT
  if (value === low) return 1
  const range = high - low
  if (!Number.isFinite(range)) return 1
  return range === 0 ? 1 : 1 + Math.round(((value - low) / range) * (HEIGHT - 1))
}
