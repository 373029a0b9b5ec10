/**
 * A history in a thread of its own, as the contract has it: files are synced and bundles are made
 * without costing the main thread anything. A thread that ends by itself, or can't open its folder
 * for the time being, is started again after a while; calls until then fail, and the hub goes on
 * without it.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import {
  type BoundSeries,
  type CellAnswer,
  type CellQuery,
  type ClosedSecond,
  type FoundSeries,
  HistoryError,
  type HistoryHealth,
  type HistoryStore,
  type LivingQuery,
  type LivingSeries,
  type PastQuery,
  type SeriesQuery,
  type StoredSeries,
} from '../../../history/store.ts'
import { Backoff } from '../../../time/backoff.ts'
import type { Clock } from '../../../time/clock.ts'
import type {
  HistoryAnswer,
  HistoryCall,
  HistoryMethod,
  HistoryStart,
  ToldNames,
} from './messages.ts'
import { type PackedAnswer, type PackedSeries, unpackAnswer, unpackList } from './packed-answer.ts'
import { Questions } from './questions.ts'

type Waiting = Pick<PromiseWithResolvers<unknown>, 'resolve' | 'reject'>

interface ThreadParts {
  /** Gives the names of all series of a query, where the thread reads an engine. */
  readonly namesOf?: (query: CellQuery) => ToldNames
  /** Clock of restarts; without one a thread that ended stays so. */
  readonly clock?: Pick<Clock, 'after'>
  /**
   * Tells whether one that could not be opened is tried again after so many attempts in vain; none
   * is unless stated, until it was open once.
   */
  readonly isTriedAgain?: (failure: HistoryError, attempts: number) => boolean
}

/** Callbacks about a thread that ends by itself, or does not start. */
interface ThreadWatcher {
  ended(reason: string): void
  /** It runs again, or for the first time, and knows nothing of what it was told before. */
  restarted(): void
  /** It is tried no more. */
  gaveUp?(): void
}

/** Pauses before a thread is started again: longer each time, for a thread that ends each time. */
const PAUSES = { reconnectFirstMs: 1000, reconnectLimitMs: 15_000, reconnectJitter: 0 }

/** Reads at once, and those that wait: as many as there are places for large answers. */
const READS = { atOnce: 32, waiting: 128 }
/** The same of looks for series, each of which goes through all there are: 0.2 s of 100,000. */
const FINDS = { atOnce: 2, waiting: 16 }

export class ThreadHistory implements HistoryStore {
  readonly #start: HistoryStart
  readonly #parts: ThreadParts
  readonly #backoff = new Backoff(PAUSES, Math.random)
  readonly #waiting = new Map<number, Waiting>()
  readonly #reads = new Questions(READS)
  readonly #finds = new Questions(FINDS)
  #worker: Worker | undefined
  #watcher: ThreadWatcher | undefined
  #nextNumber = 1
  #failure: HistoryError | undefined
  #isClosing = false
  #isStarting = false
  #launched: Promise<void> = Promise.resolve()
  /** Attempts in vain to open it for the first time; undefined once it was open. */
  #attempts: number | undefined = 0
  #cancelRestart = (): void => {}

  private constructor(start: HistoryStart, parts: ThreadParts) {
    this.#start = start
    this.#parts = parts
  }

  /**
   * Starts the thread, which opens the folder, or reads an engine. Where it can't and is tried
   * again, calls fail until it does: {@link failure} says why.
   * @throws {HistoryError} where it can't and is not tried again
   */
  static async open(start: HistoryStart, parts: ThreadParts = {}): Promise<ThreadHistory> {
    const history = new ThreadHistory(start, parts)
    try {
      await history.#launch()
    } catch (error) {
      if (!history.#isTriedAgain) throw error
      history.#restartLater()
    }
    return history
  }

  /** Reason why calls fail; undefined while they are answered. */
  get failure(): HistoryError | undefined {
    return this.#failure
  }

  get #isTriedAgain(): boolean {
    if (this.#attempts === undefined) return true
    return this.#parts.isTriedAgain?.(this.#failure!, this.#attempts) === true
  }

  #launch(): Promise<void> {
    const launched = this.#startThread()
    this.#launched = launched.catch(() => {})
    return launched
  }

