/**
 * Samples into the model: each finds its stream, and is added to its series as what it brings since
 * the one before. The first sample only says where a total stands, unless it says that this began
 * when the hub was there already; one that began later than the sample before, or is smaller, is a
 * reset, since which all is new.
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
import type { MetricMetadata, OpenedRequest } from '../codec/request-scan.ts'
import { SeriesScan } from '../codec/series-scan.ts'
import {
  histogramIdentity,
  histogramMetadata,
  histogramOf,
  meaningOf,
  metricNameOf,
} from '../map.ts'
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
  /** Native histograms among the accepted. */
  histograms: number
  rejected: number
  readonly exemplars: { accepted: number; rejected: number }
  /** Reasons of rejected samples, in 2.0 of rejected exemplars, too. */
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
  *take(request: OpenedRequest, peer: Peer): Task<Taken> {
    const taken: Taken = {
      ...{ accepted: 0, histograms: 0, rejected: 0, reasons: new Map() },
      exemplars: { accepted: 0, rejected: 0 },
    }
    const { ingest, streams, nowMs } = this.#parts
    const scan = new SeriesScan(request)
    let left = SAMPLES_PER_STEP
    ingest.begin(peer.address)
    while (scan.next()) {
      const found: Stream | Code = scan.problem ?? streams.find(scan, nowMs())
      if (typeof found === 'string') {
        this.#reject(taken, found, scan, peer, scan.pointCount)
        taken.exemplars.rejected += scan.exemplarCount + scan.exemplarsLeftOut
        left -= scan.pointCount
      } else {
        this.#hear(scan, found)
        this.#refresh(found)
        while (scan.nextPoint()) {
          const code = this.#takePoint(scan, found)
          if (code === undefined) {
            taken.accepted++
            if (scan.isHistogram) taken.histograms++
          } else this.#reject(taken, code, scan, peer, 1)
          left--
          if (left > 0) continue
          left = SAMPLES_PER_STEP
          yield
          ingest.begin(peer.address)
        }
        if (scan.exemplarCount > 0) this.#takeExemplars(scan, found, taken)
        left -= scan.exemplarCount
      }
      left -= 1 + (scan.to - scan.from + scan.labelBytes) / SERIES_BYTES
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

  /** Takes what a series says of its metric, where that is something else than it said before. */
  #hear(scan: SeriesScan, stream: Stream): void {
    const words = scan.said()
    if (words === undefined) return
    const { said } = stream
    if (said?.type === words.type && said.help === words.help && said.unit === words.unit) return
    const name = metricNameOf(stream.name, words.type)
    stream.said = this.#parts.families.take({ ...words, name })
    stream.version = -1
    stream.histogramVersion = -1
  }

  /** Finds what is said of a metric: beside the stream itself, or else by its name. */
  #saidOf(name: string, { said }: Stream): MetricMetadata | undefined {
    return said?.name === name ? said : this.#parts.families.find(name)
  }

  /** Looks at what is said of the metric again, once anything was said anew. */
  #refresh(stream: Stream): void {
    const { families, ingest } = this.#parts
    if (stream.version === families.version) return
    stream.version = families.version
    const meaning = meaningOf(stream, (name) => this.#saidOf(name, stream))
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

  /**
   * Tells whether all that a total has came since its last sample, as the time says at which it
   * began: behind that sample, or for a first one while streams were known.
   */
  #isNew(startMs: number, timeMs: number, lastMs: number, isFirst: boolean): boolean {
    const { streams } = this.#parts
    return startMs <= timeMs && startMs > (isFirst ? streams.knownSinceMs : lastMs)
  }

  #takeCounter(
    stream: Stream,
    { value, isStale, startMs }: SeriesScan,
    timeMs: number,
  ): SampleErrorCode | undefined {
    const { ingest } = this.#parts
    if (isStale) {
      ingest.note('stale')
      return undefined
    }
    if (!(value >= 0) || value === Number.POSITIVE_INFINITY) return 'bad_value'
    const isFirst = Number.isNaN(stream.value)
    const isNew = this.#isNew(startMs, timeMs, stream.timeMs, isFirst)
    const isReset = !isNew && value < stream.value
    if (isReset) ingest.note('unannounced_reset')
    const cell = this.#counterCell
    cell.delta = isNew || isReset ? value : isFirst ? 0 : value - stream.value
    const sinceMs = isFirst ? (isNew ? startMs : timeMs) : stream.timeMs
    const seconds = sinceMs === timeMs ? undefined : (timeMs - sinceMs) / MS_PER_SECOND
    ingest.merge(this.#slot(stream), cell, seconds)
    stream.value = value
    return undefined
  }

  #takeHistogram(scan: SeriesScan, stream: Stream): Code | undefined {
    const { ingest } = this.#parts
    const { bytes, pointFrom, pointTo } = scan
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
    const startMs = native.startMs === 0 ? scan.createdMs : native.startMs
    const isNew = this.#isNew(startMs, timeMs, stream.histogramMs, earlier === undefined)
    const isReset =
      !isNew &&
      earlier !== undefined &&
      (RESET_HINTS[native.resetHint] === 'YES' || !takeGain(read, earlier, this.#gain))
    if (isReset) ingest.note('unannounced_reset')
    const cell = this.#histogramCell
    const isWhole = isNew || isReset
    cell.histogram = isWhole ? read : earlier === undefined ? emptyLike(read) : this.#gain
    ingest.merge(this.#histogramSlot(stream, read), cell)
    stream.histogram = read
    stream.histogramMs = timeMs
    return undefined
  }

  /**
   * Keeps the exemplars of a series that is there: they come with its samples, in 1.0 as a rule
   * after them and without any beside them. What is none is noted, and costs itself.
   */
  #takeExemplars(scan: SeriesScan, stream: Stream, taken: Taken): void {
    const { ingest } = this.#parts
    const { generation } = ingest
    const slot = stream.histogramGeneration === generation ? stream.histogramSlot : stream.slot
    const isThere = stream.histogramGeneration === generation || stream.generation === generation
    const left = (reason: string): void => {
      ingest.note(reason)
      taken.exemplars.rejected++
      if (scan.request.version === 1) return
      taken.reasons.set(reason, (taken.reasons.get(reason) ?? 0) + 1)
    }
    for (let i = 0; i < scan.exemplarCount; i++) {
      const [from, to] = [scan.exemplars[2 * i]!, scan.exemplars[2 * i + 1]!]
      const exemplar = readExemplar(scan.request, from, to, this.#parts.nowMs())
      if (exemplar === undefined) left('bad_exemplar')
      else if (!isThere || slot < 0) left('exemplar_of_no_series')
      else {
        ingest.addExemplar?.(slot, exemplar)
        taken.exemplars.accepted++
      }
    }
    for (let i = 0; i < scan.exemplarsLeftOut; i++) left('exemplars_limit')
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
    const metadata = histogramMetadata(this.#saidOf(stream.name, stream), read)
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
