/**
 * The stream of one connection, read: series as they are told, and seconds, each handed on once it
 * is whole. What can't be read costs its message; what would leave a second wrong without a word
 * costs the connection, and the next one goes on behind the last whole second.
 */
import type { Exact, Histogram, Metadata, Summary } from '../../../model/index.ts'
import { unpackHistogram } from '../../../model/packed/packed-histogram.ts'
import type { Task } from '../../../time/task.ts'
import type { Peer, Reports } from '../../endpoints.ts'
import type { PeerSeries, SecondSink } from '../../ingest.ts'
import { REFUSED } from '../../ingest.ts'
import { ByteReader } from '../codec/byte-reader.ts'
import {
  type PlainSpread,
  type RefCells,
  readCounters,
  readGauges,
  readHistograms,
  readSummaries,
} from '../codec/cells.ts'
import { MessageSplit } from '../codec/message-split.ts'
import {
  type Hello,
  readEnd,
  readGone,
  readHello,
  readSeries,
  type SecondEnd,
  type ToldSeries,
} from '../codec/words.ts'
import { peerSeriesOf } from '../map.ts'
import { type ErrorCode, NAME, TYPE } from '../spec.ts'

interface ReaderParts {
  readonly seconds: SecondSink
  readonly reports: Reports
  readonly peer: Peer
  /** Value of the label `hub`; undefined for none. */
  readonly hub: string | undefined
  /** Memory that names, and the cells of one second, may each take. */
  readonly bytesLimit: number
  /** Takes the first message; undefined, or the reason why no more is read. */
  hello(hello: Hello): string | undefined
  /** Takes note of a whole second. @returns its end by our clock */
  second(end: SecondEnd): number
  /** Ends the connection. */
  fail(reason: 'refused' | 'too_large', message: string): void
}

interface Entry {
  readonly series: PeerSeries | undefined
  readonly bytes: number
  /** Id in this hub; REFUSED where it is not taken. */
  id: number
}

/** Memory of a series beside its key, and metadata that the one before it has not. */
const ENTRY_BYTES = 200
/** Memory of a cell without buckets. */
const CELL_BYTES = 64
const CELLS_PER_STEP = 1024

export class SecondReader {
  readonly #parts: ReaderParts
  readonly #split = new MessageSplit()
  readonly #entries = new Map<number, Entry>()
  /** Metadata by their text: many series have the same. */
  readonly #metadata = new Map<string, Metadata>()
  #entryBytes = 0
  #cellBytes = 0
  #isGreeted = false
  #hasEnded = false
  #open = new OpenSecond()

  constructor(parts: ReaderParts) {
    this.#parts = parts
  }

  /** Series that it knows. */
  get size(): number {
    return this.#entries.size
  }

  /** Reads bytes in parts. @returns whether a message has ended in them */
  *read(bytes: Uint8Array): Task<boolean> {
    this.#split.push(bytes)
    let hasMessage = false
    for (;;) {
      let work: Task | undefined
      const isWhole = this.#split.next((type, body) => {
        work = this.#message(type, body)
      })
      if (!isWhole || this.#hasEnded) break
      hasMessage = true
      if (work !== undefined) yield* work
      while (this.#parts.seconds.isBusy && !this.#hasEnded) yield
    }
    if (this.#split.hasEnded && !this.#hasEnded) {
      this.#error('too_large', new Uint8Array(0))
      this.#fail('too_large', 'a message larger than any hub sends')
    }
    return hasMessage
  }

