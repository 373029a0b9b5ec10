/**
 * Sessions: every subscriber has its own interval of whole seconds and its own boundaries, and gets
 * what the hub saw between two of them, as one frame. No session changes what another gets (the
 * EventCounter document's first goal). Open windows hold the shared one-second frames themselves;
 * long ones are folded now and then, so that a session of an hour costs one frame, not 3,600.
 */
import { type Frame, mergeFrames } from './frame.ts'

/** Frames that an open window may hold before they are folded into one. */
const FOLD_AT = 60

export interface SessionOptions {
  /** Length of the window in whole seconds, 1 or more. */
  readonly intervalS: number
  /** Gets every closed window; a throwing callback loses its own window only. */
  readonly onFrame: (frame: Frame) => void
  readonly onError?: (error: unknown) => void
}

export interface Session {
  readonly intervalS: number
  close(): void
}

export class Sessions {
  readonly limit: number
  readonly #open = new Set<OpenSession>()
  #refused = 0

  /** @param limit most sessions open at once */
  constructor(limit = 1000) {
    this.limit = limit
  }

  get size(): number {
    return this.#open.size
  }

  /** Sessions refused because of the limit. */
  get refused(): number {
    return this.#refused
  }

  /**
   * Opens a session; its first window begins with the next frame.
   * @returns undefined when `limit` sessions are open already
   * @throws {RangeError} for an interval that is no whole number of seconds from 1 on
   */
  open(options: SessionOptions): Session | undefined {
    if (!Number.isSafeInteger(options.intervalS) || options.intervalS < 1) {
      throw new RangeError(`interval of ${options.intervalS} s, want a whole number from 1 on`)
    }
    if (this.#open.size >= this.limit) {
      this.#refused++
      return undefined
    }
    const session = new OpenSession(options)
    this.#open.add(session)
    return { intervalS: options.intervalS, close: () => this.#open.delete(session) }
  }

  /** Hands one closed second (or a longer one, after a standstill) to every session. */
  push(frame: Frame): void {
    for (const session of [...this.#open]) {
      if (this.#open.has(session)) session.take(frame)
    }
  }
}

class OpenSession {
  readonly #options: SessionOptions
  #window: Frame[] = []
  #seconds = 0

  constructor(options: SessionOptions) {
    this.#options = options
  }

  take(frame: Frame): void {
    this.#window.push(frame)
    this.#seconds += frame.seconds
    if (this.#seconds >= this.#options.intervalS) this.#closeWindow()
    else if (this.#window.length >= FOLD_AT) this.#window = [mergeFrames(this.#window)]
  }

  #closeWindow(): void {
    const frames = this.#window
    this.#window = []
    this.#seconds = 0
    try {
      this.#options.onFrame(mergeFrames(frames))
    } catch (error) {
      this.#options.onError?.(error)
    }
  }
}
