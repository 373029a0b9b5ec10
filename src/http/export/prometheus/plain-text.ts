/**
 * Text of plain series (layout/plain-names.ts), written as bytes: a counter or a gauge costs well
 * below a microsecond and leaves no garbage. The same text as by family-text.ts.
 */
import { bucketLines, distributionText } from '../../../exposition/histogram-text.ts'
import { exemplarText, numberText } from '../../../exposition/text.ts'
import {
  beganMs,
  type CounterRecord,
  isWindowed,
  type SeriesRecord,
} from '../../../hub/series/record.ts'
import type { HubView } from '../../../hub/view.ts'
import type { Exact, Histogram } from '../../../model/index.ts'
import { CHUNK_BYTES, ROWS_PER_STEP } from '../../pieces.ts'
import { familyText } from './family-text.ts'
import { type LayoutOptions, plainFamily } from './layout/families.ts'
import type { PlainList } from './layout/plain-list.ts'
import type { PlainNames } from './layout/plain-names.ts'
import { counterExemplar } from './row-value.ts'

const HELP = Buffer.from('# HELP ')
const TYPE = Buffer.from('# TYPE ')
const COUNTER = Buffer.from(' counter\n')
const GAUGE = Buffer.from(' gauge\n')
const HISTOGRAM = Buffer.from(' histogram\n')
const TOTAL = Buffer.from('_total')
const CREATED = Buffer.from('_created')
const SPACE = 0x20
const LINE_FEED = 0x0a
const OPEN = 0x28
const CLOSE = 0x29
const MINUS = 0x2d
const ZERO = 0x30
const TWO_32 = 2 ** 32
/** Bits above the lower 32 that a whole double may have. */
const HIGH_SAFE = 2 ** 21
const BILLION = 1e9
/** Bytes that a unit of UTF-16 takes at most. */
const UTF8_BYTES = 3
/** Constant parts and numbers of one family. */
const REST_BYTES = 256
/** Room of a buffer beyond a full chunk. */
const SLACK_BYTES = 16_384

export class PlainText {
  readonly #view: HubView
  readonly #names: PlainNames
  readonly #options: LayoutOptions
  readonly #isOpenMetrics: boolean
  /** Series at hand, and those of them whose totals are read at once. */
  readonly #records: SeriesRecord[] = []
  readonly #suffixes: number[] = []
  readonly #counters: CounterRecord[] = []
  readonly #totals = new BigUint64Array(ROWS_PER_STEP)
  readonly #halves = new Uint32Array(this.#totals.buffer)
  #buffer = Buffer.allocUnsafeSlow(0)
  /** Begin and end of what is written in the buffer and not taken yet. */
  #from = 0
  #at = 0
  /** Ends of the buffers before. */
  #written: Uint8Array[] = []
  #createdMs = Number.NaN
  #createdText = ''

  constructor(view: HubView, names: PlainNames, options: LayoutOptions, isOpenMetrics: boolean) {
    this.#view = view
    this.#names = names
    this.#options = options
    this.#isOpenMetrics = isOpenMetrics
  }

  /** Whether there is a chunk of it. */
  get isFull(): boolean {
    return this.#written.length > 0 || this.#at - this.#from >= CHUNK_BYTES
  }

