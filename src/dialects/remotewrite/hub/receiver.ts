/**
 * Samples into the model: each finds its stream, and is added to its series as what it brings since
 * the one before. Nothing says when a counter began: the first sample only says where it stands,
 * and a smaller one is a reset, since which all is new.
 */
import type { Task } from '../../../hub/tasks/task.ts'
import { emptyLike, takeGain } from '../../../model/histogram/cumulative.ts'
import {
  type Exact,
  Histogram,
  type Identity,
  identityKey,
  keyedHash,
  type Metadata,
} from '../../../model/index.ts'
import type { Peer, Reports } from '../../endpoints.ts'
import type { Ingest } from '../../ingest.ts'
import { readExemplar } from '../codec/exemplar.ts'
import { NativeHistogram } from '../codec/native-histogram.ts'
import { SeriesScan } from '../codec/series-scan.ts'
import { histogramIdentity, histogramMetadata, histogramOf, meaningOf } from '../map.ts'
import {
  AHEAD_MS_LIMIT,
  LATE_MS,
  NAME,
  RESET_HINTS,
  type RefusalCode,
  SAMPLE_ERROR_CODES,
  type SampleErrorCode,
} from '../spec.ts'
import type { Families } from './families.ts'
import type { Stream, Streams } from './streams.ts'

/** Samples that are taken before others have their turn; each costs about a microsecond. */
const SAMPLES_PER_STEP = 256
/** Bytes of a series that cost as much as a sample does. */
const SERIES_BYTES = 1024
const MS_PER_SECOND = 1000
/** Types of keys in the ingest. */
const KEY_TYPES = { counter: 0, gauge: 1, histogram: 2 } as const
const CODES: ReadonlySet<string> = new Set(SAMPLE_ERROR_CODES)

type Code = SampleErrorCode | RefusalCode

/** Samples of one request that were taken, and of those that were not how many for which reason. */
export interface Taken {
  accepted: number
  rejected: number
  readonly reasons: Map<string, number>
}

interface ReceiverParts {
  readonly ingest: Ingest
  readonly families: Families
  readonly streams: Streams
  readonly reports: Reports
  readonly nowMs: () => number
}

export class Receiver {
  readonly #parts: ReceiverParts
  readonly #native = new NativeHistogram()
  readonly #gain = new Histogram()
  readonly #counterCell = { kind: 'counter' as const, delta: 0 as Exact }
  readonly #histogramCell = { kind: 'histogram' as const, histogram: new Histogram() }

  constructor(parts: ReceiverParts) {
    this.#parts = parts
  }

  /** Takes the samples of a request whose framing fits. */
  *take(bytes: Uint8Array, peer: Peer): Task<Taken> {
    const taken: Taken = { accepted: 0, rejected: 0, reasons: new Map() }
    const { ingest, streams, nowMs } = this.#parts
    const scan = new SeriesScan(bytes)
    let left = SAMPLES_PER_STEP
    ingest.begin(peer.address)
    while (scan.next()) {
      const found: Stream | Code = scan.problem ?? streams.find(scan, nowMs())
      if (typeof found === 'string') {
        this.#reject(taken, found, scan, peer, scan.pointCount)
        left -= 1 + scan.pointCount
      } else {
        this.#refresh(found)
        while (scan.nextPoint()) {
          const code = this.#takePoint(scan, found)
          if (code === undefined) taken.accepted++
          else this.#reject(taken, code, scan, peer, 1)
          left--
          if (left > 0) continue
          left = SAMPLES_PER_STEP
          yield
          ingest.begin(peer.address)
        }
        if (scan.exemplarCount > 0) this.#takeExemplars(scan, found)
        left -= 1 + scan.exemplarCount + (scan.to - scan.from) / SERIES_BYTES
      }
      if (left > 0) continue
      left = SAMPLES_PER_STEP
      yield
      ingest.begin(peer.address)
    }
    return taken
  }

