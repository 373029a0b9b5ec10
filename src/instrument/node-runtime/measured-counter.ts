/**
 * A counter whose value is that of a whole window: a share of its time, a quantile of what happened
 * in it, or a state at its end. Each window of each session measures by itself, so that sessions of
 * different intervals get their own right numbers (eventcounters.md §4.2).
 */
import { singleMean } from '../../dialects/eventcounters/summary.ts'
import type { CounterDescription } from '../../dialects/eventcounters/window.ts'
import type {
  ClosedWindow,
  Collection,
  OpenWindow,
  ServedCounter,
} from '../sessions/served-counter.ts'

/** Measurement of the time since a window began. */
export interface Measurement {
  /**
   * Takes the value of the window that ends here, and begins the next; undefined when there is
   * none, and then the window goes on.
   */
  take(collection: Collection): number | undefined
  /** Ends the measurement: the window is gone. */
  end?(): void
}

/** Begins the window of one more session. */
export type Measure = (collection: Collection) => Measurement

export class MeasuredCounter implements ServedCounter {
  readonly modelKind = 'gauge'
  readonly description: CounterDescription
  readonly #measure: Measure

  constructor(description: CounterDescription, measure: Measure) {
    this.description = description
    this.#measure = measure
  }

  open(collection: Collection): OpenWindow {
    const measurement = this.#measure(collection)
    let sinceNs = collection.nowNs
    return {
      close(now) {
        const value = measurement.take(now)
        if (value === undefined || !Number.isFinite(value)) return undefined
        const closed: ClosedWindow = { statistics: singleMean(value), sinceNs }
        sinceNs = now.nowNs
        return closed
      },
      end: () => measurement.end?.(),
    }
  }
}

/** Reads once in a collection, however many windows ask (eventcounters.md §4.6). */
export function oncePerCollection<Reading>(
  read: () => Reading,
): (collection: Collection) => Reading {
  let number: number | undefined
  let reading: Reading
  return (collection) => {
    if (collection.number !== number) {
      reading = read()
      number = collection.number
    }
    return reading
  }
}

/** Measures what is read at the end of the window. */
export function state<Reading>(
  read: (collection: Collection) => Reading,
  evaluate: (reading: Reading) => number,
): Measure {
  const measurement: Measurement = { take: (collection) => evaluate(read(collection)) }
  return () => measurement
}

/** Measures the time between two readings of something that only grows. */
export function growth<Reading>(
  read: (collection: Collection) => Reading,
  evaluate: (before: Reading, after: Reading) => number | undefined,
): Measure {
  return (start) => {
    let before = read(start)
    return {
      take(collection) {
        const after = read(collection)
        const value = evaluate(before, after)
        if (value !== undefined) before = after
        return value
      },
    }
  }
}
