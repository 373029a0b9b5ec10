/**
 * Colours that a metric's `color` label may name: nine words in lower case, `#RGB`
 * and `#RRGGBB`. All else is refused, so that the viewer takes an automatic colour and says so.
 */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['red', '#ff0000'],
  ['green', '#00ff00'],
  ['blue', '#0000ff'],
  ['yellow', '#ffff00'],
  ['cyan', '#00ffff'],
  ['magenta', '#ff00ff'],
  ['orange', '#ff6900'],
  ['white', '#ffffff'],
  ['black', '#000000'],
])

/** `#rrggbb` in lower case; undefined for a label that is no colour. */
export function parseColor(label: string): string | undefined {
  if (!label.startsWith('#')) return NAMED.get(label)
  if (!/^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(label)) return undefined
  const digits = label.slice(1).toLowerCase()
  return digits.length === 6 ? label.toLowerCase() : `#${digits.replace(/./g, '$&$&')}`
}
