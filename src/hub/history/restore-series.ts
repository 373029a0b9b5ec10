/**
 * A series of a former start of the hub, gone on with: it is there before it comes again, silent
 * since it came last, and counts on from its total. No cell tells of that total a second time.
 *
 * A gauge has no value until one comes. What its writer defines by itself and never forgets
 * (filters), and what the hub tells of itself, begins anew.
 */
import type { StoredSeries } from '../../history/store.ts'
import { type Cell, type Exact, identityOf } from '../../model/index.ts'
import type { Writer } from '../../shm/index.ts'
import { counterOfDecrements, OWN_SOURCE, WINDOWED } from '../ingest/definition.ts'
import { CounterWindows } from '../ingest/windows/counter-windows.ts'
import { HistogramWindows } from '../ingest/windows/histogram-windows.ts'
import { SummaryWindows } from '../ingest/windows/summary-windows.ts'
import type { SeriesRecord } from '../series/record.ts'
import { beganMs, type CounterRecord, isDecrements, isWindowed } from '../series/record.ts'
import type { SeriesStore } from '../series/series.ts'

/** Facts that a hub needs besides identity and total to go on with a series. */
interface Origin {
  readonly source: string
  readonly beganMs: number
  readonly isKept: boolean
  /** Flags stand there only where they are set, for the text is kept with every series. */
  readonly isWindowed?: true
  readonly isDecrements?: true
  readonly isCumulative?: true
  readonly counterBits?: 32 | 64
}

/** Describes how a series came, for a hub that goes on with it. */
export function originOf(record: SeriesRecord): string {
  const reading = record.kind === 'counter' ? record.reading : undefined
  return JSON.stringify({
    source: record.source,
    beganMs: beganMs(record),
    isKept: record.isKept,
    ...(isWindowed(record) ? { isWindowed: true } : {}),
    ...(isDecrements(record) ? { isDecrements: true } : {}),
    ...(reading === undefined ? {} : { isCumulative: true }),
    ...(reading?.counterBits === undefined ? {} : { counterBits: reading.counterBits }),
  } satisfies Origin)
}

/** Reads an origin; undefined for one of a hub that did not tell all that is needed. */
function readOrigin(text: string | undefined): Origin | undefined {
  const origin = JSON.parse(text ?? '{}') as Partial<Origin>
  return origin.isKept === undefined ? undefined : (origin as Origin)
}

/**
 * Restores a series; it must not have come in this start.
 * @returns undefined where it begins anew: above a limit of series, or of a kind that does
 */
export function restoreSeries(
  stored: StoredSeries,
  store: SeriesStore,
  writer: Writer,
): SeriesRecord | undefined {
  const origin = readOrigin(stored.origin)
  if (origin === undefined || origin.isKept || origin.source === OWN_SOURCE) return undefined
  const record = define(stored, origin, store)
  if (record === undefined) return undefined
  if (stored.total !== undefined && !begin(record, stored.total, writer)) return undefined
  record.firstSeenMs = origin.beganMs
  record.lastDataMs = stored.lastS * 1000
  return record
}

function define(
  { key, metadata }: StoredSeries,
  origin: Origin,
  store: SeriesStore,
): SeriesRecord | undefined {
  const identity = identityOf(key)
  if (identity === undefined) return undefined
  const { source, isCumulative, counterBits } = origin
  const form = {
    isCumulative: isCumulative === true,
    ...(counterBits === undefined ? {} : { counterBits }),
    ...(origin.isWindowed ? { storage: WINDOWED } : {}),
  }
  const whole = origin.isDecrements ? counterOfDecrements(identity) : identity
  const record = store.define({ identity: whole, metadata, source, ...form })
  if (typeof record === 'string') return undefined
  if (!origin.isDecrements) return record
  const part = store.defineDecrements(record, source)
  return typeof part === 'string' ? undefined : part
}

/** Gives a series its total. @returns false where it can't have it */
function begin(record: SeriesRecord, total: Cell, writer: Writer): boolean {
  if (record.kind !== total.kind) return false
  switch (total.kind) {
    case 'counter':
      return beginCounter(record as CounterRecord, total.delta, writer)
    case 'gauge':
      return true
    case 'histogram':
      if (record.kind !== 'histogram') return false
      record.windows ??= new HistogramWindows()
      record.windows.begin(total.histogram)
      return true
    case 'summary':
      if (record.kind !== 'summary') return false
      record.windows ??= new SummaryWindows()
      record.windows.begin(total.summary)
      return true
  }
}

function beginCounter(record: CounterRecord, total: Exact, writer: Writer): boolean {
  const counter = writer.counter(record.metric)
  if (counter === undefined) return false
  const isWhole = typeof total === 'bigint' || Number.isInteger(total)
  record.begun = BigInt(isWhole ? total : Math.trunc(total))
  if (isWhole) return counter.addExact(BigInt(total))
  record.windows ??= new CounterWindows()
  return record.windows.begin(total, counter)
}
