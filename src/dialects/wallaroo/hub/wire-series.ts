/**
 * One series of the wire as the hub keeps it: its windows for the views, what has come since the
 * last tick, and its totals (wallaroo.md §7).
 */

import type { Ingest } from '../../ingest.ts'
import { toBigInt, toNumber } from '../codec/halves.ts'
import type { MetricsFrame } from '../codec/metrics-frame.ts'
import type { SeriesNames } from '../map.ts'
import { type CompatibleOrigin, wholeSeconds } from '../rollup/compatible.ts'
import { LatencyTotals } from '../rollup/latency-totals.ts'
import type { SeriesSlots } from './series-slots.ts'
import { WindowLog, type WindowMemory } from './window-log.ts'
import type { WallarooWorker } from './workers.ts'

/** Ids remembered of a computation; further ones are only shown as the last. */
const IDS_LIMIT = 64

export class WallarooSeries {
  readonly names: SeriesNames
  readonly worker: WallarooWorker
  readonly slots: SeriesSlots
  readonly windows: WindowLog
  /** Place in the order in which series were first heard of. */
  readonly order: number
  /** Totals since the last tick; made once and emptied, as windows come for ever. */
  readonly #open = new LatencyTotals()
  #isOpen = false
  #messages = 0n
  #delayS: number | undefined
  #firstEndS = Number.POSITIVE_INFINITY
  id = 0
  readonly #ids = new Set<number>()
  /** Arrival of the last window. */
  lastSeenMs: number
  /** Latest end, by the worker's clock. */
  lastEndMs = Number.NEGATIVE_INFINITY

  constructor(
    names: SeriesNames,
    worker: WallarooWorker,
    slots: SeriesSlots,
    order: number,
    memory: WindowMemory,
  ) {
    this.windows = new WindowLog(memory)
    this.names = names
    this.worker = worker
    this.slots = slots
    this.order = order
    this.lastSeenMs = worker.lastSeenMs
  }

  /**
   * @param bytesLimit of the windows that are kept
   * @returns true for the first window since the last tick
   */
  take(frame: MetricsFrame, nowMs: number, bytesLimit: number): boolean {
    const isFirst = !this.#isOpen
    this.#isOpen = true
    this.#open.add(frame)
    this.windows.append(frame, bytesLimit)
    const endMs = toNumber(frame.endHigh, frame.endLow) / 1e6
    if (endMs > this.lastEndMs) this.lastEndMs = endMs
    this.lastSeenMs = nowMs
    const { id } = frame
    if (id !== this.id || this.#ids.size === 0) {
      this.id = id
      if (this.#ids.size < IDS_LIMIT) this.#ids.add(id)
    }
    // rounded half up it may be earlier than the first one: only then the exact division is due
    if (endMs / 1000 + 0.499 < this.#firstEndS) this.#rememberEnd(frame, nowMs)
    return isFirst
  }

  #rememberEnd({ endHigh, endLow }: MetricsFrame, nowMs: number): void {
    const endS = wholeSeconds(toBigInt(endHigh, endLow))
    this.#delayS ??= Math.floor(nowMs / 1000) - endS
    if (endS < this.#firstEndS) this.#firstEndS = endS
  }

  get ids(): readonly number[] {
    return [...this.#ids].sort((a, b) => a - b)
  }

  /** Origin by which the original's numbers of a key go that has this series as its first one. */
  get origin(): CompatibleOrigin {
    return { delayS: this.#delayS ?? 0, firstEndS: this.#firstEndS }
  }

  /** Hands what has come since the last call to the series of the model. */
  flush(ingest: Ingest): void {
    this.slots.merge(ingest, this.#open, this.id)
    this.#messages += this.#open.counts.total()
    this.#open.clear()
    this.#isOpen = false
  }

  /** Counts all messages since it began, skewed ones too. */
  messages(): bigint {
    return this.#isOpen ? this.#messages + this.#open.counts.total() : this.#messages
  }
}
