/**
 * Columns of a terminal: how many a character takes, and tables whose columns are each as wide as
 * their widest cell. Terminals disagree about new emoji; a screen therefore places the cursor anew
 * after every character that is not surely one column wide.
 */
import { escapeUnseen } from '../model/text/unseen.ts'

/** Marks that sit on the character before them, and formatting that shows nothing. */
const ZERO_WIDE = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u
/** East Asian Wide and Fullwidth of Unicode's UAX 11, as ranges; emoji by their own property. */
const WIDE_RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x20000, 0x3fffd],
]
const EMOJI = /^\p{Emoji_Presentation}$/u
/** First mark: nothing below is combining or wide. */
const FIRST_MARK = 0x300
/** Gap between two columns of a table. */
const GAP = '  '

/** @param character one code point */
export function characterWidth(character: string): 0 | 1 | 2 {
  const code = character.codePointAt(0) ?? 0
  if (code < FIRST_MARK) return 1
  if (ZERO_WIDE.test(character)) return 0
  if (WIDE_RANGES.some(([first, last]) => code >= first && code <= last)) return 2
  return EMOJI.test(character) ? 2 : 1
}

/** Formatting that may be left out: what joins characters, for one. */
const INVISIBLE = /\p{Cf}/gu

/** Spells out what steers a terminal or turns a line: the text may come from a peer. */
export function printable(text: string): string {
  return escapeUnseen(text.toWellFormed()).replace(INVISIBLE, '')
}

/** Counts the columns of a text as it is printed. */
export function textWidth(text: string): number {
  let width = 0
  for (const character of printable(text)) width += characterWidth(character)
  return width
}

/**
 * Lays out rows of the same length; the last column ends its line.
 * @param right columns whose texts end below each other, as figures do
 */
export function tableLines(
  rows: readonly (readonly string[])[],
  right: ReadonlySet<number> = new Set(),
): string[] {
  const last = (rows[0]?.length ?? 0) - 1
  const widths = Array.from({ length: last + 1 }, (_, column) =>
    Math.max(...rows.map((row) => textWidth(row[column]!))),
  )
  return rows.map((row) =>
    row
      .map((text, column) => {
        const blanks = ' '.repeat(widths[column]! - textWidth(text))
        if (right.has(column)) return blanks + text
        return column === last ? text : text + blanks
      })
      .join(GAP),
  )
}
