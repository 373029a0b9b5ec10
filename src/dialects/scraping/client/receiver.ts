/**
 * Answers of one target into the model. An answer is read to its end first: samples find their
 * series by their text as sent, and are staged there. Only when all of it could be read are they
 * taken; one that can't be costs itself. What did not come any more has ended.
 */
import type { Identity } from '../../../model/index.ts'
import type { Task } from '../../../time/task.ts'
import type { Peer, Reports } from '../../endpoints.ts'
import type { Ingest } from '../../ingest.ts'
import { type Format, scanOf } from '../codec/formats.ts'
import type { Exemplar, Family, SampleScan } from '../codec/sample.ts'
import { joinedLabels, mappingOf, metadataOf, type Part, timesPassed } from '../map.ts'
import { type ErrorCode, NAME, NAME_LABEL, NAME_LENGTH_LIMIT, SAMPLE_ERROR_CODES } from '../spec.ts'
import type { ScrapeTarget } from './address.ts'
import { ClassicStream, NativeStream, SummaryStream } from './streams/distributions.ts'
import { CounterStream, GaugeStream } from './streams/numbers.ts'
import type { Code, Scrape } from './streams/stream.ts'

const CODES: ReadonlySet<string> = new Set(SAMPLE_ERROR_CODES)
/** Samples that are taken before others have their turn; each costs about a microsecond. */
const SAMPLES_PER_STEP = 256
/** Memory of a series without its texts: what V8 takes for its objects, rather more than less. */
const ENTRY_BYTES = 1024
/** Times that a text is held: in keys, identity and labels, two bytes a character. */
const TEXT_FACTOR = 6
/** Scrapes for which a series that does not come is remembered, where there is room. */
const SCRAPES_REMEMBERED = 240
/** Rounds through one target: more are those of hubs that scrape each other. */
const PASSES_LIMIT = 2

const NO_EXEMPLARS: readonly Exemplar[] = []

/** Series of a target by the text of a sample. */
interface Known {
  /** Undefined for a sample that rules have dropped. */
  readonly stream: AnyStream | undefined
  readonly part: Part
  /** Place among buckets. */
  readonly place: number
  readonly family: Pick<Family, 'type' | 'help' | 'unit'>
  readonly bytes: number
  seenIn: number
}

type AnyStream = GaugeStream | CounterStream | NativeStream | ClassicStream | SummaryStream

interface ReceiverParts {
  readonly target: ScrapeTarget
  readonly ingest: Ingest
  readonly reports: Reports
  readonly peer: Peer
  readonly bytesLimit: number
  readonly samplesLimit: number
  readonly labelsLimit: number
  /** Start of the hub, Unix ms: what was counted before is none of its. */
  readonly sinceMs: number
}

export interface Taken {
  /** Reason why nothing of it was taken. */
  failure: ErrorCode | undefined
  /** Samples that came, those that rules left, and series that were new. */
  samples: number
  kept: number
  added: number
  rejected: number
}

export class Receiver {
  readonly #parts: ReceiverParts
  readonly #known = new Map<string, Known>()
  readonly #streams = new Map<string, AnyStream>()
  #staged: AnyStream[] = []
  #bytes = 0
  /** Number of the scrape in which room was made last. */
  #forgotIn = 0
  #scrape: Scrape

  constructor(parts: ReceiverParts) {
    this.#parts = parts
    this.#scrape = { number: 0, timeMs: parts.sinceMs, sinceMs: parts.sinceMs }
  }

  /** Series that are known. */
  get size(): number {
    return this.#streams.size
  }

  /** Takes an answer, or nothing of it. */
  *take(bytes: Uint8Array, format: Format, timeMs: number): Task<Taken> {
    const { ingest, target, samplesLimit } = this.#parts
    const taken: Taken = { failure: undefined, samples: 0, kept: 0, added: 0, rejected: 0 }
    this.#begin(timeMs)
    const scan = scanOf(bytes, format)
    ingest.begin(target.instance)
    for (let count = 1; scan.next(); count++) {
      const code = scan.problem ?? this.#stage(scan, taken)
      if (scan.problem === undefined) taken.samples++
      if (code !== undefined) this.#reject(taken, code, bytes, scan)
      if (taken.kept > samplesLimit) return this.#fail(taken, 'samples_limit', bytes)
      if (count % SAMPLES_PER_STEP === 0) {
        yield
        ingest.begin(target.instance)
      }
    }
    if (scan.failure !== undefined) return this.#fail(taken, scan.failure, bytes)
    if (taken.samples === 0 && taken.rejected > 0) return this.#fail(taken, 'bad_line', bytes)
    yield* this.#takeStaged(taken, bytes, scan)
    yield* this.#endOthers()
    return taken
  }

