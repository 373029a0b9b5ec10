/**
 * Records of series as the store makes them when one is asked for: an id, and the place where all
 * that is known of it stands ({@link SeriesFacts}). Any number of them may be made of one series.
 */
import type { Identity, Metadata } from '../../model/index.ts'
import { CumulativeReading } from '../ingest/cumulative-reading.ts'
import { decrementsIdentity, type NewSeries, WINDOWED } from '../ingest/definition.ts'
import type { CounterWindows } from '../ingest/windows/counter-windows.ts'
import type { HistogramWindows } from '../ingest/windows/histogram-windows.ts'
import type { SummaryWindows } from '../ingest/windows/summary-windows.ts'
import type { CounterRecord, GaugeRecord, HistogramRecord, SummaryRecord } from './record.ts'
import type { SeriesFacts } from './series-columns.ts'

export type StoredSeries = StoredCounter | StoredGauge | StoredHistogram | StoredSummary

/** Bits in the flags of a series; the kind is in the lowest two. */
export const FLAG = {
  kept: 4,
  decrements: 8,
  /** Bit of decrements whose counter knows them. */
  attached: 16,
  waiting: 32,
  windowed: 64,
  leaving: 128,
} as const
const KIND_MASK = 3
const FLAGS_BY_KIND = { counter: 0, gauge: 1, histogram: 2, summary: 3 } as const

/** Parts that few series have, by kind. */
export interface SeriesParts {
  /** Windows of a counter, histogram or summary. */
  windows?: CounterWindows | HistogramWindows | SummaryWindows | undefined
  /** Kept record of a counter's second part. */
  decrements?: StoredCounter | undefined
  /** Id of the counter whose second part it is. */
  wholeId?: number
  readonly reading?: CumulativeReading
  falls?: CounterRecord['falls']
  begun?: bigint | undefined
}

type Facts = SeriesFacts<SeriesParts>

abstract class Stored {
  readonly id: number
  #facts: Facts

  constructor(id: number, facts: Facts) {
    this.id = id
    this.#facts = facts
  }

  get metric(): number {
    return this.#facts.metric(this.id)
  }

  get source(): string {
    return this.#facts.source(this.id)
  }

  get metadata(): Metadata {
    return this.#facts.metadata(this.id)
  }

  get identity(): Identity {
    return this.#facts.identity(this.id)
  }

  get firstSeenMs(): number {
    return this.#facts.firstSeenMs(this.id)
  }

  set firstSeenMs(ms: number) {
    this.#facts.setFirstSeenMs(this.id, ms)
  }

  get lastDataMs(): number {
    return this.#facts.lastDataMs(this.id)
  }

  set lastDataMs(ms: number) {
    this.#facts.setLastDataMs(this.id, ms)
  }

  get isKept(): boolean {
    return this.is('kept')
  }

  get isWaiting(): boolean {
    return this.is('waiting')
  }

  set isWaiting(isWaiting: boolean) {
    this.mark('waiting', isWaiting)
  }

  /** Whether it is listed no more. */
  get isLeaving(): boolean {
    return this.is('leaving')
  }

  /** Lists it no more. */
  unlist(): void {
    this.mark('leaving', true)
  }

  /** Says what it was from now on, when its metric may be given to another series. */
  leave(facts: Facts): void {
    this.#facts = facts
  }

  protected is(flag: keyof typeof FLAG): boolean {
    return (this.#facts.flags(this.id) & FLAG[flag]) !== 0
  }

  protected mark(flag: keyof typeof FLAG, isSet: boolean): void {
    const flags = this.#facts.flags(this.id)
    this.#facts.setFlags(this.id, isSet ? flags | FLAG[flag] : flags & ~FLAG[flag])
  }

  protected get parts(): SeriesParts | undefined {
    return this.#facts.parts(this.id)
  }

  /** Parts that may be written: made on first need. */
  protected get ownParts(): SeriesParts {
    const known = this.#facts.parts(this.id)
    if (known !== undefined) return known
    const parts: SeriesParts = {}
    this.#facts.setParts(this.id, parts)
    return parts
  }
}

export class StoredCounter extends Stored implements CounterRecord {
  get kind(): 'counter' {
    return 'counter'
  }

