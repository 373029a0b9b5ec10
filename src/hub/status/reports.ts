/**
 * Errors and refusals of all listeners: counted by reason as self-metrics, with the last offenders
 * kept for page and API. Bounded: 20 offenders per code, 128 bytes each; 20 refused keys per
 * limit; error counts for the 256 sources seen last. Bytes that no dialect claims are errors of the
 * listener that they came to; the first 256 addresses that send such are told in the log.
 */
import type { Transport } from '../../dialects/decoder.ts'
import type { Peer, Reports } from '../../dialects/endpoints.ts'
import { hostOf } from '../../model/text/address.ts'
import type { Clock } from '../../time/clock.ts'
import type { DecodeErrorFields } from '../../wire/decode-error.ts'
import type { Log } from '../log.ts'
import type { ReportColumns } from '../threads/messages.ts'
import { UNCLAIMED } from './foreign.ts'
import { OFFENDER_BYTES_LIMIT, Offenders } from './offenders.ts'
import { COUNT_MEANINGS } from './own-meanings.ts'
import type { OwnCounter, SelfMetrics } from './self-metrics.ts'
import type { ErrorStatus, OffenderStatus, RefusalStatus } from './status.ts'

export const REFUSED_KEYS_LIMIT = 20
const SOURCES_LIMIT = 256
/** Addresses of which the log says that they send what no dialect claims. */
const TOLD_LIMIT = 256
/** Bytes of such in the log. */
const LOGGED_BYTES = 32

/** Errors of one address, and the time of the last. */
interface SourceErrors {
  count: number
  lastMs: number
}

interface RefusedKey {
  readonly key: string
  readonly source: string
}

interface Reason {
  readonly dialect: string
  readonly code: string
  count: number
}

/** A reason with its self-metric, made once: a read may hold 65,536 frames that are none. */
interface Counted {
  readonly status: Reason
  readonly counter: OwnCounter
}

interface CountedErrors extends Counted {
  readonly offenders: Offenders
  readonly ofDialect: { count: number }
}

export class ErrorReports {
  readonly #clock: Clock
  readonly #metrics: SelfMetrics
  readonly #log: Log
  /** Errors by dialect and code: found without a text being made. */
  readonly #errors = new Map<string, Map<string, CountedErrors>>()
  readonly #errorsOfDialect = new Map<string, { count: number }>()
  /** The one that was seen last stands at the end. */
  readonly #errorsOfSource = new Map<string, SourceErrors>()
  #latestSource = { dialect: '', address: '', errors: { count: 0, lastMs: 0 } }
  /** Addresses that the log has told of, with the listener. */
  readonly #told = new Set<string>()
  readonly #refusedKeys = new Map<string, RefusedKey[]>()
  readonly #refusals = new Map<string, Counted>()

  /** Guesses what bytes are, by their begin; the composition of the hub says who could know. */
  guess: (first: Uint8Array, transport: Transport, of: string) => string | undefined = () =>
    undefined

  constructor(clock: Clock, metrics: SelfMetrics, log: Log) {
    this.#clock = clock
    this.#metrics = metrics
    this.#log = log
  }

  /** Makes the reports that one dialect's server sees. */
  for(dialect: string): Reports {
    const notes = new Map<string, OwnCounter>()
    return {
      decodeError: (error, bytes, peer, detail, start, end, origin) => {
        this.decodeError(error, bytes, peer, detail, start, end, origin)
      },
      decodeNote: (note) => {
        // a worker with idle items has a note in every frame: found without a key being made
        let counter = notes.get(note)
        if (counter === undefined) {
          counter = this.#noteCounter(dialect, note)
          notes.set(note, counter)
        }
        counter.add()
      },
      count: (name, reason, amount = 1) => {
        this.#dialectCounter(dialect, name, reason).add(amount)
      },
      log: (level, message, facts) => this.#log(level, message, { dialect, ...facts }),
    }
  }

