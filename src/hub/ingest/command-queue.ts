/**
 * The commands whose result depends on their order over all threads: readings of a counter kept
 * elsewhere, and lines whose sample rate leaves a fraction to carry. There is one place that
 * applies them, in the hub's main thread; the ingests there call it directly, those of other
 * threads send what they got in its order (`threads/outbox.ts`). Closed windows and retirement are
 * for dialects of the main thread only.
 */
import {
  type CounterCell,
  type Exact,
  type HistogramCell,
  type Summary,
  type SummaryCell,
  U64_MAX,
} from '../../model/index.ts'
import type { CounterHandle, Writer } from '../../shm/index.ts'
import type { CounterRecord } from '../series/record.ts'
import type { SeriesStore } from '../series/series.ts'
import { take } from './weight.ts'
import type { Windows } from './windows/windows.ts'

/** Queue of commands by metric, for counters and histograms; refusals come back as events. */
export interface LineQueue {
  /** Takes a new reading of a cumulative counter, 0 or more. */
  read(metric: number, reading: Exact, source: string): void
  /** Adds a counter's increment, 0 or more, times a weight that is no whole number. */
  count(metric: number, value: Exact, weight: number, source: string): void
  /** Adds an observation that stands for `weight`, which is no whole number. */
  observe(metric: number, value: Exact, weight: number, source: string): void
}

/** The same with what only the main thread applies. */
export interface CommandQueue extends LineQueue {
  /** Merges a window that its sender has closed; `intervalSec` is NaN where it is not known. */
  merge(
    metric: number,
    cell: CounterCell | HistogramCell | SummaryCell,
    intervalSec: number,
    source: string,
    earlier?: Summary,
  ): void
  /** Takes a series away. */
  retire(metric: number): void
}

export interface CommandEvents {
  refused(code: string, source: string): void
  /** Called when two senders seem to share one cumulative counter. */
  contested(record: CounterRecord): void
}

export class CommandApplier {
  readonly #store: SeriesStore
  readonly #writer: Writer
  readonly #windows: Windows
  /** Rests by metric: what sampled lines have left over, each less than 1, and of which series. */
  readonly #carries: number[] = []
  readonly #carriers: number[] = []

  constructor(store: SeriesStore, writer: Writer, windows: Windows) {
    this.#store = store
    this.#writer = writer
    this.#windows = windows
  }

  /** Makes the queue of one dialect. */
  queue(events: CommandEvents): CommandQueue {
    return {
      read: (metric, reading, source) => this.#read(metric, reading, source, events),
      count: (metric, value, weight, source) => {
        if (!this.#prepareCarry(metric)) return
        const n = take(this.#carries, metric, value, weight)
        grow(this.#writer.counter(metric), n, source, events)
      },
      observe: (metric, value, weight) => {
        if (!this.#prepareCarry(metric)) return
        const times = take(this.#carries, metric, 1, weight)
        if (times !== 0) this.#writer.exponential(metric)?.observe(value, times)
      },
      merge: (metric, cell, intervalSec, source, earlier) => {
        const record = this.#store.ofMetric(metric)
        if (record === undefined || record.kind !== cell.kind) return
        // there will be more of them: no record is made for each
        if (this.#windows.merge(this.#store.keep(record), cell, intervalSec, earlier)) return
        events.refused('value_range', source)
      },
      retire: (metric) => {
        const record = this.#store.ofMetric(metric)
        if (record !== undefined) this.#store.retire(record)
      },
    }
  }

  #read(metric: number, reading: Exact, source: string, events: CommandEvents): void {
    const record = this.#store.ofMetric(metric)
    if (record?.kind !== 'counter' || record.reading === undefined) return
    this.#store.keep(record)
    const cumulative = record.reading
    const resets = cumulative.resets
    grow(this.#writer.counter(metric), cumulative.take(reading, source), source, events)
    if (cumulative.resets !== resets && cumulative.isContested) events.contested(record)
  }

  /**
   * Prepares the rest of a series; false for one that has left. The next one under its number
   * begins with nothing over.
   */
  #prepareCarry(metric: number): boolean {
    const id = this.#store.idOf(metric)
    if (id < 0) return false
    if (this.#carriers[metric] !== id) this.#carries[metric] = 0
    this.#carriers[metric] = id
    return true
  }
}

/** Adds to a counter; an increment that does not fit is refused and told. */
export function grow(
  counter: CounterHandle | undefined,
  n: Exact,
  source: string,
  events: Pick<CommandEvents, 'refused'>,
): void {
  if (counter === undefined) return
  const isTaken = typeof n === 'number' ? counter.add(n) : n <= U64_MAX && counter.addExact(n)
  if (!isTaken) events.refused('value_range', source)
}
