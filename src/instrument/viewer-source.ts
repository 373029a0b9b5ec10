/**
 * A registry as one number per series, for viewers that know numbers only: gauges as they are now,
 * counters as total and as rate, distributions as the mean of the last window in which something
 * was observed, and as chosen statistics of it. Windows end when they are due and values are read:
 * without a viewer nothing runs.
 */
import { identityOf, metadataOf } from '../dialects/eventcounters/map.ts'
import {
  type CanonicalSeries,
  type SnapshotSource,
  STATISTICS,
  type Statistic,
  TOTAL,
} from '../dialects/snapshot-source.ts'
import {
  canonicalMean,
  type Exact,
  Histogram,
  histogramGain,
  type Identity,
  incrementRate,
  type Metadata,
  MINUTE,
  subtractExact,
  summaryMean,
} from '../model/index.ts'
import type { Clock } from '../time/clock.ts'
import { systemClock } from '../time/system-clock.ts'
import { RegistryReadings } from './readings/metrics-readings.ts'
import type { Reading } from './readings/reading.ts'
import { type CounterRegistry, defaultRegistry } from './registry.ts'
import type { ServedCounter } from './sessions/served-counter.ts'

export interface ViewerSourceOptions {
  /** The thread's default one unless given. */
  readonly registry?: CounterRegistry
  /**
   * Statistics of distributions beside their means, each as `NAME.p99`; those that only buckets
   * have (quantiles) need a histogram.
   */
  readonly select?: readonly Statistic[]
  /** Least length of the windows of rates and distributions, ms; 1000 unless given. */
  readonly windowMs?: number
  readonly clock?: Clock
}

const WINDOW_MS = 1000
const NS_PER_MS = 1e6
/** Statistics that windows without buckets have. */
const PLAIN_STATISTICS: readonly Statistic[] = ['count', 'min', 'max']

type Shown = Statistic | typeof TOTAL

/** One place in the list. */
interface Entry extends CanonicalSeries {
  readonly counter: ServedCounter
  readonly statistic?: Shown
  /** Value of the last window; NaN before there was one. */
  value: number
}

/**
 * Values of a registry for viewers: hand it to a server of theirs.
 *
 * @example
 * import { CounterRegistry, EventSource, Gauge, ViewerSource } from 'pentameter/instrument'
 * import { ScopeServer } from 'pentameter/scope'
 *
 * const registry = new CounterRegistry()
 * const motor = new EventSource('Motor', { registry })
 * new Gauge('current', motor).set(9.25)
 * const source = new ViewerSource({ registry, select: ['p50', 'p99'] })
 * const server = new ScopeServer({ source, port: 0 })
 * await server.start()
 * await server.close()
 * source.close()
 */
export class ViewerSource implements SnapshotSource {
  readonly #registry: CounterRegistry
  readonly #select: readonly Statistic[]
  readonly #windowNs: number
  readonly #clock: Clock
  readonly #unwatch: () => void
  #readings: RegistryReadings | undefined
  #revision = 0
  #isStale = true
  #entries: Entry[] = []
  #before = new Map<ServedCounter, Reading>()
  #sinceNs: bigint | undefined

