/**
 * Windows into the hub: finds each counter's series, and decides whether a Mean is a gauge
 * (eventcounters.md §7.1: as long as it never showed a Count other than 1) or a summary. One with
 * buckets is a histogram, beside what it may have been without.
 */
import {
  EMPTY_SUMMARY,
  type Histogram,
  type Identity,
  identityKey,
  keyedHash,
  type Metadata,
  mergeSummaries,
  type Summary,
  sortLabels,
} from '../../../model/index.ts'
import { type Ingest, REFUSED } from '../../ingest.ts'
import {
  ENDPOINT_LABEL,
  identityOf,
  metadataOf,
  type ReceivedKind,
  summaryOf,
  timesPassed,
} from '../map.ts'
import { LIMITS } from '../spec.ts'
import type {
  CounterDescription,
  MeanStatistics,
  MetaData,
  Statistics,
  SumStatistics,
} from '../window.ts'

/** Memory of a counter without its texts: what V8 takes for its objects, rather more than less. */
const COUNTER_BYTES = 1024
/** Most bytes of a character. */
const UNIT_BYTES = 2
/** Type words of the dialect's keys: one per kind of series. */
const TYPES: Readonly<Record<ReceivedKind, number>> = {
  ...{ counter: 0, gauge: 1, summary: 2, histogram: 3 },
}

/** Generation of a slot that was not looked up yet. */
const UNKNOWN = -1

/** Window as it is taken. */
interface TakenWindow {
  readonly counter: CounterDescription
  readonly statistics: Statistics
  /** Buckets of a Mean, where it comes with them. */
  readonly histogram?: Histogram
  /** Its measured length, where the payload says one. */
  readonly intervalSec?: number | undefined
}

/** One counter of the endpoint, whatever order its pairs come in. */
interface Received {
  readonly sortedKey: string
  /** Keys that lead to it, in the order of their pairs. */
  readonly wireKeys: string[]
  /** Memory that it is charged with. */
  bytes: number
  kind: ReceivedKind
  identity: Identity
  metadata: Metadata
  /** Description that the metadata was made of. */
  shown: CounterDescription
  slot: number
  /** Generation of the ingest when the slot was looked up; another one makes the slot void. */
  generation: number
  /** All that a gauge has shown: what its summary's total begins with, should it become one. */
  sofar: Summary
}

/**
 * The counters of one endpoint, in so many bytes, whatever it sends. A counter that the hub refuses
 * is not kept.
 */
export class ReceivedCounters {
  readonly #ingest: Ingest
  readonly #endpoint: string
  readonly #bytesLimit: number
  /**
   * Counters by {@link wireKey} of the pairs as they came; several keys may lead to one counter.
   */
  readonly #byWire = new Map<string, Received>()
  /** The same by sorted pairs. */
  readonly #bySorted = new Map<string, Received>()
  #bytes = 0
  /** Generation of the ingest when room was made last. */
  #sweptGeneration = 0

  constructor(ingest: Ingest, endpoint: string, bytesLimit: number) {
    this.#ingest = ingest
    this.#endpoint = endpoint
    this.#bytesLimit = bytesLimit
  }

  /** Counters seen so far. */
  get size(): number {
    return this.#bySorted.size
  }

  /** Takes a window that the endpoint has closed. */
  take(window: TakenWindow): void {
    const { statistics, histogram, intervalSec } = window
    this.#ingest.begin(this.#endpoint)
    const received = this.#find(window)
    if (received === undefined) return
    if (histogram !== undefined) {
      this.#ingest.merge(this.#slot(received), { kind: 'histogram', histogram }, intervalSec)
    } else if (statistics.kind === 'sum') this.#takeSum(received, statistics, intervalSec)
    else this.#takeMean(received, statistics, intervalSec)
  }

