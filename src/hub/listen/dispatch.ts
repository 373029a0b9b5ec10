/**
 * Which dialect a datagram or connection belongs to, by its first bytes. Several dialects share a
 * port; each says of the first bytes yes, no, or not yet. Decided once, never revised.
 */
import type { Dialect } from '../../dialects/dialect.ts'

/** Number of bytes that any dialect needs at most to recognise its own. */
const FIRST_BYTES_LIMIT = 64

/**
 * @param isEnd no more bytes will come: a dialect that still waits counts as a no
 * @returns the dialect, `undefined` while undecided, `null` when none claims the bytes
 */
export function chooseDialect(
  dialects: readonly Dialect[],
  first: Uint8Array,
  isEnd: boolean,
): Dialect | undefined | null {
  for (const dialect of dialects) {
    const claim = dialect.claims(first)
    if (claim === true) return dialect
    if (claim === undefined && !isEnd && first.length < FIRST_BYTES_LIMIT) return undefined
  }
  return null
}