  decodeError(
    { dialect, code, offset }: DecodeErrorFields,
    bytes: Uint8Array,
    peer: Peer,
    detail: string,
    start = 0,
    end = bytes.length,
    origin = 0,
  ): void {
    const errors = this.#errorsBy(dialect, code)
    countErrors(errors, 1)
    errors.offenders.add(this.#clock.wallMs(), offset, peer, detail, bytes, start, end, origin)
    if (code === UNCLAIMED && this.#told.size < TOLD_LIMIT) {
      if (!this.#told.has(`${dialect} ${peer.address}`)) this.#tellUnclaimed(dialect, errors)
    }
    const latest = this.#latestSource
    if (peer.address === latest.address && dialect === latest.dialect) {
      latest.errors.count++
      latest.errors.lastMs = this.#clock.wallMs()
    } else this.#countSource(dialect, peer.address, 1)
  }

  /** Writes a line for each address among the last offenders that has not been told of yet. */
  #tellUnclaimed(listener: string, { offenders }: CountedErrors): void {
    for (const { peer, detail, hex } of offenders.list()) {
      const [transport = '', from = ''] = peer.split(' ')
      const key = `${listener} ${hostOf(from)}`
      if (this.#told.has(key) || this.#told.size >= TOLD_LIMIT) continue
      this.#told.add(key)
      const bytes = Buffer.from(hex, 'hex')
      const guess = this.guess(bytes, transport as Transport, listener)
      this.#log('warn', 'first bytes that no dialect claims', {
        ...{ listener, detail, peer, first: bytes.subarray(0, LOGGED_BYTES).toString('latin1') },
        ...(guess === undefined ? {} : { guess }),
        more: 'further ones of this address are counted: see the page, Sources',
      })
    }
  }

  /** Takes over what an ingest thread has reported. */
  merge(columns: ReportColumns): void {
    for (const { dialect, code, count, last } of columns.errors) {
      const errors = this.#errorsBy(dialect, code)
      countErrors(errors, count)
      for (const offender of last) errors.offenders.addDescribed(offender)
      if (code === UNCLAIMED && this.#told.size < TOLD_LIMIT) this.#tellUnclaimed(dialect, errors)
    }
    for (const { dialect, address, count } of columns.errorsOfSources) {
      this.#countSource(dialect, address, count)
    }
    for (const { dialect, code, count } of columns.refusals) {
      this.#countRefusals(dialect, code, count)
    }
    for (const { code, key, source } of columns.names) this.#keepName(code, key, source)
    for (const { dialect, code, count } of columns.notes) this.noted(dialect, code, count)
    for (const { dialect, code, count } of columns.decodeNotes) {
      this.#noteCounter(dialect, code).add(count)
    }
    for (const { dialect, name, reason, count } of columns.counts) {
      this.#metrics.counter(`pentameter.${dialect}.${name}`, { reason }).add(count)
    }
    for (const { level, message, facts } of columns.log) this.#log(level, message, facts)
    if (columns.logLinesLeftOut > 0) {
      const counter = this.#metrics.counter('pentameter.log.lost', { reason: 'left_out' })
      counter.add(columns.logLinesLeftOut)
    }
  }

  #dialectCounter(dialect: string, name: string, reason: string): OwnCounter {
    const metric = `pentameter.${dialect}.${name}`
    return this.#metrics.counter(metric, { reason }, COUNT_MEANINGS[name])
  }

