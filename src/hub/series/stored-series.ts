/**
 * Records of series as the store makes them: an object of few words each, for there may be
 * millions. What has columns is read from there ({@link SeriesFacts}); what few series have stands
 * in an object that is made when it is needed.
 */
import type { Identity, Metadata } from '../../model/index.ts'
import { CumulativeReading } from '../ingest/cumulative-reading.ts'
import { decrementsIdentity, type NewSeries, WINDOWED } from '../ingest/definition.ts'
import type { CounterWindows } from '../ingest/windows/counter-windows.ts'
import type { HistogramWindows } from '../ingest/windows/histogram-windows.ts'
import type { SummaryWindows } from '../ingest/windows/summary-windows.ts'
import type { CounterRecord, GaugeRecord, HistogramRecord, SummaryRecord } from './record.ts'
import type { SeriesFacts } from './series-facts.ts'

export type StoredSeries = StoredCounter | StoredGauge | StoredHistogram | StoredSummary

/** Bits in the flags of a record. */
const FLAG = {
  kept: 1,
  decrements: 2,
  /** Bit of decrements whose counter knows them. */
  attached: 4,
  waiting: 8,
  windowed: 16,
} as const

interface StoredParts {
  readonly id: number
  readonly metric: number
  readonly facts: SeriesFacts
  /** The same text for all series of a source. */
  readonly source: string
  readonly metadata: Metadata
}

abstract class Stored {
  readonly id: number
  readonly metric: number
  readonly source: string
  metadata: Metadata
  protected flags: number
  #facts: SeriesFacts

  constructor({ id, metric, facts, source, metadata }: StoredParts, flags: number) {
    this.id = id
    this.metric = metric
    this.source = source
    this.metadata = metadata
    this.flags = flags
    this.#facts = facts
  }

  get identity(): Identity {
    return this.#facts.identity(this.metric)
  }

  get firstSeenMs(): number {
    return this.#facts.firstSeenMs(this.metric)
  }

  set firstSeenMs(ms: number) {
    this.#facts.setFirstSeenMs(this.metric, ms)
  }

  get lastDataMs(): number {
    return this.#facts.lastDataMs(this.metric)
  }

  set lastDataMs(ms: number) {
    this.#facts.setLastDataMs(this.metric, ms)
  }

  get isKept(): boolean {
    return (this.flags & FLAG.kept) !== 0
  }

  get isWaiting(): boolean {
    return (this.flags & FLAG.waiting) !== 0
  }

  set isWaiting(isWaiting: boolean) {
    this.flags = isWaiting ? this.flags | FLAG.waiting : this.flags & ~FLAG.waiting
  }

  /** Lets go of the store's columns, when its metric may be given to another series. */
  leave(facts: SeriesFacts): void {
    this.#facts = facts
  }
}

/** Parts that few counters have. */
interface CounterParts {
  decrements: StoredCounter | undefined
  readonly reading: CumulativeReading | undefined
  falls: CounterRecord['falls']
  windows: CounterWindows | undefined
}

export class StoredCounter extends Stored implements CounterRecord {
  #parts: CounterParts | undefined

  constructor(parts: StoredParts, flags: number, reading: CumulativeReading | undefined) {
    super(parts, flags)
    this.#parts = reading && { ...NO_PARTS, reading }
  }

  get kind(): 'counter' {
    return 'counter'
  }

  override get identity(): Identity {
    return this.isDecrements ? decrementsIdentity(super.identity) : super.identity
  }

  get isDecrements(): boolean {
    return (this.flags & FLAG.decrements) !== 0
  }

  /** Whether it is the second part of a counter that knows it. */
  get isAttached(): boolean {
    return (this.flags & FLAG.attached) !== 0
  }

  get reading(): CumulativeReading | undefined {
    return this.#parts?.reading
  }

  get decrements(): StoredCounter | undefined {
    return this.#parts?.decrements
  }

  set decrements(part: StoredCounter | undefined) {
    this.#own.decrements = part
    if (part !== undefined) part.flags |= FLAG.attached
  }

  get falls(): CounterRecord['falls'] {
    return this.#parts?.falls
  }

  set falls(falls: CounterRecord['falls']) {
    this.#own.falls = falls
  }

  get windows(): CounterWindows | undefined {
    return this.#parts?.windows
  }

  set windows(windows: CounterWindows | undefined) {
    this.#own.windows = windows
  }

  get #own(): CounterParts {
    this.#parts ??= { ...NO_PARTS }
    return this.#parts
  }
}

const NO_PARTS: CounterParts = {
  decrements: undefined,
  reading: undefined,
  falls: undefined,
  windows: undefined,
}

class StoredGauge extends Stored implements GaugeRecord {
  get kind(): 'gauge' {
    return 'gauge'
  }
}

class StoredHistogram extends Stored implements HistogramRecord {
  windows: HistogramWindows | undefined = undefined

  get kind(): 'histogram' {
    return 'histogram'
  }

  get isWindowed(): boolean {
    return (this.flags & FLAG.windowed) !== 0
  }
}

class StoredSummary extends Stored implements SummaryRecord {
  windows: SummaryWindows | undefined = undefined

  get kind(): 'summary' {
    return 'summary'
  }
}

/** Form of a new series: all but its identity, metadata and source. */
export type SeriesForm = Pick<
  NewSeries,
  'counterBits' | 'isCumulative' | 'isDecrements' | 'storage' | 'isKept'
>

/** Makes the record of a series by its kind. */
export function createStored(
  kind: Identity['kind'],
  form: SeriesForm,
  parts: StoredParts,
): StoredSeries {
  const flags =
    (form.isKept === true ? FLAG.kept : 0) |
    (form.isDecrements === true ? FLAG.decrements : 0) |
    (form.storage === WINDOWED ? FLAG.windowed : 0)
  switch (kind) {
    case 'counter': {
      const isCumulative = form.isCumulative === true
      const reading = isCumulative ? new CumulativeReading(form.counterBits) : undefined
      return new StoredCounter(parts, flags, reading)
    }
    case 'gauge':
      return new StoredGauge(parts, flags)
    case 'histogram':
      return new StoredHistogram(parts, flags)
    case 'summary':
      return new StoredSummary(parts, flags)
  }
}
