/** What the four kinds of counters have in common: texts for viewers, and a place in a source. */
import type { CounterDescription } from '../../dialects/eventcounters/window.ts'
import type { EventSource } from '../registry.ts'
import type { Membership } from '../sessions/members.ts'
import type { ServedCounter } from '../sessions/served-counter.ts'
import { Attributes } from './attributes.ts'

/** Texts of a counter for its viewers (eventcounters.md §3.3). */
export interface CounterOptions {
  /** Empty by default: viewers show the name. */
  readonly displayName?: string
  /** `B`, `ms`, `%`, …; empty = none. */
  readonly displayUnits?: string
  readonly metaData?: Readonly<Record<string, string | null>>
}

export interface RateCounterOptions extends CounterOptions {
  /**
   * Time that a rate is stated per: seconds, or the text of a TimeSpan as the document has it,
   * `00:01:00`; 0 = not set.
   */
  readonly displayRateTimeScale?: number | string
  /** The same in milliseconds; one of both. */
  readonly displayRateTimeScaleMs?: number
}

/** Makes what the sessions ask; it may call back only once the constructor is done. */
export type MakeServed<Served extends ServedCounter> = (
  describe: () => CounterDescription,
) => Served

export abstract class SourceCounter<Served extends ServedCounter = ServedCounter> {
  readonly name: string
  readonly source: EventSource
  /**
   * Counter as the sessions see it.
   * @internal
   */
  readonly served: Served
  readonly #attributes: Attributes
  readonly #membership: Membership
  #isClosed = false

  constructor(
    name: string,
    source: EventSource,
    options: RateCounterOptions,
    make: MakeServed<Served>,
  ) {
    const attributes = new Attributes(source.name, name, source.registry.profile)
    const { displayName, displayUnits, metaData } = options
    const { displayRateTimeScale, displayRateTimeScaleMs } = options
    if (displayName !== undefined) attributes.displayName = displayName
    if (displayUnits !== undefined) attributes.units = displayUnits
    if (displayRateTimeScale !== undefined) attributes.rateScale = displayRateTimeScale
    if (displayRateTimeScaleMs !== undefined) {
      if (displayRateTimeScale !== undefined) throw new TypeError('two rate time scales')
      attributes.rateScaleMs = displayRateTimeScaleMs
    }
    for (const [key, value] of Object.entries(metaData ?? {})) attributes.addPair(key, value)
    this.name = name
    this.source = source
    this.#attributes = attributes
    this.served = make(() => attributes.description)
    this.#membership = source.registry.addCounter(source, this.served)
  }

  get displayName(): string {
    return this.#attributes.description.displayName
  }

  set displayName(text: string) {
    this.change((attributes) => {
      attributes.displayName = text
    })
  }

  /** Units as .NET writes them: `B`, `ms`, `%`; empty = none. */
  get displayUnits(): string {
    return this.#attributes.description.units
  }

  set displayUnits(text: string) {
    this.change((attributes) => {
      attributes.units = text
    })
  }

  /**
   * Adds a pair to those already there; null is the empty value.
   * @throws {TypeError | RangeError} for a pair that eventcounters.md §4.7 refuses
   */
  addMetaData(key: string, value: string | null): void {
    this.change((attributes) => attributes.addPair(key, value))
  }

  /** Adds a pair, by the name that .NET gives addMetaData. */
  addMetadata(key: string, value: string | null): void {
    this.addMetaData(key, value)
  }

  /** Takes the counter out of all sessions, without a last payload. Idempotent. */
  close(): void {
    this.#isClosed = true
    this.#membership.remove()
  }

  /** Whether it was closed. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  protected change(set: (attributes: Attributes) => void): void {
    set(this.#attributes)
    if (this.#membership.isLive) this.source.registry.changed(this.served)
  }

  protected get description(): CounterDescription {
    return this.#attributes.description
  }
}

/** The incrementing kinds, of which viewers may show a rate. */
export abstract class RateCounter<
  Served extends ServedCounter = ServedCounter,
> extends SourceCounter<Served> {
  /**
   * Time that a rate is stated per, in seconds; 0 = not set. It may be set by the text of a
   * TimeSpan, too: `00:01:00`, or `1.00:00:00` for a day.
   */
  get displayRateTimeScale(): number {
    return this.description.rateScaleSec
  }

  /** @throws {TypeError | RangeError} for what is neither, is negative or not finite */
  set displayRateTimeScale(scale: number | string) {
    this.change((attributes) => {
      attributes.rateScale = scale
    })
  }

  /** The same time in milliseconds. */
  get displayRateTimeScaleMs(): number {
    return this.description.rateScaleSec * 1000
  }

  /** @throws {TypeError | RangeError} for what is no number, is negative or not finite */
  set displayRateTimeScaleMs(ms: number) {
    this.change((attributes) => {
      attributes.rateScaleMs = ms
    })
  }
}
