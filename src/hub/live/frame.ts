/**
 * A frame is one closed interval of the whole hub: the cells of every series that changed, in
 * columns. Frames are immutable; the ring, the sessions and the sinks share the same ones, and
 * everything coarser is made by merging frames.
 */
import {
  type Cell,
  type Exact,
  exact,
  type Histogram,
  type Kind,
  type Summary,
} from '../../model/index.ts'
import type { PlainGain } from '../../shm/reading/plain-reading.ts'
import { HistogramPacker, unpackHistogram } from './packed-histogram.ts'

const TWO_32 = 4_294_967_296

/** Rough cost of the objects around the columns, for the ring's account of memory. */
const FRAME_OVERHEAD_BYTES = 1024

export class Frame {
  /** End of the interval, Unix ms; its start is `endMs - seconds * 1000`. */
  readonly endMs: number
  readonly seconds: number
  /** Ids in every column rise strictly. */
  readonly counterIds: Uint32Array
  /** Growth of the whole part of each total; {@link deltaAt} gives the increments themselves. */
  readonly counterDeltas: BigUint64Array
  /** The same as `[low][high]`: a BigInt for each would be garbage. */
  readonly #deltaHalves: Uint32Array
  readonly #fractions: ReadonlyMap<number, Exact>
  readonly gaugeIds: Uint32Array
  /** Nearest double; what it can't hold exactly is in `wideGauges` too. */
  readonly gaugeValues: Float64Array
  readonly wideGauges: ReadonlyMap<number, bigint>
  readonly histogramIds: Uint32Array
  readonly #histogramOffsets: Uint32Array
  readonly #histogramBytes: Uint8Array
  readonly summaryIds: Uint32Array
  readonly #summaries: readonly Summary[]

  constructor(columns: FrameBuilder, endMs: number, seconds: number) {
    this.endMs = endMs
    this.seconds = seconds
    this.counterIds = new Uint32Array(columns.counterColumn.ids)
    this.counterDeltas = new BigUint64Array(columns.counterColumn.deltas)
    this.#deltaHalves = new Uint32Array(this.counterDeltas.buffer)
    this.#fractions = columns.counterColumn.fractions
    this.gaugeIds = new Uint32Array(columns.gaugeIds)
    this.gaugeValues = new Float64Array(columns.gaugeValues)
    this.wideGauges = columns.wideGauges
    this.histogramIds = new Uint32Array(columns.histogramIds)
    this.#histogramOffsets = new Uint32Array(columns.histogramOffsets)
    this.#histogramBytes = columns.packer.bytes()
    this.summaryIds = new Uint32Array(columns.summaryIds)
    this.#summaries = columns.summaries
  }

  /** Bytes it keeps alive, for the memory bound of the ring. */
  get size(): number {
    return (
      FRAME_OVERHEAD_BYTES +
      this.counterIds.length * 12 +
      this.#fractions.size * 64 +
      this.gaugeIds.length * 12 +
      this.wideGauges.size * 64 +
      this.histogramIds.length * 8 +
      this.#histogramBytes.length +
      this.summaryIds.length * 80
    )
  }

  get cellCount(): number {
    const { counterIds, gaugeIds, histogramIds, summaryIds } = this
    return counterIds.length + gaugeIds.length + histogramIds.length + summaryIds.length
  }

  /** Counters whose increments had fractions. */
  get fractionalIds(): Iterable<number> {
    return this.#fractions.keys()
  }

  /** Gives what the counter in row `row` of the column grew by. */
  deltaAt(row: number): Exact {
    return this.#fractions.get(this.counterIds[row]!) ?? exact(this.counterDeltas[row]!)
  }

  /** Gives the double that is nearest to {@link deltaAt}. */
  deltaNumberAt(row: number): number {
    if (this.#fractions.size > 0) {
      const fraction = this.#fractions.get(this.counterIds[row]!)
      if (fraction !== undefined) return Number(fraction)
    }
    // both halves are exact: the sum is rounded once, as the conversion of the whole would be
    return this.#deltaHalves[2 * row + 1]! * TWO_32 + this.#deltaHalves[2 * row]!
  }