  /** Takes what has been written since. */
  take(): readonly Uint8Array[] {
    const taken = this.#written
    this.#written = []
    if (this.#at > this.#from) taken.push(this.#buffer.subarray(this.#from, this.#at))
    this.#from = this.#at
    return taken
  }

  /**
   * Writes some dozens of families from a place on.
   * @param endId id of a series, before which it ends
   * @returns the place after them
   */
  add(list: PlainList, from: number, endId: number): number {
    const place = this.#collect(list, from, endId)
    if (this.#counters.length > 0) this.#view.countersOf(this.#counters, this.#totals)
    let counter = 0
    for (let i = 0; i < this.#records.length; i++) {
      const record = this.#records[i]!
      const isPlain = this.#names.isSame(record, this.#suffixes[i]!)
      const isRead = isReadAtOnce(record)
      if (isPlain) this.#addRecord(record, isRead ? counter : -1)
      if (isRead) counter++
    }
    return place
  }

  #collect(list: PlainList, from: number, endId: number): number {
    this.#records.length = 0
    this.#suffixes.length = 0
    this.#counters.length = 0
    const end = Math.min(list.length, from + ROWS_PER_STEP)
    let place = from
    for (; place < end; place++) {
      const id = list.idOf(place)
      if (id >= endId) break
      const record = list.has(place) ? this.#view.series.get(id) : undefined
      if (record === undefined || this.#view.isAway(record)) continue
      this.#records.push(record)
      this.#suffixes.push(list.suffixOf(place))
      if (isReadAtOnce(record)) this.#counters.push(record)
    }
    return place
  }

  /** @param counter number of its total among those that were read at once; -1 for none */
  #addRecord(record: SeriesRecord, counter: number): void {
    if (counter >= 0) {
      const low = this.#halves[2 * counter]!
      const high = this.#halves[2 * counter + 1]!
      this.#open(record, COUNTER)
      if (high < HIGH_SAFE) this.#addWhole(high * TWO_32 + low)
      else this.#addText(String(this.#totals[counter]))
      this.#closeCounter(record)
      return
    }
    const total = this.#view.total(record)
    if (total.kind === 'counter') {
      this.#open(record, COUNTER)
      this.#addNumber(total.total)
      this.#closeCounter(record)
    } else if (total.kind === 'gauge') {
      if (total.value === undefined || Number.isNaN(total.value)) return
      this.#open(record, GAUGE)
      this.#addNumber(total.value)
      this.#buffer[this.#at++] = LINE_FEED
    } else if (total.kind === 'histogram' && this.#names.type === 'histogram') {
      this.#addHistogram(record, total.histogram)
    } else this.#addFamily(record)
  }

  #addHistogram(record: SeriesRecord, histogram: Histogram): void {
    this.#addHead(record, HISTOGRAM)
    const { labels } = this.#names
    const name = this.#names.text
    const inner = Buffer.from(labels.subarray(1, -1)).toString()
    const text = distributionText('histogram', name, inner)!
    const isWindow = isWindowed(record)
    const exemplars = this.#view.series.exemplars.of(record.id)
    const lines = bucketLines(histogram, text, 0, this.#isOpenMetrics, isWindow, exemplars)
    this.#reserve(UTF8_BYTES * lines.length + REST_BYTES + this.#names.length + labels.length)
    this.#at += this.#buffer.write(lines, this.#at)
    this.#addCreated(record)
  }

  #addFamily(record: SeriesRecord): void {
    const family = plainFamily(record, this.#options)
    for (const piece of familyText(family, this.#view, this.#isOpenMetrics)) {
      if (piece === undefined) continue
      this.#reserve(UTF8_BYTES * piece.length)
      this.#at += this.#buffer.write(piece, this.#at)
    }
  }

  /** Writes HELP, TYPE and the sample of a counter or a gauge up to its value. */
  #open(record: SeriesRecord, type: Uint8Array): void {
    this.#addHead(record, type)
    const { labels } = this.#names
    this.#addName(type === COUNTER ? TOTAL : undefined)
    this.#addBytes(labels, labels.length)
    this.#buffer[this.#at++] = SPACE
  }

  /** Writes HELP and TYPE, and makes room for a sample. */
  #addHead(record: SeriesRecord, type: Uint8Array): void {
    const { dialect } = record.metadata
    const { labels, raw } = this.#names
    const fixed = REST_BYTES + 4 * this.#names.length + 2 * labels.length
    this.#reserve(fixed + raw.length + dialect.length)
    const isCounter = type === COUNTER
    if (this.#isOpenMetrics) {
      this.#addTypeLine(false, type)
      this.#addHelpLine(false, raw, dialect)
    } else {
      this.#addHelpLine(isCounter, raw, dialect)
      this.#addTypeLine(isCounter, type)
    }
  }