  async #startThread(): Promise<void> {
    const file = `./history-thread${extname(import.meta.url)}`
    const worker = new Worker(new URL(file, import.meta.url), {
      workerData: this.#start,
      execArgv: [],
      name: 'history',
    })
    this.#worker = worker
    worker.on('message', (message: HistoryAnswer) => this.#take(message))
    worker.on('error', (error) => this.#fail(worker, String(error)))
    worker.once('exit', () => this.#fail(worker, 'it was ended'))
    try {
      this.#isStarting = true
      await this.#wait(0)
      this.#failure = undefined
      this.#attempts = undefined
    } catch (error) {
      this.#worker = undefined
      this.#failure = error as HistoryError
      if (this.#attempts !== undefined) this.#attempts++
      await worker.terminate()
      throw error
    } finally {
      this.#isStarting = false
    }
  }

  /** Calls back, from now on, when the thread ends by itself and when it runs again. */
  watch(watcher: ThreadWatcher): void {
    this.#watcher = watcher
  }

  /** Calls that are not answered yet. */
  get waiting(): number {
    return this.#waiting.size
  }

  append(second: ClosedSecond): Promise<void> {
    return this.#call('append', second) as Promise<void>
  }

  /** @throws {HistoryError} `busy` where too many wait for their turn */
  async read(query: CellQuery): Promise<CellAnswer> {
    const answer = await this.#reads.ask(() => {
      return this.#call('read', query, this.#parts.namesOf?.(query))
    })
    return unpackAnswer(answer as PackedAnswer)
  }

  /** @throws {HistoryError} `busy` where too many wait for their turn */
  find(query: PastQuery): Promise<FoundSeries> {
    return this.#finds.ask(() => this.#call('find', query)) as Promise<FoundSeries>
  }

  /** Asks whether an engine answers. */
  probe(): Promise<void> {
    return this.#call('probe') as Promise<void>
  }

  async list(query?: SeriesQuery): Promise<readonly StoredSeries[]> {
    return unpackList((await this.#call('list', query)) as readonly PackedSeries[])
  }

  living(query: LivingQuery): Promise<LivingSeries> {
    return this.#call('living', query) as Promise<LivingSeries>
  }

  bind(bound: BoundSeries): Promise<void> {
    return this.#call('bind', bound) as Promise<void>
  }

  remove(keys: readonly Uint8Array[]): Promise<number> {
    return this.#call('remove', keys) as Promise<number>
  }

  retain(): Promise<void> {
    return this.#call('retain') as Promise<void>
  }

  health(): Promise<HistoryHealth> {
    return this.#call('health') as Promise<HistoryHealth>
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#cancelRestart()
    await this.#launched
    if (this.#failure !== undefined) return
    await this.#call('close')
    await this.#worker?.terminate()
  }

  #call(method: HistoryMethod, argument?: unknown, names?: ToldNames): Promise<unknown> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const number = this.#nextNumber++
    const answered = this.#wait(number)
    const call: HistoryCall = {
      number,
      method,
      argument,
      ...(names === undefined ? {} : { names }),
    }
    this.#worker!.postMessage(call)
    return answered
  }

  #wait(number: number): Promise<unknown> {
    const { promise, ...ends } = Promise.withResolvers<unknown>()
    this.#waiting.set(number, ends)
    return promise
  }

  #take({ number, value, fault }: HistoryAnswer): void {
    const ends = this.#waiting.get(number)
    this.#waiting.delete(number)
    if (fault === undefined) ends?.resolve(value)
    else ends?.reject(new HistoryError(fault.code, fault.message))
  }

  #fail(worker: Worker, reason: string): void {
    if (worker !== this.#worker) return
    this.#worker = undefined
    const failure = this.#isClosing
      ? new HistoryError('closed', 'the history is closed')
      : new HistoryError('failed', `the thread of the history ended: ${reason}`)
    this.#failure = failure
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of waiting) reject(failure)
    if (this.#isClosing || this.#isStarting) return
    this.#watcher?.ended(failure.message)
    this.#restartLater()
  }

  #restartLater(): void {
    if (this.#isClosing) return
    this.#cancelRestart =
      this.#parts.clock?.after(this.#backoff.nextMs(), () => void this.#restart()) ?? (() => {})
  }

  async #restart(): Promise<void> {
    try {
      await this.#launch()
    } catch {
      // why it does not start is told with each call
      if (this.#isTriedAgain) this.#restartLater()
      else this.#watcher?.gaveUp?.()
      return
    }
    if (!this.#isClosing) this.#watcher?.restarted()
  }
}
