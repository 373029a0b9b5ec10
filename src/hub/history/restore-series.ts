/**
 * A series of a former start of the hub, gone on with: it is there before it comes again, silent
 * since it came last, and counts on from its total. No cell tells of that total a second time.
 *
 * A gauge has no value until one comes. What its writer defines by itself and never forgets
 * (filters), and what the hub tells of itself, begins anew.
 */
import { type Cell, type Exact, identityOf, type Metadata } from '../../model/index.ts'
import { keyForm } from '../../model/named-keys.ts'
import type { Writer } from '../../shm/index.ts'
import {
  counterOfDecrements,
  OWN_SOURCE,
  type SeriesRefusal,
  WINDOWED,
} from '../ingest/definition.ts'
import { CounterWindows } from '../ingest/windows/counter-windows.ts'
import { HistogramWindows } from '../ingest/windows/histogram-windows.ts'
import { SummaryWindows } from '../ingest/windows/summary-windows.ts'
import type { SeriesRecord } from '../series/record.ts'
import { beganMs, type CounterRecord, isDecrements, isWindowed } from '../series/record.ts'
import type { SeriesStore } from '../series/series.ts'

/** A series as it was when the hub of before ended. */
export interface FormerSeries {
  /** Key of its identity; valid during the call. */
  readonly key: Uint8Array
  readonly metadata: Metadata
  /** Undefined where what it says is not all that is needed. */
  readonly origin: Origin | undefined
  /** End of its last cell, Unix seconds. */
  readonly lastS: number
  /** All of its cells since it began; undefined for a gauge. */
  readonly total: Cell | undefined
}

/** Facts that a hub needs besides identity and total to go on with a series. */
export interface Origin {
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
export function readOrigin(text: string): Origin | undefined {
  if (text === '') return undefined
  try {
    const origin = JSON.parse(text) as Partial<Origin> | null
    return origin?.isKept === undefined ? undefined : (origin as Origin)
  } catch {
    return undefined // a text that was damaged says nothing
  }
}

/**
 * Restores a series; it must not have come in this start.
 * @returns undefined where it begins anew: above a limit of series, or of a kind that does
 */
export function restoreSeries(
  former: FormerSeries,
  store: SeriesStore,
  writer: Writer,
): SeriesRecord | undefined {
  const { origin, lastS, total } = former
  if (origin === undefined || origin.isKept || origin.source === OWN_SOURCE) return undefined
  const record = origin.isDecrements
    ? definePart(former, origin, store)
    : define(former, origin, store)
  if (record === undefined || typeof record === 'string') return undefined
  if (total !== undefined && !begin(record, total, writer)) return undefined
  record.firstSeenMs = origin.beganMs
  record.lastDataMs = lastS * 1000
  return record
}

/** Defines a series by the bytes of its key: no text of it is read before it is asked for. */
function define(
  { key, metadata }: FormerSeries,
  { source, isCumulative, counterBits, isWindowed: hasWindows }: Origin,
  store: SeriesStore,
): SeriesRecord | SeriesRefusal | undefined {
  const form = keyForm(key)
  if (form === undefined) return undefined
  return store.define({
    ...{ key, metadata, source, isCumulative: isCumulative === true, ...form },
    ...(counterBits === undefined ? {} : { counterBits }),
    ...(hasWindows ? { storage: WINDOWED } : {}),
  })
}

/** Defines the second part of a counter, and the counter, whichever comes first. */
function definePart(
  { key, metadata }: FormerSeries,
  { source }: Origin,
  store: SeriesStore,
): SeriesRecord | SeriesRefusal | undefined {
  const identity = identityOf(key)
  if (identity === undefined) return undefined
  const whole = store.define({ identity: counterOfDecrements(identity), metadata, source })
  return typeof whole === 'string' ? whole : store.defineDecrements(whole, source)
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
  const isWhole = typeof total === 'bigint' || Number.isInteger(total)
  record.begun = BigInt(isWhole ? total : Math.trunc(total))
  const place = writer.counterPlace(record.metric)
  // most totals: no handle is made
  if (place >= 0 && typeof total === 'number' && writer.addSmall(place, total)) return true
  const counter = writer.counter(record.metric)
  if (counter === undefined) return false
  if (isWhole) return counter.addExact(BigInt(total))
  record.windows ??= new CounterWindows()
  return record.windows.begin(total, counter)
}
