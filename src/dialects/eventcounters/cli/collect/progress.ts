/** How far a command is: on a terminal one line that is written anew each second, else lines. */
import { escapeUnseen } from '../../../../model/text/unseen.ts'
import type { Clock } from '../../../../time/clock.ts'

export interface ProgressOutput {
  readonly isTTY?: boolean
  write(text: string): unknown
}

const STEP_MS = 1000
const LINE_START = '\r\x1b[K'

export class Progress {
  readonly #output: ProgressOutput
  readonly #clock: Clock
  readonly #text: () => string
  #cancel: (() => void) | undefined
  #isShown = false

  /** @param text what stands in the line */
  constructor(output: ProgressOutput, clock: Clock, text: () => string) {
    this.#output = output
    this.#clock = clock
    this.#text = text
  }

  begin(): void {
    if (!this.#output.isTTY) return
    this.#cancel = this.#clock.after(STEP_MS, () => {
      this.#output.write(`${LINE_START}${escapeUnseen(this.#text())}`)
      this.#isShown = true
      this.begin()
    })
  }

  /** Writes a line that stays. */
  line(text: string): void {
    this.#wipe()
    this.#output.write(`${escapeUnseen(text)}\n`)
  }

  end(): void {
    this.#cancel?.()
    this.#wipe()
  }

  #wipe(): void {
    if (!this.#isShown) return
    this.#isShown = false
    this.#output.write(LINE_START)
  }
}