  #fail(reason: 'refused' | 'too_large', message: string): void {
    this.#hasEnded = true
    this.#parts.fail(reason, message)
  }

  #error(code: ErrorCode, body: Uint8Array): void {
    const error = { dialect: NAME, code, offset: 0, resync: code !== 'too_large' }
    this.#parts.reports.decodeError(error, body, this.#parts.peer, `message is ${code}`)
  }

  /** Reads one message at once, and gives what is to be done with it in steps. */
  #message(type: number, body: Uint8Array): Task | undefined {
    if (!this.#isGreeted) {
      this.#greet(type, body)
      return undefined
    }
    const reader = new ByteReader(body)
    switch (type) {
      case TYPE.series:
        return this.#taken(readSeries(reader, this.#metadata), 'bad_series', body, (all) =>
          this.#define(all),
        )
      case TYPE.gone:
        return this.#taken(readGone(reader), 'bad_gone', body, (refs) => this.#forget(refs))
      case TYPE.counters:
        return this.#taken(readCounters(reader), 'bad_cells', body, (read) =>
          this.#add(this.#open.counters, read, CELL_BYTES),
        )
      case TYPE.gauges:
        return this.#taken(readGauges(reader), 'bad_cells', body, (read) => {
          return this.#add(this.#open.gauges, read, CELL_BYTES, (place, at) => {
            const spread = read.spreads.get(place)
            if (spread !== undefined) this.#open.spreads.set(at, spread)
          })
        })
      case TYPE.histograms:
        return this.#taken(unpacked(readHistograms(reader)), 'bad_cells', body, (read) =>
          this.#add(this.#open.histograms, read, CELL_BYTES + (8 * body.length) / read.refs.length),
        )
      case TYPE.summaries:
        return this.#taken(readSummaries(reader), 'bad_cells', body, (read) =>
          this.#add(this.#open.summaries, read, CELL_BYTES),
        )
      case TYPE.end:
        return this.#taken(readEnd(reader), 'bad_end', body, (end) => this.#end(end))
      default:
        this.#error('bad_type', body)
        return undefined
    }
  }

  #taken<T>(
    read: T | undefined,
    code: ErrorCode,
    body: Uint8Array,
    take: (read: T) => Task | undefined,
  ): Task | undefined {
    if (read !== undefined) return take(read)
    this.#error(code, body)
    return undefined
  }

  #greet(type: number, body: Uint8Array): void {
    const hello = type === TYPE.hello ? readHello(body) : undefined
    if (hello === undefined) {
      this.#error('bad_hello', body)
      this.#fail('refused', 'its first message is no greeting of a hub')
      return
    }
    this.#isGreeted = true
    const refusal = this.#parts.hello(hello)
    if (refusal !== undefined) this.#fail('refused', refusal)
  }

  *#define(all: readonly ToldSeries[]): Task {
    const { seconds, reports, hub, bytesLimit } = this.#parts
    let steps = 0
    let shared: Metadata | undefined
    for (const told of all) {
      if (++steps % CELLS_PER_STEP === 0) yield
      this.#drop(told.ref)
      const isShared = told.metadata === shared
      shared = told.metadata
      const bytes = ENTRY_BYTES + 2 * told.key.length + (isShared ? 0 : 2 * told.metadataSize)
      if (this.#entryBytes + bytes > bytesLimit) {
        reports.count('series_left_out', 'attached_bytes_limit')
        continue
      }
      this.#entryBytes += bytes
      const series = peerSeriesOf(told, hub)
      const id = series === undefined ? REFUSED : seconds.open(series)
      if (id !== REFUSED) seconds.annotate(id, told.metadata)
      this.#entries.set(told.ref, { series, bytes, id })
    }
  }

  #drop(ref: number): void {
    this.#entryBytes -= this.#entries.get(ref)?.bytes ?? 0
    this.#entries.delete(ref)
  }

  #forget(refs: readonly number[]): undefined {
    for (const ref of refs) this.#drop(ref)
  }

  /**
   * Adds cells to the open second.
   * @param bytes that each of them takes
   * @param added called with the place that a cell had in its message, and that it has now
   */
  *#add<C>(
    target: { readonly ids: number[]; readonly cells: C[] },
    { refs, cells }: RefCells<C>,
    bytes: number,
    added?: (place: number, at: number) => void,
  ): Task {
    const { bytesLimit, reports } = this.#parts
    this.#cellBytes += bytes * refs.length
    if (this.#cellBytes > bytesLimit) {
      this.#fail('too_large', `a second of more than ${bytesLimit} bytes, attachedBytesLimit`)
      return
    }
    for (let i = 0; i < refs.length; i++) {
      if (i % CELLS_PER_STEP === CELLS_PER_STEP - 1) yield
      const entry = this.#entries.get(refs[i]!)
      if (entry === undefined) reports.count('cells_left_out', 'unknown_series')
      const id = entry === undefined ? REFUSED : this.#idOf(entry)
      if (id === REFUSED) continue
      added?.(i, target.ids.length)
      target.ids.push(id)
      target.cells.push(cells[i]!)
    }
  }

  /** Gives the id of a series; one that has left the hub, or was refused, is made anew. */
  #idOf(entry: Entry): number {
    const { seconds } = this.#parts
    if (entry.series === undefined) return REFUSED
    if (entry.id !== REFUSED && seconds.has(entry.id)) return entry.id
    entry.id = seconds.open(entry.series)
    return entry.id
  }

  #end(end: SecondEnd): undefined {
    const { counters, gauges, spreads, histograms, summaries } = this.#open
    this.#open = new OpenSecond()
    this.#cellBytes = 0
    const endMs = this.#parts.second(end)
    this.#parts.seconds.take({ endMs, counters, gauges, spreads, histograms, summaries })
  }
}

/** Cells of a second of which more may come. */
class OpenSecond {
  readonly counters = list<Exact>()
  readonly gauges = list<Exact>()
  readonly spreads = new Map<number, PlainSpread>()
  readonly histograms = list<Histogram>()
  readonly summaries = list<Summary>()
}

function list<C>(): { readonly ids: number[]; readonly cells: C[] } {
  return { ids: [], cells: [] }
}

function unpacked(read: RefCells<Uint8Array> | undefined): RefCells<Histogram> | undefined {
  return read && { refs: read.refs, cells: read.cells.map(unpackHistogram) }
}
