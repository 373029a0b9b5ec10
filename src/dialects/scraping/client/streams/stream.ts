/**
 * One series of a target from scrape to scrape: samples are staged while an answer is read, and
 * taken together when all of it could be; what takes them is of the kind of the series.
 */
import {
  EXEMPLAR_LENGTH_LIMIT,
  type Identity,
  identityKey,
  type Kind,
  keyedHash,
  lengthOfLabels,
  type Metadata,
} from '../../../../model/index.ts'
import type { Ingest } from '../../../ingest.ts'
import type { Exemplar } from '../../codec/sample.ts'
import { AHEAD_MS_LIMIT, LATE_MS, type RefusalCode, type SampleErrorCode } from '../../spec.ts'

const KEY_TYPES: Readonly<Record<Kind, number>> = { counter: 0, gauge: 1, histogram: 2, summary: 3 }

/** Scrape that is being taken. */
export interface Scrape {
  readonly number: number
  /** Begin of it, Unix ms. */
  readonly timeMs: number
  /** Time of the last good scrape before it, or of the hub's start, Unix ms. */
  readonly sinceMs: number
}

/** Exemplars of a series that are taken of a scrape. */
const EXEMPLARS_LIMIT = 32

export type Code = SampleErrorCode | RefusalCode

export abstract class Stream {
  readonly identity: Identity
  metadata: Metadata
  /** Scrapes in which it was last staged, and taken. */
  stagedIn = 0
  takenIn = 0
  /** Time of the sample itself where it says one, else of its scrape, Unix ms. */
  timeMs = Number.NEGATIVE_INFINITY
  #stagedMs = Number.NaN
  /** Exemplars that are staged; undefined for none. */
  #exemplars: Exemplar[] | undefined
  protected readonly ingest: Ingest
  #slot = -1
  #generation = -1
  #isChanged = false

  constructor(ingest: Ingest, identity: Identity, metadata: Metadata) {
    this.ingest = ingest
    this.identity = identity
    this.metadata = metadata
  }

  /** Takes what is said of the metric anew. */
  describe(metadata: Metadata): void {
    this.#isChanged ||= JSON.stringify(metadata) !== JSON.stringify(this.metadata)
    this.metadata = metadata
  }

  /** Notes the time that a sample says. */
  stageTime(timeMs: number): void {
    this.#stagedMs = timeMs
  }

  /** Stages what a sample has as its exemplar. @param isFirst whether it is the first sample */
  stageExemplars(exemplars: readonly Exemplar[], isFirst: boolean): void {
    if (isFirst) this.#exemplars = undefined
    if (exemplars.length === 0) return
    this.#exemplars = [...(this.#exemplars ?? []), ...exemplars].slice(0, EXEMPLARS_LIMIT)
  }

  /** Takes what was staged. @returns why it is not taken */
  take(scrape: Scrape): Code | undefined {
    const hasTime = !Number.isNaN(this.#stagedMs)
    const timeMs = hasTime ? this.#stagedMs : scrape.timeMs
    if (hasTime) {
      if (timeMs - scrape.timeMs > AHEAD_MS_LIMIT) return 'clock_ahead'
      if (timeMs < this.timeMs) return 'out_of_order'
      if (scrape.timeMs - timeMs > LATE_MS) this.ingest.note('late')
    }
    const code = this.takeStaged(scrape, timeMs)
    if (code !== undefined) return code
    this.timeMs = timeMs
    this.takenIn = scrape.number
    if (this.#exemplars !== undefined) this.#takeExemplars(this.#exemplars, timeMs)
    return undefined
  }

  #takeExemplars(exemplars: readonly Exemplar[], sampleMs: number): void {
    this.#exemplars = undefined
    for (const { labels, value, timeMs = sampleMs } of exemplars) {
      const isKept = lengthOfLabels(labels) <= EXEMPLAR_LENGTH_LIMIT && Number.isFinite(value)
      if (isKept) this.ingest.addExemplar?.(this.slot(), { labels, value, timeMs })
      else this.ingest.note('bad_exemplar')
    }
  }

  protected abstract takeStaged(scrape: Scrape, timeMs: number): Code | undefined

  /** Ends its value: it did not come any more, or nothing came. */
  abstract end(): void

  /** Seconds since the last sample; NaN before any. */
  protected secondsSince(timeMs: number, fromMs = this.timeMs): number {
    const seconds = (timeMs - fromMs) / 1000
    return Number.isFinite(seconds) && seconds > 0 ? seconds : Number.NaN
  }

  protected get hasSlot(): boolean {
    return this.#slot >= 0 && this.#generation === this.ingest.generation
  }

  protected slot(): number {
    const { ingest, identity, metadata } = this
    if (this.#generation !== ingest.generation) {
      const key = identityKey(identity)
      const hash = keyedHash(key, 0, key.length)
      const isWindowed = identity.kind === 'histogram'
      const describe = () => ({ identity, metadata, ...(isWindowed ? { isWindowed } : {}) })
      this.#slot = ingest.slot(key, 0, key.length, KEY_TYPES[identity.kind], hash, describe)
      const isRefused = this.#slot < 0 || ingest.isOverflow?.(this.#slot) === true
      // one that was refused is asked for again
      this.#generation = isRefused ? -1 : ingest.generation
    }
    if (this.#isChanged) ingest.annotate(this.#slot, metadata)
    this.#isChanged = false
    return this.#slot
  }
}

/** Totals since a start, which may be told: what of a reading is new. */
export class Start {
  #ms = Number.NaN
  #stagedMs = Number.NaN

  stage(createdMs: number): void {
    this.#stagedMs = createdMs
  }

  /**
   * Says how a reading stands to the one before it.
   * @param isFall whether it is smaller; undefined for the first one
   * @param timeMs of the one before it
   */
  orderOf(
    isFall: boolean | undefined,
    timeMs: number,
    { sinceMs }: Scrape,
    ingest: Ingest,
  ): 'first' | 'whole' | 'next' | 'reset' {
    const staged = this.#stagedMs
    const before = this.#ms
    this.#stagedMs = Number.NaN
    if (!Number.isNaN(staged)) this.#ms = staged
    if (isFall === undefined) return staged >= sinceMs ? 'whole' : 'first'
    if (staged > before && staged > timeMs) {
      ingest.note('reset')
      return 'reset'
    }
    if (!isFall) return 'next'
    ingest.note('unannounced_reset')
    return 'reset'
  }

  /** Time since which the total counts, Unix ms; NaN where it is not known. */
  get ms(): number {
    return this.#ms
  }
}