  #reject(taken: Taken, code: Code, scan: SeriesScan, peer: Peer, count: number): void {
    if (count === 0) return
    taken.rejected += count
    taken.reasons.set(code, (taken.reasons.get(code) ?? 0) + count)
    const { reports, ingest } = this.#parts
    if (!CODES.has(code)) {
      for (let i = 0; i < count; i++) ingest.refuse(code)
      return
    }
    const { bytes, from, to } = scan
    const error = { dialect: NAME, code, offset: from, resync: true }
    reports.decodeError(error, bytes, peer, 'a series of a request', from, to)
  }

  /** Looks at what is said of the metric again, once anything was said anew. */
  #refresh(stream: Stream): void {
    const { families, ingest } = this.#parts
    if (stream.version === families.version) return
    stream.version = families.version
    const meaning = meaningOf(stream, families.find)
    if (meaning.kind !== stream.meaning.kind) {
      const isKnown = stream.generation === ingest.generation && stream.slot >= 0
      if (isKnown) ingest.retire(stream.slot)
      stream.generation = -1
      stream.value = Number.NaN
    } else if (JSON.stringify(meaning) !== JSON.stringify(stream.meaning)) stream.isChanged = true
    stream.meaning = meaning
  }

  #takePoint(scan: SeriesScan, stream: Stream): Code | undefined {
    if (scan.isHistogram) return this.#takeHistogram(scan, stream)
    if (!scan.readSample()) return 'bad_sample'
    const timeMs = this.#timeOf(scan.timeMs)
    const order = this.#orderOf(timeMs, stream.timeMs)
    if (order === 'repeated') return this.#takeRepeated(stream, scan)
    if (order !== undefined) return order
    if (stream.meaning.kind === 'gauge') this.#takeGauge(stream, scan)
    else {
      const problem = this.#takeCounter(stream, scan, timeMs)
      if (problem !== undefined) return problem
    }
    stream.timeMs = timeMs
    return undefined
  }

  /** Gives the time of a sample; one without any is of now. */
  #timeOf(timeMs: number): number {
    const nowMs = this.#parts.nowMs()
    if (timeMs > 0 && nowMs - timeMs > LATE_MS) this.#parts.ingest.note('late')
    return timeMs === 0 ? nowMs : timeMs
  }

  #orderOf(timeMs: number, lastMs: number): RefusalCode | 'repeated' | undefined {
    if (timeMs - this.#parts.nowMs() > AHEAD_MS_LIMIT) return 'clock_ahead'
    if (timeMs < lastMs) return 'out_of_order'
    return timeMs === lastMs ? 'repeated' : undefined
  }

  /** Takes what was sent again, as after an answer that got lost; another value is none. */
  #takeRepeated(stream: Stream, { value, timeMs }: SeriesScan): RefusalCode | undefined {
    if (timeMs !== 0 && !Object.is(value, stream.value)) return 'duplicate_timestamp'
    this.#parts.ingest.note('duplicate')
    return undefined
  }

  #takeGauge(stream: Stream, { value, isStale }: SeriesScan): void {
    const { ingest } = this.#parts
    const isKnown = !Number.isNaN(stream.value)
    stream.value = value
    if (Number.isFinite(value)) {
      ingest.set(this.#slot(stream), value)
      return
    }
    ingest.note(isStale ? 'stale' : 'not_finite')
    if (isKnown) ingest.end(this.#slot(stream))
    if (isStale) stream.value = Number.NaN
  }

  #takeCounter(
    stream: Stream,
    { value, isStale }: SeriesScan,
    timeMs: number,
  ): SampleErrorCode | undefined {
    const { ingest } = this.#parts
    if (isStale) {
      ingest.note('stale')
      return undefined
    }
    if (!(value >= 0) || value === Number.POSITIVE_INFINITY) return 'bad_value'
    const isFirst = Number.isNaN(stream.value)
    const isReset = value < stream.value
    if (isReset) ingest.note('unannounced_reset')
    const cell = this.#counterCell
    cell.delta = isFirst ? 0 : isReset ? value : value - stream.value
    const seconds = isFirst ? undefined : (timeMs - stream.timeMs) / MS_PER_SECOND
    ingest.merge(this.#slot(stream), cell, seconds)
    stream.value = value
    return undefined
  }

  #takeHistogram({ bytes, pointFrom, pointTo }: SeriesScan, stream: Stream): Code | undefined {
    const { ingest } = this.#parts
    const native = this.#native
    const problem = native.read(bytes, pointFrom, pointTo)
    if (problem !== undefined) return problem
    const timeMs = this.#timeOf(native.timeMs)
    const order = this.#orderOf(timeMs, stream.histogramMs)
    if (order === 'repeated') ingest.note('duplicate')
    if (order !== undefined) return order === 'repeated' ? undefined : order
    if (native.isStale) {
      ingest.note('stale')
      stream.histogramMs = timeMs
      return undefined
    }
    const read = histogramOf(native)
    if (typeof read === 'string') return read
    const earlier = stream.histogram
    const isReset =
      earlier !== undefined &&
      (RESET_HINTS[native.resetHint] === 'YES' || !takeGain(read, earlier, this.#gain))
    if (isReset) ingest.note('unannounced_reset')
    const cell = this.#histogramCell
    cell.histogram = earlier === undefined ? emptyLike(read) : isReset ? read : this.#gain
    ingest.merge(this.#histogramSlot(stream, read), cell)
    stream.histogram = read
    stream.histogramMs = timeMs
    return undefined
  }

  /**
   * Keeps the exemplars of a series that is there: they come after its samples, as a rule without
   * any beside them. What is none is noted, and costs itself.
   */
  #takeExemplars({ bytes, exemplars, exemplarCount }: SeriesScan, stream: Stream): void {
    const { ingest, nowMs } = this.#parts
    const { generation } = ingest
    const slot = stream.histogramGeneration === generation ? stream.histogramSlot : stream.slot
    const isThere = stream.histogramGeneration === generation || stream.generation === generation
    for (let i = 0; i < exemplarCount; i++) {
      const [from, to] = [exemplars[2 * i]!, exemplars[2 * i + 1]!]
      const exemplar = readExemplar(bytes, from, to, nowMs())
      if (exemplar === undefined) ingest.note('bad_exemplar')
      else if (!isThere || slot < 0) ingest.note('exemplar_of_no_series')
      else ingest.addExemplar?.(slot, exemplar)
    }
  }

  #slot(stream: Stream): number {
    const { ingest } = this.#parts
    const { metadata, kind } = stream.meaning
    if (stream.generation !== ingest.generation) {
      const { name, labels } = stream
      stream.slot = this.#slotOf({ name, kind, labels }, metadata, KEY_TYPES[kind])
      stream.generation = this.#generationOf(stream.slot)
    }
    if (stream.isChanged) ingest.annotate(stream.slot, metadata)
    stream.isChanged = false
    return stream.slot
  }

  #histogramSlot(stream: Stream, read: Histogram): number {
    const { ingest, families } = this.#parts
    const isKnown = stream.histogramGeneration === ingest.generation
    const isSaid = stream.histogramVersion === families.version
    if (isKnown && isSaid) return stream.histogramSlot
    const metadata = histogramMetadata(families.find(stream.name), read)
    if (!isKnown) {
      const identity = histogramIdentity(stream)
      stream.histogramSlot = this.#slotOf(identity, metadata, KEY_TYPES.histogram)
      stream.histogramGeneration = this.#generationOf(stream.histogramSlot)
    }
    if (!isSaid) ingest.annotate(stream.histogramSlot, metadata)
    stream.histogramVersion = families.version
    return stream.histogramSlot
  }

  #slotOf(identity: Identity, metadata: Metadata, type: number): number {
    const key = identityKey(identity)
    const isWindowed = identity.kind === 'histogram'
    return this.#parts.ingest.slot(key, 0, key.length, type, keyedHash(key, 0, key.length), () => {
      return { identity, metadata, ...(isWindowed ? { isWindowed } : {}) }
    })
  }

  /** Gives the generation to remember a slot by: one that was refused is asked for again. */
  #generationOf(slot: number): number {
    const { ingest } = this.#parts
    return slot < 0 || ingest.isOverflow?.(slot) === true ? -1 : ingest.generation
  }
}
