/** Bytes of a message that could not be read, sixteen to a row, the offending ones marked. */
export interface HexByte {
  readonly hex: string
  readonly text: string
  readonly isMarked: boolean
}

interface HexRow {
  /** Position of the first byte, four digits. */
  readonly at: string
  readonly bytes: readonly HexByte[]
}

const ROW_BYTES = 16
/** Bytes of text that belong together are marked together, up to this many. */
const MARK_LIMIT = 8

/**
 * @param offset of the byte that is wrong, where it is among them; the mark ends at the next
 * separator of text
 */
export function hexRows(hex: string, offset = Number.POSITIVE_INFINITY): HexRow[] {
  const bytes = hex.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? []
  const end = markEnd(bytes, offset)
  const rows: HexRow[] = []
  for (let from = 0; from < bytes.length; from += ROW_BYTES) {
    const row = bytes.slice(from, from + ROW_BYTES).map((byte, i) => ({
      hex: byte.toString(16).padStart(2, '0'),
      text: byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·',
      isMarked: from + i >= offset && from + i < end,
    }))
    rows.push({ at: from.toString(16).padStart(4, '0'), bytes: row })
  }
  return rows
}

function markEnd(bytes: readonly number[], offset: number): number {
  const most = Math.min(bytes.length, offset + MARK_LIMIT)
  let end = offset + 1
  while (end < most && isWord(bytes[end - 1]!) && isWord(bytes[end]!)) end += 1
  return end
}

/** Tells whether a byte is of a word: letters, digits, and what numbers are written with. */
function isWord(byte: number): boolean {
  return /[\w.,+-]/.test(String.fromCharCode(byte)) && byte < 0x80
}
