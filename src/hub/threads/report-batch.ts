/**
 * Errors, refusals and log lines of an ingest thread, summed up until the next batch: counts by
 * code, the last offenders, some names and lines. A flood of bad lines makes numbers larger, never
 * a message. {@link ErrorReports.merge} takes it apart in the main thread.
 */
import type { Peer, Reports } from '../../dialects/endpoints.ts'
import type { Clock } from '../../time/clock.ts'
import type { DecodeErrorFields } from '../../wire/decode-error.ts'
import type { IngestEvents } from '../ingest/ingest.ts'
import type { Log } from '../log.ts'
import { describeOffender, OFFENDERS_LIMIT, REFUSED_KEYS_LIMIT } from '../status/reports.ts'
import type { ErrorStatus, OffenderStatus, RefusalStatus } from '../status/status.ts'
import type { LogLine, NamedCount, RefusedName, ReportColumns } from './messages.ts'

const LOG_LINES_LIMIT = 50
const SOURCES_LIMIT = 256
const LINES_LEFT_OUT = 'log lines of an ingest thread were left out'

type Counted<T> = T extends { count: number } ? { -readonly [K in keyof T]: T[K] } : never
type ErrorCount = { dialect: string; code: string; count: number; last: OffenderStatus[] }

export class ReportBatch {
  readonly #clock: Clock
  readonly #onFirst: (count?: number) => void
  #errors = new Map<string, ErrorCount>()
  #errorsOfSources = new Map<string, number>()
  #refusals = new Map<string, Counted<RefusalStatus>>()
  #notes = new Map<string, Counted<RefusalStatus>>()
  #decodeNotes = new Map<string, Counted<RefusalStatus>>()
  #names: RefusedName[] = []
  /** Numbers of these by code. */
  #namesKept = new Map<string, number>()
  #counts = new Map<string, Counted<NamedCount>>()
  #log: LogLine[] = []
  #logLinesLeftOut = 0

  /** @param onFirst called when so much has been reported, so that a batch will be sent */
  constructor(clock: Clock, onFirst: (count?: number) => void) {
    this.#clock = clock
    this.#onFirst = onFirst
  }

  /** Makes the reports that one dialect's server sees. */
  for(dialect: string): Reports {
    return {
      decodeError: (error, message, peer, detail) => {
        this.decodeError(error, message, peer, detail)
      },
      decodeNote: (note) => {
        this.#onFirst()
        countCode(this.#decodeNotes, dialect, note)
      },
      count: (name, reason, count = 1) => {
        this.#onFirst()
        const key = `${dialect} ${name} ${reason}`
        const known = this.#counts.get(key)
        if (known === undefined) this.#counts.set(key, { dialect, name, reason, count })
        else known.count += count
      },
      log: (level, message, facts) => this.log(level, message, { dialect, ...facts }),
    }
  }

  /** Makes the events that one dialect's ingest sees. */
  eventsOf(dialect: string): IngestEvents {
    return {
      refused: (code, source, name, count = 1) => {
        this.#onFirst(count)
        countCode(this.#refusals, dialect, code, count)
        if (name !== undefined) this.#keepName(code, name, source)
      },
      noted: (code) => {
        this.#onFirst()
        countCode(this.#notes, dialect, code)
      },
    }
  }

  decodeError(error: DecodeErrorFields, message: Uint8Array, peer: Peer, detail: string): void {
    this.#onFirst()
    const { dialect, code } = error
    const key = `${dialect} ${code}`
    let known = this.#errors.get(key)
    if (known === undefined) {
      known = { dialect, code, count: 0, last: [] }
      this.#errors.set(key, known)
    }
    known.count++
    if (known.last.length === OFFENDERS_LIMIT) known.last.shift()
    known.last.push(describeOffender(this.#clock.wallMs(), error, message, peer, detail))
    const source = `${dialect} ${peer.address}`
    const ofSource = this.#errorsOfSources.get(source)
    if (ofSource === undefined && this.#errorsOfSources.size >= SOURCES_LIMIT) return
    this.#errorsOfSources.set(source, (ofSource ?? 0) + 1)
  }

  #keepName(code: string, name: () => string, source: string): void {
    const kept = this.#namesKept.get(code) ?? 0
    if (kept >= REFUSED_KEYS_LIMIT) return
    this.#namesKept.set(code, kept + 1)
    this.#names.push({ code, key: name(), source })
  }

  readonly log: Log = (level, message, facts) => {
    this.#onFirst()
    if (this.#log.length >= LOG_LINES_LIMIT) this.#logLinesLeftOut++
    else this.#log.push({ level, message, ...(facts && { facts: plainFacts(facts) }) })
  }

  /** Takes what was reported since the last call. */
  take(): ReportColumns {
    if (this.#logLinesLeftOut > 0) {
      const facts = { lines: this.#logLinesLeftOut }
      this.#log.push({ level: 'warn', message: LINES_LEFT_OUT, facts })
    }
    const columns: ReportColumns = {
      errors: [...this.#errors.values()] satisfies ErrorStatus[],
      errorsOfSources: [...this.#errorsOfSources],
      refusals: [...this.#refusals.values()],
      names: this.#names,
      notes: [...this.#notes.values()],
      decodeNotes: [...this.#decodeNotes.values()],
      counts: [...this.#counts.values()],
      log: this.#log,
      logLinesLeftOut: this.#logLinesLeftOut,
    }
    this.#errors = new Map()
    this.#errorsOfSources = new Map()
    this.#refusals = new Map()
    this.#notes = new Map()
    this.#decodeNotes = new Map()
    this.#names = []
    this.#namesKept = new Map()
    this.#counts = new Map()
    this.#log = []
    this.#logLinesLeftOut = 0
    return columns
  }
}

/** Makes facts that can be sent to another thread, whatever a dialect puts into its log lines. */
function plainFacts(facts: Record<string, unknown>): Record<string, unknown> {
  const plain = (value: unknown): unknown =>
    ['string', 'number', 'boolean'].includes(typeof value) ? value : String(value)
  return Object.fromEntries(Object.entries(facts).map(([key, value]) => [key, plain(value)]))
}

function countCode(
  counts: Map<string, Counted<RefusalStatus>>,
  dialect: string,
  code: string,
  count = 1,
): void {
  const key = `${dialect} ${code}`
  const known = counts.get(key)
  if (known === undefined) counts.set(key, { dialect, code, count })
  else known.count += count
}