  #addTypeLine(isTotal: boolean, type: Uint8Array): void {
    this.#addBytes(TYPE, TYPE.length)
    this.#addName(isTotal ? TOTAL : undefined)
    this.#addBytes(type, type.length)
  }

  #addHelpLine(isTotal: boolean, name: Uint8Array, dialect: string): void {
    this.#addBytes(HELP, HELP.length)
    this.#addName(isTotal ? TOTAL : undefined)
    this.#buffer[this.#at++] = SPACE
    this.#addBytes(name, name.length)
    this.#buffer[this.#at++] = SPACE
    this.#buffer[this.#at++] = OPEN
    this.#addText(dialect)
    this.#buffer[this.#at++] = CLOSE
    this.#buffer[this.#at++] = LINE_FEED
  }

  #closeCounter(record: SeriesRecord): void {
    if (this.#isOpenMetrics && this.#view.series.exemplars.size > 0) this.#addExemplar(record)
    this.#buffer[this.#at++] = LINE_FEED
    this.#addCreated(record)
  }

  #addExemplar(record: SeriesRecord): void {
    const exemplar = counterExemplar(this.#view, { record, part: undefined }, 'counter')
    if (exemplar === undefined) return
    const text = exemplarText(exemplar)
    // what is reserved for a family has no place for it
    this.#reserve(
      UTF8_BYTES * text.length + REST_BYTES + this.#names.length + this.#names.labels.length,
    )
    this.#at += this.#buffer.write(text, this.#at)
  }

  /** Writes when a total began, which OpenMetrics says behind its samples. */
  #addCreated(record: SeriesRecord): void {
    if (!this.#isOpenMetrics || !this.#options.createdSamples) return
    this.#addName(CREATED)
    const { labels } = this.#names
    this.#addBytes(labels, labels.length)
    this.#buffer[this.#at++] = SPACE
    const ms = Math.round(beganMs(record))
    if (ms !== this.#createdMs) this.#createdText = String(ms / 1000)
    this.#createdMs = ms
    this.#addText(this.#createdText)
    this.#buffer[this.#at++] = LINE_FEED
  }

  #addName(suffix: Uint8Array | undefined): void {
    this.#addBytes(this.#names.bytes, this.#names.length)
    if (suffix !== undefined) this.#addBytes(suffix, suffix.length)
  }

  #addNumber(value: Exact): void {
    if (!Number.isSafeInteger(value)) this.#addText(numberText(value))
    else if ((value as number) >= 0) this.#addWhole(value as number)
    else {
      this.#buffer[this.#at++] = MINUS
      this.#addWhole(-(value as number))
    }
  }

  /** @param value from 0 to 2^53 - 1 */
  #addWhole(value: number): void {
    if (value < BILLION) {
      let size = 1
      for (let limit = 10; value >= limit; limit *= 10) size++
      this.#addDigits(value, size)
    } else {
      const upper = Math.floor(value / BILLION)
      this.#addWhole(upper)
      this.#addDigits(value - upper * BILLION, 9)
    }
  }

  #addDigits(value: number, size: number): void {
    let rest = value
    for (let i = this.#at + size - 1; i >= this.#at; i--) {
      const tenth = Math.floor(rest / 10)
      this.#buffer[i] = ZERO + rest - 10 * tenth
      rest = tenth
    }
    this.#at += size
  }

  /** @param text of ASCII */
  #addText(text: string): void {
    const { length } = text
    const buffer = this.#buffer
    const at = this.#at
    for (let i = 0; i < length; i++) buffer[at + i] = text.charCodeAt(i)
    this.#at = at + length
  }

  #addBytes(bytes: Uint8Array, length: number): void {
    const buffer = this.#buffer
    const at = this.#at
    for (let i = 0; i < length; i++) buffer[at + i] = bytes[i]!
    this.#at = at + length
  }

  /** Makes room for so many bytes. */
  #reserve(size: number): void {
    if (this.#at + size <= this.#buffer.length) return
    if (this.#at > this.#from) this.#written.push(this.#buffer.subarray(this.#from, this.#at))
    this.#buffer = Buffer.allocUnsafeSlow(Math.max(size, CHUNK_BYTES + SLACK_BYTES))
    this.#from = 0
    this.#at = 0
  }
}

function isReadAtOnce(record: SeriesRecord): record is CounterRecord {
  return record.kind === 'counter' && record.windows === undefined
}
