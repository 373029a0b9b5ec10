/**
 * One number per series for viewers that know numbers only: gauges as they are now, distributions
 * as the mean of the last second, or window, in which something was observed. Both stay until
 * something new comes: whether they are stale is another question. Counters are shown as two, the
 * rate of the last closed second, or window until the next one is overdue, and the total; both net
 * of decrements.
 */
import {
  type CanonicalSeries,
  type SnapshotSource,
  type Statistic,
  TOTAL,
} from '../../dialects/snapshot-source.ts'
import {
  canonicalMean,
  type Exact,
  type Histogram,
  type Identity,
  incrementRate,
  type Metadata,
  MINUTE,
  subtractExact,
  summaryMean,
} from '../../model/index.ts'
import { type CounterRecord, isDecrements, type SeriesRecord } from '../series/record.ts'
import type { SeriesStore } from '../series/series.ts'
import { runNow, type Task } from '../tasks/task.ts'
import type { Frame } from './frame.ts'
import type { LiveRing } from './ring.ts'
import type { Totals } from './totals.ts'

/** Windows that may be missed before the newest rate is no longer shown. */
const OVERDUE_WINDOWS = 2
/** Length of a window that does not say its own: what clients of ours ask for. */
const UNKNOWN_WINDOW_S = 1

/** Entries between two looks at the clock. */
const ENTRIES_PER_STEP = 256
/** Series by which a list grows at once: some milliseconds. */
const FOLLOWED_AT_ONCE = 8192

/** Statistic of a distribution, or the total of a counter. */
type Shown = Statistic | typeof TOTAL

/** One place in the list of values; what viewers are told of it is the record's. */
class Entry implements CanonicalSeries {
  readonly record: SeriesRecord
  /** Statistic, or the total of a counter; absent for the canonical value itself. */
  declare readonly statistic?: Shown

  constructor(record: SeriesRecord, statistic: Shown | undefined) {
    this.record = record
    if (statistic !== undefined) this.statistic = statistic
  }

  get identity(): Identity {
    return this.record.identity
  }

  get metadata(): Metadata {
    return this.record.metadata
  }

  get isEstimated(): boolean {
    return this.metadata.lacksSum === true || this.statistic?.startsWith('p') === true
  }
}

export class CanonicalValues implements SnapshotSource {
  readonly #store: SeriesStore
  readonly #totals: Totals
  readonly #ring: LiveRing
  readonly #isAway: (record: SeriesRecord) => boolean
  readonly #select: readonly Statistic[]
  #entries: Entry[] = []
  /** Newest series of the list, and how often series had left it by then. */
  #lastId = 0
  #unlinks = 0
  /** Number of times that a list was given of only some of the series that had come. */
  #parts = 0
  /** Values of the last closed second, by place in the list; gauges are read anew. */
  #closed: number[] = []
  /** Place from which on no reader wants values. */
  #reach = 0
  /** The last closed second while its values were not read, and the newest series then. */
  #unread: { readonly frame: Frame; readonly lastId: number } | undefined
  #hasReader = false

  /**
   * @param isAway tells whether the peer that a series comes from is not there: it has no value
   * @param select statistics of distributions to be shown beside their means
   */
  constructor(
    store: SeriesStore,
    totals: Totals,
    ring: LiveRing,
    isAway: (record: SeriesRecord) => boolean,
    select: readonly Statistic[],
  ) {
    this.#store = store
    this.#totals = totals
    this.#ring = ring
    this.#isAway = isAway
    this.#select = select
  }

  get revision(): number {
    return this.#store.revision + this.#parts
  }

  /** Lists the series; where very many have come, some more with each call. */
  list(): readonly CanonicalSeries[] {
    this.#follow()
    return this.#entries
  }

