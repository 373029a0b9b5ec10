/**
 * What a filter writes to its standard streams, as lines of the log: runtimes write a line in
 * pieces, and one without an end waits for it until the call is over.
 */
import type { LogLevel } from '../abi.ts'
import { LOG_LINE_BYTES } from '../options.ts'

export class OutputLines {
  readonly #log: (level: LogLevel, text: string) => void
  readonly #begun = new Map<LogLevel, string>()

  constructor(log: (level: LogLevel, text: string) => void) {
    this.#log = log
  }

  write(level: LogLevel, text: string): void {
    const lines = `${this.#begun.get(level) ?? ''}${text}`.split('\n')
    const rest = lines.pop()!
    for (const line of lines) this.#log(level, line)
    const isFull = rest.length >= LOG_LINE_BYTES
    if (isFull) this.#log(level, rest.slice(0, LOG_LINE_BYTES))
    this.#begun.set(level, isFull ? '' : rest)
  }

  /** Gives out what has no end yet. */
  flush(): void {
    for (const [level, text] of this.#begun) {
      if (text !== '') this.#log(level, text)
    }
    this.#begun.clear()
  }
}
