/** A terminal without glass: xterm.js reads what is written to it, a test reads the cells. */
import { EventEmitter } from 'node:events'
import xterm from '@xterm/headless'

/** Keys of a person at such a terminal. */
export class TestInput extends EventEmitter {
  readonly isTTY = true
  isRaw = false

  setRawMode(isRaw: boolean): void {
    this.isRaw = isRaw
  }

  resume(): void {}

  pause(): void {}

  press(keys: string): void {
    this.emit('data', keys)
  }
}

/** The process around it: signals are events, and it does not end. */
export class TestProcess extends EventEmitter {
  readonly pid = 4711
  readonly exits: number[] = []
  readonly kills: (readonly [pid: number, signal: string])[] = []

  exit(code: number): void {
    this.exits.push(code)
  }

  /** Called as a signal is sent: what is of this process then. */
  onKill: () => void = () => {}

  kill(pid: number, signal: string): void {
    this.kills.push([pid, signal])
    this.onKill()
  }
}

export class TestTerminal extends EventEmitter {
  readonly isTTY = true
  /** Everything that was written, a piece per call. */
  readonly written: string[] = []
  /** What write() answers; false = wait for `drain`. */
  accepts = true
  /** Called with every piece as it is written. */
  onWrite: () => void = () => {}
  readonly #xterm: xterm.Terminal
  #pending: Promise<void> = Promise.resolve()

  constructor(columns: number, rows: number) {
    super()
    this.#xterm = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
  }

  get columns(): number {
    return this.#xterm.cols
  }

  get rows(): number {
    return this.#xterm.rows
  }

  write(text: string): boolean {
    this.written.push(text)
    this.#pending = new Promise((resolve) => this.#xterm.write(text, resolve))
    this.onWrite()
    return this.accepts
  }

  resize(columns: number, rows: number): void {
    this.#xterm.resize(columns, rows)
    this.emit('resize')
  }

  /** The rows as they are seen, without the blanks at their ends. */
  async lines(): Promise<string[]> {
    await this.#pending
    const { active } = this.#xterm.buffer
    return Array.from({ length: this.rows }, (_, row) => {
      return (
        active
          .getLine(active.viewportY + row)
          ?.translateToString(true)
          .trimEnd() ?? ''
      )
    })
  }

  /** The picture, without the empty rows at its end. */
  async text(): Promise<string> {
    return (await this.lines()).join('\n').trimEnd()
  }

  async isAlternate(): Promise<boolean> {
    await this.#pending
    return this.#xterm.buffer.active.type === 'alternate'
  }

  /** Palette number of a cell's colour, -1 = the terminal's own; and whether it is bold. */
  async style(row: number, column: number): Promise<{ color: number; isBold: boolean }> {
    await this.#pending
    const cell = this.#xterm.buffer.active.getLine(row)?.getCell(column)
    const isPalette = cell?.isFgPalette() ?? false
    return { color: isPalette ? cell!.getFgColor() : -1, isBold: cell?.isBold() !== 0 }
  }
}
