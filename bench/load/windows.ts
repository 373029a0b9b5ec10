/**
 * The load of the question about Wallaroo: windows of the computations of one worker, each with the
 * same number of messages, so that totals say how many windows have come in.
 */
import {
  encodeConnect,
  encodeJoin,
  encodeMetrics,
} from '../../src/dialects/wallaroo/codec/encode.ts'
import { BINS } from '../../src/dialects/wallaroo/spec.ts'
import { seededRandom } from '../measure/statistics.ts'

export const SERIES_COUNT = 1000
/** Messages of every window. */
export const WINDOW_MESSAGES = 1000
export const SEED = 4

/** Windows of each series that are prepared; the sender repeats them. */
const PASSES = 4
const PERIOD_NS = 2_000_000_000n
const APPLICATION = 'shop'
const WORKER = 'worker-1'
/** Latencies have their peak between 2 us and 16 ms. */
const PEAK_LOWEST = 11
const PEAK_HIGHEST = 24
/** Filled bins of a window: a peak, what lies around it, and a tail. */
const FILLED_MIN = 5
const FILLED_MAX = 20

/** What a worker says before its windows. */
export const GREETING = Buffer.concat([encodeConnect(), encodeJoin(APPLICATION, WORKER)])

/** Windows in one pass through {@link frames}. */
export const WINDOWS = PASSES * SERIES_COUNT

/**
 * Frames that together hold PASSES windows of every series, as a worker sends them: all series,
 * always in the same order, once a period. All are of one size.
 * @param nowNs the newest end
 */
export function frames(nowNs: bigint): Uint8Array[] {
  const random = seededRandom(SEED)
  const made: Uint8Array[] = []
  for (let pass = 1; pass <= PASSES; pass++) {
    const endNs = nowNs - (nowNs % PERIOD_NS) - BigInt(PASSES - pass) * PERIOD_NS
    for (let i = 0; i < SERIES_COUNT; i++) made.push(frame(i, endNs, random))
  }
  return made
}

function frame(series: number, endNs: bigint, random: () => number): Uint8Array {
  const bins = someBins(random)
  const lowest = bins.findIndex((count) => count > 0)
  const highest = bins.findLastIndex((count) => count > 0)
  return encodeMetrics(
    {
      application: APPLICATION,
      category: 'computation',
      name: `Check Limit ${String(series).padStart(6, '0')}`,
      worker: WORKER,
      pipeline: 'Orders',
      id: 1 + (series % 20),
      bins,
      minNs: 2 ** lowest - 1,
      maxNs: 2 ** highest - 1,
      periodNs: PERIOD_NS,
      endNs,
    },
    'peer',
  )
}

/** Neighbouring bins, the more messages the nearer to the peak. */
function someBins(random: () => number): number[] {
  const bins = new Array<number>(BINS).fill(0)
  const filled = FILLED_MIN + Math.floor(random() * (FILLED_MAX - FILLED_MIN + 1))
  const peak = PEAK_LOWEST + Math.floor(random() * (PEAK_HIGHEST - PEAK_LOWEST + 1))
  const lowest = peak - (filled >> 1)
  let left = WINDOW_MESSAGES
  for (let bin = lowest; bin < lowest + filled; bin++) {
    if (bin === peak) continue
    bins[bin] = 1 + Math.floor((random() * 40) / Math.abs(bin - peak))
    left -= bins[bin]!
  }
  bins[peak] = left
  return bins
}