  /** Ends the values of gauges: with the session goes what is known of them. */
  end(): void {
    this.#ingest.begin(this.#endpoint)
    for (const received of this.#bySorted.values()) {
      const isKnown = received.generation === this.#ingest.generation
      if (isKnown && received.kind === 'gauge') this.#ingest.end(received.slot)
    }
  }

  /**
   * Adds an increment. A negative Increment is a reset of the source: the total stays, as for one
   * that is no number (eventcounters.md §7.1).
   */
  #takeSum(received: Received, { increment }: SumStatistics, intervalSec?: number): void {
    const isNumber = Number.isFinite(increment)
    if (!isNumber) this.#ingest.note('nonfinite_increments')
    else if (increment < 0) this.#ingest.note('negative_increments')
    const delta = isNumber && increment > 0 ? increment : 0
    this.#ingest.merge(this.#slot(received), { kind: 'counter', delta }, intervalSec)
  }

  #takeMean(received: Received, statistics: MeanStatistics, intervalSec?: number): void {
    const { summary, gap } = summaryOf(statistics)
    if (gap !== undefined) this.#ingest.note(gap)
    if (summary === undefined) return
    if (received.kind === 'summary') {
      this.#ingest.merge(this.#slot(received), { kind: 'summary', summary }, intervalSec)
      return
    }
    if (summary.count === 1) {
      received.sofar = mergeSummaries(received.sofar, summary)
      this.#ingest.set(this.#slot(received), summary.mean)
    } else {
      this.#becomeSummary(received, summary, intervalSec)
    }
  }

  /**
   * Replaces the gauge by a summary. All that the gauge has shown is in its total, but in no
   * window: windows of the gauge have said it.
   */
  #becomeSummary(received: Received, summary: Summary, intervalSec?: number): void {
    if (received.generation !== UNKNOWN) this.#ingest.retire(this.#slot(received))
    received.kind = 'summary'
    received.identity = { ...received.identity, kind: 'summary' }
    received.generation = UNKNOWN
    const earlier = received.sofar
    received.sofar = EMPTY_SUMMARY
    this.#ingest.merge(this.#slot(received), { kind: 'summary', summary }, intervalSec, earlier)
  }

  #find(window: TakenWindow): Received | undefined {
    const { counter } = window
    const key = wireKey(window, counter.metaData)
    const received = this.#byWire.get(key) ?? this.#admit(key, window)
    if (received !== undefined) this.#annotate(received, counter)
    return received
  }

  /** Adds the counter behind a key that is new. */
  #admit(key: string, window: TakenWindow): Received | undefined {
    const { counter } = window
    if (lengthOf(counter.metaData) > LIMITS.metaDataBytes) {
      this.#ingest.refuse('metadata_limit')
      return undefined
    }
    if (timesPassed(counter.metaData, this.#endpoint) > 1) {
      this.#ingest.refuse('hub_loop')
      return undefined
    }
    const sortedKey = wireKey(window, sortLabels(counter.metaData))
    const received = this.#bySorted.get(sortedKey) ?? this.#receive(sortedKey, window)
    if (!this.#charge(received, UNIT_BYTES * key.length)) {
      if (received.wireKeys.length > 0) return received
      this.#ingest.refuse('attached_bytes_limit')
      return undefined
    }
    this.#bySorted.set(sortedKey, received)
    this.#byWire.set(key, received)
    received.wireKeys.push(key)
    return received
  }

  #receive(sortedKey: string, window: TakenWindow): Received {
    const { counter, statistics } = window
    const kind = kindOf(window)
    return {
      sortedKey,
      wireKeys: [],
      bytes: 0,
      kind,
      identity: identityOf(counter, kind, this.#endpoint),
      metadata: readMetadata(counter, statistics.kind),
      shown: counter,
      slot: REFUSED,
      generation: UNKNOWN,
      sofar: EMPTY_SUMMARY,
    }
  }

  /** Charges a counter with one more key, and with itself where it is new. */
  #charge(received: Received, keyBytes: number): boolean {
    const isNew = received.wireKeys.length === 0
    const bytes = keyBytes + (isNew ? ownBytes(received) : 0)
    if (this.#bytes + bytes > this.#bytesLimit) this.#sweep()
    if (this.#bytes + bytes > this.#bytesLimit) return false
    this.#bytes += bytes
    received.bytes += bytes
    return true
  }

  /** Makes room where series have left the hub: forgets what has not come since. */
  #sweep(): void {
    const { generation } = this.#ingest
    if (generation === this.#sweptGeneration) return
    this.#sweptGeneration = generation
    for (const received of this.#bySorted.values()) {
      if (received.generation !== generation) this.#forget(received)
    }
  }

  #forget(received: Received): void {
    if (!this.#bySorted.delete(received.sortedKey)) return
    for (const key of received.wireKeys) this.#byWire.delete(key)
    this.#bytes -= received.bytes
  }

  #annotate(received: Received, counter: CounterDescription): void {
    const { shown } = received
    const isSame =
      shown.displayName === counter.displayName &&
      shown.units === counter.units &&
      shown.rateScaleSec === counter.rateScaleSec
    if (isSame) return
    const grownBytes = UNIT_BYTES * (shownLength(counter) - shownLength(shown))
    received.bytes += grownBytes
    this.#bytes += grownBytes
    received.shown = counter
    received.metadata = readMetadata(counter, received.kind === 'counter' ? 'sum' : 'mean')
    if (received.generation !== UNKNOWN) {
      this.#ingest.annotate(this.#slot(received), received.metadata)
    }
  }

  #slot(received: Received): number {
    if (received.generation === this.#ingest.generation) return received.slot
    const { identity, metadata, kind } = received
    const key = identityKey(identity)
    const hash = keyedHash(key, 0, key.length)
    const isWindowed = kind === 'histogram'
    const describe = () => ({ identity, metadata, ...(isWindowed ? { isWindowed } : {}) })
    received.slot = this.#ingest.slot(key, 0, key.length, TYPES[kind], hash, describe)
    received.generation = this.#ingest.generation
    const isRefused = received.slot === REFUSED || this.#ingest.isOverflow?.(received.slot)
    if (isRefused) this.#forget(received)
    return received.slot
  }
}

