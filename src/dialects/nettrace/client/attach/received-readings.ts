/**
 * Readings into the hub: finds each counter's series. A Mean is a gauge as long as it never showed
 * a Count other than 1, and a summary from then on (nettrace.md §7); a histogram is a summary, and
 * a gauge for each of its quantiles.
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
} from '../../../../model/index.ts'
import { type Ingest, REFUSED } from '../../../ingest.ts'
import { PROCESS_LABEL, type Reading, type ReadingValues } from '../../map.ts'
import { NAME } from '../../spec.ts'

/** Memory of a series without its texts: what V8 takes for its objects, rather more than less. */
const SERIES_BYTES = 1024
/** Most bytes of a character. */
const UNIT_BYTES = 2
const TYPES = { counter: 0, gauge: 1, summary: 2 } as const
type ReceivedKind = keyof typeof TYPES
type SummaryValues = Extract<ReadingValues, { readonly kind: 'summary' }>
/** Intervals below make no rates, seconds: the first one of a session may be a trice. */
const INTERVAL_SEC_MIN = 0.01
/** Generation of a slot that was not looked up yet. */
const UNKNOWN = -1
/** Labels of processes that have passed on what they read of others. */
const PASSED = /^(?:exported_)*process$/

/** Budget of memory that several processes share, bytes. */
export interface ReadingsBudget {
  readonly limit: number
  used: number
}

/** One series of the process. */
interface Received {
  readonly key: string
  /** Whether it is of a meter, or of an event source. */
  readonly isMeter: boolean
  readonly bytes: number
  kind: ReceivedKind
  identity: Identity
  readonly metadata: Metadata
  slot: number
  /** Generation of the ingest when the slot was looked up; another one makes the slot void. */
  generation: number
  /** All that a gauge has shown: what its summary's total begins with, should it become one. */
  sofar: Summary
}

/** The series of one process, within a budget. One that the hub refuses is not kept. */
export class ReceivedReadings {
  readonly #ingest: Ingest
  readonly #process: string
  readonly #budget: ReadingsBudget
  readonly #series = new Map<string, Received>()
  /** Generation of the ingest when room was made last. */
  #sweptGeneration = 0

  /** @param process name that its series have as a label */
  constructor(ingest: Ingest, process: string, budget: ReadingsBudget) {
    this.#ingest = ingest
    this.#process = process
    this.#budget = budget
  }

  /** Series seen so far. */
  get size(): number {
    return this.#series.size
  }

  take(reading: Reading): void {
    this.#ingest.begin(this.#process)
    const { values } = reading
    const received = this.#find(reading, values.kind, '')
    if (received === undefined) return
    const intervalSec = intervalOf(reading)
    if (values.kind === 'counter') {
      this.#takeCounter(received, values.increment, values.total, intervalSec)
    } else if (values.kind === 'gauge') {
      if (!Number.isNaN(values.value)) this.#ingest.set(this.#slot(received), values.value)
    } else this.#takeSummary(received, values, intervalSec)
    if (values.kind === 'summary') this.#takeQuantiles(reading, values)
  }

  /** Ends the values of gauges: with the session goes what is known of them. */
  end(): void {
    this.#ingest.begin(this.#process)
    for (const received of this.#series.values()) {
      const isKnown = received.generation === this.#ingest.generation
      if (isKnown && received.kind === 'gauge') this.#ingest.end(received.slot)
    }
  }

  /** Forgets all: their memory is free for those of other processes. */
  close(): void {
    for (const received of this.#series.values()) this.#forget(received)
  }

  /**
   * Adds an increment. A negative one is a reset of the source: the total stays, as for one that is
   * no number; an observable counter's first interval has none, which only says that it lives.
   */
  #takeCounter(received: Received, increment: number, total: number, intervalSec: number): void {
    const isNumber = Number.isFinite(increment)
    if (!isNumber && Number.isNaN(total)) this.#ingest.note('nonfinite_increments')
    else if (increment < 0) this.#ingest.note('negative_increments')
    const delta = isNumber && increment > 0 ? increment : 0
    this.#ingest.merge(this.#slot(received), { kind: 'counter', delta }, intervalSec)
  }

