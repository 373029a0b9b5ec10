/**
 * Reading a zone (docs/formats/zone.md, "Memory order"): every metric is the sum of the base and
 * all segments. Readers take no lock and writers do not notice them. Only a fold moves values
 * between segments, and only a retirement takes them away; both keep the generation odd meanwhile,
 * and a reading during which that was odd or changed is taken again (generation.ts).
 */
import { addExact, type Exact, exact, Histogram, SCALE_MAX } from '../../model/index.ts'
import type { Descriptors } from '../definitions/descriptors.ts'
import { DENSE_BINS, type GaugeMode, type MetricType, PAGE_SHIFT, PAGE_WORDS } from '../layout.ts'
import type { Page, ZoneMemory } from '../memory/memory.ts'
import type { Segments } from '../segments/segments.ts'
import { readExponential } from '../slots/exponential-reading.ts'
import { ExponentialSlot } from '../slots/exponential-slot.ts'
import { combineGauge, type GaugeReading, gaugeSequence, readLaterGauge } from '../slots/gauge.ts'
import { BinsReader, type BinsReading, type BinTable, type SegmentBins } from './bins-reader.ts'
import { CountersReader, cappedTotal } from './counters-reader.ts'
import { type PlainCopy, type PlainGain, type PlainOutcome, PlainReader } from './plain-reading.ts'
import { SummaryTaker, type SummaryVisitor } from './summaries.ts'

export interface DenseReading {
  /** Modulo 2^64. */
  readonly sum: bigint
  /** 33 counts; bounds by `denseBound`. */
  readonly bins: BigUint64Array
}

/** Reading of what one segment holds of a metric. */
export type SegmentReading = { readonly segment: number } & (
  | { readonly type: 'counter'; readonly value: bigint }
  | ({ readonly type: 'gauge' } & GaugeReading)
  | ({ readonly type: 'bins' } & BinsReading)
  | { readonly type: 'exponential'; readonly histogram: Histogram }
)

/** Extremes of one window; filled by {@link ZoneReader.window}. */
export interface WindowReading {
  min: number
  max: number
  /** False when an integer beyond 2^53 was rounded to the nearest double. */
  isExact: boolean
}

const fence = new Int32Array(1)
const NO_METRICS = new Uint32Array(0)

/**
 * Totals of a zone: what all segments have of a metric, put together.
 *
 * @example
 * import { Zone } from 'pentameter/shm'
 *
 * const zone = Zone.create()
 * const hits = zone.define(Buffer.from('hits'), 'counter')
 * zone.attach().counter(hits)?.add(3)
 * zone.attach().counter(hits)?.add(4)
 * console.log(zone.reader().counter(hits)) // 7n
 */
export class ZoneReader {
  readonly #memory: ZoneMemory
  readonly #descriptors: Descriptors
  readonly #segments: Segments
  #slot: ExponentialSlot | undefined
  #target = new Histogram()
  /** Histogram of the segments after the first. */
  readonly #part = new Histogram()
  #metrics: Uint32Array = NO_METRICS
  readonly #counters: CountersReader
  #reading: GaugeReading = { value: Number.NaN, sequence: 0 }
  readonly #writersGauge: GaugeReading = { value: Number.NaN, sequence: 0 }
  readonly #bins: BinsReader
  readonly #plain: PlainReader
  readonly #summaries: SummaryTaker
  #window: WindowReading = { min: Number.NaN, max: Number.NaN, isExact: true }
  #askedEpoch = 0

  /** Takes its parts; readers come from `zone.reader()`. */
  constructor(memory: ZoneMemory, descriptors: Descriptors, segments: Segments) {
    this.#memory = memory
    this.#descriptors = descriptors
    this.#segments = segments
    this.#counters = new CountersReader(memory, descriptors, segments)
    this.#bins = new BinsReader(memory, descriptors, segments)
    this.#plain = new PlainReader(memory, descriptors, segments)
    this.#summaries = new SummaryTaker(memory, descriptors, segments)
  }

