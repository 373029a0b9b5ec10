/**
 * Errors and refusals of all listeners: counted by reason as self-metrics, with the last offenders
 * kept for the page and `tap`. Bounded: 20 offenders per code, 128 bytes each; 20 refused keys per
 * limit; error counts for the 256 sources seen last.
 */
import type { Peer, Reports } from '../../dialects/endpoints.ts'
import { toHex } from '../../model/index.ts'
import type { Clock } from '../../time/clock.ts'
import type { DecodeErrorFields } from '../../wire/decode-error.ts'
import type { Log } from '../log.ts'
import type { ReportColumns } from '../threads/messages.ts'
import type { OwnCounter, SelfMetrics } from './self-metrics.ts'
import type { ErrorStatus, OffenderStatus, RefusalStatus } from './status.ts'

export const OFFENDERS_LIMIT = 20
const OFFENDER_BYTES_LIMIT = 128
export const REFUSED_KEYS_LIMIT = 20
const SOURCES_LIMIT = 256

interface RefusedKey {
  readonly key: string
  readonly source: string
}

interface Reason {
  readonly dialect: string
  readonly code: string
  count: number
}

interface ErrorLog extends Reason {
  readonly last: OffenderStatus[]
}

/** A reason with its self-metric, made once: a read may hold 65,536 frames that are none. */
interface Counted<T extends Reason> {
  readonly status: T
  readonly counter: OwnCounter
}

export class ErrorReports {
  readonly #clock: Clock
  readonly #metrics: SelfMetrics
  readonly #log: Log
  readonly #errors = new Map<string, Counted<ErrorLog>>()
  readonly #errorsOfDialect = new Map<string, number>()
  readonly #errorsOfSource = new Map<string, number>()
  #latestSource = ''
  readonly #refusedKeys = new Map<string, RefusedKey[]>()
  readonly #refusals = new Map<string, Counted<Reason>>()

  constructor(clock: Clock, metrics: SelfMetrics, log: Log) {
    this.#clock = clock
    this.#metrics = metrics
    this.#log = log
  }

  /** Makes the reports that one dialect's server sees. */
  for(dialect: string): Reports {
    const notes = new Map<string, OwnCounter>()
    return {
      decodeError: (error, message, peer, detail) => {
        this.decodeError(error, message, peer, detail)
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
        this.#metrics.counter(`pentameter.${dialect}.${name}`, { reason }).add(amount)
      },
      log: (level, message, facts) => this.#log(level, message, { dialect, ...facts }),
    }
  }

  decodeError(error: DecodeErrorFields, message: Uint8Array, peer: Peer, detail: string): void {
    const { dialect, code } = error
    const offender = describeOffender(this.#clock.wallMs(), error, message, peer, detail)
    this.#countErrors({ dialect, code, count: 1, last: [offender] })
    this.#countSource(`${dialect} ${peer.address}`, 1)
  }

  /** Takes over what an ingest thread has reported. */
  merge(columns: ReportColumns): void {
    for (const errors of columns.errors) this.#countErrors(errors)
    for (const [source, count] of columns.errorsOfSources) this.#countSource(source, count)
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

  #noteCounter(dialect: string, note: string): OwnCounter {
    return this.#metrics.counter('pentameter.decode.notes', { dialect, note })
  }

  #countErrors({ dialect, code, count, last }: ErrorStatus): void {
    const { status, counter } = this.#errorOf(dialect, code)
    counter.add(count)
    status.count += count
    status.last.push(...last)
    while (status.last.length > OFFENDERS_LIMIT) status.last.shift()
    this.#errorsOfDialect.set(dialect, this.errorsOf(dialect) + count)
  }

  #errorOf(dialect: string, code: string): Counted<ErrorLog> {
    const key = `${dialect} ${code}`
    const known = this.#errors.get(key)
    if (known !== undefined) return known
    const counter = this.#metrics.counter('pentameter.decode.errors', { dialect, code })
    const made = { status: { dialect, code, count: 0, last: [] }, counter }
    this.#errors.set(key, made)
    return made
  }

  #countSource(key: string, added: number): void {
    const count = (this.#errorsOfSource.get(key) ?? 0) + added
    // the one that was seen last already stands at the end
    if (key !== this.#latestSource) this.#errorsOfSource.delete(key)
    this.#latestSource = key
    if (this.#errorsOfSource.size >= SOURCES_LIMIT && !this.#errorsOfSource.has(key)) {
      const oldest = this.#errorsOfSource.keys().next().value!
      this.#errorsOfSource.delete(oldest)
    }
    this.#errorsOfSource.set(key, count)
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

  #refusalOf(dialect: string, code: string): Counted<Reason> {
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
    return this.#errorsOfDialect.get(dialect) ?? 0
  }

  errorsOfSource(dialect: string, address: string): number {
    return this.#errorsOfSource.get(`${dialect} ${address}`) ?? 0
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
    return byCount(this.#refusals)
  }

  /** Lists the first refused keys of a limit. */
  refusedKeys(code: string): readonly RefusedKey[] {
    return this.#refusedKeys.get(code) ?? []
  }

  /** Lists all codes seen so far, the most frequent first. */
  errors(): ErrorStatus[] {
    return byCount(this.#errors)
  }
}

/** Sorts by count, the most frequent first. */
function byCount<T extends Reason>(counted: ReadonlyMap<string, Counted<T>>): T[] {
  return [...counted.values()].map(({ status }) => status).sort((a, b) => b.count - a.count)
}

/**
 * Describes an offending message as it is kept: where it came from, what was wrong, its first
 * bytes.
 */
export function describeOffender(
  timeMs: number,
  { offset }: DecodeErrorFields,
  message: Uint8Array,
  peer: Peer,
  detail: string,
): OffenderStatus {
  return {
    timeMs,
    peer: `${peer.transport} ${peer.address}:${peer.port}`,
    offset,
    detail,
    hex: toHex(message.subarray(0, OFFENDER_BYTES_LIMIT)),
  }
}
