/**
 * One series of the wire as the hub keeps it: its windows for the views, what has come since the
 * last tick, and its totals (wallaroo.md §7).
 */

import type { Ingest } from '../../ingest.ts'
import { toBigInt, toNumber } from '../codec/halves.ts'
import type { MetricsFrame } from '../codec/metrics-frame.ts'
import { histogramOf, type SeriesNames } from '../map.ts'
import { BinCounts } from '../rollup/bin-counts.ts'
import { type CompatibleOrigin, wholeSeconds } from '../rollup/compatible.ts'
import { LatencyTotals } from '../rollup/latency-totals.ts'
import { IS_OPEN, LAST_END, LAST_SEEN, WORKER } from './memory/layout.ts'
import {
  addCounts,
  addExtremes,
  type Brought,
  clearOpen,
  type OpenTotals,
  readOpen,
} from './memory/open-totals.ts'
import { WindowLog } from './memory/window-log.ts'
import type { WindowMemory } from './memory/window-memory.ts'
import type { SeriesSlots } from './series-slots.ts'
import type { WallarooWorker } from './workers.ts'

/** Ids remembered of a computation; further ones are only shown as the last. */
const IDS_LIMIT = 64

const NO_ORIGIN: CompatibleOrigin = { delayS: 0, firstEndS: Number.POSITIVE_INFINITY }

/** One serves for all series: it holds nothing from one to the next. */
const open = new LatencyTotals()

export class WallarooSeries {
  readonly names: SeriesNames
  readonly worker: WallarooWorker
  readonly slots: SeriesSlots
  readonly windows: WindowLog
  /** Place in the order in which series were first heard of. */
  readonly order: number
  /** Address of what the memory of windows has of it: totals since the last tick, and times. */
  readonly record: number
  readonly #memory: WindowMemory
  /** Counts since the last tick of windows with one above 2^32. */
  #wide: BinCounts | undefined
  #messages = 0n
  /** Absent before its first window. */
  #origin: CompatibleOrigin | undefined
  /** Its times, once it has left the memory. */
  #gone: { lastSeenMs: number; lastEndMs: number } | undefined
  id = 0
  readonly #ids = new Set<number>()

  /** @param record in the memory */
  constructor(
    names: SeriesNames,
    worker: WallarooWorker,
    slots: SeriesSlots,
    order: number,
    memory: WindowMemory,
    record: number,
  ) {
    this.windows = new WindowLog(memory, record)
    this.names = names
    this.worker = worker
    this.slots = slots
    this.order = order
    this.record = record
    this.#memory = memory
    memory.words[(record + WORKER) >>> 2] = worker.record
    memory.doubles[(record + LAST_SEEN) >>> 3] = worker.lastSeenMs
  }

  /** Arrival of the last window. */
  get lastSeenMs(): number {
    return this.#gone?.lastSeenMs ?? this.#memory.doubles[(this.record + LAST_SEEN) >>> 3]!
  }

  set lastSeenMs(ms: number) {
    if (this.#gone === undefined) this.#memory.doubles[(this.record + LAST_SEEN) >>> 3] = ms
  }

  /** Latest end, by the worker's clock. */
  get lastEndMs(): number {
    return this.#gone?.lastEndMs ?? this.#memory.doubles[(this.record + LAST_END) >>> 3]!
  }

  /** Whether windows have come since the last tick. */
  get isOpen(): boolean {
    return this.#gone === undefined && this.#memory.words[(this.record + IS_OPEN) >>> 2] !== 0
  }

  /** Gives its memory back; it must not be open. Answers that are being made find no windows. */
  release(): void {
    const { lastSeenMs, lastEndMs } = this
    this.#gone = { lastSeenMs, lastEndMs }
    this.windows.release()
    this.#memory.removeSeries(this.record)
  }

  take(frame: MetricsFrame, nowMs: number): void {
    const memory = this.#memory
    const { record } = this
    memory.touch(record)
    if (frame.isWide) {
      this.#wide ??= new BinCounts()
      this.#wide.addFrame(frame)
    } else addCounts(memory, record, frame)
    addExtremes(memory, record, frame)
    this.windows.append(frame)
    const endMs = toNumber(frame.endHigh, frame.endLow) / 1e6
    if (endMs > this.lastEndMs) memory.doubles[(record + LAST_END) >>> 3] = endMs
    memory.doubles[(record + LAST_SEEN) >>> 3] = nowMs
    const { id } = frame
    if (id !== this.id || this.#ids.size === 0) {
      this.id = id
      if (this.#ids.size < IDS_LIMIT) this.#ids.add(id)
    }
    this.#origin ??= originOf(frame, nowMs)
  }

  get ids(): readonly number[] {
    return [...this.#ids].sort((a, b) => a - b)
  }

  /** Origin by which the original's numbers of a key go that has this series as its first one. */
  get origin(): CompatibleOrigin {
    return this.#origin ?? NO_ORIGIN
  }

  /**
   * Hands what has come since the last call to the series of the model.
   * @param totals to look at it by
   * @param hasSkew skewed messages count in the histogram too
   * @returns messages that have come
   */
  flush(ingest: Ingest, totals: OpenTotals, hasSkew = false): number {
    const isPlain = this.#wide === undefined && totals.read(this.record)
    const brought = isPlain && !(hasSkew && totals.skewed > 0) ? totals : this.#brought(hasSkew)
    this.slots.merge(ingest, brought, this.id)
    const messages = BigInt(brought.messages)
    this.#messages += messages
    clearOpen(this.#memory, this.record)
    this.#wide = undefined
    return Number(messages)
  }

  #brought(hasSkew: boolean): Brought {
    const { counts, sumNs } = this.#readOpen()
    return {
      messages: counts.total(),
      skewed: counts.skewed(),
      histogram() {
        const histogram = histogramOf(open, hasSkew)
        // an estimate, as the series' metadata say
        histogram.sum = sumNs
        return histogram
      },
    }
  }

  #readOpen(): LatencyTotals {
    readOpen(this.#memory, this.record, open)
    if (this.#wide !== undefined) open.counts.merge(this.#wide)
    return open
  }

  /** Counts all messages since it began, skewed ones too. */
  messages(): bigint {
    return this.isOpen ? this.#messages + this.#readOpen().counts.total() : this.#messages
  }
}

function originOf({ endHigh, endLow }: MetricsFrame, nowMs: number): CompatibleOrigin {
  const firstEndS = wholeSeconds(toBigInt(endHigh, endLow))
  return { delayS: Math.floor(nowMs / 1000) - firstEndS, firstEndS }
}
