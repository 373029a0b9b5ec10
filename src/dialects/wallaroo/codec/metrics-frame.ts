/**
 * One Metrics frame, read in place (§3): byte ranges of its names, its bins that are not 0, and
 * what min and max can be believed (§4.4). One object serves a whole connection.
 *
 *   [event:str][topic:str][payloadSize:u32][payload]          str = [size:u32][UTF-8]
 *   payload = [payloadHeader:u32][name:str][category:str][worker:str][pipeline:str]
 *             [id:u16][bin0..bin64: 65 x u64][A:u64][B:u64][period:u64][end:u64]
 */
import { BINS, type Binning, noteBit } from '../spec.ts'
import { binningOf, isInBin } from './binning.ts'
import { BODY_START, FrameHead, type KnownHead, type MetricsFault } from './frame-head.ts'
import { compareHalves, toBigInt, toExact } from './halves.ts'
import { textOf } from './text.ts'

/** Order of min and max in a frame (§4.4). */
type MinMaxOrder = 'peer' | 'document' | 'same' | 'empty' | 'unknown'

const SKEW_HIGH = 0x8000_0000

const DOCUMENT_ORDER = noteBit('document_order')
const EMPTY_WINDOW = noteBit('empty_window')
const MINMAX_INCONSISTENT = noteBit('minmax_inconsistent')
const CLOCK_SKEW = noteBit('clock_skew')
const ZERO_PERIOD = noteBit('zero_period')

export class MetricsFrame {
  bytes: Uint8Array = EMPTY
  /** Place of the frame's first byte. */
  start = 0
  /** Head in front of the bins: that of a known series, or one that has been parsed. */
  head = new FrameHead()
  /** The series that the frame is known to be of; to be set by who finds it by its names. */
  known: KnownHead | undefined
  /** Indices of the bins that are not 0, ascending; `filledCount` of them are valid. */
  readonly filled = new Uint8Array(BINS)
  filledCount = 0
  /** Halves of the counts, by bin; valid for the filled ones only. */
  readonly high = new Uint32Array(BINS)
  readonly low = new Uint32Array(BINS)
  isWide = false
  order: MinMaxOrder = 'empty'
  isMinKnown = false
  isMaxKnown = false
  minHigh = 0
  minLow = 0
  maxHigh = 0
  maxLow = 0
  periodHigh = 0
  periodLow = 0
  endHigh = 0
  endLow = 0
  /** Mask of `noteBit`. */
  notes = 0
  readonly #parsed = this.head
  /** The series of the frame before. */
  #previous: KnownHead | undefined

  /**
   * Reads the body of a frame in bytes[start, end), behind its type byte.
   * @param view of the same bytes
   * @returns what is wrong with it; the fields are good only where nothing is
   */
  read(bytes: Uint8Array, view: DataView, start: number, end: number): MetricsFault | undefined {
    const frameStart = start - BODY_START
    this.bytes = bytes
    this.start = frameStart
    const expected = this.#previous?.next
    if (expected?.isOf(view, frameStart, end - frameStart)) {
      this.head = expected
      this.known = expected
    } else {
      this.head = this.#parsed
      this.known = undefined
      const fault = this.#parsed.read(bytes, view, frameStart, end)
      if (fault !== undefined) return fault
    }
    this.notes = this.head.notes
    const binsAt = frameStart + this.head.binsStart
    this.#readBins(view, binsAt)
    this.#readMinMax(view, binsAt + 8 * BINS)
    this.#readTimes(view, binsAt + 8 * BINS + 16)
    return undefined
  }

  /**
   * Remembers the head; to be called when the frame has been used, and before the next one is read.
   */
  remember(): void {
    const { known } = this
    const previous = this.#previous
    if (previous !== undefined && previous.next !== known) previous.next = known
    this.#previous = known
  }