  read(target: Float64Array): void {
    this.#drop()
    this.#hasReader = true
    this.#reach = Math.max(this.#reach, target.length)
    runNow(this.#takingUnread())
    const end = Math.min(this.#entries.length, target.length)
    for (let i = 0; i < end; i++) {
      const { record } = this.#entries[i]!
      if (record.kind !== 'gauge') target[i] = this.#closed[i]!
      else target[i] = Number(this.#totals.gauge(record) ?? Number.NaN)
    }
  }

  /** Takes the values of a closed second: now, or when they are read if the last were not. */
  *take(frame: Frame): Task {
    this.#unread = { frame, lastId: this.#store.lastId }
    if (!this.#hasReader) return
    this.#hasReader = false
    this.#drop()
    yield
    yield* this.#takingUnread()
  }

  /** Computes what readers want of the unread second; they see the one before until it is whole. */
  *#takingUnread(): Task {
    const unread = this.#unread
    if (unread === undefined) return
    const unlinks = this.#unlinks
    const closed: number[] = []
    for (let i = 0; i < Math.min(this.#entries.length, this.#reach); i++) {
      if (i % ENTRIES_PER_STEP === 0) yield
      // places have changed, or a reader has been here meanwhile
      if (unlinks !== this.#unlinks || unread !== this.#unread) return
      const entry = this.#entries[i]!
      const isOlder = entry.record.id <= unread.lastId
      closed.push(isOlder ? this.#closedOf(entry, unread.frame, this.#closed[i]!) : Number.NaN)
    }
    for (let i = 0; i < closed.length; i++) this.#closed[i] = closed[i]!
    this.#unread = undefined
  }

  /**
   * Follows the list of series, which mostly grows; values of those that stay are kept. It costs
   * what has changed, unless some have left.
   */
  #follow(): void {
    const store = this.#store
    this.#drop()
    const end = Math.min(store.lastId, this.#lastId + FOLLOWED_AT_ONCE)
    if (end < store.lastId) this.#parts++
    while (this.#lastId < end) {
      const record = store.listed(++this.#lastId)
      if (record !== undefined && isShown(record)) this.#add(store.keep(record))
    }
  }

  /** Leaves out what is listed no more. */
  #drop(): void {
    if (this.#unlinks === this.#store.unlinks) return
    this.#unlinks = this.#store.unlinks
    this.#retain()
  }

  #retain(): void {
    const entries = this.#entries
    let kept = 0
    for (let i = 0; i < entries.length; i++) {
      if (this.#store.listed(entries[i]!.record.id) === undefined) continue
      entries[kept] = entries[i]!
      this.#closed[kept++] = this.#closed[i]!
    }
    entries.length = kept
    this.#closed.length = kept
  }

  #add(record: SeriesRecord): void {
    for (const statistic of [undefined, ...this.#statisticsOf(record)]) {
      this.#entries.push(new Entry(record, statistic))
      this.#closed.push(Number.NaN)
    }
  }

  #statisticsOf({ kind }: SeriesRecord): readonly Shown[] {
    if (kind === 'counter') return [TOTAL]
    return kind === 'histogram' ? this.#select : []
  }

  /** @param before value of the second before */
  #closedOf({ record, statistic }: Entry, frame: Frame, before: number): number {
    if (this.#isAway(record)) return Number.NaN
    if (statistic === TOTAL) {
      const total = this.#totals.of(record)
      return total.kind === 'counter' ? netNumber(total) : Number.NaN
    }
    // what was observed earlier holds, and is known already unless nothing was read then
    const isSilent = record.kind === 'histogram' && frame.row(record.id, record.kind) < 0
    if (isSilent && !Number.isNaN(before)) return before
    const scaleS = record.metadata.rateTimeScaleS ?? MINUTE
    return closedValue(record, frame, this.#ring, scaleS, statistic)
  }
}

/**
 * Tells whether a series is shown. The hub's own are for /metrics and the page; viewers of an
 * application see its own only.
 */
function isShown(record: SeriesRecord): boolean {
  return !isDecrements(record) && record.metadata.dialect !== 'hub'
}

/** Gives the nearest double to a counter's total, net of decrements. */
function netNumber({ total, decrements }: { readonly total: Exact; readonly decrements: Exact }) {
  return Number(subtractExact(total, decrements))
}

/**
 * Computes the one value of a series as of a closed second: a counter's rate in it or in its newest
 * window, a distribution's mean in the last one with observations; NaN for none, and for a gauge,
 * which is read as it is now.
 * @param ring of seconds, this one included
 * @param scaleS seconds that a counter's rate is stated per
 */
export function closedValue(
  record: SeriesRecord,
  frame: Frame,
  ring: Pick<LiveRing, 'holding'>,
  scaleS: number,
  statistic?: Statistic,
): number {
  switch (record.kind) {
    case 'counter':
      return counterValue(record, frame, scaleS)
    case 'histogram': {
      const histogram =
        histogramIn(record, frame) ?? histogramIn(record, ring.holding(record.lastDataMs))
      return histogram === undefined ? Number.NaN : statisticOf(histogram, statistic)
    }
    case 'summary': {
      const window = record.windows?.last
      return window === undefined ? Number.NaN : summaryMean(window.summary)
    }
    case 'gauge':
      return Number.NaN
  }
}

function counterValue(record: CounterRecord, frame: Frame, scaleS: number): number {
  const window = record.windows?.last
  if (window !== undefined && window.seconds > 0) {
    if (isOverdue(record, window.seconds, frame)) return Number.NaN
    return incrementRate(window.delta, window.seconds, scaleS)
  }
  return incrementRate(netDelta(record, frame) ?? 0, frame.seconds, scaleS)
}

/**
 * Gives what a counter grew by in a frame, net of decrements; undefined where nothing came for it.
 */
export function netDelta({ id, decrements }: CounterRecord, frame: Frame): Exact | undefined {
  const grown = deltaOf(id, frame)
  const fallen = decrements && deltaOf(decrements.id, frame)
  return fallen === undefined ? grown : subtractExact(grown ?? 0, fallen)
}

function deltaOf(id: number, frame: Frame): Exact | undefined {
  const row = frame.row(id, 'counter')
  return row < 0 ? undefined : frame.deltaAt(row)
}

/** Tells whether the window after the newest one should have come long ago. */
function isOverdue({ lastDataMs }: SeriesRecord, windowSec: number, frame: Frame): boolean {
  const seconds = windowSec > 0 ? windowSec : UNKNOWN_WINDOW_S
  return frame.endMs - lastDataMs > OVERDUE_WINDOWS * Math.max(1, seconds) * 1000
}

function histogramIn(record: SeriesRecord, frame: Frame | undefined): Histogram | undefined {
  const row = frame?.row(record.id, 'histogram') ?? -1
  return row < 0 ? undefined : frame!.histogramAt(row)
}

function statisticOf(histogram: Histogram, statistic: Statistic | undefined): number {
  switch (statistic) {
    case undefined:
      return canonicalMean(histogram)
    case 'count':
      return Number(histogram.count)
    case 'min':
      return Number(histogram.min)
    case 'max':
      return Number(histogram.max)
    default:
      return histogram.quantile(Number(`0.${statistic.slice(1)}`))
  }
}
