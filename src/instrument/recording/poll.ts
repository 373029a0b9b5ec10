/**
 * A callback that is called at most once per collection, whatever it does (eventcounters.md §4.6),
 * and the two kinds of counters that live on one.
 */
import { singleMean } from '../../dialects/eventcounters/summary.ts'
import type { CounterDescription } from '../../dialects/eventcounters/window.ts'
import { errorText, ignoreRejection } from '../reports.ts'
import type {
  ClosedWindow,
  Collection,
  OpenWindow,
  ServedCounter,
} from '../sessions/served-counter.ts'
import { finite } from './sums.ts'

interface PollOptions {
  readonly callback: () => number
  readonly describe: () => CounterDescription
  /** Told of every call that gave no finite number. */
  readonly onFailure: (reason: string) => void
}

class Poll {
  readonly #callback: () => unknown
  readonly #onFailure: (reason: string) => void
  #collectionNumber = -1
  #value: number | undefined
  #isCalling = false
  #waiting: ((value: number) => void)[] = []

  constructor(options: Pick<PollOptions, 'callback' | 'onFailure'>) {
    this.#callback = options.callback
    this.#onFailure = options.onFailure
  }

  /**
   * Gives this collection's value; undefined when the call has failed, or is running at this
   * moment.
   */
  value(collection: Collection): number | undefined {
    if (this.#isCalling || collection.number === this.#collectionNumber) return this.#value
    this.#collectionNumber = collection.number
    this.#value = undefined
    this.#isCalling = true
    try {
      const value = this.#callback()
      if (typeof value === 'number' && Number.isFinite(value)) this.#value = value
      else this.#refuse(value)
    } catch (error) {
      this.#onFailure(`threw: ${errorText(error)}`)
    } finally {
      this.#isCalling = false
    }
    this.#answer(this.#value)
    return this.#value
  }

  /** Waits for the call that is running, which has opened a session; not told when it fails. */
  whenDone(callback: (value: number) => void): void {
    if (this.#isCalling) this.#waiting.push(callback)
  }

  #answer(value: number | undefined): void {
    const waiting = this.#waiting
    this.#waiting = []
    if (value !== undefined) for (const callback of waiting) callback(value)
  }

  #refuse(value: unknown): void {
    ignoreRejection(value)
    const isPromise = value instanceof Promise
    const what = typeof value === 'number' ? String(value) : isPromise ? 'a promise' : typeof value
    this.#onFailure(`returned ${what}, want a finite number`)
  }
}

/** A reading beside all collections: none has its number. */
const NOW: Collection = { number: Number.NaN, nowNs: 0n }

/** Asks a callback once, beside all sessions; NaN where that fails (eventcounters.md §4.6). */
export function askOnce(callback: () => number): number {
  return new Poll({ callback, onFailure: () => {} }).value(NOW) ?? Number.NaN
}

/** PollingCounter: the value of the boundary, as one sample. */
export class PolledCounter implements ServedCounter {
  readonly modelKind = 'gauge'
  readonly #describe: () => CounterDescription
  readonly #poll: Poll
  /** Value that all windows of a collection close with. */
  #value: number | undefined
  #closed: ClosedWindow | undefined

  constructor(options: PollOptions) {
    this.#describe = options.describe
    this.#poll = new Poll(options)
  }

  readNow = (): number => this.#poll.value(NOW) ?? Number.NaN

  get description(): CounterDescription {
    return this.#describe()
  }

  open(): OpenWindow {
    return { close: (collection) => this.#close(collection), end: () => {} }
  }

  #close(collection: Collection): ClosedWindow | undefined {
    const value = this.#poll.value(collection)
    if (value === undefined) return undefined
    if (this.#closed === undefined || !Object.is(value, this.#value)) {
      this.#value = value
      this.#closed = { statistics: singleMean(value) }
    }
    return this.#closed
  }
}

/** IncrementingPollingCounter: the growth of a total since the last poll that succeeded. */
export class GrowingCounter implements ServedCounter {
  readonly modelKind = 'counter'
  readonly #describe: () => CounterDescription
  readonly #poll: Poll

  constructor(options: PollOptions) {
    this.#describe = options.describe
    this.#poll = new Poll(options)
  }

  get description(): CounterDescription {
    return this.#describe()
  }

  open(collection: Collection): OpenWindow {
    return new GrowthWindow(this.#poll, collection)
  }
}

class GrowthWindow implements OpenWindow {
  readonly #poll: Poll
  /** Baseline; undefined until a first poll has succeeded. */
  #baseline: number | undefined
  #sinceNs: bigint

  constructor(poll: Poll, collection: Collection) {
    this.#poll = poll
    this.#sinceNs = collection.nowNs
    this.#baseline = poll.value(collection)
    if (this.#baseline !== undefined) return
    poll.whenDone((value) => {
      this.#baseline = value
    })
  }

  close(collection: Collection): ClosedWindow | undefined {
    const total = this.#poll.value(collection)
    if (total === undefined) return undefined
    const baseline = this.#baseline
    const sinceNs = this.#sinceNs
    this.#baseline = total
    this.#sinceNs = collection.nowNs
    if (baseline === undefined) return undefined
    return { statistics: { kind: 'sum', increment: finite(total - baseline) }, sinceNs }
  }

  end(): void {}
}
