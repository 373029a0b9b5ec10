/**
 * What readers of a running hub see: HTTP, exporters, tests. Everything here but `retire` only
 * reads, and none of it blocks or slows ingest.
 */

import type { Dialect } from '../dialects/dialect.ts'
import type { ExportRules } from '../dialects/export-rules.ts'
import { defaultsOf } from '../dialects/options.ts'
import type { HistoryStore } from '../history/store.ts'
import type { Exact, Exemplars } from '../model/index.ts'
import type { Clock } from '../time/clock.ts'
import type { PastList } from './history/past-list.ts'
import type { TakeTapped } from './listen/tap/tap.ts'
import type { Frame } from './live/frame.ts'
import type { LiveRing } from './live/ring.ts'
import type { SampleDemand } from './live/samples/gauge-sampler.ts'
import type { Samples } from './live/samples/samples.ts'
import type { Sessions } from './live/sessions.ts'
import type { CounterRecord, GaugeRecord, SeriesRecord, Total } from './series/record.ts'
import type { SourcesAnswer } from './status/status.ts'
import type { Task } from './tasks/task.ts'

export interface HubView {
  readonly version: string
  /** Name of this start, which no other has. */
  readonly startId: string
  readonly clock: Clock
  /** A series silent for longer is shown as stale. */
  readonly staleAfterMs: number
  /**
   * Number of times that its wall clock was set: what a client knows of times is then worth
   * nothing.
   */
  readonly clockSteps: number
  /** Whether it is so short of memory or time that large answers must wait. */
  readonly refusesAnswers: boolean
  readonly series: SeriesList
  readonly live: LiveRing
  /** Memory beyond the ring, where there is one. */
  readonly history?: Pick<HistoryStore, 'read'> | undefined
  /** Totals of fractions, as all who tell them have to. */
  readonly fractional?: FractionsNoted
  /** Watch over totals that a further start goes on from. */
  readonly durable?: Durability
  /** Series of that memory that the hub has no more, or never had. */
  readonly past?: PastList | undefined
  /** Samples below a second. */
  readonly samples: Samples
  readonly sessions: Sessions
  /**
   * Finds the hub's side of a dialect, where it has one; its own folder knows of what kind it is.
   */
  resident(dialect: string): object | undefined
  /** Opens the wish to have gauges sampled below a second that no source samples. */
  sampleGauges(): SampleDemand
  /** Gives the rules by which series of a dialect, or of the hub itself (`hub`), leave it. */
  exportRules(dialect: string): ExportRules
  /**
   * Tells whether a peer that is read from was not there for some of this time, Unix ms, or the
   * hub itself for some of the second in which it is: what did not come in it is not known to be
   * nothing.
   */
  wasAway(source: string, fromMs: number, toMs: number): boolean
  /** Tells whether the peer that a series comes from is not there: nothing is known of it now. */
  isAway(record: SeriesRecord): boolean
  /** Reads exact totals since the series began, with all that has come. */
  total(record: SeriesRecord): Total
  /** Totals up to the end of a second that is told, as those who add later ones need them. */
  readonly told: ListedTotals
  /**
   * Reads the totals of many counters at once, without their windows.
   * @param records as many as there are totals to be read, with a metric each
   */
  countersOf(records: readonly CounterRecord[], totals: BigUint64Array): void
  /** Reads Dropwizard's moving averages of a counter, per second; undefined for other kinds. */
  rates(record: SeriesRecord): Rates | undefined
  sources(): SourcesAnswer
  /**
   * Copies what comes to a listener for one who watches; most of a flood is left out, and counted.
   * @returns a function that ends it; undefined where there is no such listener
   */
  tap(listener: string, take: TakeTapped): (() => void) | undefined
  /** True once every listener has been tried and at least one listens. */
  readonly isReady: boolean
}

export interface ListedTotals {
  /** End of the newest second that they have all of, Unix ms. */
  readonly endMs: number
  /** Gives the total of a counter, net of decrements, or the count of a distribution. */
  of(record: Exclude<SeriesRecord, GaugeRecord>): Exact
}

export interface FractionsNoted {
  /** Gives totals and sums of the series of a frame that have had fractions, by id. */
  noted(frame: Frame): Task<ReadonlyMap<number, Exact>>
}

export interface Durability {
  /** Whether a further start goes on from totals. */
  readonly isKept: boolean
  /**
   * Waits until all that totals hold now is durable, or lost.
   * @returns false where the limit came first
   */
  reach(limitMs: number): Promise<boolean>
}

export interface Rates {
  readonly mean: number
  readonly m1: number
  readonly m5: number
  readonly m15: number
}

export interface SeriesList {
  /** Rises when a series appears, leaves or changes its metadata. */
  readonly revision: number
  readonly size: number
  /** Exemplars, by the ids of their series. */
  readonly exemplars: Pick<Exemplars, 'size' | 'of'>
  /** Id of the newest series; none has a higher one. */
  readonly lastId: number
  /** Finds a series; the record is to be read while the series is there, or to be kept. */
  get(id: number): SeriesRecord | undefined
  /**
   * Gives a record that goes on saying what a series was when it has left, and that is the same
   * object for all who keep it; it costs some 60 bytes until then.
   */
  keep<R extends SeriesRecord>(record: R): R
  /**
   * Gives the key of a listed or leaving series, identityKey of the model: of decrements the one
   * they have in the zone.
   */
  keyOf(record: SeriesRecord): Uint8Array
  /** Takes a series away with the next second; false where it is leaving already. */
  retire(record: SeriesRecord): boolean
  /** Tells whether a series is listed: it is none of those that are leaving. */
  isListed(record: SeriesRecord): boolean
  /** Calls back, from now on, before a listed series changes its metadata or is listed no more. */
  watch(watcher: SeriesWatcher): void
  /** Lists series in the order of their ids. Decrements are among them ({@link isDecrements}). */
  [Symbol.iterator](): Iterator<SeriesRecord>
}

export interface SeriesWatcher {
  leaves(record: SeriesRecord): void
  changes(record: SeriesRecord): void
}

/** Rules of the hub's metrics of itself, which have the dialect `hub`; their units are words. */
const OWN_RULES: ExportRules = {
  prometheus: { appendsUnit: true },
  otlp: { units: { bytes: 'By', seconds: 's' } },
}

/** Rules of the readings of the machine, whose units are of UCUM, as OpenTelemetry's names have. */
const HOST_RULES: ExportRules = {
  prometheus: { appendsUnit: true, units: { By: 'bytes', s: 'seconds' } },
}

/**
 * Gives the rules by which all series of a hub leave it: those of each dialect, and the hub's own.
 * @param optionsOf the section of a dialect in the configuration, by the dialect's name
 */
export function exportRulesOf(
  dialects: readonly Dialect[],
  optionsOf: (dialect: string) => Readonly<Record<string, unknown>>,
): ReadonlyMap<string, ExportRules> {
  const rules = new Map([
    ['hub', OWN_RULES],
    ['host', HOST_RULES],
  ])
  for (const { name, options, exportRules } of dialects) {
    const own = exportRules?.({ ...defaultsOf(options), ...optionsOf(name) })
    if (own !== undefined) rules.set(name, own)
  }
  return rules
}