  /** Reads the histogram in row `row` of the column; a fresh object each time. */
  histogramAt(row: number): Histogram {
    return unpackHistogram(this.#histogramBytes, this.#histogramOffsets[row]!)
  }

  gaugeAt(row: number): Exact {
    return this.wideGauges.get(this.gaugeIds[row]!) ?? this.gaugeValues[row]!
  }

  summaryAt(row: number): Summary {
    return this.#summaries[row]!
  }

  /** Reads the cell of one series; undefined when nothing happened to it in the interval. */
  cell(id: number, kind: Kind): Cell | undefined {
    const row = this.row(id, kind)
    if (row < 0) return undefined
    switch (kind) {
      case 'counter':
        return { kind, delta: this.deltaAt(row) }
      case 'gauge':
        return { kind, value: this.gaugeAt(row), at: this.endMs }
      case 'histogram':
        return { kind, histogram: this.histogramAt(row) }
      case 'summary':
        return { kind, summary: this.summaryAt(row) }
    }
  }

  /** Finds the row of a series in its kind's column; negative when it is not there. */
  row(id: number, kind: Kind): number {
    return findId(this.ids(kind), id)
  }

  /** Lists ids of the series of a kind that changed, rising. */
  ids(kind: Kind): Uint32Array {
    switch (kind) {
      case 'counter':
        return this.counterIds
      case 'gauge':
        return this.gaugeIds
      case 'histogram':
        return this.histogramIds
      case 'summary':
        return this.summaryIds
    }
  }
}

/** Finds an id by binary search; -1 when absent. */
function findId(ids: Uint32Array, id: number): number {
  let low = 0
  let high = ids.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = ids[middle]!
    if (found === id) return middle
    if (found < id) low = middle + 1
    else high = middle - 1
  }
  return -1
}

interface CounterColumn {
  readonly ids: ArrayLike<number>
  readonly deltas: ArrayLike<bigint>
  /** Increments by id that are not what their row states, because they had fractions. */
  readonly fractions: ReadonlyMap<number, Exact>
}

const NO_FRACTIONS: ReadonlyMap<number, Exact> = new Map()

/**
 * Builder of one frame's columns. Ids of counters and summaries must be given in rising order;
 * gauges and histograms, which are read from the zone in two ways each, are sorted at the end.
 */
export class FrameBuilder {
  readonly #counterIds: number[] = []
  readonly #counterDeltas: bigint[] = []
  readonly #fractions = new Map<number, Exact>()
  counterColumn: CounterColumn = {
    ids: this.#counterIds,
    deltas: this.#counterDeltas,
    fractions: this.#fractions,
  }
  readonly gaugeIds: number[] = []
  readonly gaugeValues: number[] = []
  readonly wideGauges = new Map<number, bigint>()
  readonly histogramIds: number[] = []
  readonly histogramOffsets: number[] = []
  readonly packer = new HistogramPacker()
  readonly summaryIds: number[] = []
  readonly summaries: Summary[] = []

  /** @param whole what the whole part of the total grew by; without it, that of `delta` */
  counter(id: number, delta: Exact, whole = wholeOf(delta)): void {
    this.#counterIds.push(id)
    this.#counterDeltas.push(whole)
    if (delta !== whole && exact(delta) !== exact(whole)) this.#fractions.set(id, delta)
  }

  /**
   * Adds all counters at once, instead of one by one; the arrays are copied by {@link build}.
   * @param fractions by id, increments that are not as their row says
   */
  counters(ids: Uint32Array, deltas: BigUint64Array, fractions = NO_FRACTIONS): void {
    this.counterColumn = { ids, deltas, fractions }
  }

  gauge(id: number, value: Exact): void {
    this.gaugeIds.push(id)
    this.gaugeValues.push(Number(value))
    if (typeof value === 'bigint') this.wideGauges.set(id, value)
  }

  histogram(id: number, histogram: Histogram): void {
    this.histogramIds.push(id)
    this.histogramOffsets.push(this.packer.add(histogram))
  }

  histogramGain(id: number, gain: PlainGain): void {
    this.histogramIds.push(id)
    this.histogramOffsets.push(this.packer.addGain(gain))
  }

  summary(id: number, summary: Summary): void {
    this.summaryIds.push(id)
    this.summaries.push(summary)
  }

  build(endMs: number, seconds: number): Frame {
    sortTogether(this.gaugeIds, this.gaugeValues)
    sortTogether(this.histogramIds, this.histogramOffsets)
    return new Frame(this, endMs, seconds)
  }
}

function wholeOf(delta: Exact): bigint {
  return typeof delta === 'bigint' ? delta : BigInt(Math.trunc(delta))
}

function sortTogether(ids: number[], values: number[]): void {
  if (ids.every((id, i) => i === 0 || id > ids[i - 1]!)) return
  const rows = ids.map((id, i) => [id, values[i]!] as const).sort((a, b) => a[0] - b[0])
  rows.forEach(([id, value], i) => {
    ids[i] = id
    values[i] = value
  })
}
