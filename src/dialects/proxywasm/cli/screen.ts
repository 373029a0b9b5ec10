/**
 * Lines that come, and below them a block that is painted anew: on a terminal. Elsewhere the lines
 * alone; the block is printed once, at the end.
 */
interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  write(text: string): unknown
}

/** Lines that stay in sight, the last ones, of a block that is higher than the terminal. */
const TAIL = 4
/** Characters from here on may be two columns wide (Hangul Jamo is the first block that is). */
const WIDE_FROM = 0x1100

const UP_AND_CLEAR = '\x1b[1A\x1b[2K'

export class Screen {
  readonly #out: Terminal
  readonly #log: Terminal
  #block: readonly string[] = []

  /** @param out gets the block, `log` the lines; on a terminal both are the same place */
  constructor(out: Terminal, log: Terminal) {
    this.#out = out
    this.#log = log
  }

  get isLive(): boolean {
    return this.#out.isTTY === true
  }

  /** Writes a line that stays. */
  line(text: string): void {
    const block = this.#block
    this.#wipe()
    this.#log.write(`${text}\n`)
    if (this.isLive) this.paint(block)
  }

  /** Replaces the block. */
  paint(lines: readonly string[]): void {
    if (!this.isLive) return
    this.#wipe()
    const { columns = 80, rows = 24 } = this.#out
    this.#block = fitting(lines, rows - 1).map((line) => cut(line, columns - 1))
    for (const line of this.#block) this.#out.write(`${line}\n`)
  }

  /** Leaves the block for good. */
  end(lines: readonly string[]): void {
    this.#wipe()
    for (const line of lines) this.#out.write(`${line}\n`)
  }

  #wipe(): void {
    this.#out.write(UP_AND_CLEAR.repeat(this.#block.length))
    this.#block = []
  }
}

/** Leaves out the middle: a line above the terminal's top can't be painted anew. */
function fitting(lines: readonly string[], most: number): readonly string[] {
  if (lines.length <= most) return lines
  const tail = Math.max(0, Math.min(TAIL, most - 2))
  const head = Math.max(0, most - tail - 1)
  const left = lines.length - head - tail
  const end = lines.slice(lines.length - tail)
  return [...lines.slice(0, head), `… ${left} more lines`, ...end].slice(0, most)
}

/** Cuts a line to what surely fits. */
function cut(line: string, columns: number): string {
  let left = columns
  let end = 0
  for (const character of line) {
    left -= character.codePointAt(0)! < WIDE_FROM ? 1 : 2
    if (left < 0) return line.slice(0, end)
    end += character.length
  }
  return line
}
