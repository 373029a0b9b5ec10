/**
 * An ingest that is small and plainly right: maps, exact numbers and the model's own histogram, no
 * limits but those it is given. What dialects are tested against, and what the hub's ingest is
 * compared with.
 */
import { type Describe, type Ingest, REFUSED } from '../../src/dialects/ingest.ts'
import {
  addExact,
  type CounterCell,
  EMPTY_SUMMARY,
  type Exact,
  type Exemplar,
  exact,
  Histogram,
  type HistogramCell,
  type Identity,
  type Metadata,
  mergeSummaries,
  multiplyExact,
  type Summary,
  type SummaryCell,
  subtractExact,
  U64_MAX,
} from '../../src/model/index.ts'

export interface ModelSeries {
  readonly key: Uint8Array
  readonly type: number
  readonly identity: Identity
  metadata: Metadata
  readonly counterBits: number | undefined
  /** Addresses that wrote to it, in the order of their first write. */
  readonly sources: Set<string>
  total: Exact
  down: Exact
  last: Exact | undefined
  resets: number
  value: Exact | undefined
  readonly histogram: Histogram
  summary: Summary
  /** The newest window of it. */
  lastSummary: Summary
  /** How many windows were merged, and their lengths together. */
  windows: number
  windowSec: number
  isRetired: boolean
  carry: number
  downCarry: number
}

export interface ModelIngestOptions {
  readonly negativeMeter?: 'split' | 'refuse'
  readonly seriesLimit?: number
  /** Series that one address may bring. */
  readonly seriesLimitPerSource?: number
}

/** Relative distance at which a weight counts as a whole number. */
const TOLERANCE = 1e-9
const I64_MIN = -(2n ** 63n)

export class ModelIngest implements Ingest {
  generation = 0
  readonly series: ModelSeries[] = []
  /** Refusals and remarks by code. */
  readonly counted: Record<string, number> = {}
  /** Measurements offered, refused ones included. */
  measurements = 0
  readonly #options: ModelIngestOptions
  readonly #slots = new Map<string, number>()
  /** Series that each address has brought. */
  readonly #brought = new Map<string, number>()
  #source = ''

  constructor(options: ModelIngestOptions = {}) {
    this.#options = options
  }

  begin(source: string): void {
    this.#source = source
  }

  slot(
    bytes: Uint8Array,
    start: number,
    end: number,
    type: number,
    _hash: number,
    describe: Describe,
  ): number {
    const key = new Uint8Array(bytes.subarray(start, end))
    const text = `${type} ${key.join()}`
    const known = this.#slots.get(text)
    if (known !== undefined) return known
    const limit = this.limit
    if (limit !== undefined) {
      this.note(limit)
      return REFUSED
    }
    this.#brought.set(this.#source, (this.#brought.get(this.#source) ?? 0) + 1)
    const { identity, metadata, counterBits } = describe(key, type)
    this.#slots.set(text, this.series.length)
    return (
      this.series.push({
        key,
        type,
        identity,
        metadata,
        counterBits,
        sources: new Set(),
        total: 0,
        down: 0,
        last: undefined,
        resets: 0,
        value: undefined,
        histogram: new Histogram(),
        summary: EMPTY_SUMMARY,
        lastSummary: EMPTY_SUMMARY,
        windows: 0,
        windowSec: 0,
        isRetired: false,
        carry: 0,
        downCarry: 0,
      }) - 1
    )
  }

  /** The limit that a new series of the source at hand would pass, if any. */
  protected get limit(): 'series_limit' | 'series_limit_per_source' | undefined {
    const { seriesLimit = Infinity, seriesLimitPerSource = Infinity } = this.#options
    if (this.series.length >= seriesLimit) return 'series_limit'
    const brought = this.#brought.get(this.#source) ?? 0
    return brought >= seriesLimitPerSource ? 'series_limit_per_source' : undefined
  }

  /** Begins anew, as if it had just been made. */
  reset(): void {
    this.series.length = 0
    this.exemplars.length = 0
    for (const code of Object.keys(this.counted)) delete this.counted[code]
    this.measurements = 0
    this.#slots.clear()
    this.#brought.clear()
    this.#source = ''
  }

  /** Exemplars in the order in which they came, by the name of their series. */
  readonly exemplars: (readonly [name: string, exemplar: Exemplar])[] = []