  #begin(timeMs: number): void {
    const { number, timeMs: before } = this.#scrape
    this.#scrape = { number: number + 1, timeMs, sinceMs: before }
    this.#staged = []
  }

  #fail(taken: Taken, code: ErrorCode, bytes: Uint8Array): Taken {
    const { reports, peer } = this.#parts
    const error = { dialect: NAME, code, offset: 0, resync: true }
    reports.decodeError(error, bytes, peer, 'an answer of which nothing is taken')
    taken.failure = code
    this.#staged = []
    // the last good one is that before
    this.#scrape = { ...this.#scrape, timeMs: this.#scrape.sinceMs }
    return taken
  }

  #reject(taken: Taken, code: Code, bytes: Uint8Array, { from, to }: SampleScan): void {
    const { reports, ingest, peer } = this.#parts
    taken.rejected++
    if (CODES.has(code)) {
      const error = { dialect: NAME, code, offset: from, resync: true }
      reports.decodeError(error, bytes, peer, 'a sample of an answer', from, to)
    } else ingest.refuse(code)
  }

  #stage(scan: SampleScan, taken: Taken): Code | undefined {
    const key = scan.key()
    let known: Known | Code | undefined = this.#known.get(key)
    if (known === undefined || !isSameFamily(known.family, scan.family)) {
      if (known === undefined) taken.added++
      known = this.#learn(key, scan, known)
      // what there is no room for counts among the samples: an answer of nothing else has an end
      if (known === 'attached_bytes_limit') taken.kept++
      if (typeof known === 'string') return known
      if (known.stream === undefined) taken.added--
    }
    const isRepeated = known.seenIn === this.#scrape.number
    known.seenIn = this.#scrape.number
    const { stream } = known
    if (stream === undefined) return undefined
    taken.kept++
    if (isRepeated) return 'duplicate'
    return this.#stageIn(stream, known, scan)
  }

  #stageIn(stream: AnyStream, { part, place }: Known, scan: SampleScan): Code | undefined {
    const { number } = this.#scrape
    const isFirst = stream.stagedIn !== number
    const isCreated = 'part' in part && part.part === 'created'
    if (isCreated) {
      if ('start' in stream) stream.start.stage(Number(scan.value) * 1000)
      return undefined
    }
    if (!isFirst && part.of !== 'classic' && part.of !== 'summary') return 'duplicate'
    const code = stageValue(stream, part, place, scan, number)
    if (code !== undefined) return code
    stream.stageTime(scan.timeMs)
    stream.stageExemplars(exemplarsOf(scan), isFirst)
    if ('start' in stream && !Number.isNaN(scan.createdMs)) stream.start.stage(scan.createdMs)
    if (!isFirst) return undefined
    stream.stagedIn = number
    this.#staged.push(stream)
    return undefined
  }

  /** Learns which series a sample is of, or learns it anew where its metric is another one now. */
  #learn(key: string, scan: SampleScan, before: Known | undefined): Known | Code {
    const { target, labelsLimit } = this.#parts
    const series = scan.series()
    if (typeof series === 'string') return series
    const labels = joinedLabels(series, target.labels, target.honorLabels)
    const isKept = target.metricRules.apply(labels)
    const name = labels.get(NAME_LABEL) ?? ''
    labels.delete(NAME_LABEL)
    if (!isKept) return this.#remember(key, scan, before, { of: 'gauge' }, undefined, 0)
    if (name === '' || name.length > NAME_LENGTH_LIMIT) return 'bad_name'
    if (labels.size > labelsLimit) return 'labels_limit'
    if (before === undefined && !this.#hasRoom(key)) return 'attached_bytes_limit'
    const isNative = scan.histogram !== undefined
    const { part, identity } = mappingOf(name, labels, scan.family.type, isNative)
    if (timesPassed(identity.labels, target.instance) > PASSES_LIMIT) return 'hub_loop'
    const stream = this.#streamOf(identity, part, scan.family)
    let place = 0
    if ('bound' in part) {
      const found = (stream as ClassicStream).placeOf(part.bound)
      if (typeof found === 'string') return found
      place = found
    }
    return this.#remember(key, scan, before, part, stream, place)
  }

  #streamOf(identity: Identity, part: Part, family: Family): AnyStream {
    const key = JSON.stringify([part.of, identity.name, identity.labels])
    const metadata = metadataOf(family, part)
    const known = this.#streams.get(key)
    if (known !== undefined) {
      known.describe({ ...known.metadata, ...metadata })
      return known
    }
    const stream = new STREAMS[part.of](this.#parts.ingest, identity, metadata)
    this.#streams.set(key, stream)
    return stream
  }

  #remember(
    key: string,
    { family: { type, help, unit } }: SampleScan,
    before: Known | undefined,
    part: Part,
    stream: AnyStream | undefined,
    place: number,
  ): Known | Code {
    // one that rules leave out is remembered, too, so that they are not asked again
    if (before === undefined && !this.#hasRoom(key)) return 'attached_bytes_limit'
    const bytes = bytesOf(key)
    const family = { type, help, unit }
    const known: Known = { stream, part, place, family, bytes, seenIn: before?.seenIn ?? 0 }
    if (before === undefined) this.#bytes += bytes
    this.#known.set(key, known)
    return known
  }

  /** Tells whether one more key can be remembered; makes room once in a scrape. */
  #hasRoom(key: string): boolean {
    const most = this.#parts.bytesLimit - bytesOf(key)
    if (this.#bytes <= most) return true
    if (this.#forgotIn !== this.#scrape.number) this.#forget(1)
    return this.#bytes <= most
  }

  *#takeStaged(taken: Taken, bytes: Uint8Array, scan: SampleScan): Task {
    const { ingest, target } = this.#parts
    for (const [i, stream] of this.#staged.entries()) {
      const code = stream.take(this.#scrape)
      if (code !== undefined) this.#reject(taken, code, bytes, scan)
      if ((i + 1) % SAMPLES_PER_STEP !== 0) continue
      yield
      ingest.begin(target.instance)
    }
    this.#staged = []
  }

  /** Ends what came before and not now; after many scrapes it is forgotten. */
  *#endOthers(): Task {
    const { number } = this.#scrape
    let count = 0
    for (const stream of this.#streams.values()) {
      if (stream.takenIn === number - 1 && number > 1) {
        stream.end()
        this.#parts.ingest.note('stale')
      }
      if (++count % SAMPLES_PER_STEP === 0) yield
    }
    if (number % SCRAPES_REMEMBERED === 0) this.#forget(SCRAPES_REMEMBERED)
  }

  /** Ends all gauges: with the target goes what is known of them. */
  lose(): void {
    this.#parts.ingest.begin(this.#parts.target.instance)
    for (const stream of this.#streams.values()) stream.end()
  }

  /** Forgets what did not come in the last scrapes. */
  #forget(scrapes: number): void {
    this.#forgotIn = this.#scrape.number
    const before = this.#scrape.number - scrapes
    for (const [key, { seenIn, bytes }] of this.#known) {
      if (seenIn >= before) continue
      this.#known.delete(key)
      this.#bytes -= bytes
    }
    const used = new Set([...this.#known.values()].map(({ stream }) => stream))
    for (const [key, stream] of this.#streams) if (!used.has(stream)) this.#streams.delete(key)
  }
}

/** Estimates the memory of what is remembered of a sample. */
function bytesOf(key: string): number {
  return ENTRY_BYTES + TEXT_FACTOR * key.length
}

const STREAMS = {
  gauge: GaugeStream,
  counter: CounterStream,
  native: NativeStream,
  classic: ClassicStream,
  summary: SummaryStream,
} as const

function stageValue(
  stream: AnyStream,
  part: Part,
  place: number,
  { value, histogram }: SampleScan,
  scrape: number,
): Code | undefined {
  if (stream instanceof GaugeStream || stream instanceof CounterStream) return stream.stage(value)
  if (stream instanceof NativeStream) return stream.stage(histogram!.histogram)
  if (stream instanceof ClassicStream && 'bound' in part) {
    return stream.stageBucket(place, value, scrape)
  }
  const isSum = 'part' in part && part.part === 'sum'
  return isSum ? stream.stageSum(value, scrape) : stream.stageCount(value, scrape)
}

function exemplarsOf({ exemplar, histogram }: SampleScan): readonly Exemplar[] {
  if (histogram !== undefined) return histogram.exemplars
  return exemplar === undefined ? NO_EXEMPLARS : [exemplar]
}

function isSameFamily(a: Pick<Family, 'type' | 'help' | 'unit'>, b: Family): boolean {
  return a.type === b.type && a.help === b.help && a.unit === b.unit
}