  override get identity(): Identity {
    return this.isDecrements ? decrementsIdentity(super.identity) : super.identity
  }

  get isDecrements(): boolean {
    return this.is('decrements')
  }

  /** End of the last interval in which something arrived for it or its decrements. */
  override get lastDataMs(): number {
    return Math.max(super.lastDataMs, this.decrements?.lastDataMs ?? 0)
  }

  override set lastDataMs(ms: number) {
    super.lastDataMs = ms
  }

  /** Whether it is the second part of a counter that knows it. */
  get isAttached(): boolean {
    return this.is('attached')
  }

  get reading(): CumulativeReading | undefined {
    return this.parts?.reading
  }

  get decrements(): StoredCounter | undefined {
    return this.parts?.decrements
  }

  /** @param part record that the store keeps */
  set decrements(part: StoredCounter | undefined) {
    this.ownParts.decrements = part
    if (part === undefined) return
    part.mark('attached', true)
    part.ownParts.wholeId = this.id
  }

  get wholeId(): number | undefined {
    return this.parts?.wholeId
  }

  get falls(): CounterRecord['falls'] {
    return this.parts?.falls
  }

  set falls(falls: CounterRecord['falls']) {
    this.ownParts.falls = falls
  }

  get begun(): bigint | undefined {
    return this.parts?.begun
  }

  set begun(whole: bigint | undefined) {
    this.ownParts.begun = whole
  }

  get windows(): CounterWindows | undefined {
    return this.parts?.windows as CounterWindows | undefined
  }

  set windows(windows: CounterWindows | undefined) {
    this.ownParts.windows = windows
  }
}

class StoredGauge extends Stored implements GaugeRecord {
  get kind(): 'gauge' {
    return 'gauge'
  }
}

class StoredHistogram extends Stored implements HistogramRecord {
  get kind(): 'histogram' {
    return 'histogram'
  }

  get isWindowed(): boolean {
    return this.is('windowed')
  }

  get windows(): HistogramWindows | undefined {
    return this.parts?.windows as HistogramWindows | undefined
  }

  set windows(windows: HistogramWindows | undefined) {
    this.ownParts.windows = windows
  }
}

class StoredSummary extends Stored implements SummaryRecord {
  get kind(): 'summary' {
    return 'summary'
  }

  get windows(): SummaryWindows | undefined {
    return this.parts?.windows as SummaryWindows | undefined
  }

  set windows(windows: SummaryWindows | undefined) {
    this.ownParts.windows = windows
  }
}

/** Classes in the order of their kinds' bits. */
const CLASSES = [StoredCounter, StoredGauge, StoredHistogram, StoredSummary] as const

/** Makes a record of a series that is there. */
export function recordOf(id: number, facts: Facts): StoredSeries {
  return new CLASSES[facts.flags(id) & KIND_MASK]!(id, facts)
}

/** Form of a new series: all but its identity, metadata and source. */
export type SeriesForm = Pick<
  NewSeries,
  'counterBits' | 'isCumulative' | 'isDecrements' | 'storage' | 'isKept'
>

/** Gives the flags that a series begins with. */
export function flagsOf(kind: Identity['kind'], form: SeriesForm): number {
  return (
    FLAGS_BY_KIND[kind] |
    (form.isKept === true ? FLAG.kept : 0) |
    (form.isDecrements === true ? FLAG.decrements : 0) |
    (form.storage === WINDOWED ? FLAG.windowed : 0)
  )
}

/** Makes the parts that a series begins with; undefined where it needs none yet. */
export function firstParts(kind: Identity['kind'], form: SeriesForm): SeriesParts | undefined {
  if (kind !== 'counter' || form.isCumulative !== true) return undefined
  return { reading: new CumulativeReading(form.counterBits) }
}