  /**
   * Reads the total of a counter, at most 2^64 - 1; never falls. Of a wrapping counter, modulo
   * 2^64.
   * @throws {TypeError} here and below when the metric is none, or of another type
   */
  counter(metric: number): bigint {
    this.#check(metric, 'counter')
    const total = this.#memory.generation.consistently(this.#sumCounter, metric)
    return cappedTotal(this.#descriptors, metric, total)
  }

  /**
   * Reads a counter as its writers see it: of a settable one what was set last and what came since,
   * which may be less than its total.
   */
  counterReading(metric: number): bigint {
    this.#check(metric, 'counter')
    return this.#memory.generation.consistently(this.#readCounter, metric)
  }

  /** The part not seen comes first: the total is never less than one that was read before it. */
  readonly #readCounter = (metric: number): bigint => {
    const descriptors = this.#descriptors
    const unseen = descriptors.mode(metric) === 'settable' ? descriptors.unseen(metric) : 0n
    return cappedTotal(descriptors, metric, this.#sumCounter(metric)) - unseen
  }

  /** Reads totals of many counters without garbage; fastest when the metrics ascend. */
  counters(metrics: Uint32Array, target: BigUint64Array): void {
    const unfit = this.#counters.read(metrics, target)
    if (unfit < 0) return
    this.#check(metrics[unfit]!, 'counter')
    this.counters(metrics, target) // it is one by now
  }

  /**
   * Reads for many gauges the place of the last write in the order of all, as {@link gauge} does:
   * so one sees cheaply which have changed.
   */
  gaugeSequences(metrics: Uint32Array, target: Float64Array): void {
    for (let i = 0; i < metrics.length; i++) this.#check(metrics[i]!, 'gauge')
    this.#metrics = metrics
    this.#memory.generation.consistently(this.#latestSequences, target)
    this.#metrics = NO_METRICS
  }

  /**
   * Reads the last write of all writers, or by the gauge's mode the sum, the least or the greatest
   * of what each has written last; false, with value NaN and sequence 0, when there was none. A
   * shared gauge has its value always, and the sequence 0.
   */
  gauge(metric: number, reading: GaugeReading): boolean {
    this.#check(metric, 'gauge')
    const mode = this.#descriptors.mode(metric) as GaugeMode
    this.#reading = reading
    const { generation } = this.#memory
    if (mode === 'last') return generation.consistently(this.#lastGauge, metric)
    if (mode !== 'shared') return generation.consistently(this.#combinedGauge, metric)
    reading.value = exact(this.#readShared(metric))
    reading.sequence = 0
    return true
  }

  /** Reads the value of a shared gauge: 0 before the first write. */
  sharedGauge(metric: number): bigint {
    this.#check(metric, 'gauge')
    if (this.#descriptors.mode(metric) === 'shared') return this.#readShared(metric)
    throw new TypeError(`metric ${metric} is no shared gauge`)
  }

  #readShared(metric: number): bigint {
    return this.#memory.generation.consistently(this.#loadShared, metric)
  }

  readonly #loadShared = (metric: number): bigint => {
    const { words } = this.#descriptors.pageOf(metric)
    const value = Atomics.load(words, this.#descriptors.sharedAt(metric))
    return BigInt.asUintN(64, value + this.#segments.sharedRest(metric))
  }

  /** Reads bins and sum of a dense, expanding or binned histogram over all segments. */
  bins(metric: number): BinsReading {
    return this.#bins.total(metric)
  }

  /**
   * Reads the table of each segment that has room for the histogram, the base first: of an
   * expanding one the bounds its writer holds, of a dense one and the base those that are not
   * empty, of a binned one all; the last bound always.
   */
  segmentBins(metric: number): SegmentBins[] {
    return this.#bins.tables(metric)
  }

  /**
   * Reads the histogram as documented: at most 18 bins. Total and sum are those of {@link bins}.
   */
  documentedBins(metric: number): BinTable {
    return this.#bins.documented(metric)
  }

  /**
   * Reads what each segment holds, the base (segment 0) first; only segments that have room for the
   * metric. A gauge that a segment's writer never wrote is left out; a shared gauge is in none, and
   * so is a summary, whose windows are for the one who takes them.
   */
  segments(metric: number): SegmentReading[] {
    if (!this.#descriptors.has(metric)) throw new TypeError(`metric ${metric} is not defined`)
    return this.#memory.generation.consistently(this.#readSegments, metric)
  }

  readonly #readSegments = (metric: number): SegmentReading[] => {
    const type = this.#descriptors.type(metric)
    const slotAt = this.#descriptors.slotAt(metric)
    const readings: SegmentReading[] = []
    if (this.#descriptors.mode(metric) === 'shared') return readings
    for (let segment = 0; segment < this.#segments.count; segment++) {
      const page = this.#segments.at(segment).pageOf(slotAt)
      const at = slotAt & (PAGE_WORDS - 1)
      if (page === undefined || type === 'summary') continue
      if (type === 'counter') readings.push({ segment, type, value: page.words[at]! })
      else if (type === 'gauge') {
        const gauge: GaugeReading = { value: Number.NaN, sequence: 0 }
        readLaterGauge(page, at, gauge)
        if (gauge.sequence > 0) readings.push({ segment, type, ...gauge })
      } else if (type === 'exponential') {
        const histogram = this.#readOne(segment, slotAt)
        if (histogram !== undefined) readings.push({ segment, type, histogram })
      } else readings.push({ segment, type: 'bins', ...this.#bins.ofSegment(metric, page) })
    }
    return readings
  }

  #readOne(segment: number, slotAt: number): Histogram | undefined {
    const slot = this.#exponentialSlot(segment, slotAt)
    const histogram = new Histogram()
    const sum = slot && readExponential(slot, histogram)
    if (sum === undefined) return undefined
    histogram.sum = addExact(sum.integers, sum.fractions)
    return histogram
  }

  /**
   * Reads the 33 bins of a dense histogram, or of an expanding one, which lie alike.
   * @throws {TypeError} also in the mode `fractions`, whose sum is no integer: see {@link bins}
   */
  dense(metric: number): DenseReading {
    this.#check(metric, this.#descriptors.type(metric) === 'expanding' ? 'expanding' : 'dense')
    if (this.#descriptors.mode(metric) === 'fractions') {
      throw new TypeError(`metric ${metric} counts fractions`)
    }
    return this.#memory.generation.consistently(this.#sumDense, metric)
  }

  /**
   * Reads the distribution since the metric was defined, with exact sum, min and max.
   * @param target a histogram to fill and answer instead of a new one, which costs less: what it
   *   held before is gone, its runs may keep empty buckets at their ends
   */
  exponential(metric: number, target: Histogram = new Histogram()): Histogram {
    this.#check(metric, 'exponential')
    this.#target = target
    return this.#memory.generation.consistently(this.#mergeExponential, metric)
  }

  /**
   * Reads what an exponential histogram has gained since a copy, which is not possible for all.
   * @param metric an exponential histogram, which is not looked at
   * @param epoch of the window that was closed last
   * @param gain to be filled; what is in it counts for `taken` only, and then the copy has it, too
   */
  gain(metric: number, epoch: number, copy: PlainCopy, gain: PlainGain): PlainOutcome {
    return this.#plain.read(metric, epoch, copy, gain)
  }

  /** Reads the total of a counter that may pass 2^64 - 1; for the refusal of increments. */
  counterTotal(metric: number): bigint {
    return this.#memory.generation.consistently(this.#sumCounter, metric)
  }

  /**
   * Ends the window that all exponential histograms are in; one reader of a zone does this, once
   * per tick. An observation in flight may land in the window just ended after this returns: its
   * count then shows in the next reading, its extremes in no window.
   * @returns the epoch of the window just ended; it can be read until the next call
   */
  closeWindow(): number {
    const memory = this.#memory
    if (memory.isReplaced) memory.follow()
    const ended = Atomics.add(memory.epoch, 0, 1)
    // Writers that have not moved look at the epoch of the zone before.
    for (const before of this.#segments.predecessors) {
      Atomics.store(before.memory.epoch, 0, ended + 1)
    }
    return ended
  }

  /**
   * Tells whether the histogram may have changed since the previous window was read: it was
   * observed in this window or the one before, whose last observations may have come after that
   * reading.
   */
  windowChanged(metric: number, epoch: number): boolean {
    this.#check(metric, 'exponential')
    this.#askedEpoch = epoch
    return this.#memory.generation.consistently(this.#isRecent, metric)
  }

  /**
   * Reads the extremes of a window over all segments; false, and both NaN, when nothing was
   * observed.
   */
  window(metric: number, epoch: number, reading: WindowReading): boolean {
    this.#check(metric, 'exponential')
    this.#askedEpoch = epoch
    this.#window = reading
    return this.#memory.generation.consistently(this.#widestWindow, metric)
  }

  /**
   * Says to the writers of all threads whether a reader takes summaries; while none does they keep
   * none. A reader that begins to listen takes, and drops, what was left from before.
   * @returns false, counted and with nothing changed, when the zone's lock could not be had
   */
  listen(isListening: boolean): boolean {
    return this.#summaries.listen(isListening)
  }

  /**
   * Takes what was observed by every summary since the last taking: each observation is visited
   * once, by whichever reader. One that is under way in another thread counts in this taking or the
   * next, and so does all of a writer that the machine has suspended in the middle of one (counted
   * in `usage().summariesDeferred`). Only summaries with observations are visited. A visitor that
   * throws loses what it has not been shown.
   * @returns false, counted and with nothing taken, when the zone's lock could not be had
   */
  takeSummaries(visit: SummaryVisitor): boolean {
    return this.#summaries.take(visit)
  }

  #check(metric: number, type: MetricType): void {
    const descriptors = this.#descriptors
    if (!descriptors.has(metric)) throw new TypeError(`metric ${metric} is not defined`)
    const actual = descriptors.type(metric)
    if (actual !== type) throw new TypeError(`metric ${metric} is a ${actual}, not a ${type}`)
  }

  readonly #sumCounter = (metric: number): bigint => {
    const slotAt = this.#descriptors.slotAt(metric)
    let total = 0n
    for (let i = 0; i < this.#segments.count; i++) {
      const page = this.#segments.at(i).pageOf(slotAt)
      if (page !== undefined) total += page.words[slotAt & (PAGE_WORDS - 1)]!
    }
    return total
  }

  readonly #latestSequences = (sequences: Float64Array): void => {
    sequences.fill(0, 0, this.#metrics.length)
    this.#visitSlots((i, page, at) => {
      const sequence = gaugeSequence(page, at)
      if (sequence > sequences[i]!) sequences[i] = sequence
    })
  }

  /** Visits the slots of the metrics asked for in all segments, segment by segment. */
  #visitSlots(visit: (index: number, page: Page, at: number) => void): void {
    const metrics = this.#metrics
    for (let s = 0; s < this.#segments.count; s++) {
      const segment = this.#segments.at(s)
      let chunk = -1
      let page: Page | undefined
      for (let i = 0; i < metrics.length; i++) {
        const slotAt = this.#descriptors.slotAt(metrics[i]!)
        if (slotAt >>> PAGE_SHIFT !== chunk) {
          chunk = slotAt >>> PAGE_SHIFT
          page = segment.pageOf(slotAt)
        }
        if (page !== undefined) visit(i, page, slotAt & (PAGE_WORDS - 1))
      }
    }
  }

  readonly #lastGauge = (metric: number): boolean => {
    const slotAt = this.#descriptors.slotAt(metric)
    const reading = this.#reading
    reading.value = Number.NaN
    reading.sequence = 0
    for (let i = 0; i < this.#segments.count; i++) {
      const page = this.#segments.at(i).pageOf(slotAt)
      if (page !== undefined) readLaterGauge(page, slotAt & (PAGE_WORDS - 1), reading)
    }
    return reading.sequence > 0
  }

  readonly #combinedGauge = (metric: number): boolean => {
    const slotAt = this.#descriptors.slotAt(metric)
    const mode = this.#descriptors.mode(metric) as GaugeMode
    const reading = this.#reading
    const part = this.#writersGauge
    reading.value = Number.NaN
    reading.sequence = 0
    for (let i = 0; i < this.#segments.count; i++) {
      const page = this.#segments.at(i).pageOf(slotAt)
      if (page === undefined) continue
      part.sequence = 0
      readLaterGauge(page, slotAt & (PAGE_WORDS - 1), part)
      combineGauge(mode, reading, part)
    }
    return reading.sequence > 0
  }

