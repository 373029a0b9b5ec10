/** Order of names for people: case and accents don't count, numbers go by their size. */

/** Last of the characters before `a`; longer numbers than these have the same one. */
const LENGTHS_MOST = 0x30

/**
 * Makes the key by which names are compared with `<`, as a long list needs it: a collator takes a
 * hundred times as long. Numbers begin with their length; what stands behind letters in ASCII
 * stands before all, so that `depth{queue=a}` comes before `depth_max`.
 */
export function orderKey(name: string): string {
  const folded = name.toLowerCase()
  const base = IS_ASCII.test(folded) ? folded : folded.normalize('NFD').replace(/\p{M}/gu, '')
  return base
    .replace(/[{-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0x7a))
    .replace(/\d+/g, (number) => {
      const digits = number.replace(/^0+(?=\d)/, '')
      return String.fromCharCode(0x30 + Math.min(LENGTHS_MOST, digits.length)) + digits
    })
}

const IS_ASCII = /^[\0-\x7f]*$/

/** Compares two keys. */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
