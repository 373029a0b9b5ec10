/** The word that was probably meant: one of few known ones, some letters off. */

/** Words longer than this are compared by their begin. */
const LENGTH_LIMIT = 64
/** Share of a word that may be wrong. */
const WRONG_SHARE = 0.4

/** Counts letters to insert, leave out, replace or swap with their neighbour between two words. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let least = Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (isSame ? 0 : 1))
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwapped) least = Math.min(least, before[j - 2]! + 1)
      next.push(least)
    }
    before = row
    row = next
  }
  return row[b.length]!
}

/**
 * Finds the known word that a wrong one is nearest to; upper and lower case are the same.
 * @returns undefined where none is near, so that a guess is never far-fetched
 */
export function nearestWord(word: string, known: Iterable<string>): string | undefined {
  const wrong = word.slice(0, LENGTH_LIMIT).toLowerCase()
  let nearest: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const each of known) {
    const off = distance(wrong, each.slice(0, LENGTH_LIMIT).toLowerCase())
    const isNear = off <= Math.max(1, WRONG_SHARE * Math.min(wrong.length, each.length))
    if (isNear && off < least) {
      nearest = each
      least = off
    }
  }
  return nearest
}

/** Writes `; did you mean seriesLimit?` behind what is wrong; empty where no known word is near. */
export function meantWords(word: string, known: Iterable<string>): string {
  const nearest = nearestWord(word, known)
  return nearest === undefined ? '' : `; did you mean ${nearest}?`
}
