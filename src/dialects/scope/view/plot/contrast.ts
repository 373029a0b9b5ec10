/** Contrast of colours, as WCAG 2 computes it. */

/** Least contrast of a line with the paper; below it the line has an outline. */
export const CONTRAST_LEAST = 1.5

/** Computes the contrast of two colours `#rrggbb`, 1 to 21. */
export function contrastOf(a: string, b: string): number {
  const [high, low] = [luminanceOf(a), luminanceOf(b)].sort((x, y) => y - x)
  return (high! + 0.05) / (low! + 0.05)
}

function luminanceOf(color: string): number {
  const number = Number.parseInt(color.slice(1), 16)
  const [red, green, blue] = [number >> 16, number >> 8, number].map((each) => linear(each & 255))
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

function linear(part: number): number {
  const share = part / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}
