/**
 * A distribution: an exponential histogram over all time and threads, exact in count, sum, min and
 * max, and beside it the samples of open sessions, which get mean and deviation of their windows.
 */
import { Histogram as Buckets, histogramGain, type Labels } from '../../model/index.ts'
import type { EventSource } from '../registry.ts'
import type { CounterHome, SampleHandle } from '../threads/home.ts'
import {
  type ExemplarLabels,
  Instrument,
  type InstrumentOptions,
  type KeepExemplar,
} from './instrument.ts'
import { perMs, Stopwatch, timed } from './stopwatch.ts'

const FULL: SampleHandle = { observe: () => false }

interface HistogramParts {
  readonly buckets: SampleHandle
  readonly windows: SampleHandle
  readonly read: () => Buckets
  readonly refuse: () => void
  readonly keep: KeepExemplar
  /** `s`, `ms`, `us` or `ns` where times are recorded. */
  readonly unit: string
}

/**
 * One set of labels of a {@link Histogram}.
 *
 * @example
 * import { EventSource, Histogram } from 'pentameter/instrument'
 *
 * const sizes = new Histogram('result-size', new EventSource('Shop'), { labels: ['index'] })
 * const ofBooks = sizes.with({ index: 'books' })
 * ofBooks.record(2048)
 * console.log(ofBooks.histogram.count) // 1n
 */
export class BoundHistogram {
  readonly #buckets: SampleHandle
  readonly #windows: SampleHandle
  readonly #read: () => Buckets
  readonly #refuse: () => void
  readonly #keep: KeepExemplar
  readonly #unit: string
  #baseline: Buckets | undefined

  constructor({ buckets, windows, read, refuse, keep, unit }: HistogramParts) {
    this.#buckets = buckets
    this.#windows = windows
    this.#read = read
    this.#refuse = refuse
    this.#keep = keep
    this.#unit = unit
  }

  /**
   * Adds one observation, any finite number. Never throws: what is none is counted as
   * `refused_values`, as is a first negative one for which the zone has no room.
   * @param exemplar what tells where this one came from, `{ trace_id: '…' }`: shown by OpenMetrics,
   *   protobuf and OTLP beside the bucket it is in, the newest for each power of two
   */
  record(value: number, exemplar?: ExemplarLabels): void {
    if (typeof value !== 'number' || !this.#buckets.observe(value)) {
      this.#refuse()
      return
    }
    this.#windows.observe(value)
    if (exemplar !== undefined) this.#keep(value, exemplar)
  }

  /**
   * Calls a function and records how long it took, also when it throws; of one that answers a
   * promise, until that is settled.
   * @throws {TypeError} unless the unit is `s`, `ms`, `us` or `ns`; else what the function throws
   */
  time<Result>(run: () => Result, exemplar?: ExemplarLabels): Result {
    return timed(this.start(exemplar), run)
  }

  /**
   * Starts a stopwatch that records when it is stopped, or with `using` at the end of the block.
   * @throws {TypeError} unless the unit is `s`, `ms`, `us` or `ns`
   */
  start(exemplar?: ExemplarLabels): Stopwatch {
    return new Stopwatch(this, perMs(this.#unit), exemplar)
  }

  /** Everything recorded since {@link reset}, in all threads and with or without sessions. */
  get histogram(): Buckets {
    const all = this.#read()
    const before = this.#baseline
    return before === undefined || before.isEmpty ? all : histogramGain(all, before)
  }

  /**
   * Has {@link histogram} begin empty. Its least and most are not known then (NaN), unless there
   * was nothing before.
   */
  reset(): void {
    this.#baseline = this.#read()
  }

  /** Reads {@link histogram}, by the name that all instruments have for it. */
  value(): Buckets {
    return this.histogram
  }
}

/**
 * A distribution over all time and threads, in base-2 buckets that get coarser as its range grows;
 * count, sum, least and most are exact.
 * @example
 * ```ts
 * import { EventSource, Histogram } from 'pentameter/instrument'
 *
 * const sizes = new Histogram('result-size', new EventSource('Shop.Search'), { unit: 'B' })
 * sizes.record(2048)
 * console.log(sizes.histogram.quantile(0.99))
 * ```
 */
export class Histogram<Label extends string = string> extends Instrument<
  BoundHistogram,
  Buckets,
  Label
> {
  /**
   * @throws {TypeError | RangeError} for a name, label or text that cannot be sent
   * @throws {ZoneFullError} where the registry's shared memory cannot be made
   */
  constructor(name: string, source: EventSource, options: InstrumentOptions<Label> = {}) {
    const read = () => new Buckets()
    const { unit = '' } = options
    const none = { buckets: FULL, windows: FULL, read, keep: () => {}, unit }
    super(name, source, options, (refuse) => new BoundHistogram({ ...none, refuse }))
  }

  /** Records, as {@link BoundHistogram.record}. */
  record(value: number, exemplar?: ExemplarLabels): void {
    this.own.record(value, exemplar)
  }

  /** Times a function, as {@link BoundHistogram.time}. */
  time<Result>(run: () => Result, exemplar?: ExemplarLabels): Result {
    return this.own.time(run, exemplar)
  }

  /** Starts a stopwatch, as {@link BoundHistogram.start}. */
  start(exemplar?: ExemplarLabels): Stopwatch {
    return this.own.start(exemplar)
  }

  /** Reads {@link histogram}; an empty one with labels, whose sets {@link values} lists. */
  value(): Buckets {
    return this.own.value()
  }

  /** Buckets, as {@link BoundHistogram.histogram}. */
  get histogram(): Buckets {
    return this.own.histogram
  }

  protected bind(home: CounterHome, labels: Labels): BoundHistogram | undefined {
    const metric = this.define(home, 'Histogram', labels, 'exponential')
    const windowsMetric = this.define(home, 'HistogramWindows', labels, 'summary')
    const { writer, reader } = home
    const buckets = metric < 0 ? undefined : writer.exponential(metric)
    if (buckets === undefined || windowsMetric < 0) return undefined
    this.present(home, 'HistogramWindows', labels)
    const windows = home.samples(windowsMetric)
    if (windows === undefined) return undefined
    const read = () => reader.exponential(metric)
    const refuse = () => this.refuse('want a finite number')
    const keep = this.exemplarsOf(windowsMetric)
    return new BoundHistogram({ buckets, windows, read, refuse, keep, unit: this.unit })
  }
}
