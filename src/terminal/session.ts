/**
 * A command that has the whole terminal: screen, keys, and every way out of it, after which the
 * terminal is as it was.
 */
import type { Clock } from '../time/clock.ts'
import type { ColorDepth } from './color.ts'
import { onExit, type ProcessEvents } from './exit.ts'
import { Job } from './job.ts'
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
  readonly #job: Job
  #isOpen = false

  constructor(parts: TerminalParts, handlers: SessionHandlers) {
    const { output, clock, color, input } = parts
    this.#parts = parts
    this.#handlers = handlers
    const draw = (buffer: ScreenBuffer): void => handlers.draw(buffer)
    this.#screen = new Screen({ output, clock, color, draw, frameMs: handlers.frameMs })
    const listener = { onKey: (key: Key) => this.#onKey(key), onLost: () => handlers.end() }
    this.#keyboard = new Keyboard(input, listener, clock)
    this.#job = new Job(parts.process, {
      leave: () => this.#leave(),
      enter: () => this.#isOpen && this.open(),
    })
  }

  /** Takes the terminal: once there is something to show, for a refusal belongs on the user's. */
  open(): void {
    this.#isOpen = true
    this.#keyboard.open() // first: a Ctrl-Z that comes before it is the terminal's own
    this.#screen.enter()
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
    this.#job.watch()
    try {
      await work
    } finally {
      this.#job.close()
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
    else if (key === 'ctrl-z') this.#job.stop()
    else if (key === 'ctrl-l') this.#screen.redraw()
    else if (this.#handlers.onKey(key)) this.#screen.paint()
    else if (key === 'q' || key === 'Q') this.#handlers.end()
  }
}
