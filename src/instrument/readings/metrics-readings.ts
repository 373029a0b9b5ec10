/**
 * What a scrape reads of a registry. It has one session on all counters, whose windows the scrapes
 * themselves close: sums and samples add up to totals from its opening on. What knows its own total
 * (plain counters, histograms) is read as it is.
 */
import type { Boundary } from '../../dialects/eventcounters/server/counter-source.ts'
import { toSummary } from '../../dialects/eventcounters/summary.ts'
import type { Statistics } from '../../dialects/eventcounters/window.ts'
import { EMPTY_SUMMARY, Histogram } from '../../model/index.ts'
import type { MetricsSource } from '../included/included-sources.ts'
import type { CounterRegistry } from '../registry.ts'
import type { OpenSession } from '../sessions/open-session.ts'
import type { ServedCounter } from '../sessions/served-counter.ts'
import type { Reading } from './reading.ts'

/** Totals of the windows of one counter. */
class WindowTotals {
  increments = 0
  value = Number.NaN
  sum = 0
  count = 0
  last = EMPTY_SUMMARY

  add(statistics: Statistics): void {
    if (statistics.kind === 'sum') {
      // A total that falls would be a restart to its reader (eventcounters.md §7.1).
      this.increments += Math.max(0, statistics.increment)
      return
    }
    const { count, mean } = statistics
    this.last = toSummary(statistics)
    if (count === 0) return
    this.value = mean
    this.sum += mean * count
    this.count += count
  }
}

export class RegistryReadings {
  readonly #registry: CounterRegistry
  readonly #totals = new WeakMap<ServedCounter, WindowTotals>()
  #session: OpenSession | undefined
  #closed: Boundary['windows'] = []

  /** @throws as {@link start} */
  constructor(registry: CounterRegistry) {
    this.#registry = registry
    this.start()
  }

  /**
   * Opens the session unless it is open.
   * @throws {RangeError} when the registry's limit of sessions is reached
   * @throws {TypeError} for a registry that another thread serves
   */
  start(): OpenSession {
    if (this.#session?.isOpen) return this.#session
    this.#session = this.#registry.openByHand(({ windows }) => {
      this.#closed = windows
    })
    if (this.#session === undefined) throw new RangeError('limit of sessions reached')
    return this.#session
  }

  /**
   * Asks the sources that are included, of other libraries; {@link read} has what they answered.
   * @returns a promise where one of them takes its time; it never rejects
   */
  gather(): Promise<void> | undefined {
    return this.#registry.included.gather()
  }

  /**
   * Closes the windows and reads everything; throws as {@link start}.
   * @param but included source that is left out
   */
  read(but?: MetricsSource): Reading[] {
    return [...this.readOwn(), ...this.#registry.included.readings(but)]
  }

  /** Reads what the registry has itself; throws as {@link start}. */
  readOwn(): Reading[] {
    this.start().collect()
    const counters = [...this.#registry.counters()]
    const described = new Map(counters.map((counter) => [counter.description, counter]))
    for (const { counter, statistics } of this.#closed) {
      const served = described.get(counter)
      if (served !== undefined) this.#totalsOf(served).add(statistics)
    }
    this.#closed = []
    return counters.map((counter) => this.#reading(counter))
  }

  /** Closes the session; the next reading begins another one. */
  close(): void {
    this.#session?.close()
    this.#session = undefined
  }

  #totalsOf(counter: ServedCounter): WindowTotals {
    const known = this.#totals.get(counter)
    if (known !== undefined) return known
    const totals = new WindowTotals()
    this.#totals.set(counter, totals)
    return totals
  }

  #reading(counter: ServedCounter): Reading {
    const { description, labels, modelKind: kind, readTotal, isFractional } = counter
    const exemplars = counter.readExemplars?.()
    const head = { description, labels, ...(exemplars === undefined ? {} : { exemplars }) }
    const total = readTotal?.()
    if (total instanceof Histogram) return { ...head, kind: 'histogram', histogram: total }
    const { increments, value, sum, count, last } = this.#totalsOf(counter)
    if (kind === 'counter') return { ...head, kind, isFractional, total: total ?? increments }
    if (kind === 'gauge') return { ...head, kind, value }
    return { ...head, kind: 'summary', sum, count, last }
  }
}
