/**
 * Streams of samples by their bytes: labels are found again as they were sent, without being read.
 * Where the same labels come in another order, they are read once and lead to the same stream. What
 * is known here is bounded: streams that were silent make room.
 */
import { KeyTable } from '../../../hub/ingest/keys/key-table.ts'
import { forEachItem, runNow, type Task } from '../../../hub/tasks/task.ts'
import { type Histogram, keyedHash } from '../../../model/index.ts'
import type { MetricMetadata } from '../codec/request-scan.ts'
import { readLabels, type SeriesScan } from '../codec/series-scan.ts'
import { meaningOf, type SeriesMapping, type SeriesName, seriesNameOf } from '../map.ts'
import {
  LABELS_BYTES_LIMIT,
  LABELS_LIMIT,
  type RefusalCode,
  type SampleErrorCode,
  type Version,
} from '../spec.ts'
import type { Families } from './families.ts'

/** Silence after which a stream may make room for another, ms, and after which it is forgotten. */
const YIELDING_MS = 120_000
const FORGOTTEN_MS = 3_600_000
/** Pause between looks for those that may make room, ms. */
const ROOM_EVERY_MS = 1000
/** Ways of writing that are remembered, for each stream that may be. */
const SPELLINGS_PER_STREAM = 2
const SPELLINGS_LEAST = 1024

/** One stream of samples, with what must be known of its last one. */
export interface Stream extends SeriesName {
  meaning: SeriesMapping
  /** Metadata that came beside it; undefined where it came by itself, or not at all. */
  said: MetricMetadata | undefined
  /** Version of what is said of metrics that the meaning is of, and the histogram's. */
  version: number
  histogramVersion: number
  /** The series has not been told yet what is said anew. */
  isChanged: boolean
  /** Slots of its series in the ingest, of this generation; negative for none. */
  slot: number
  generation: number
  histogramSlot: number
  histogramGeneration: number
  /** Unix ms of the last sample and the last histogram; 0 before any. */
  timeMs: number
  histogramMs: number
  /** Last reading; NaN before any, and behind the end of a gauge. */
  value: number
  histogram: Histogram | undefined
  seenMs: number
}

export class Streams {
  readonly #limit: number
  readonly #families: Families
  #table = new KeyTable()
  /** Streams by slot of the table. */
  #known: Stream[] = []
  readonly #streams = new Map<string, Stream>()
  #madeRoomMs = Number.NEGATIVE_INFINITY
  readonly #key = new Uint8Array(LABELS_BYTES_LIMIT + 4 * LABELS_LIMIT)
  /** Streams that were refused. */
  refused = 0
  /**
   * Time since which every stream that was there is known, Unix ms: what began later has not been
   * counted before.
   */
  knownSinceMs: number

  constructor(limit: number, families: Families, sinceMs: number) {
    this.#limit = limit
    this.#families = families
    this.knownSinceMs = sinceMs
  }

  get size(): number {
    return this.#streams.size
  }

  get limit(): number {
    return this.#limit
  }

  /** Finds the stream of the series that a scan is at. */
  find(scan: SeriesScan, nowMs: number): Stream | SampleErrorCode | RefusalCode {
    const size = this.#writeKey(scan)
    const key = this.#key
    const table = this.#table
    const { version } = scan.request
    const slot = table.isRehashed
      ? table.findRehashed(key, 0, size, version)
      : table.find(key, 0, size, version, keyedHash(key, 0, size))
    let stream: Stream | SampleErrorCode | RefusalCode | undefined = this.#known[slot]
    if (slot < 0 || stream === undefined) {
      stream = this.#read(scan, nowMs)
      if (typeof stream === 'string') return stream
      this.#remember(size, version, stream)
    }
    stream.seenMs = nowMs
    return stream
  }

  #read(scan: SeriesScan, nowMs: number): Stream | SampleErrorCode | RefusalCode {
    const pairs = readLabels(scan)
    if (typeof pairs === 'string') return pairs
    const series = seriesNameOf(pairs)
    if (typeof series === 'string') return series
    const key = JSON.stringify([series.name, series.labels])
    const known = this.#streams.get(key)
    if (known !== undefined) return known
    if (this.#streams.size >= this.#limit) this.#makeRoom(nowMs)
    if (this.#streams.size >= this.#limit) {
      this.refused++
      return 'streams_limit'
    }
    const stream: Stream = {
      ...series,
      meaning: meaningOf(series, this.#families.find),
      ...{ said: undefined, version: this.#families.version, histogramVersion: -1 },
      isChanged: false,
      ...{ slot: -1, generation: -1, histogramSlot: -1, histogramGeneration: -1 },
      ...{ timeMs: 0, histogramMs: 0, value: Number.NaN, histogram: undefined, seenMs: nowMs },
    }
    this.#streams.set(key, stream)
    return stream
  }

  /** Forgets streams that were silent for so long. */
  *sweep(nowMs: number, silentMs = FORGOTTEN_MS): Task {
    const silent: string[] = []
    yield* forEachItem(this.#streams, ([key, { seenMs }]) => {
      if (nowMs - seenMs >= silentMs) silent.push(key)
    })
    if (silent.length === 0) return
    for (const key of silent) {
      const stream = this.#streams.get(key)
      if (stream === undefined || nowMs - stream.seenMs < silentMs) continue
      this.knownSinceMs = Math.max(this.knownSinceMs, stream.timeMs, stream.histogramMs)
      this.#streams.delete(key)
    }
    this.#forgetSpellings()
  }

  /** Looks for streams that may make room, once a second: a flood of new ones looks no oftener. */
  #makeRoom(nowMs: number): void {
    if (nowMs - this.#madeRoomMs < ROOM_EVERY_MS) return
    this.#madeRoomMs = nowMs
    runNow(this.sweep(nowMs, YIELDING_MS))
  }

  #forgetSpellings(): void {
    this.#table = new KeyTable()
    this.#known = []
  }

  #remember(size: number, version: Version, stream: Stream): void {
    // other spellings must not pile up
    if (this.#known.length > SPELLINGS_LEAST + SPELLINGS_PER_STREAM * this.#limit) {
      this.#forgetSpellings()
    }
    const key = this.#key
    this.#known[this.#table.add(key, 0, size, version, keyedHash(key, 0, size))] = stream
  }

  /** Writes `[size:u16le][label]…`, of 2.0 names and values in turn. @returns its size */
  #writeKey({ bytes, labels, rangeCount }: SeriesScan): number {
    const key = this.#key
    let size = 0
    for (let i = 0; i < rangeCount; i++) {
      const from = labels[2 * i]!
      const to = labels[2 * i + 1]!
      key[size++] = to - from
      key[size++] = (to - from) >>> 8
      for (let at = from; at < to; at++) key[size++] = bytes[at]!
    }
    return size
  }
}
