/**
 * Sessions: every subscriber sees windows of its own interval, on a grid that begins when it opens,
 * and no session changes what another one gets. Open windows hold the shared one-second frames
 * themselves; long ones are folded now and then, so that a session of an hour costs one frame, not
 * 3,600.
 */
import { runNow, type Task } from '../tasks/task.ts'
import type { Frame } from './frame.ts'
import { mergeSteps } from './merge-frames.ts'

/** Frames that an open window may hold before they are folded into one. */
const FOLD_AT = 60
/** A boundary is due when what is missing to it is no more than this. */
const EARLY_MS = 1

export type SessionOptions = SessionInterval & {
  /** Gets every closed window; a throwing callback loses its own window only. */
  readonly onFrame: (frame: Frame) => void
  readonly onError?: (error: unknown) => void
}

/** Length of the windows, in whole seconds or in milliseconds, 1 or more. */
type SessionInterval =
  | { readonly intervalS: number; readonly intervalMs?: never }
  | { readonly intervalMs: number; readonly intervalS?: never }

export interface Session {
  readonly intervalMs: number
  /** Ends the open window at once, if there is anything in it; the grid stays as it is. */
  flush(): void
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
   * Opens a session; its first window begins with the next frame. Frames are not cut: a window ends
   * with the first one that reaches its boundary, and says how long it was.
   * @returns undefined when `limit` sessions are open already
   * @throws {RangeError} for an interval that is no whole number from 1 on
   */
  open(options: SessionOptions): Session | undefined {
    const intervalMs = intervalMsOf(options)
    if (this.#open.size >= this.limit) {
      this.#refused++
      return undefined
    }
    const session = new OpenSession(intervalMs, options)
    this.#open.add(session)
    return {
      intervalMs,
      flush: () => {
        if (this.#open.has(session)) session.flush()
      },
      close: () => this.#open.delete(session),
    }
  }

  /** Hands one closed second (or a longer one, after a standstill) to every session. */
  push(frame: Frame): void {
    runNow(this.pushing(frame))
  }

  /** Does the same in steps; a session that closes in between gets nothing any more. */
  *pushing(frame: Frame): Task {
    for (const session of [...this.#open]) {
      if (!this.#open.has(session)) continue
      const window = yield* session.taking(frame)
      if (window !== undefined && this.#open.has(session)) session.hand(window)
      yield
    }
  }
}

function intervalMsOf({ intervalS, intervalMs }: SessionInterval): number {
  const interval = intervalMs ?? intervalS
  if (!Number.isSafeInteger(interval) || interval < 1) {
    const unit = intervalMs === undefined ? 's' : 'ms'
    throw new RangeError(`interval of ${interval} ${unit}, want a whole number from 1 on`)
  }
  return intervalMs ?? interval * 1000
}

class OpenSession {
  readonly #intervalMs: number
  readonly #options: SessionOptions
  #window: Frame[] = []
  /** Time since the first window began. */
  #elapsedMs = 0
  /** The next point of the grid, on the same scale. */
  #deadlineMs: number

  constructor(intervalMs: number, options: SessionOptions) {
    this.#intervalMs = intervalMs
    this.#options = options
    this.#deadlineMs = intervalMs
  }

  /** @returns the window that ends with this frame, if one does */
  *taking(frame: Frame): Task<Frame | undefined> {
    this.#window.push(frame)
    this.#elapsedMs += frame.seconds * 1000
    if (this.#elapsedMs >= this.#deadlineMs - EARLY_MS) return yield* this.#closeWindow()
    if (this.#window.length >= FOLD_AT) this.#window = [yield* mergeSteps(this.#window)]
    return undefined
  }

  *#closeWindow(): Task<Frame> {
    const frames = this.#window
    this.#window = []
    const served = Math.max(this.#elapsedMs, this.#deadlineMs)
    // points that were missed collapse into this window: no burst
    this.#deadlineMs = (Math.floor(served / this.#intervalMs) + 1) * this.#intervalMs
    return yield* mergeSteps(frames)
  }

  flush(): void {
    const frames = this.#window
    this.#window = []
    if (frames.length > 0) this.hand(runNow(mergeSteps(frames)))
  }

  hand(window: Frame): void {
    try {
      this.#options.onFrame(window)
    } catch (error) {
      this.#options.onError?.(error)
    }
  }
}