  addExemplar(slot: number, exemplar: Exemplar): void {
    const series = this.#at(slot)
    if (series !== undefined) this.exemplars.push([series.identity.name, exemplar])
  }

  count(slot: number, value: Exact, weight: number): void {
    this.measurements++
    const series = this.#at(slot)
    if (series === undefined) return
    if (value >= 0) {
      const [whole, carry] = weigh(value, weight, series.carry)
      series.carry = carry
      series.total = this.#grown(series.total, whole)
    } else {
      const [whole, carry] = weigh(subtractExact(0, value), weight, series.downCarry)
      series.downCarry = carry
      series.down = this.#grown(series.down, whole)
    }
  }

  read(slot: number, reading: Exact): void {
    this.measurements++
    const series = this.#at(slot)
    if (series === undefined) return
    const { last, counterBits } = series
    series.last = reading
    if (last === undefined) return
    let delta = subtractExact(reading, last)
    if (delta < 0) {
      const isWrap = counterBits !== undefined && BigInt(last) < 2n ** BigInt(counterBits)
      if (!isWrap) series.resets++
      delta = isWrap ? addExact(delta, exact(2n ** BigInt(counterBits))) : reading
    }
    series.total = this.#grown(series.total, delta)
  }

  set(slot: number, value: Exact): void {
    this.measurements++
    const series = this.#at(slot)
    if (series === undefined) return
    const isExact = value <= U64_MAX && value >= I64_MIN
    if (!isExact) this.note('inexact')
    series.value = isExact ? value : Number(value)
  }

  end(slot: number): void {
    const series = this.#at(slot)
    if (series !== undefined) series.value = Number.NaN
  }

  observe(slot: number, value: Exact, weight: number): void {
    this.measurements++
    const series = this.#at(slot)
    if (series === undefined) return
    const [times, carry] = weigh(1, weight, series.carry)
    series.carry = carry
    series.histogram.record(value, times)
  }

  merge(
    slot: number,
    cell: CounterCell | HistogramCell | SummaryCell,
    intervalSec = Number.NaN,
    earlier = EMPTY_SUMMARY,
  ): void {
    const series = this.#at(slot)
    if (series === undefined || series.identity.kind !== cell.kind) return
    if (cell.kind === 'summary') {
      series.summary = mergeSummaries(mergeSummaries(series.summary, earlier), cell.summary)
      series.lastSummary = cell.summary
    } else if (cell.kind === 'histogram') {
      series.histogram.mergeFrom(cell.histogram)
    } else if (cell.delta >= 0 && cell.delta !== Number.POSITIVE_INFINITY) {
      series.total = this.#grown(series.total, cell.delta)
    } else {
      this.note('value_range')
      return
    }
    series.windows++
    series.windowSec += intervalSec
  }

  /** It stays in the list, marked; its key gets a new slot when it comes again. */
  retire(slot: number): void {
    const series = this.series[slot]
    if (series === undefined || series.isRetired) return
    series.isRetired = true
    this.generation++
    for (const [key, held] of this.#slots) if (held === slot) this.#slots.delete(key)
  }

  seriesOf(slot: number): number {
    return slot
  }

  annotate(slot: number, metadata: Metadata): void {
    const series = this.#at(slot)
    if (series !== undefined) series.metadata = metadata
  }

  refuse(code: string): void {
    this.measurements++
    this.note(code)
  }

  note(code: string): void {
    this.counted[code] = (this.counted[code] ?? 0) + 1
  }

  #at(slot: number): ModelSeries | undefined {
    const series = this.series[slot]
    series?.sources.add(this.#source)
    return series
  }

  /** A total after an increment; one that would pass 2^64 - 1 is refused. */
  #grown(total: Exact, increment: Exact): Exact {
    const sum = addExact(total, increment)
    if (increment <= U64_MAX && sum <= U64_MAX) return sum
    this.note('value_range')
    return total
  }
}

/** value * weight as an integer, and the fraction to carry to the next line of the series. */
function weigh(value: Exact, weight: number, carry: number): [whole: Exact, carry: number] {
  const nearest = Math.round(weight)
  if (Math.abs(weight - nearest) <= TOLERANCE * Math.max(1, weight)) {
    return [multiplyExact(value, nearest), carry]
  }
  const sum = carry + Number(value) * weight
  const whole = Math.floor(sum + TOLERANCE)
  return [exact(BigInt(whole)), sum - whole]
}
