/** Times measured into a histogram: of a call, or from a start to a stop. */
import type { ExemplarLabels } from './instrument.ts'

/** Taker of the measured time. */
interface TimeTaker {
  record(value: number, exemplar?: ExemplarLabels): void
}

/** Units of time that a histogram may have, and how many of each are a millisecond. */
const PER_MS: Readonly<Record<string, number>> = { s: 1e-3, ms: 1, us: 1e3, ns: 1e6 }

/** Gives how many of a unit are a millisecond; throws a TypeError for any that is no time. */
export function perMs(unit: string): number {
  if (Object.hasOwn(PER_MS, unit)) return PER_MS[unit]!
  const has = unit === '' ? 'none' : `"${unit}"`
  throw new TypeError(`times need a histogram whose unit is s, ms, us or ns; it has ${has}`)
}

/**
 * A time that runs from its making to its stop, on the monotonic clock.
 * @example
 * ```ts
 * import { histogram } from 'pentameter'
 *
 * const times = histogram('store.pick-time', { unit: 'ms' })
 * {
 *   using _ = times.start()
 *   // whatever takes its time, and however the block is left
 * }
 * console.log(times.histogram.count) // 1n
 * ```
 */
export class Stopwatch {
  readonly #taker: TimeTaker
  readonly #perMs: number
  readonly #exemplar: ExemplarLabels | undefined
  readonly #start = performance.now()
  #isStopped = false

  constructor(taker: TimeTaker, unitsPerMs: number, exemplar?: ExemplarLabels) {
    this.#exemplar = exemplar
    this.#taker = taker
    this.#perMs = unitsPerMs
  }

  /** Records the time since the start, once: a further stop records nothing. */
  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#taker.record((performance.now() - this.#start) * this.#perMs, this.#exemplar)
  }

  [Symbol.dispose](): void {
    this.stop()
  }
}

/** Calls a function and stops the watch when it has returned, thrown, or settled its promise. */
export function timed<Result>(watch: Stopwatch, run: () => Result): Result {
  let result: Result
  try {
    result = run()
  } catch (error) {
    watch.stop()
    throw error
  }
  if (!isThenable(result)) {
    watch.stop()
    return result
  }
  const stop = () => watch.stop()
  result.then(stop, stop)
  return result
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function'
}