  #takeSummary(received: Received, values: SummaryValues, intervalSec: number): void {
    const summary = this.#summaryOf(values, received.isMeter)
    if (summary === undefined) return
    if (received.kind === 'summary') {
      this.#ingest.merge(this.#slot(received), { kind: 'summary', summary }, intervalSec)
    } else if (summary.count === 1) {
      received.sofar = mergeSummaries(received.sofar, summary)
      this.#ingest.set(this.#slot(received), summary.mean)
    } else this.#becomeSummary(received, summary, intervalSec)
  }

  /**
   * Makes a summary of an interval; undefined for one without a mean, which says nothing. A
   * deviation that is not known counts as 0, a range that is not known stays so.
   */
  #summaryOf(values: SummaryValues, isMeter: boolean): Summary | undefined {
    const { count, mean, deviation, min, max } = values
    if (!(count > 0)) return EMPTY_SUMMARY
    if (!Number.isFinite(mean)) {
      this.#ingest.note('no_mean')
      return undefined
    }
    const hasDeviation = Number.isFinite(deviation)
    if (!hasDeviation && !isMeter) this.#ingest.note('no_deviation')
    const squares = hasDeviation ? Math.min(deviation * deviation * count, Number.MAX_VALUE) : 0
    return { count, mean, squares, min: known(min), max: known(max) }
  }

  /** Replaces the gauge by a summary, in whose total is all that the gauge has shown. */
  #becomeSummary(received: Received, summary: Summary, intervalSec: number): void {
    if (received.generation !== UNKNOWN) this.#ingest.retire(this.#slot(received))
    received.kind = 'summary'
    received.identity = { ...received.identity, kind: 'summary' }
    received.generation = UNKNOWN
    const earlier = received.sofar
    received.sofar = EMPTY_SUMMARY
    this.#ingest.merge(this.#slot(received), { kind: 'summary', summary }, intervalSec, earlier)
  }

  /** Sets a gauge for each quantile: `NAME.p95`. */
  #takeQuantiles(reading: Reading, { quantiles }: SummaryValues): void {
    for (const [quantile, value] of quantiles) {
      if (!Number.isFinite(value)) continue
      const received = this.#find(reading, 'gauge', `.p${percentText(quantile)}`)
      if (received !== undefined) this.#ingest.set(this.#slot(received), value)
    }
  }

  #find(reading: Reading, kind: ReceivedKind, suffix: string): Received | undefined {
    const isMeter = reading.sessionId !== undefined
    const key = keyOf(reading, suffix)
    const received = this.#series.get(key)
    if (received === undefined) return this.#admit(key, reading, kind, suffix, isMeter)
    if (received.isMeter === isMeter) return received
    this.#ingest.note('duplicate_counters')
    return undefined
  }

  #admit(
    key: string,
    reading: Reading,
    kind: ReceivedKind,
    suffix: string,
    isMeter: boolean,
  ): Received | undefined {
    const { name, labels } = reading.identity
    const isPassed = ([label, value]: readonly [string, string]): boolean => {
      return value === this.#process && PASSED.test(label)
    }
    if (labels.filter(isPassed).length > 1) {
      this.#ingest.refuse('hub_loop')
      return undefined
    }
    const bytes = SERIES_BYTES + UNIT_BYTES * (2 * key.length + textLength(reading))
    if (!this.#hasRoom(bytes)) {
      this.#ingest.refuse('attached_bytes_limit')
      return undefined
    }
    const first = kindOf(reading, kind, isMeter)
    const received: Received = {
      ...{ key, isMeter, bytes, kind: first },
      identity: {
        name: name + suffix,
        kind: first,
        labels: sortLabels([...labels, [PROCESS_LABEL, this.#process]]),
      },
      metadata: metadataOf(reading, suffix),
      ...{ slot: REFUSED, generation: UNKNOWN, sofar: EMPTY_SUMMARY },
    }
    this.#budget.used += bytes
    this.#series.set(key, received)
    return received
  }

  #hasRoom(bytes: number): boolean {
    const { limit } = this.#budget
    if (this.#budget.used + bytes > limit) this.#sweep()
    return this.#budget.used + bytes <= limit
  }

  /** Makes room where series have left the hub: forgets what has not come since. */
  #sweep(): void {
    const { generation } = this.#ingest
    if (generation === this.#sweptGeneration) return
    this.#sweptGeneration = generation
    for (const received of this.#series.values()) {
      if (received.generation !== generation) this.#forget(received)
    }
  }

  #forget(received: Received): void {
    if (this.#series.delete(received.key)) this.#budget.used -= received.bytes
  }

  #slot(received: Received): number {
    if (received.generation === this.#ingest.generation) return received.slot
    const { identity, metadata, kind } = received
    const key = identityKey(identity)
    const hash = keyedHash(key, 0, key.length)
    const describe = () => ({ identity, metadata })
    received.slot = this.#ingest.slot(key, 0, key.length, TYPES[kind], hash, describe)
    received.generation = this.#ingest.generation
    const isRefused = received.slot === REFUSED || this.#ingest.isOverflow?.(received.slot)
    if (isRefused) this.#forget(received)
    return received.slot
  }
}

/** Tells the kind: a Mean whose first interval held one sample is a gauge until another comes. */
function kindOf({ values }: Reading, kind: ReceivedKind, isMeter: boolean): ReceivedKind {
  if (kind !== 'summary' || isMeter || values.kind !== 'summary') return kind
  return values.count === 1 ? 'gauge' : 'summary'
}

function metadataOf(reading: Reading, suffix: string): Metadata {
  const { displayName, unit, values, rateScaleSec, identity, sessionId } = reading
  const description = reading.instrument?.description ?? ''
  const isShown = displayName !== '' && displayName !== identity.name && suffix === ''
  return {
    dialect: NAME,
    type: sessionId === undefined ? TYPE_WORDS[values.kind] : `meter ${values.kind}`,
    ...(isShown ? { displayName } : {}),
    ...(unit === '' ? {} : { unit }),
    ...(description === '' ? {} : { description }),
    ...(values.kind === 'counter' && rateScaleSec > 0 ? { rateTimeScaleS: rateScaleSec } : {}),
    sourceLabel: PROCESS_LABEL,
  }
}

/** Words of the payload for its kinds. */
const TYPE_WORDS = { counter: 'Sum', gauge: 'Mean', summary: 'Mean' } as const

function intervalOf({ intervalSec }: Reading): number {
  return intervalSec >= INTERVAL_SEC_MIN ? intervalSec : Number.NaN
}

function known(value: number): number {
  return Number.isFinite(value) ? value : Number.NaN
}

/** Writes 0.95 as `95`, 0.999 as `99.9`. */
function percentText(quantile: number): string {
  return String(Number((quantile * 100).toPrecision(12)))
}

/** Makes a text that is equal for equal series only: each part with its length in front. */
function keyOf({ identity, values }: Reading, suffix: string): string {
  const { name, labels } = identity
  let key = `${suffix}${values.kind === 'counter' ? 'c' : 'v'}${name.length}:${name}`
  for (const [label, value] of labels) {
    key += `,${label.length}:${label}${value.length}:${value}`
  }
  return key
}

function textLength({ displayName, unit, instrument }: Reading): number {
  return displayName.length + unit.length + (instrument?.description.length ?? 0)
}
