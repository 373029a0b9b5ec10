/** A picture in cells, on its way to a terminal: text is cut where it ends, and made harmless. */

import { type ColorDepth, type Style, styleCode, styleSequence } from './color.ts'
import { characterWidth, printable, textWidth } from './columns.ts'

/** Marks on one character beyond this are left out: a cell is bounded, whatever a peer sends. */
const MARKS_LIMIT = 4
const BLANK = ' '
/** The right half of a character of two columns. */
export const RIGHT_HALF = ''

export class ScreenBuffer {
  readonly columns: number
  readonly rows: number
  /** One entry per cell, row by row: a character with its marks, or RIGHT_HALF. */
  readonly characters: string[]
  /** Style per cell as a number, that of `styleCode`. */
  readonly styles: Uint32Array

  constructor(columns: number, rows: number) {
    this.columns = columns
    this.rows = rows
    this.characters = new Array<string>(columns * rows).fill(BLANK)
    this.styles = new Uint32Array(columns * rows)
  }

  clear(): void {
    this.characters.fill(BLANK)
    this.styles.fill(0)
  }

  /**
   * Writes text into one row, cut after `width` columns with `…` at the cut; outside the buffer
   * nothing happens.
   *
   * @returns the column after the text
   */
  write(row: number, column: number, text: string, style: Style = 'plain', width?: number): number {
    const room = Math.min(width ?? this.columns, this.columns - column)
    if (row < 0 || row >= this.rows || column < 0 || room <= 0) return column
    const clean = printable(text)
    const code = styleCode(style)
    const isCut = textWidth(clean) > room
    const end = column + room - (isCut ? 1 : 0)
    let at = column
    for (const character of clean) {
      const size = characterWidth(character)
      if (size === 0) this.#mark(row, column, at, character)
      else if (at + size > end) break
      else at = this.#put(row, at, character, size, code)
    }
    return isCut ? this.#put(row, at, '…', 1, code) : at
  }

  /** Writes text so that it ends before a column; what has no room is cut at its end. */
  writeRight(row: number, end: number, text: string, style: Style = 'plain', width = end): void {
    const size = Math.min(width, textWidth(text))
    this.write(row, end - size, text, style, size)
  }

  /** Puts a smaller picture into this one; what has no room is left out. */
  paste(picture: ScreenBuffer, row: number, column: number): void {
    const columns = Math.min(picture.columns, this.columns - column)
    const rows = Math.min(picture.rows, this.rows - row)
    for (let y = 0; y < rows; y++) {
      for (let x = 0; x < columns; x++) {
        const from = y * picture.columns + x
        const to = (row + y) * this.columns + column + x
        this.characters[to] = picture.characters[from]!
        this.styles[to] = picture.styles[from]!
      }
    }
  }

  /** Reads one row as text, without the blanks at its end. */
  rowText(row: number): string {
    const start = row * this.columns
    return this.characters
      .slice(start, start + this.columns)
      .join('')
      .trimEnd()
  }

  /** Writes one row as a line of its own, with what begins and ends its styles. */
  rowLine(row: number, depth: ColorDepth): string {
    if (depth === 'none') return this.rowText(row)
    const length = this.rowText(row).length === 0 ? 0 : this.columns
    let line = ''
    let style = 0
    for (let at = row * this.columns; at < row * this.columns + length; at++) {
      if (this.styles[at] !== style) {
        style = this.styles[at]!
        line += styleSequence(style, depth)
      }
      line += this.characters[at]!
    }
    return style === 0 ? line.trimEnd() : `${line}\x1b[0m`
  }

  #put(row: number, column: number, character: string, size: number, style: number): number {
    const at = row * this.columns + column
    const after = at + size
    // A character of two columns that is half overwritten is gone.
    if (this.characters[at] === RIGHT_HALF) this.characters[at - 1] = BLANK
    if (this.characters[after] === RIGHT_HALF) this.characters[after] = BLANK
    this.characters[at] = character
    this.styles[at] = style
    if (size === 2) {
      this.characters[at + 1] = RIGHT_HALF
      this.styles[at + 1] = this.styles[at]!
    }
    return column + size
  }

  #mark(row: number, first: number, column: number, mark: string): void {
    let at = row * this.columns + column - 1
    if (column === first) return
    if (this.characters[at] === RIGHT_HALF) at--
    const marked = this.characters[at]! + mark
    if (marked.length <= MARKS_LIMIT) this.characters[at] = marked
  }
}
