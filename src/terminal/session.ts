/**
 * A command that has the whole terminal: screen, keys, and every way out of it, after which the
 * terminal is as it was.
 */
import type { Clock } from '../time/clock.ts'
import type { ColorDepth } from './color.ts'
import { onExit, type ProcessEvents } from './exit.ts'
import { type Key, Keyboard, type KeyInput } from './keys.ts'
import { Screen, type ScreenOutput } from './screen.ts'
import type { ScreenBuffer } from './screen-buffer.ts'

/** Parts of a process at a terminal. */
export interface TerminalParts {
  readonly input: KeyInput
  readonly output: ScreenOutput
  readonly process: ProcessEvents
  readonly color: ColorDepth
  readonly clock: Clock
}

interface SessionHandlers {
  /** Fills a blank buffer of the terminal's size. */
  draw(buffer: ScreenBuffer): void
  /** @returns whether the key means something; q and Q end the session where they do not */
  onKey(key: Key): boolean
  /** Finishes what {@link TerminalSession.run} waits for. */
  end(): void
  /** Writes what is left on the terminal when it is over, in lines. */
  seen(): string
  /** Least time between two pictures of data, ms; 100 unless given. */
  readonly frameMs?: number
}

export class TerminalSession {
  readonly #parts: TerminalParts
  readonly #handlers: SessionHandlers
  readonly #screen: Screen
  readonly #keyboard: Keyboard
  #isOpen = false
  #isSuspended = false

  constructor(parts: TerminalParts, handlers: SessionHandlers) {
    const { output, clock, color, input } = parts
    this.#parts = parts
    this.#handlers = handlers
    const draw = (buffer: ScreenBuffer): void => handlers.draw(buffer)
    this.#screen = new Screen({ output, clock, color, draw, frameMs: handlers.frameMs })
    const listener = { onKey: (key: Key) => this.#onKey(key), onLost: () => handlers.end() }
    this.#keyboard = new Keyboard(input, listener, clock)
  }

  /** Takes the terminal: once there is something to show, for a refusal belongs on the user's. */
  open(): void {
    this.#isOpen = true
    this.#screen.enter()
    this.#keyboard.open()
  }

  /** Draws soon: the data has changed. */
  refresh(): void {
    this.#screen.refresh()
  }

  /** Waits for the work, gives the terminal back, whatever comes of it, and says what was seen. */
  async run(work: Promise<unknown>): Promise<void> {
    const { process } = this.#parts
    const off = onExit(process, {
      end: () => this.#handlers.end(),
      restore: () => this.#leave(),
      quit: () => this.#tell(),
    })
    process.on('SIGCONT', this.#onContinue)
    try {
      await work
    } finally {
      process.off('SIGCONT', this.#onContinue)
      this.#isOpen = false
      this.#leave()
      off()
    }
    this.#tell()
  }

  #tell(): void {
    this.#parts.output.write(this.#handlers.seen())
  }

  #leave(): void {
    this.#screen.leave()
    this.#keyboard.close()
  }

  #onKey(key: Key): void {
    if (key === 'ctrl-c') this.#handlers.end()
    else if (key === 'ctrl-z') this.#suspend()
    else if (key === 'ctrl-l') this.#screen.redraw()
    else if (this.#handlers.onKey(key)) this.#screen.paint()
    else if (key === 'q' || key === 'Q') this.#handlers.end()
  }

  /** Stops as the shell's job; `fg` goes on with it. */
  #suspend(): void {
    const { process } = this.#parts
    if (process.kill === undefined) return
    this.#isSuspended = true
    this.#leave()
    process.kill(process.pid ?? 0, 'SIGTSTP')
  }

  readonly #onContinue = (): void => {
    if (!this.#isOpen) return
    if (this.#isSuspended) this.open()
    else this.#screen.redraw()
    this.#isSuspended = false
  }
}
