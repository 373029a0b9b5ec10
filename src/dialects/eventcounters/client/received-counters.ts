/**
 * Windows into the hub: finds each counter's series, and decides whether a Mean is a gauge
 * (eventcounters.md §7.1: as long as it never showed a Count other than 1) or a summary.
 */
import {
  EMPTY_SUMMARY,
  type Identity,
  identityKey,
  keyedHash,
  type Metadata,
  mergeSummaries,
  type Summary,
  sortLabels,
} from '../../../model/index.ts'
import { type Ingest, REFUSED } from '../../ingest.ts'
import { identityOf, metadataOf, type ReceivedKind, summaryOf, timesPassed } from '../map.ts'
import { LIMITS } from '../spec.ts'
import type {
  CounterDescription,
  MeanStatistics,
  MetaData,
  Statistics,
  SumStatistics,
} from '../window.ts'

/** Counters of one endpoint that are remembered; more are refused (`series_limit`). */
const COUNTERS_LIMIT = 100_000
/** Characters of all their keys, of refused ones too: some hundred MiB, whatever a server sends. */
const KEYS_LENGTH_LIMIT = 16_777_216
/** Type words of the dialect's keys: one per kind of series. */
const TYPES: Readonly<Record<ReceivedKind, number>> = { counter: 0, gauge: 1, summary: 2 }

/** Generation of a slot that was not looked up yet. */
const UNKNOWN = -1

/** One counter of the endpoint, whatever order its pairs come in. */
interface Received {
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

export class ReceivedCounters {
  readonly #ingest: Ingest
  readonly #endpoint: string
  readonly #limit: number
  /**
   * Counters by {@link wireKey} of the pairs as they came; several keys may lead to one counter.
   */
  readonly #byWire = new Map<string, Received>()
  /** The same by sorted pairs. */
  readonly #bySorted = new Map<string, Received>()
  #keysLength = 0

  constructor(ingest: Ingest, endpoint: string, limit = COUNTERS_LIMIT) {
    this.#ingest = ingest
    this.#endpoint = endpoint
    this.#limit = limit
  }

  /** Counters seen so far. */
  get size(): number {
    return this.#bySorted.size
  }

  /**
   * Takes a window that the endpoint has closed.
   * @param intervalSec its measured length, where the payload says one
   */
  take(counter: CounterDescription, statistics: Statistics, intervalSec?: number): void {
    this.#ingest.begin(this.#endpoint)
    const received = this.#find(counter, statistics)
    if (received === undefined) return
    if (statistics.kind === 'sum') this.#takeSum(received, statistics, intervalSec)
    else this.#takeMean(received, statistics, intervalSec)
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

  #find(counter: CounterDescription, statistics: Statistics): Received | undefined {
    const key = wireKey(statistics.kind, counter, counter.metaData)
    const received = this.#byWire.get(key) ?? this.#admit(key, counter, statistics)
    if (received !== undefined) this.#annotate(received, counter)
    return received
  }

  /** Adds the counter behind a key that is new. */
  #admit(key: string, counter: CounterDescription, statistics: Statistics): Received | undefined {
    if (lengthOf(counter.metaData) > LIMITS.metaDataBytes) {
      this.#ingest.refuse('metadata_limit')
      return undefined
    }
    if (timesPassed(counter.metaData, this.#endpoint) > 1) {
      this.#ingest.refuse('hub_loop')
      return undefined
    }
    const sortedKey = wireKey(statistics.kind, counter, sortLabels(counter.metaData))
    let received = this.#bySorted.get(sortedKey)
    if (received === undefined) {
      if (this.#bySorted.size >= this.#limit || !this.#hasRoom(sortedKey)) {
        this.#ingest.refuse('series_limit')
        return undefined
      }
      received = this.#receive(counter, statistics)
      this.#bySorted.set(sortedKey, received)
      this.#keysLength += sortedKey.length
    }
    if (this.#byWire.size < this.#limit && this.#hasRoom(key)) {
      this.#byWire.set(key, received)
      this.#keysLength += key.length
    }
    return received
  }

  #hasRoom(key: string): boolean {
    return this.#keysLength + key.length <= KEYS_LENGTH_LIMIT
  }

  #receive(counter: CounterDescription, statistics: Statistics): Received {
    const kind = kindOf(statistics)
    return {
      kind,
      identity: identityOf(counter, kind, this.#endpoint),
      metadata: metadataOf(counter, statistics.kind),
      shown: counter,
      slot: REFUSED,
      generation: UNKNOWN,
      sofar: EMPTY_SUMMARY,
    }
  }

  #annotate(received: Received, counter: CounterDescription): void {
    const { shown } = received
    const isSame =
      shown.displayName === counter.displayName &&
      shown.units === counter.units &&
      shown.rateScaleSec === counter.rateScaleSec
    if (isSame) return
    received.shown = counter
    received.metadata = metadataOf(counter, received.kind === 'counter' ? 'sum' : 'mean')
    if (received.generation !== UNKNOWN) {
      this.#ingest.annotate(this.#slot(received), received.metadata)
    }
  }

  #slot(received: Received): number {
    if (received.generation === this.#ingest.generation) return received.slot
    const { identity, metadata, kind } = received
    const key = identityKey(identity)
    const hash = keyedHash(key, 0, key.length)
    const describe = () => ({ identity, metadata })
    received.slot = this.#ingest.slot(key, 0, key.length, TYPES[kind], hash, describe)
    received.generation = this.#ingest.generation
    return received.slot
  }
}

/**
 * Tells the kind. A Mean whose first window held one sample is a gauge until another shows that it
 * is not.
 */
function kindOf(statistics: Statistics): ReceivedKind {
  if (statistics.kind === 'sum') return 'counter'
  return statistics.count === 1 ? 'gauge' : 'summary'
}

/** Makes a text that is equal for equal counters only: each part with its length in front. */
function wireKey(kind: Statistics['kind'], counter: CounterDescription, pairs: MetaData): string {
  const { provider, name } = counter
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