  readonly #sumDense = (metric: number): DenseReading => {
    const slotAt = this.#descriptors.slotAt(metric)
    const bins = new BigUint64Array(DENSE_BINS)
    let sum = 0n
    for (let i = 0; i < this.#segments.count; i++) {
      const words = this.#segments.at(i).pageOf(slotAt)?.words
      if (words === undefined) continue
      const at = slotAt & (PAGE_WORDS - 1)
      for (let bin = 0; bin < DENSE_BINS; bin++) bins[bin]! += words[at + 1 + bin]!
      sum += words[at]!
    }
    return { sum: BigInt.asUintN(64, sum), bins }
  }

  readonly #mergeExponential = (metric: number): Histogram => {
    const slotAt = this.#descriptors.slotAt(metric)
    const merged = this.#target
    let parts = 0
    let integers: Exact = 0
    let fractions = 0
    for (let i = 0; i < this.#segments.count; i++) {
      const slot = this.#exponentialSlot(i, slotAt)
      const sum = slot && readExponential(slot, parts === 0 ? merged : this.#part)
      if (sum === undefined) continue
      if (parts > 0) merged.mergeFrom(this.#part)
      parts++
      integers = addExact(integers, sum.integers)
      fractions += sum.fractions
    }
    if (parts === 0) empty(merged)
    merged.sum = addExact(integers, fractions)
    return merged
  }

  readonly #isRecent = (metric: number): boolean => {
    const slotAt = this.#descriptors.slotAt(metric)
    const epoch = this.#askedEpoch
    for (let i = 0; i < this.#segments.count; i++) {
      const slot = this.#exponentialSlot(i, slotAt)
      if (slot === undefined) continue
      if (slot.windowEpoch(epoch) === epoch) return true
      if (slot.windowEpoch(epoch - 1) === epoch - 1) return true
    }
    return false
  }

  readonly #widestWindow = (metric: number): boolean => {
    const slotAt = this.#descriptors.slotAt(metric)
    const reading = this.#window
    reading.min = Number.NaN
    reading.max = Number.NaN
    reading.isExact = true
    for (let i = 0; i < this.#segments.count; i++) {
      const slot = this.#exponentialSlot(i, slotAt)
      if (slot !== undefined) widenReading(slot, this.#askedEpoch, reading)
    }
    return !Number.isNaN(reading.min)
  }

  /** Finds the accessor of a histogram's slot in a segment, valid until the next call. */
  #exponentialSlot(index: number, slotAt: number): ExponentialSlot | undefined {
    const segment = this.#segments.at(index)
    const page = segment.pageOf(slotAt)
    if (page === undefined) return undefined
    const at = slotAt & (PAGE_WORDS - 1)
    if (this.#slot === undefined) this.#slot = new ExponentialSlot(segment.memory, page, at)
    else this.#slot.moveTo(page, at, segment.memory)
    return this.#slot
  }
}

function widenReading(slot: ExponentialSlot, epoch: number, reading: WindowReading): void {
  const { floats } = slot.page
  if (slot.windowEpoch(epoch) !== epoch) return
  const at = slot.windowAt(epoch)
  const min = floats[at]!
  const max = floats[at + 1]!
  const isInexact = slot.isWindowInexact(epoch)
  Atomics.store(fence, 0, 0)
  if (slot.windowEpoch(epoch) !== epoch || min > max) return
  if (!(reading.min <= min)) reading.min = min
  if (!(reading.max >= max)) reading.max = max
  if (isInexact) reading.isExact = false
}

/** Empties a histogram: it is one that no segment holds. */
function empty(histogram: Histogram): void {
  histogram.scale = SCALE_MAX
  histogram.count = 0n
  histogram.zeroCount = 0n
  histogram.zeroThreshold = 0
  histogram.min = Number.NaN
  histogram.max = Number.NaN
  histogram.positive.counts.fill(0n)
  histogram.negative.counts.fill(0n)
}