  /**
   * Reads the bins; most are 0: those below and above the filled ones are passed over from both
   * sides.
   */
  #readBins(view: DataView, start: number): void {
    let lowest = start
    let end = start + 8 * BINS
    while (lowest < end && (view.getInt32(lowest) | view.getInt32(lowest + 4)) === 0) lowest += 8
    while (lowest < end && (view.getInt32(end - 8) | view.getInt32(end - 4)) === 0) end -= 8
    const { filled, high, low } = this
    let count = 0
    let highs = 0
    for (let at = lowest, bin = (lowest - start) >>> 3; at < end; at += 8, bin++) {
      const upper = view.getUint32(at)
      const lower = view.getUint32(at + 4)
      if ((upper | lower) === 0) continue
      filled[count++] = bin
      high[bin] = upper
      low[bin] = lower
      highs |= upper
    }
    this.filledCount = count
    this.isWide = highs !== 0
  }

  /** Reads both orders; the bins say first whether the values can be believed at all. */
  #readMinMax(view: DataView, at: number): void {
    this.isMinKnown = false
    this.isMaxKnown = false
    if (this.filledCount === 0) {
      this.order = 'empty'
      this.notes |= EMPTY_WINDOW
      return
    }
    const aHigh = view.getUint32(at)
    const aLow = view.getUint32(at + 4)
    const bHigh = view.getUint32(at + 8)
    const bLow = view.getUint32(at + 12)
    const comparison = compareHalves(aHigh, aLow, bHigh, bLow)
    const isSwapped = comparison > 0
    this.minHigh = isSwapped ? bHigh : aHigh
    this.minLow = isSwapped ? bLow : aLow
    this.maxHigh = isSwapped ? aHigh : bHigh
    this.maxLow = isSwapped ? aLow : bLow
    const lowest = this.filled[0]!
    const highest = this.filled[this.filledCount - 1]!
    if (
      !isInBin(this.minHigh, this.minLow, lowest) ||
      !isInBin(this.maxHigh, this.maxLow, highest)
    ) {
      this.order = 'unknown'
      this.notes |= MINMAX_INCONSISTENT
      return
    }
    this.order = comparison === 0 ? 'same' : isSwapped ? 'document' : 'peer'
    if (isSwapped) this.notes |= DOCUMENT_ORDER
    this.isMinKnown = this.minHigh < SKEW_HIGH
    this.isMaxKnown = this.maxHigh < SKEW_HIGH
    if (!this.isMaxKnown) this.notes |= CLOCK_SKEW
  }

  #readTimes(view: DataView, at: number): void {
    this.periodHigh = view.getUint32(at)
    this.periodLow = view.getUint32(at + 4)
    this.endHigh = view.getUint32(at + 8)
    this.endLow = view.getUint32(at + 12)
    if ((this.periodHigh | this.periodLow) === 0) this.notes |= ZERO_PERIOD
  }

  get id(): number {
    return this.head.id
  }

  get payloadSize(): number {
    return this.head.payloadSize
  }

  get payloadHeader(): number {
    return this.head.payloadHeader
  }

  get hash(): number {
    return this.head.hash
  }

  /** Place where reading stopped, after a fault. */
  get faultAt(): number {
    return this.start + this.#parsed.faultAt
  }

  get applicationStart(): number {
    return this.start + this.head.applicationStart
  }

  get applicationEnd(): number {
    return this.start + this.head.applicationEnd
  }

  get nameStart(): number {
    return this.start + this.head.nameStart
  }

  get nameEnd(): number {
    return this.start + this.head.nameEnd
  }

  get categoryStart(): number {
    return this.start + this.head.categoryStart
  }

  get categoryEnd(): number {
    return this.start + this.head.categoryEnd
  }

  get workerStart(): number {
    return this.start + this.head.workerStart
  }

  get workerEnd(): number {
    return this.start + this.head.workerEnd
  }

  get pipelineStart(): number {
    return this.start + this.head.pipelineStart
  }

  get pipelineEnd(): number {
    return this.start + this.head.pipelineEnd
  }

  get application(): string {
    return textOf(this.bytes, this.applicationStart, this.applicationEnd)
  }

  get name(): string {
    return textOf(this.bytes, this.nameStart, this.nameEnd)
  }

  get category(): string {
    return textOf(this.bytes, this.categoryStart, this.categoryEnd)
  }

  get worker(): string {
    return textOf(this.bytes, this.workerStart, this.workerEnd)
  }

  get pipeline(): string {
    return textOf(this.bytes, this.pipelineStart, this.pipelineEnd)
  }

  /** Counts the messages of the window: the sum of its bins, up to 65 times 2^64. */
  total(): bigint {
    let sum = 0n
    for (let i = 0; i < this.filledCount; i++) sum += this.count(this.filled[i]!)
    return sum
  }

  /** Gives the count of a filled bin. */
  count(bin: number): bigint {
    return toBigInt(this.high[bin]!, this.low[bin]!)
  }

  /** Gives the minimum; NaN where it is not known, as in the model. */
  min(): number | bigint {
    return this.isMinKnown ? toExact(this.minHigh, this.minLow) : Number.NaN
  }

  /** Gives the maximum; NaN where it is not known. */
  max(): number | bigint {
    return this.isMaxKnown ? toExact(this.maxHigh, this.maxLow) : Number.NaN
  }

  periodNs(): bigint {
    return toBigInt(this.periodHigh, this.periodLow)
  }

  endNs(): bigint {
    return toBigInt(this.endHigh, this.endLow)
  }

  /**
   * Tells which rule of binning min or max gives away; undefined where neither is a power of two.
   */
  binning(): Binning | undefined {
    if (this.order === 'empty' || this.order === 'unknown') return undefined
    const lowest = this.filled[0]!
    const highest = this.filled[this.filledCount - 1]!
    return (
      binningOf(this.minHigh, this.minLow, lowest) ?? binningOf(this.maxHigh, this.maxLow, highest)
    )
  }
}

const EMPTY = new Uint8Array(0)
