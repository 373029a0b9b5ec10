/** The four kinds of counters that an application makes (eventcounters.md §3.3). */
import type { Histogram } from '../../model/index.ts'
import { GrowingCounter, PolledCounter } from '../recording/poll.ts'
import { RecordedCounter } from '../recording/recorded-counter.ts'
import { SampleHistogram } from '../recording/sample-histogram.ts'
import type { EventSource } from '../registry.ts'
import {
  type CounterOptions,
  type MakeServed,
  RateCounter,
  type RateCounterOptions,
  SourceCounter,
} from './source-counter.ts'

export interface EventCounterOptions extends CounterOptions {
  /** Option that keeps a base-2 histogram of all samples too, whether or not a session is open. */
  readonly histogram?: boolean
}

/**
 * Samples whose statistics a session gets per interval (eventcounters.md §4.4). While nothing
 * listens a sample costs one check and is not kept.
 * @example
 * ```ts
 * import { EventCounter, EventSource } from 'pentameter/instrument'
 *
 * const shop = new EventSource('Shop.Web')
 * const latency = new EventCounter('request-time', shop, { displayUnits: 'ms' })
 * latency.writeMetric(12.5)
 * ```
 */
export class EventCounter extends SourceCounter<RecordedCounter> {
  readonly #samples: RecordedCounter
  /** Copy of the state: while nothing listens the counter itself is all that is looked at. */
  #isListened = false
  readonly #histogram: SampleHistogram | undefined

  /**
   * @param name 1 to 512 UTF-16 units without U+0000
   * @throws {TypeError | RangeError} for any other name, or an option that cannot be sent
   */
  constructor(name: string, source: EventSource, options: EventCounterOptions = {}) {
    const histogram = options.histogram === true ? new SampleHistogram() : undefined
    super(name, source, options, recorded('mean', name, source, histogram))
    this.#samples = this.served
    this.#samples.onListened((isListened) => {
      this.#isListened = isListened
    })
    this.#histogram = histogram
    if (histogram !== undefined) this.#samples.listen(histogram)
  }

  /** Records a sample. Never throws; one that is no finite number is refused and counted. */
  writeMetric(value: number): void {
    if (this.#isListened) this.#samples.record(value)
  }

  /** All samples since the counter was made, as a copy; undefined without the option. */
  get histogram(): Histogram | undefined {
    return this.#histogram && readAll(this.#samples, this.#histogram)
  }
}

/**
 * Increments whose sum a session gets per interval (eventcounters.md §4.5).
 * @example
 * ```ts
 * import { EventSource, IncrementingEventCounter } from 'pentameter/instrument'
 *
 * const shop = new EventSource('Shop.Web')
 * const requests = new IncrementingEventCounter('requests', shop, { displayRateTimeScale: 1 })
 * requests.increment()
 * ```
 */
export class IncrementingEventCounter extends RateCounter<RecordedCounter> {
  readonly #samples: RecordedCounter
  /** Copy of the state: while nothing listens the counter itself is all that is looked at. */
  #isListened = false

  /**
   * @param name 1 to 512 UTF-16 units without U+0000
   * @throws {TypeError | RangeError} for any other name, or an option that cannot be sent
   */
  constructor(name: string, source: EventSource, options: RateCounterOptions = {}) {
    super(name, source, options, recorded('sum', name, source))
    this.#samples = this.served
    this.#samples.onListened((isListened) => {
      this.#isListened = isListened
    })
  }

  /** Adds any finite number, fractions and negative ones too. Never throws; others are refused. */
  increment(by = 1): void {
    if (this.#isListened) this.#samples.record(by)
  }
}

/**
 * A value that a callback gives once per boundary (eventcounters.md §4.4).
 * @example
 * ```ts
 * import { EventSource, PollingCounter } from 'pentameter/instrument'
 *
 * const jobs: string[] = []
 * const shop = new EventSource('Shop.Jobs')
 * new PollingCounter('queue-length', shop, () => jobs.length)
 * ```
 */
export class PollingCounter extends SourceCounter {
  /**
   * @param name 1 to 512 UTF-16 units without U+0000
   * @param callback gives the value; one that throws, or returns no finite number, is left out of
   *   that boundary and counted
   * @throws {TypeError | RangeError} for any other name, or an option that cannot be sent
   */
  constructor(
    name: string,
    source: EventSource,
    callback: () => number,
    options: CounterOptions = {},
  ) {
    const onFailure = failures(name, source, callback)
    super(name, source, options, (describe) => {
      return new PolledCounter({ callback, describe, onFailure })
    })
  }
}

/**
 * The growth of a total that a callback gives (eventcounters.md §4.5).
 * @example
 * ```ts
 * import { EventSource, IncrementingPollingCounter } from 'pentameter/instrument'
 *
 * const shop = new EventSource('Shop.Process')
 * new IncrementingPollingCounter('cpu-time', shop, () => process.cpuUsage().user / 1e6, {
 *   displayUnits: 's',
 * })
 * ```
 */
export class IncrementingPollingCounter extends RateCounter {
  /**
   * @param name 1 to 512 UTF-16 units without U+0000
   * @param callback gives the total, when a session opens and at each boundary; after one that
   *   failed the next payload covers the time since the last that did not
   * @throws {TypeError | RangeError} for any other name, or an option that cannot be sent
   */
  constructor(
    name: string,
    source: EventSource,
    callback: () => number,
    options: RateCounterOptions = {},
  ) {
    const onFailure = failures(name, source, callback)
    super(name, source, options, (describe) => {
      return new GrowingCounter({ callback, describe, onFailure })
    })
  }
}

function recorded(
  kind: 'mean' | 'sum',
  name: string,
  source: EventSource,
  histogram?: SampleHistogram,
): MakeServed<RecordedCounter> {
  const what = kind === 'mean' ? 'sample' : 'increment'
  const refused = once(source, 'nonfinite_samples', `${titleOf(name, source)}: ${what} refused,`)
  return (describe) => {
    const readHistogram = histogram && (() => readAll(counter, histogram))
    const onRefused = () => refused('want a finite number')
    const counter = new RecordedCounter({ kind, describe, onRefused, readHistogram })
    return counter
  }
}

function readAll(counter: RecordedCounter, histogram: SampleHistogram): Histogram {
  counter.flush()
  return histogram.read()
}

function failures(name: string, source: EventSource, callback: () => number) {
  if (typeof callback !== 'function') throw new TypeError('the callback of a counter is a function')
  return once(source, 'callback_errors', `${titleOf(name, source)}: its callback`)
}

function titleOf(name: string, source: EventSource): string {
  return `counter "${name}" of source "${source.name}"`
}

/** Counts every time, and logs the first. */
function once(
  { registry }: EventSource,
  count: 'nonfinite_samples' | 'callback_errors',
  start: string,
): (reason: string) => void {
  let isLogged = false
  return (reason) => {
    const isFirst = !isLogged
    isLogged = true // before the log, which may write to this very counter
    registry.report(count, isFirst ? `${start} ${reason}` : undefined)
  }
}
