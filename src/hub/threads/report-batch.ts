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
import { Offenders } from '../status/offenders.ts'
import { REFUSED_KEYS_LIMIT } from '../status/reports.ts'
import type { ErrorStatus, RefusalStatus } from '../status/status.ts'
import type { LogLine, NamedCount, RefusedName, ReportColumns } from './messages.ts'

const LOG_LINES_LIMIT = 50
const SOURCES_LIMIT = 256
const LINES_LEFT_OUT = 'log lines of an ingest thread were left out'

type Counted<T> = T extends { count: number } ? { -readonly [K in keyof T]: T[K] } : never

/** Errors of one dialect, found without a text being made. */
class DialectErrors {
  readonly codes = new Map<string, { count: number; readonly offenders: Offenders }>()
  readonly sources = new Map<string, { count: number }>()
}

export class ReportBatch {
  readonly #clock: Clock
  readonly #onFirst: (count?: number) => void
  #errors = new Map<string, DialectErrors>()
  #sources = 0
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
      decodeError: (error, bytes, peer, detail, start, end, origin) => {
        this.decodeError(error, bytes, peer, detail, start, end, origin)
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

  decodeError(
    { dialect, code, offset }: DecodeErrorFields,
    bytes: Uint8Array,
    peer: Peer,
    detail: string,
    start = 0,
    end = bytes.length,
    origin = 0,
  ): void {
    this.#onFirst()
    let errors = this.#errors.get(dialect)
    if (errors === undefined) {
      errors = new DialectErrors()
      this.#errors.set(dialect, errors)
    }
    let known = errors.codes.get(code)
    if (known === undefined) {
      known = { count: 0, offenders: new Offenders() }
      errors.codes.set(code, known)
    }
    known.count++
    known.offenders.add(this.#clock.wallMs(), offset, peer, detail, bytes, start, end, origin)
    const ofSource = errors.sources.get(peer.address)
    if (ofSource !== undefined) ofSource.count++
    else if (this.#sources < SOURCES_LIMIT) {
      errors.sources.set(peer.address, { count: 1 })
      this.#sources++
    }
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
      errors: [...this.#errors].flatMap(([dialect, { codes }]) =>
        [...codes].map(
          ([code, { count, offenders }]): ErrorStatus => ({
            ...{ dialect, code, count, last: offenders.list() },
          }),
        ),
      ),
      errorsOfSources: [...this.#errors].flatMap(([dialect, { sources }]) =>
        [...sources].map(([address, { count }]) => ({ dialect, address, count })),
      ),
      refusals: [...this.#refusals.values()],
      names: this.#names,
      notes: [...this.#notes.values()],
      decodeNotes: [...this.#decodeNotes.values()],
      counts: [...this.#counts.values()],
      log: this.#log,
      logLinesLeftOut: this.#logLinesLeftOut,
    }
    this.#errors = new Map()
    this.#sources = 0
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
