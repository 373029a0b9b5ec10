/**
 * A frame is one closed interval of the whole hub: the cells of every series that changed, in
 * columns. Frames are immutable; the ring, the sessions and the sinks share the same ones, and
 * everything coarser is made by merging frames.
 */
import {
  type Cell,
  type Exact,
  exact,
  type GaugeSpread,
  type Histogram,
  type Kind,
  type Summary,
} from '../../model/index.ts'
import type { BucketSums } from '../../model/packed/bucket-sums.ts'
import {
  HistogramPacker,
  type PackedHistograms,
  type PackedParts,
} from '../../model/packed/packed-histogram.ts'
import type { PlainGain } from '../../shm/reading/plain-reading.ts'
import { runNow, type Task } from '../tasks/task.ts'
import { CellColumn, type Cells } from './cell-column.ts'
import { type PackedSpreads, type PlainSpread, SpreadPacker } from './packed-spreads.ts'

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
  /** Gauges of which more is known than one value, with the places of their spreads. */
  readonly #spreadPlaces: Cells<Uint32Array>
  readonly #spreads: PackedSpreads
  readonly histogramIds: Uint32Array
  readonly #histogramPlaces: Uint32Array
  readonly #histograms: PackedHistograms
  readonly summaryIds: Uint32Array
  readonly #summaries: readonly Summary[]

  constructor(columns: FrameColumns, endMs: number, seconds: number) {
    this.endMs = endMs
    this.seconds = seconds
    this.counterIds = columns.counters.ids
    this.counterDeltas = columns.counters.values
    this.#deltaHalves = new Uint32Array(this.counterDeltas.buffer)
    this.#fractions = columns.fractions
    this.gaugeIds = columns.gauges.ids
    this.gaugeValues = columns.gauges.values
    this.wideGauges = columns.wideGauges
    this.#spreadPlaces = columns.spreadPlaces
    this.#spreads = columns.spreads
    this.histogramIds = columns.histograms.ids
    this.#histogramPlaces = columns.histograms.values
    this.#histograms = columns.packed
    this.summaryIds = Uint32Array.from(columns.summaries, ({ id }) => id)
    this.#summaries = columns.summaries.map(({ summary }) => summary)
  }

  /** Bytes it keeps alive, for the memory bound of the ring. */
  get size(): number {
    return (
      FRAME_OVERHEAD_BYTES +
      this.counterIds.length * 12 +
      this.#fractions.size * 64 +
      this.gaugeIds.length * 12 +
      this.wideGauges.size * 64 +
      this.#spreadPlaces.ids.length * 8 +
      this.#spreads.size +
      this.histogramIds.length * 8 +
      this.#histograms.size +
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
    return this.#histograms.read(this.#histogramPlaces[row]!)
  }

  /** Gives the bytes of the histogram in row `row`; undefined where it may have bounds. */
  packedHistogramAt(row: number): Uint8Array | undefined {
    if (this.#histograms.hasBounds) return undefined
    return this.#histograms.bytesAt(this.#histogramPlaces[row]!)
  }

  /** Adds the histogram in row `row` of the column to sums; false, without it, if it has bounds. */
  addHistogramTo(sums: BucketSums, row: number): boolean {
    return this.#histograms.addTo(sums, this.#histogramPlaces[row]!)
  }

  /** Gives the number of observations in a row of a kind's column. */
  countAt(row: number, kind: 'histogram' | 'summary'): bigint {
    if (kind === 'histogram') return this.#histograms.countAt(this.#histogramPlaces[row]!)
    return BigInt(this.#summaries[row]!.count)
  }

  gaugeAt(row: number): Exact {
    return this.wideGauges.get(this.gaugeIds[row]!) ?? this.gaugeValues[row]!
  }

  /** Reads what the gauge in a row went through; undefined where its value is all that is known. */
  spreadAt(row: number): GaugeSpread | undefined {
    const { ids, values } = this.#spreadPlaces
    const at = ids.length === 0 ? -1 : findId(ids, this.gaugeIds[row]!)
    if (at < 0) return undefined
    return { ...this.#spreads.read(values[at]!), firstAt: this.endMs }
  }

  /** Lists the gauges of which more is known than a value, by row. */
  *spreads(): Iterable<[row: number, spread: PlainSpread]> {
    const { ids, values } = this.#spreadPlaces
    for (let i = 0; i < ids.length; i++) {
      yield [findId(this.gaugeIds, ids[i]!), this.#spreads.read(values[i]!)]
    }
  }

  /** Gives all histograms as they are packed, with the place of each row. */
  packedHistograms(): { readonly places: Uint32Array; readonly packed: PackedParts } {
    return { places: this.#histogramPlaces, packed: this.#histograms.parts }
  }

  summaryAt(row: number): Summary {
    return this.#summaries[row]!
  }

  /** Reads the cell of one series; undefined when nothing happened to it in the interval. */
  cell(id: number, kind: Kind): Cell | undefined {
    const row = this.row(id, kind)
    return row < 0 ? undefined : this.cellAt(row, kind)
  }

  /** Reads the cell in a row of its kind's column. */
  cellAt(row: number, kind: Kind): Cell {
    switch (kind) {
      case 'counter':
        return { kind, delta: this.deltaAt(row) }
      case 'gauge': {
        const spread = this.spreadAt(row)
        const cell = { kind, value: this.gaugeAt(row), at: this.endMs } as const
        return spread === undefined ? cell : { ...cell, spread }
      }
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

/** Columns of a frame, ids rising in each. */
interface FrameColumns {
  readonly counters: Cells<BigUint64Array>
  /** Increments of counters by id that are not what their row states, as they had fractions. */
  readonly fractions: ReadonlyMap<number, Exact>
  readonly gauges: Cells<Float64Array>
  readonly wideGauges: ReadonlyMap<number, bigint>
  readonly spreadPlaces: Cells<Uint32Array>
  readonly spreads: PackedSpreads
  readonly histograms: Cells<Uint32Array>
  readonly packed: PackedHistograms
  readonly summaries: readonly { readonly id: number; readonly summary: Summary }[]
}

/** Builder of one frame's columns. Ids of summaries must be given in rising order. */
export class FrameBuilder {
  readonly #counters = new CellColumn(BigUint64Array)
  #fractions = new Map<number, Exact>()
  /** All counters at once, instead of one by one. */
  #counterCells: Cells<BigUint64Array> | undefined
  readonly #gauges = new CellColumn(Float64Array)
  readonly #wideGauges = new Map<number, bigint>()
  readonly #spreadPlaces = new CellColumn(Uint32Array)
  readonly #spreads = new SpreadPacker()
  readonly #histograms = new CellColumn(Uint32Array)
  readonly #packer = new HistogramPacker()
  readonly #summaries: { readonly id: number; readonly summary: Summary }[] = []

  /** @param whole what the whole part of the total grew by; without it, that of `delta` */
  counter(id: number, delta: Exact, whole = wholeOf(delta)): void {
    this.#counters.add(id, whole)
    if (delta !== whole && exact(delta) !== exact(whole)) this.#fractions.set(id, delta)
  }

  /**
   * Gives all counters at once, instead of one by one, ids rising; all of it is the frame's then.
   * @param fractions by id, increments that are not as their row says
   */
  counters(cells: Cells<BigUint64Array>, fractions: Map<number, Exact>): void {
    this.#counterCells = cells
    this.#fractions = fractions
  }

  /** @param spread where more values than the last one are known */
  gauge(id: number, value: Exact, spread?: PlainSpread): void {
    this.#gauges.add(id, Number(value))
    if (typeof value === 'bigint') this.#wideGauges.set(id, value)
    if (spread !== undefined) this.#spreadPlaces.add(id, this.#spreads.add(spread))
  }

  histogram(id: number, histogram: Histogram): void {
    this.#histograms.add(id, this.#packer.add(histogram))
  }

  /** Takes a histogram over from a frame as it is packed there, which costs less. */
  packedHistogram(id: number, frame: Frame, row: number): void {
    const packed = frame.packedHistogramAt(row)
    if (packed === undefined) this.histogram(id, frame.histogramAt(row))
    else this.#histograms.add(id, this.#packer.addPacked(packed))
  }

  histogramGain(id: number, gain: PlainGain): void {
    this.#histograms.add(id, this.#packer.addGain(gain))
  }

  summary(id: number, summary: Summary): void {
    this.#summaries.push({ id, summary })
  }

  build(endMs: number, seconds: number): Frame {
    return runNow(this.building(endMs, seconds))
  }

  /** Does the same in steps. */
  *building(endMs: number, seconds: number): Task<Frame> {
    const columns: FrameColumns = {
      counters: this.#counterCells ?? (yield* this.#counters.joined()),
      fractions: this.#fractions,
      gauges: yield* this.#gauges.joined(),
      wideGauges: this.#wideGauges,
      spreadPlaces: yield* this.#spreadPlaces.joined(),
      spreads: this.#spreads.packed(),
      histograms: yield* this.#histograms.joined(),
      packed: this.#packer.packed(),
      summaries: this.#summaries,
    }
    return new Frame(columns, endMs, seconds)
  }
}

function wholeOf(delta: Exact): bigint {
  return typeof delta === 'bigint' ? delta : BigInt(Math.trunc(delta))
}
