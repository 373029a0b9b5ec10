/**
 * A picture of dots in braille characters, two dots wide and four high a cell (Unicode 2800 to
 * 28FF): lines, bars and marks of several styles, one style a cell, that of what was drawn last.
 * Coordinates are dots; y grows downwards from 0, and what lies outside is left out.
 */
import type { Style } from './color.ts'
import type { ScreenBuffer } from './screen-buffer.ts'

export const DOTS_ACROSS = 2
export const DOTS_DOWN = 4
const BRAILLE = 0x2800
/** Bits of the dots of a cell, row by row, left before right. */
const BITS = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80] as const

export class BrailleCanvas {
  /** Size in cells. */
  readonly columns: number
  readonly rows: number
  readonly #bits: Uint8Array
  readonly #styles: Style[]

  constructor(columns: number, rows: number) {
    this.columns = columns
    this.rows = rows
    this.#bits = new Uint8Array(columns * rows)
    this.#styles = new Array<Style>(columns * rows).fill('plain')
  }

  /** Size in dots. */
  get width(): number {
    return this.columns * DOTS_ACROSS
  }

  get height(): number {
    return this.rows * DOTS_DOWN
  }

  /** Sets the dot at whole coordinates. */
  dot(x: number, y: number, style: Style = 'plain'): void {
    if (!(x >= 0 && x < this.width && y >= 0 && y < this.height)) return
    const cell = Math.floor(y / DOTS_DOWN) * this.columns + Math.floor(x / DOTS_ACROSS)
    this.#bits[cell]! |= BITS[(y % DOTS_DOWN) * DOTS_ACROSS + (x % DOTS_ACROSS)]!
    this.#styles[cell] = style
  }

  /** Sets the dots of a column between two ends, both included and in either order. */
  column(x: number, y1: number, y2: number, style: Style = 'plain'): void {
    const top = Math.max(0, Math.min(y1, y2))
    const bottom = Math.min(this.height - 1, Math.max(y1, y2))
    for (let y = top; y <= bottom; y++) this.dot(x, y, style)
  }

  /**
   * Draws a line through columns of dots, each from the highest to the lowest value that falls into
   * it, so that a single peak survives; neighbours are joined, a column without a value is a gap.
   * @param tops a row of dots for each column, NaN = no value
   * @param bottoms the same; those of `tops` unless stated
   */
  line(tops: ArrayLike<number>, bottoms: ArrayLike<number> = tops, style?: Style): void {
    let above = Number.NaN
    let below = Number.NaN
    for (let x = 0; x < Math.min(this.width, tops.length); x++) {
      const [one, other] = [Math.round(tops[x]!), Math.round(bottoms[x]!)]
      const top = Math.min(one, other)
      const bottom = Math.max(one, other)
      // A jump is drawn in the column that it leads to; NaN, before a line, joins nothing.
      const from = below < top ? below + 1 : top
      const to = above > bottom ? above - 1 : bottom
      if (!Number.isNaN(top)) this.column(x, from, to, style)
      above = top
      below = bottom
    }
  }

  /** Reads a row of cells; a cell without dots is a blank. */
  rowText(row: number): string {
    let text = ''
    for (let column = 0; column < this.columns; column++) text += this.#character(row, column)
    return text
  }

  /** Writes the cells that have dots into a picture; what is under the others stays. */
  drawInto(buffer: ScreenBuffer, row: number, column: number): void {
    for (let y = 0; y < this.rows; y++) {
      for (let x = 0; x < this.columns; x++) {
        const cell = y * this.columns + x
        if (this.#bits[cell] === 0) continue
        buffer.write(row + y, column + x, this.#character(y, x), this.#styles[cell])
      }
    }
  }

  #character(row: number, column: number): string {
    const bits = this.#bits[row * this.columns + column]!
    return bits === 0 ? ' ' : String.fromCharCode(BRAILLE + bits)
  }
}