  #noteCounter(dialect: string, note: string): OwnCounter {
    return this.#metrics.counter('pentameter.decode.notes', { dialect, note })
  }

  #errorsBy(dialect: string, code: string): CountedErrors {
    let codes = this.#errors.get(dialect)
    if (codes === undefined) {
      codes = new Map()
      this.#errors.set(dialect, codes)
      this.#errorsOfDialect.set(dialect, { count: 0 })
    }
    const known = codes.get(code)
    if (known !== undefined) return known
    const made: CountedErrors = {
      status: { dialect, code, count: 0 },
      counter: this.#metrics.counter('pentameter.decode.errors', { dialect, code }),
      offenders: new Offenders(),
      ofDialect: this.#errorsOfDialect.get(dialect)!,
    }
    codes.set(code, made)
    return made
  }

  #countSource(dialect: string, address: string, added: number): void {
    const key = `${dialect} ${address}`
    const errors = this.#errorsOfSource.get(key) ?? { count: 0, lastMs: 0 }
    errors.count += added
    errors.lastMs = this.#clock.wallMs()
    this.#errorsOfSource.delete(key)
    if (this.#errorsOfSource.size >= SOURCES_LIMIT) {
      const oldest = this.#errorsOfSource.keys().next().value!
      this.#errorsOfSource.delete(oldest)
    }
    this.#errorsOfSource.set(key, errors)
    this.#latestSource = { dialect, address, errors }
  }

  /**
   * Counts lines or series that were not taken.
   * @param name of a series, asked for where it is kept
   */
  refused(dialect: string, code: string, source: string, name?: () => string, count = 1): void {
    this.#countRefusals(dialect, code, count)
    if (name === undefined || this.refusedKeys(code).length >= REFUSED_KEYS_LIMIT) return
    this.#keepName(code, name(), source)
  }

  #countRefusals(dialect: string, code: string, count: number): void {
    const { status, counter } = this.#refusalOf(dialect, code)
    counter.add(count)
    status.count += count
  }

  #refusalOf(dialect: string, code: string): Counted {
    const key = `${dialect} ${code}`
    const known = this.#refusals.get(key)
    if (known !== undefined) return known
    const counter = this.#metrics.counter('pentameter.ingest.refused', { dialect, code })
    const made = { status: { dialect, code, count: 0 }, counter }
    this.#refusals.set(key, made)
    return made
  }

  #keepName(code: string, name: string, source: string): void {
    const keys = this.#refusedKeys.get(code) ?? []
    if (keys.length >= REFUSED_KEYS_LIMIT) return
    const key = name.slice(0, OFFENDER_BYTES_LIMIT)
    if (keys.some((known) => known.key === key && known.source === source)) return
    if (keys.length === 0) this.#log('warn', `${code}: new series are refused`, { key, source })
    keys.push({ key, source })
    this.#refusedKeys.set(code, keys)
  }

  /** Notes something worth seeing that lost nothing. */
  noted(dialect: string, code: string, count = 1): void {
    this.#metrics.counter('pentameter.ingest.noted', { dialect, code }).add(count)
  }

  errorsOf(dialect: string): number {
    return this.#errorsOfDialect.get(dialect)?.count ?? 0
  }

  errorsOfSource(dialect: string, address: string): number {
    return this.#errorsOfSource.get(`${dialect} ${address}`)?.count ?? 0
  }

  /** Lists addresses with errors of a dialect or listener, those seen last at the end. */
  sourcesOf(dialect: string): (Readonly<SourceErrors> & { readonly address: string })[] {
    const start = `${dialect} `
    return [...this.#errorsOfSource]
      .filter(([key]) => key.startsWith(start))
      .map(([key, errors]) => ({ address: key.slice(start.length), ...errors }))
  }

  /** Counts first bytes that no dialect of a listener has claimed. */
  unclaimedOf(listener: string): number {
    return this.#errors.get(listener)?.get(UNCLAIMED)?.status.count ?? 0
  }

  /** Counts refusals by a reason, whatever the dialect. */
  refusalsOf(code: string): number {
    let count = 0
    for (const { status } of this.#refusals.values())
      if (status.code === code) count += status.count
    return count
  }

  /** Lists all reasons so far, the most frequent first. */
  refusals(): RefusalStatus[] {
    return byCount([...this.#refusals.values()].map(({ status }) => status))
  }

  /** Lists the first refused keys of a limit. */
  refusedKeys(code: string): readonly RefusedKey[] {
    return this.#refusedKeys.get(code) ?? []
  }

  /** Lists all codes seen so far, the most frequent first. */
  errors(): ErrorStatus[] {
    const codes = [...this.#errors.values()].flatMap((each) => [...each.values()])
    return byCount(
      codes.map(({ status, offenders }) => ({
        ...status,
        last: offenders.list().map((each) => this.#guessed(status.dialect, each)),
      })),
    )
  }

  /** Adds a guess to a message that was wrong from its first byte on. */
  #guessed(dialect: string, offender: OffenderStatus): OffenderStatus {
    if (offender.offset !== 0) return offender
    const transport = offender.peer.split(' ', 1)[0] as Transport
    const guess = this.guess(Buffer.from(offender.hex, 'hex'), transport, dialect)
    return guess === undefined ? offender : { ...offender, guess }
  }
}

function countErrors({ status, counter, ofDialect }: CountedErrors, count: number): void {
  status.count += count
  ofDialect.count += count
  counter.add(count)
}

/** Sorts by count, the most frequent first. */
function byCount<T extends Reason>(reasons: T[]): T[] {
  return reasons.sort((a, b) => b.count - a.count)
}
