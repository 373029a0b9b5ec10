/**
 * Cells that are in no bundle yet, by window of five minutes and slot; all are in a head log, too.
 */
import { type Exact, exact, type GaugeSpread, type Kind } from '../../../model/index.ts'
import { SECOND5 } from '../bundles/levels.ts'
import { OpenSeries } from './open-series.ts'
import type { SecondRecord } from './record.ts'

/** Longest interval whose increments are spread over its seconds. */
const SPREAD_S_LIMIT = 60

export class OpenWindows {
  /** Series with cells, by window and slot. */
  readonly windows = new Map<number, Map<number, OpenSeries>>()
  /** Ends of the seconds in which series ended: what they had before is not in their totals. */
  readonly resets = new Map<number, number>()
  /** Slots of which the last that was said is that they are there, or that they have ended. */
  readonly living = new Map<number, boolean>()
  /** Totals of slots that have had fractions, as they were told last. */
  readonly sums = new Map<number, Exact>()
  /** Records taken. */
  records = 0

  /** Takes what a record says. */
  take(record: SecondRecord): void {
    this.records++
    for (const { slot } of record.defined) this.living.set(slot, true)
    for (const slot of record.anew ?? []) {
      this.resets.set(slot, record.endS - record.seconds)
      this.sums.delete(slot)
    }
    for (const [slot, sum] of record.sums ?? []) this.sums.set(slot, sum)
    const second = record.endS - 1
    const window = Math.floor(second / SECOND5.windowS)
    const place = second - window * SECOND5.windowS
    const series = this.#window(window)
    if (record.seconds > 1 && record.seconds <= SPREAD_S_LIMIT) this.#spreadCounters(record)
    else this.#takeCounters(record, series, window, place)
    this.#takeGauges(record, series, window, place)
    this.#takeDistributions(record, series, window, place)
    for (const slot of record.ended) {
      if (slot === 0) continue
      this.living.set(slot, false)
      this.resets.set(slot, record.endS)
      this.sums.delete(slot)
    }
  }

  #window(window: number): Map<number, OpenSeries> {
    let series = this.windows.get(window)
    if (series === undefined) {
      series = new Map()
      this.windows.set(window, series)
    }
    return series
  }

  #takeCounters(
    { counters: { slots, deltas, wide } }: SecondRecord,
    series: Map<number, OpenSeries>,
    window: number,
    place: number,
  ): void {
    for (let row = 0; row < slots.length; row++) {
      const delta = wide.get(row) ?? deltas[row]!
      if (slots[row] === 0 || delta === 0) continue
      openOf(series, slots[row]!, 'counter', window).number(place, delta)
    }
  }

  /**
   * Takes counters of an interval of several seconds, at whose ends the hub was late: it is not
   * known when they grew, so each has a share, and the last what is left. That is the same total;
   * of a fraction it might not be, so that it counts at the end.
   */
  #spreadCounters({ counters: { slots, deltas, wide }, endS, seconds }: SecondRecord): void {
    for (let row = 0; row < slots.length; row++) {
      const delta = wide.get(row) ?? deltas[row]!
      if (slots[row] === 0) continue
      const isWhole = typeof delta === 'bigint' || Number.isSafeInteger(delta)
      const share = isWhole ? BigInt(delta) / BigInt(seconds) : 0n
      const last = isWhole ? exact(BigInt(delta) - share * BigInt(seconds - 1)) : delta
      for (let before = seconds - 1; before > 0; before--) {
        this.#grow(slots[row]!, endS - before, exact(share))
      }
      this.#grow(slots[row]!, endS, last)
    }
  }

  #grow(slot: number, endS: number, delta: Exact): void {
    if (delta === 0) return
    const window = Math.floor((endS - 1) / SECOND5.windowS)
    const place = endS - 1 - window * SECOND5.windowS
    openOf(this.#window(window), slot, 'counter', window).number(place, delta)
  }

  #takeGauges(
    { gauges: { slots, values, wide, spreads }, endS }: SecondRecord,
    series: Map<number, OpenSeries>,
    window: number,
    place: number,
  ): void {
    for (let row = 0; row < slots.length; row++) {
      if (slots[row] === 0) continue
      const known = spreads.get(row)
      const spread = known === undefined ? undefined : spreadOf(known, endS)
      const value = wide.get(row) ?? values[row]!
      openOf(series, slots[row]!, 'gauge', window).number(place, value, spread)
    }
  }

  #takeDistributions(
    { histograms, summaries }: SecondRecord,
    series: Map<number, OpenSeries>,
    window: number,
    place: number,
  ): void {
    const { slots, ends, bytes } = histograms
    for (let row = 0, from = 0; row < slots.length; row++) {
      const end = ends[row]!
      if (slots[row] !== 0) {
        const part = bytes.subarray(from, end)
        openOf(series, slots[row]!, 'histogram', window).histogram(place, part)
      }
      from = end
    }
    for (let row = 0; row < summaries.slots.length; row++) {
      const slot = summaries.slots[row]!
      if (slot === 0) continue
      openOf(series, slot, 'summary', window).summary(place, summaries.cells[row]!)
    }
  }
}

function openOf(
  series: Map<number, OpenSeries>,
  slot: number,
  kind: Kind,
  window: number,
): OpenSeries {
  let open = series.get(slot)
  if (open === undefined) {
    open = new OpenSeries(kind, window * SECOND5.windowS * 1000)
    series.set(slot, open)
  }
  return open
}

function spreadOf(
  [first, min, max, count]: readonly [number, number, number, number],
  endS: number,
): GaugeSpread {
  return { first, firstAt: endS * 1000, min, max, count }
}
