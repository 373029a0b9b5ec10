/**
 * A whole terminal as a picture: drawn anew when data arrives, at most 10 times a second unless
 * stated, and only the cells that differ are written. Sequences are those of ECMA-48 and xterm's
 * private modes.
 */
import type { Clock } from '../time/clock.ts'
import { type ColorDepth, styleSequence } from './color.ts'
import { characterWidth } from './columns.ts'
import { RIGHT_HALF, ScreenBuffer } from './screen-buffer.ts'

/** Standard output, or what stands for it. */
export interface ScreenOutput {
  readonly columns?: number
  readonly rows?: number
  /** @returns false when nothing more should be written before `drain` */
  write(text: string): boolean
  on(event: 'resize' | 'drain', listener: () => void): unknown
  off(event: 'resize' | 'drain', listener: () => void): unknown
}

interface ScreenOptions {
  readonly output: ScreenOutput
  readonly clock: Clock
  readonly color: ColorDepth
  /** Fills a blank buffer of the terminal's size. */
  readonly draw: (buffer: ScreenBuffer) => void
  /** Least time between two pictures of data, ms; 100 unless given. */
  readonly frameMs?: number | undefined
}

const FRAME_MS = 100
/** Alternate screen, no wrapping at the right edge, no cursor, blank. */
const ENTER = '\x1b[?1049h\x1b[?7l\x1b[?25l\x1b[2J'
const LEAVE = '\x1b[0m\x1b[?25h\x1b[?7h\x1b[?1049l'
const CLEAR = '\x1b[0m\x1b[2J'
/** Size of a terminal that does not tell its own. */
const COLUMNS = 80
const ROWS = 24
/** A terminal that claims to be larger gets this much: the picture's memory is bounded. */
const SIDE_LIMIT = 1000

export class Screen {
  readonly #options: ScreenOptions
  #shown = new ScreenBuffer(0, 0)
  #next = new ScreenBuffer(0, 0)
  #isOpen = false
  /** The output asked to wait: a terminal slower than the data loses pictures, not bytes. */
  #isFull = false
  #isDue = false
  #lastNs: bigint | undefined
  #cancel: (() => void) | undefined

  constructor(options: ScreenOptions) {
    this.#options = options
  }

  enter(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    const { output } = this.#options
    output.on('resize', this.redraw)
    output.on('drain', this.#onDrain)
    this.#size()
    this.#write(ENTER)
    this.paint()
  }

  /** Gives the terminal back as it was; a second call does nothing. */
  leave(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#cancel?.()
    const { output } = this.#options
    output.off('resize', this.redraw)
    output.off('drain', this.#onDrain)
    output.write(LEAVE)
  }

  /** Draws at once, or as soon as the last picture is old enough: the data has changed. */
  refresh(): void {
    if (!this.#isOpen || this.#cancel !== undefined) return
    const { clock, frameMs = FRAME_MS } = this.#options
    const ageMs =
      this.#lastNs === undefined ? frameMs : Number(clock.monotonicNs() - this.#lastNs) / 1e6
    if (ageMs >= frameMs) this.paint()
    else this.#cancel = clock.after(Math.ceil(frameMs - ageMs), () => this.paint())
  }

  /** Draws now: a key wants its answer. */
  paint(): void {
    if (!this.#isOpen) return
    this.#cancel?.()
    this.#cancel = undefined
    if (this.#isFull) {
      this.#isDue = true
      return
    }
    this.#isDue = false
    this.#lastNs = this.#options.clock.monotonicNs()
    this.#next.clear()
    this.#options.draw(this.#next)
    const text = difference(this.#shown, this.#next, this.#options.color)
    const shown = this.#next
    this.#next = this.#shown
    this.#shown = shown
    if (text !== '') this.#write(text)
  }

  #write(text: string): void {
    if (!this.#options.output.write(text)) this.#isFull = true
  }

  #size(): void {
    const { columns, rows } = this.#options.output
    const width = Math.min(columns || COLUMNS, SIDE_LIMIT)
    const height = Math.min(rows || ROWS, SIDE_LIMIT)
    this.#shown = new ScreenBuffer(width, height)
    this.#next = new ScreenBuffer(width, height)
  }

  /** Draws every cell: the terminal has another size, or something else has written to it. */
  readonly redraw = (): void => {
    if (!this.#isOpen) return
    this.#size()
    this.#write(CLEAR)
    this.paint()
  }

  readonly #onDrain = (): void => {
    this.#isFull = false
    if (this.#isDue) this.paint()
  }
}

/** Writes what turns one picture into another of the same size; empty when they are the same. */
function difference(from: ScreenBuffer, to: ScreenBuffer, depth: ColorDepth): string {
  const { columns, rows } = to
  let text = ''
  let cursor = -1
  let style: number | undefined
  for (let at = 0; at < columns * rows; at++) {
    const character = to.characters[at]!
    if (character === RIGHT_HALF) continue
    if (character === from.characters[at] && to.styles[at] === from.styles[at]) continue
    if (cursor !== at) text += cursorTo(Math.floor(at / columns), at % columns)
    if (style !== to.styles[at]) {
      style = to.styles[at]!
      text += styleSequence(style, depth)
    }
    text += character
    cursor = isSurelyOneWide(character) && (at + 1) % columns !== 0 ? at + 1 : -1
  }
  return text
}

function cursorTo(row: number, column: number): string {
  return `\x1b[${row + 1};${column + 1}H`
}

function isSurelyOneWide(character: string): boolean {
  return character.length === 1 && characterWidth(character) === 1
}