  /** @throws {RangeError} for a statistic that there is none of, or a window below 1 ms */
  constructor(options: ViewerSourceOptions = {}) {
    const { registry = defaultRegistry(), select = [], windowMs = WINDOW_MS } = options
    const unknown = select.find((each) => !STATISTICS.includes(each))
    if (unknown !== undefined) throw new RangeError(`select: ${unknown}, want ${STATISTICS.join()}`)
    if (!(windowMs >= 1)) throw new RangeError(`windowMs: ${windowMs}, want 1 or more`)
    this.#registry = registry
    this.#select = select
    this.#windowNs = windowMs * NS_PER_MS
    this.#clock = options.clock ?? systemClock
    this.#unwatch = registry.onCounter(() => {
      this.#isStale = true
      this.#revision++
    })
  }

  get revision(): number {
    return this.#revision
  }

  list(): readonly CanonicalSeries[] {
    if (this.#isStale) this.#relist()
    return this.#entries
  }

  /**
   * Writes the values.
   * @throws {RangeError} when the registry's limit of sessions is reached
   * @throws {TypeError} for a registry that another thread serves
   */
  read(target: Float64Array): void {
    if (this.#isStale) this.#relist()
    const nowNs = this.#clock.monotonicNs()
    const since = this.#sinceNs
    if (since === undefined || Number(nowNs - since) >= this.#windowNs) this.#closeWindows(nowNs)
    const end = Math.min(this.#entries.length, target.length)
    for (let i = 0; i < end; i++) target[i] = currentValue(this.#entries[i]!)
  }

  /** Ends it: nothing is recorded for it any more. */
  close(): void {
    this.#unwatch()
    this.#readings?.close()
    this.#readings = undefined
  }

  #relist(): void {
    const known = new Map(this.#entries.map((entry) => [keyOf(entry), entry.value]))
    this.#entries = [...this.#registry.counters()].flatMap((counter) => this.#entriesOf(counter))
    for (const entry of this.#entries) entry.value = known.get(keyOf(entry)) ?? Number.NaN
    this.#isStale = false
  }

  #entriesOf(counter: ServedCounter): Entry[] {
    const { modelKind: kind } = counter
    const metaData = counter.labels ?? counter.description.metaData
    const description = { ...counter.description, metaData }
    const identity: Identity = identityOf(description, kind)
    const metadata: Metadata = metadataOf(description, kind === 'counter' ? 'sum' : 'mean')
    return [undefined, ...this.#statisticsOf(kind)].map((statistic) => ({
      ...{ counter, identity, metadata, value: Number.NaN },
      isEstimated: kind === 'histogram' && statistic !== undefined && statistic !== 'count',
      ...(statistic === undefined ? {} : { statistic }),
    }))
  }

  #statisticsOf(kind: ServedCounter['modelKind']): readonly Shown[] {
    if (kind === 'counter') return [TOTAL]
    if (kind === 'histogram') return this.#select
    return kind === 'summary' ? this.#select.filter((each) => PLAIN_STATISTICS.includes(each)) : []
  }

  #closeWindows(nowNs: bigint): void {
    this.#readings ??= new RegistryReadings(this.#registry)
    const readings = this.#readings.read()
    const counters = [...this.#registry.counters()]
    const now = new Map(readings.map((reading, i) => [counters[i]!, reading]))
    const seconds = this.#sinceNs === undefined ? 0 : Number(nowNs - this.#sinceNs) / 1e9
    for (const entry of this.#entries) {
      const reading = now.get(entry.counter)
      if (reading === undefined) continue
      const value = windowValue(entry, reading, this.#before.get(entry.counter), seconds)
      // what was observed earlier holds
      if (value !== undefined) entry.value = value
    }
    this.#before = now
    this.#sinceNs = nowNs
  }
}

function keyOf({ counter, statistic }: Entry): string {
  const { provider, name } = counter.description
  const labels = counter.labels ?? counter.description.metaData
  return JSON.stringify([counter.modelKind, provider, name, labels, statistic])
}

/** Reads what is known at this moment; the rest is of the last window. */
function currentValue({ counter, statistic, value }: Entry): number {
  if (statistic === TOTAL) {
    const total = counter.readTotal?.()
    return total === undefined || total instanceof Histogram ? value : Number(total)
  }
  return counter.readNow === undefined ? value : counter.readNow()
}

/** @returns undefined where the window had nothing to say */
function windowValue(
  { statistic, metadata }: Entry,
  now: Reading,
  before: Reading | undefined,
  seconds: number,
): number | undefined {
  switch (now.kind) {
    case 'counter': {
      if (statistic === TOTAL) return Number(now.total)
      const from: Exact = before?.kind === 'counter' ? before.total : 0
      const isFirst = before === undefined || seconds === 0
      const scaleS = metadata.rateTimeScaleS ?? MINUTE
      return isFirst ? undefined : incrementRate(subtractExact(now.total, from), seconds, scaleS)
    }
    case 'gauge':
      return now.value
    case 'histogram': {
      const from = before?.kind === 'histogram' ? before.histogram : new Histogram()
      const gain = histogramGain(now.histogram, from)
      return gain.isEmpty ? undefined : statisticOf(gain, statistic, now.histogram, from)
    }
    case 'summary':
      if (now.last.count === 0) return undefined
      if (statistic === 'count') return now.last.count
      if (statistic === 'min') return now.last.min
      return statistic === 'max' ? now.last.max : summaryMean(now.last)
  }
}

/**
 * Reads a statistic of what was gained between two readings, which has buckets, and no extremes of
 * its own: those of all observations limit it, and one that is new is among what was gained.
 */
function statisticOf(
  gain: Histogram,
  statistic: Shown | undefined,
  now: Histogram,
  before: Histogram,
): number {
  if (statistic === undefined) return canonicalMean(gain)
  if (statistic === 'count') return Number(gain.count)
  const [min, max] = [Number(now.min), Number(now.max)]
  const isNew = (end: number, known: Exact) => !Number.isNaN(end) && end !== Number(known)
  if (statistic === 'min' && isNew(min, before.min)) return min
  if (statistic === 'max' && isNew(max, before.max)) return max
  const estimate = gain.quantile(quantileOf(statistic))
  if (estimate < min) return min
  return estimate > max ? max : estimate
}

function quantileOf(statistic: Exclude<Shown, 'count'>): number {
  if (statistic === 'min') return 0
  return statistic === 'max' ? 1 : Number(`0.${statistic.slice(1)}`)
}
