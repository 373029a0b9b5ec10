/**
 * A command that writes lines: flushed at line ends, bounded where the reader is slow, ended by a
 * count, a signal, or q at a terminal; what happens besides goes to standard error, and at the end
 * one line that says what was seen (terminal.md, principles 5 and 6).
 */
import { once } from 'node:events'
import { escapeUnseen } from '../../model/text/unseen.ts'
import { systemClock } from '../../time/system-clock.ts'
import { countText, seenLine } from '../../viewer/format/seen.ts'
import { type ColorDepth, colorDepth, hasScreen } from '../color.ts'
import { onExit } from '../exit.ts'
import { Job } from '../job.ts'
import { Keyboard } from '../keys.ts'

interface LineOutputOptions {
  /** Lines after which it ends; never unless given. */
  readonly limit?: number | undefined
  /** False with --no-color. */
  readonly color: boolean
  readonly json?: true | undefined
}

interface LineWork {
  start(): void
  stop(): void
  /** Says what was seen, in parts. */
  seen(): readonly string[]
}

/** Bytes that may wait for a reader that is slower than the lines; those beyond are left out. */
const WAITING_LIMIT = 1_048_576
const COLUMNS = 80
const ROWS = 24
/** Columns that a line has in any case; a narrower terminal breaks it. */
const COLUMNS_LEAST = 40

export class LineOutput {
  /** Whether lines are for a person: aligned, in colour, with what a pipe has no use for. */
  readonly isForPerson: boolean
  readonly color: ColorDepth
  readonly #limit: number
  readonly #ended = Promise.withResolvers<void>()
  #lines = 0
  #skipped = 0

  constructor({ limit, color, json }: LineOutputOptions) {
    const isTerminal = hasScreen(process.stdout, process.env)
    this.isForPerson = isTerminal && json === undefined
    this.color = colorDepth({ color, isTerminal: this.isForPerson, env: process.env })
    this.#limit = limit ?? Number.POSITIVE_INFINITY
  }

  /** Size of the terminal. */
  get columns(): number {
    return Math.max(COLUMNS_LEAST, process.stdout.columns || COLUMNS)
  }

  get rows(): number {
    return process.stdout.rows || ROWS
  }

  get isFull(): boolean {
    return process.stdout.writableLength > WAITING_LIMIT
  }

  /** Waits for a slow reader. */
  async drained(): Promise<void> {
    if (this.isFull) await once(process.stdout, 'drain')
  }

  /** Writes a line that counts; beyond the limit, or with a slow reader, it is left out. */
  write(line: string): void {
    if (this.#lines >= this.#limit) return
    if (this.isFull) this.#skipped++
    else {
      this.#lines++
      process.stdout.write(`${line}\n`)
    }
    if (this.#lines >= this.#limit) this.end()
  }

  /** Writes a title, which does not count. */
  title(line: string): void {
    if (this.#lines < this.#limit) process.stdout.write(`${line}\n`)
  }

  /** Tells the person what happens. */
  tell(words: string): void {
    process.stderr.write(`${escapeUnseen(words)}\n`)
  }

  end(): void {
    this.#ended.resolve()
  }

  /** Runs until it is ended; the terminal is as it was before. */
  async run(work: LineWork): Promise<void> {
    const beganNs = systemClock.monotonicNs()
    const onKey = (key: string): void => {
      if (key === 'q' || key === 'Q' || key === 'ctrl-c') this.end()
      else if (key === 'ctrl-z') job.stop()
    }
    const keyboard = new Keyboard(process.stdin, { onKey, onLost: () => this.end() }, systemClock)
    const restore = (): void => keyboard.close()
    const job = new Job(process, { leave: restore, enter: () => keyboard.open() })
    const tell = (): void => {
      const ms = Number(systemClock.monotonicNs() - beganNs) / 1e6
      const skipped = this.#skipped === 0 ? [] : [`${countText(this.#skipped, 'line')} skipped`]
      process.stderr.write(seenLine(ms, [...work.seen(), ...skipped]))
    }
    const off = onExit(process, { end: () => this.end(), restore, quit: tell })
    if (this.isForPerson && process.stdin.isTTY) {
      keyboard.open()
      job.watch()
    }
    work.start()
    try {
      await this.#ended.promise
    } finally {
      work.stop()
      job.close()
      restore()
      off()
    }
    tell()
  }
}