/**
 * Tells the kind. A Mean whose first window held one sample is a gauge until another shows that it
 * is not.
 */
function kindOf({ statistics, histogram }: TakenWindow): ReceivedKind {
  if (histogram !== undefined) return 'histogram'
  if (statistics.kind === 'sum') return 'counter'
  return statistics.count === 1 ? 'gauge' : 'summary'
}

/** Makes the metadata of a counter of an endpoint, whose label tells it from others of its name. */
function readMetadata(counter: CounterDescription, kind: Statistics['kind']): Metadata {
  return { ...metadataOf(counter, kind), sourceLabel: ENDPOINT_LABEL }
}

/** Estimates the memory of a counter: its key, the identity and pairs of the same texts, labels. */
function ownBytes({ sortedKey, shown }: Received): number {
  return COUNTER_BYTES + UNIT_BYTES * (2 * sortedKey.length + shownLength(shown))
}

/** Counts the characters of what a counter is shown by; each has a limit. */
function shownLength({ displayName, units }: CounterDescription): number {
  return displayName.length + units.length
}

/** Makes a text that is equal for equal counters only: each part with its length in front. */
function wireKey({ counter, statistics, histogram }: TakenWindow, pairs: MetaData): string {
  const { provider, name } = counter
  const kind = histogram === undefined ? statistics.kind : 'histogram'
  let key = `${kind}${provider.length}:${provider}${name.length}:${name}`
  for (const [label, value] of pairs) {
    key += `,${label.length}:${label}${value.length}:${value}`
  }
  return key
}

/** Counts the characters of the shortest text that states these pairs. */
function lengthOf(pairs: MetaData): number {
  return pairs.reduce((sum, [key, value]) => sum + key.length + value.length + 2, -1)
}
