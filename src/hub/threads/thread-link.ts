/**
 * One ingest thread as the main thread sees it: started, asked, and started again when it ends by
 * itself. Who waits for an answer of a thread that ends has it: a thread that is no more has
 * forgotten everything.
 */
import { Backoff, type BackoffOptions } from '../../time/backoff.ts'
import type { Clock } from '../../time/clock.ts'
import type { FromThread, Question, ThreadStatus, ToThread } from './messages.ts'

/** Pauses before a thread is started again when it ends soon after each start; then the longest. */
const RESTARTS: BackoffOptions = {
  reconnectFirstMs: 100,
  reconnectLimitMs: 5000,
  reconnectJitter: 0,
}
/** A thread that has run for so long has not failed at its start. */
const STEADY_NS = 10_000_000_000n

/** Part of a Worker that is used. */
interface IngestWorker {
  on(event: 'message', listener: (message: FromThread) => void): unknown
  on(event: 'error', listener: (error: unknown) => void): unknown
  once(event: 'exit', listener: () => void): unknown
  postMessage(message: ToThread): void
  terminate(): Promise<unknown>
}

interface ThreadLinkParts {
  readonly clock: Clock
  readonly createWorker: () => IngestWorker
  readonly onMessage: (message: FromThread) => void
  /** Called when it ended without being told to; `waitMs` until it is started again. */
  readonly onCrash: (reason: string, waitMs: number) => void
  /** Called when it runs again, with nothing bound yet. */
  readonly onRestart: () => void
}

export class ThreadLink {
  restarts = 0
  /** Status that the running thread told last. */
  status: ThreadStatus | undefined
  readonly #parts: ThreadLinkParts
  readonly #waiting = new Map<number, () => void>()
  #worker: IngestWorker | undefined
  #nextNumber = 1
  #startedNs = 0n
  readonly #backoff = new Backoff(RESTARTS, () => 0)
  #hasEndedSoon = false
  #isStopping = false
  #cancelRestart: (() => void) | undefined

  constructor(parts: ThreadLinkParts) {
    this.#parts = parts
  }

  get isRunning(): boolean {
    return this.#worker !== undefined
  }

  /** Starts the thread. Where the machine has no room for one, that is an end like any other. */
  start(): void {
    const { clock, createWorker } = this.#parts
    this.#startedNs = clock.monotonicNs()
    let worker: IngestWorker
    try {
      worker = createWorker()
    } catch (error) {
      this.#ended(String(error))
      return
    }
    let reason = 'it ended by itself'
    worker.on('message', (message: FromThread) => this.#take(message))
    worker.on('error', (error) => {
      reason = String((error as Error | undefined)?.stack ?? error)
    })
    worker.once('exit', () => this.#ended(reason))
    this.#worker = worker
  }

  #take(message: FromThread): void {
    if (message.kind === 'status') this.status = message
    this.#parts.onMessage(message)
    if (message.kind !== 'answer') return
    this.#waiting.get(message.number)?.()
    this.#waiting.delete(message.number)
  }

  /** Resolves when the thread has answered, or is no more. */
  ask(question: Question): Promise<void> {
    const worker = this.#worker
    if (worker === undefined) return Promise.resolve()
    const number = this.#nextNumber++
    return new Promise((resolve) => {
      this.#waiting.set(number, resolve)
      worker.postMessage({ ...question, number } satisfies ToThread)
    })
  }

  #ended(reason: string): void {
    const { clock, onCrash } = this.#parts
    const answered = [...this.#waiting.values()]
    this.#waiting.clear()
    this.#worker = undefined
    this.status = undefined
    if (!this.#isStopping) {
      const isSteady = clock.monotonicNs() - this.#startedNs >= STEADY_NS
      const waitMs = this.#restartWait(isSteady)
      onCrash(reason, waitMs)
      if (waitMs === 0) this.#restart()
      else this.#cancelRestart = clock.after(waitMs, () => this.#restart())
    }
    for (const resolve of answered) resolve()
  }

  /**
   * Computes the wait: the first end is answered at once, further ones that come soon ever later.
   */
  #restartWait(isSteady: boolean): number {
    if (isSteady || !this.#hasEndedSoon) {
      this.#backoff.reset()
      this.#hasEndedSoon = !isSteady
      return 0
    }
    return this.#backoff.nextMs()
  }

  #restart(): void {
    this.restarts++
    this.start()
    this.#parts.onRestart()
  }

  /** Starts no further thread: one that ends from now on has ended for good. */
  endRestarts(): void {
    this.#isStopping = true
    this.#cancelRestart?.()
  }

  /** Lets the thread finish, and ends it when it does not within `limitMs`. */
  async stop(limitMs: number): Promise<void> {
    this.endRestarts()
    const worker = this.#worker
    if (worker === undefined) return
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    const timer = setTimeout(() => void worker.terminate(), limitMs)
    await this.ask({ kind: 'stop' })
    await ended
    clearTimeout(timer)
  }
}
