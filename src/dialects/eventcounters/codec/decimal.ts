/** Numbers as texts without an exponent (eventcounters.md §3.2); pure. */

/** Writes the shortest decimal text of a finite number: `0.1`, `60`, `0.0000001`. */
export function decimalText(value: number): string {
  const text = String(value === 0 ? 0 : value)
  const parts = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text)
  if (parts === null) return text
  const [, sign, whole, fraction = '', exponent] = parts
  const digits = whole! + fraction
  const point = whole!.length + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return `${sign}${digits}${'0'.repeat(point - digits.length)}`
}

/** Reads a number without exponent; undefined for any other text. */
export function readDecimal(text: string): number | undefined {
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined
}
