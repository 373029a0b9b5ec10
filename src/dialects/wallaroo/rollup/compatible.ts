/**
 * The numbers of the original Metrics UI (§8), rounding for rounding, for its compatible mode: one
 * log per key, of latencies by end second and of throughput by second.
 */
import { type Exact, exact } from '../../../model/index.ts'
import { BINS } from '../spec.ts'
import { BinCounts, type WindowBins } from './bin-counts.ts'
import { SecondCounts, type ThroughputStatistics } from './second-counts.ts'

const NS_PER_SECOND = 1_000_000_000n
/** Span that is shown: "Last 5 mins". */
const SHOWN_SECONDS = 300
/** The line begins earlier and ends earlier than what is shown. */
const LINE_SECONDS = SHOWN_SECONDS + 2
const LINE_LAG_SECONDS = 4
/** Both logs forget what is older than this, by the hub's clock. */
const KEPT_SECONDS = 3600

export const COMPATIBLE_PERCENTILES = ['50.0', '95.0', '99.0', '99.9', '99.99'] as const
export type CompatiblePercentiles = Record<(typeof COMPATIBLE_PERCENTILES)[number], string>

/** Bars by the bin each one goes up to; the second set is that of the published pictures. */
export const CHART_GROUPS = {
  default: [0, 10, 19, 20, 21, 22, 23, 24, 25, 26, 27, 30, 64],
  demo: [10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 64],
} as const

/** Rounds to whole seconds of a time, half a second up. */
export function wholeSeconds(ns: bigint): number {
  return Number((ns + NS_PER_SECOND / 2n) / NS_PER_SECOND)
}

/**
 * Computes what each second of a window gets, half rounding up: more or less than the window had.
 */
function roundedThroughput(total: Exact, periodS: number): Exact {
  const seconds = Math.max(periodS, 1)
  // the quotient of integers below 2^53 never rounds up to the next whole number
  const doubled = 2 * Number(total) + seconds
  if (doubled <= Number.MAX_SAFE_INTEGER) return Math.floor(doubled / (2 * seconds))
  const period = BigInt(seconds)
  return exact((2n * BigInt(total) + period) / (2n * period))
}

/** Origin of a key: what the window that was received first has fixed for ever. */
export interface CompatibleOrigin {
  /** Hub clock at its receipt less its end. */
  readonly delayS: number
  /** Its end, though a later one may have an earlier end: seconds before it are not shown. */
  readonly firstEndS: number
}

/** A window as the original enters it. */
interface RoundedWindow extends WindowBins {
  readonly roundedEndS: number
  readonly roundedPeriodS: number
  /** Counts messages, skewed ones too. */
  total(): Exact
}

/**
 * The logs of one key as they are read at one moment: what would not be shown is not entered, so
 * that they take the same memory whatever comes.
 */
export class CompatibleTotals {
  readonly counts = new BinCounts()
  /** The clock that charts and statistics go by. */
  nowS = 0
  readonly #seconds = new SecondCounts(LINE_SECONDS)
  #firstEndS = 0
  /** Least second that the original has not forgotten. */
  #keptFromS = 0

  /** @param hubS the hub's clock in whole seconds */
  begin({ delayS, firstEndS }: CompatibleOrigin, hubS: number): void {
    this.counts.clear()
    this.#seconds.clear()
    this.nowS = hubS - delayS
    this.#firstEndS = firstEndS
    this.#keptFromS = hubS - KEPT_SECONDS
  }

  /** Tells whether latencies of a window count: there is no upper limit. */
  isShown({ roundedEndS }: Pick<RoundedWindow, 'roundedEndS'>): boolean {
    return roundedEndS >= Math.max(this.nowS - SHOWN_SECONDS, this.#keptFromS)
  }

  /** Windows that end earlier change nothing. */
  get fromS(): number {
    return this.nowS - LINE_SECONDS
  }

  add(window: RoundedWindow): void {
    if (this.isShown(window)) this.counts.addFrame(window)
    const { roundedEndS: endS, roundedPeriodS } = window
    const fromS = Math.max(this.#lineFromS, this.#keptFromS, endS - Math.max(roundedPeriodS, 1) + 1)
    const toS = Math.min(endS, this.nowS - 1)
    if (fromS > toS) return
    const each = roundedThroughput(window.total(), roundedPeriodS)
    for (let second = fromS; second <= toS; second++) {
      this.#seconds.add(second - this.nowS + LINE_SECONDS, each)
    }
  }

  get #lineFromS(): number {
    return Math.max(this.#firstEndS, this.nowS - LINE_SECONDS)
  }

  /**
   * Computes over the seconds that have an entry, from the first end on and before now; 0 without
   * any.
   */
  throughput(): ThroughputStatistics {
    const found = this.#seconds.statistics(LINE_SECONDS - SHOWN_SECONDS)
    return found ?? { min: 0, median: 0, max: 0 }
  }

  /** Lists every second of the line, four behind now, those without an entry 0. */
  line(): readonly (readonly [second: number, count: Exact])[] {
    const fromS = this.#lineFromS
    const length = Math.max(this.nowS - LINE_LAG_SECONDS - fromS + 1, 0)
    return Array.from({ length }, (_, i) => {
      const second = fromS + i
      return [second, this.#seconds.at(second - this.nowS + LINE_SECONDS) ?? 0] as const
    })
  }

  /** Lists seconds of the line that have an entry, ascending. */
  perSecond(): readonly (readonly [second: number, count: Exact])[] {
    const entries: (readonly [number, Exact])[] = []
    for (let i = 0; i < LINE_SECONDS; i++) {
      const count = this.#seconds.at(i)
      if (count !== undefined) entries.push([this.nowS - LINE_SECONDS + i, count])
    }
    return entries
  }
}

/**
 * Gives the upper bound of the first bin at which the rounded shares add up to a percentile, as
 * text.
 */
export function compatiblePercentiles(counts: BinCounts): CompatiblePercentiles {
  const found: CompatiblePercentiles = {
    ...{ '50.0': '0', '95.0': '0', '99.0': '0', '99.9': '0', '99.99': '0' },
  }
  const total = Number(counts.total())
  if (total === 0) return found
  let running = 0
  for (let bin = 0; bin < BINS; bin++) {
    const share = rounded((counts.approximate(bin) / total) * 100)
    const next = Math.min(rounded(running + share), 100)
    for (const name of COMPATIBLE_PERCENTILES) {
      const percentile = Number(name)
      if (running < percentile && next >= percentile) found[name] = `${1n << BigInt(bin)}`
    }
    running = next
  }
  return found
}

/**
 * Computes percent by latency bin: each bar all bins above the one before it, by its bound in ns.
 */
export function compatibleChart(
  counts: BinCounts,
  groups: readonly number[] = CHART_GROUPS.default,
): readonly (readonly [boundNs: string, percent: number])[] {
  const total = Number(counts.total())
  return groups.map((last, i) => {
    let sum = 0n
    for (let bin = (groups[i - 1] ?? -1) + 1; bin <= last; bin++) sum += counts.count(bin)
    const percent = total === 0 ? 0 : rounded((Number(sum) / total) * 100)
    return [`${1n << BigInt(last)}`, percent] as const
  })
}

/** Rounds to four decimals, by the exact value of the double. */
function rounded(value: number): number {
  return Number(value.toFixed(4))
}
