/**
 * How late the event loop is: a timer that wants to run every 20 ms, and by how much it missed.
 *
 * Not `monitorEventLoopDelay` of node:perf_hooks: its one histogram can only be read as a whole and
 * reset, so that a session of 1 s would take the samples of one of 10 s away; and it counts the
 * timer's own interval as delay. Here every sample goes to all windows that are open.
 */
import { Histogram } from '../../model/index.ts'
import type { Clock } from '../../time/clock.ts'
import type { Measurement } from './measured-counter.ts'

/** Time between samples, ms; 50 a second cost some 6 ms of processor time, most of it wake-ups. */
const SAMPLE_INTERVAL_MS = 20
const NS_PER_MS = 1e6

export class LoopDelay {
  /** Gets every sample. */
  onSample: (delayMs: number) => void = () => {}
  readonly #clock: Clock
  readonly #collecting = new Set<Histogram>()
  #cancel: (() => void) | undefined

  /** @param clock one whose timers do not keep the process alive */
  constructor(clock: Clock) {
    this.#clock = clock
  }

  start(): void {
    if (this.#cancel === undefined) this.#wait(this.#clock.monotonicNs())
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  #wait(lastNs: bigint): void {
    this.#cancel = this.#clock.after(SAMPLE_INTERVAL_MS, () => {
      const nowNs = this.#clock.monotonicNs()
      const delayMs = Number(nowNs - lastNs) / NS_PER_MS - SAMPLE_INTERVAL_MS
      this.#wait(nowNs)
      // timers count whole milliseconds and can be a part of one early
      this.#sample(Math.max(0, delayMs))
    })
  }

  #sample(delayMs: number): void {
    this.onSample(delayMs)
    for (const histogram of this.#collecting) histogram.record(delayMs)
  }

  /** Begins a window that has a value once there was a sample in it. */
  quantile(q: number): Measurement {
    let histogram = new Histogram()
    this.#collecting.add(histogram)
    return {
      take: () => {
        if (histogram.isEmpty) return undefined
        const value = histogram.quantile(q)
        this.#collecting.delete(histogram)
        histogram = new Histogram()
        this.#collecting.add(histogram)
        return value
      },
      end: () => {
        this.#collecting.delete(histogram)
      },
    }
  }
}
