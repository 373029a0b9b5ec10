/**
 * What the plain instruments have in common: a metric of the registry's zone for each set of label
 * values, which every thread that names them alike writes, and the sessions see as one counter.
 * Making one can throw; recording never throws, allocates or blocks.
 */
import type { CounterDescription } from '../../dialects/eventcounters/window.ts'
import {
  EXEMPLAR_LENGTH_LIMIT,
  type Labels,
  lengthOfLabels,
  sortLabels,
} from '../../model/index.ts'
import { type DefinitionOptions, type MetricType, refusalOf } from '../../shm/index.ts'
import { Attributes, checkName } from '../counters/attributes.ts'
import type { EventSource } from '../registry.ts'
import type { Membership } from '../sessions/members.ts'
import { encodeKey, type KeyClass } from '../threads/counter-key.ts'
import type { CounterHome } from '../threads/home.ts'

export interface InstrumentOptions<Label extends string = string> {
  /** Unit as .NET writes it: `B`, `ms`, `%`; empty = none. */
  readonly unit?: string
  /** Text for people: what viewers show instead of the name. */
  readonly description?: string
  /** Names of the labels, each of which every `with` gives a value. */
  readonly labels?: readonly Label[]
}

/** One value for each label of the instrument. */
export type LabelValues<Label extends string = string> = [Label] extends [never]
  ? Readonly<Record<string, never>>
  : Readonly<Record<Label, string>>

/**
 * Labels of an exemplar, `trace_id` for instance: names and values have 128 characters together at
 * most, as in OpenMetrics.
 */
export type ExemplarLabels = Readonly<Record<string, string>>

/** Keeper of an exemplar of a value that has been recorded. */
export type KeepExemplar = (value: number, labels: ExemplarLabels) => void

/** One set of labels of an instrument, and what was recorded with it, over all threads. */
export interface LabeledValue<Value> {
  /** Pairs by their names, in the order of their bytes. */
  readonly labels: Labels
  readonly value: Value
}

/** Handle of one set of labels, which can be read back. */
interface Readable<Value> {
  value(): Value
  reset(): void
}

export abstract class Instrument<
  Bound extends Readable<Value>,
  Value,
  Label extends string = string,
  Options extends InstrumentOptions = InstrumentOptions,
> {
  readonly name: string
  readonly source: EventSource
  readonly unit: string
  readonly description: string
  /** Names of the labels, in the order in which they were given. */
  readonly labelNames: readonly Label[]
  protected readonly options: Options
  /** Handle of the instrument itself, which it is without labels; with them, records go nowhere. */
  protected readonly own: Bound
  /** Handles by the values, in the order of the names. */
  readonly #handles = new Map<string, Bound>()
  readonly #memberships: Membership[] = []
  readonly #inert: Bound
  #isRefusalLogged = false
  #isDropLogged = false
  #isDefinitionLogged = false
  #isExemplarLogged = false
  #isDisposed = false

  constructor(
    name: string,
    source: EventSource,
    options: Options & InstrumentOptions<Label>,
    inert: (refuse: () => void) => Bound,
  ) {
    const { unit = '', description = '', labels = [] } = options
    this.options = options
    checkLabelNames(labels)
    this.name = name
    this.source = source
    this.unit = unit
    this.description = description
    this.labelNames = [...labels]
    this.#inert = inert(() => {})
    this.describe(labels.map((label) => [label, ''])) // throws for texts that cannot be sent
    const isPlain = labels.length === 0
    this.own = isPlain
      ? (this.#make([]) ?? this.#inert)
      : inert(() => this.refuse(`want values of its labels, ${labels.join(', ')}`))
  }

  /**
   * Gives the handle of one set of label values, the same one at every call. One beyond the limit
   * `labelSets` of the registry, or with a value that is too long or holds U+0000, does nothing and
   * is counted as `dropped_label_sets`.
   * @throws {TypeError} for other labels than those of the instrument, or a value that is no text
   */
  with(values: LabelValues<Label>): Bound {
    const given: Readonly<Record<string, string>> = values
    const texts = this.labelNames.map((label) => given[label])
    if (Object.keys(values).length !== texts.length || texts.some((text) => !isText(text))) {
      throw new TypeError(`${this.#title} wants texts for: ${this.labelNames.join(', ') || 'none'}`)
    }
    if (texts.length === 0) return this.own
    // Texts cannot hold U+0000 and be sent.
    const key = texts.join('\0')
    return this.#handles.get(key) ?? this.#bind(key, texts as string[])
  }

  /**
   * Reads back what was recorded, over all threads: a row for each set of labels that this thread
   * has asked for, in that order; one row for an instrument without labels.
   */
  values(): readonly LabeledValue<Value>[] {
    if (this.labelNames.length === 0) return [{ labels: [], value: this.own.value() }]
    return [...this.#handles].map(([key, handle]) => {
      return { labels: this.#labelsOf(key.split('\0')), value: handle.value() }
    })
  }

  /**
   * Has everything that was recorded so far left out of what is read back by these handles, for
   * tests that share an instrument: counters and histograms begin at 0, a gauge has no value until
   * this thread sets one. Sessions, scrapes and pushes go on: to them a total that falls would be a
   * restart, and other threads write it, too.
   */
  reset(): void {
    this.own.reset()
    for (const handle of this.#handles.values()) handle.reset()
  }

  #labelsOf(texts: readonly string[]): Labels {
    return sortLabels(this.labelNames.map((name, i) => [name, texts[i]!] as const))
  }

  #bind(key: string, texts: readonly string[]): Bound {
    if (this.#isDisposed) return this.#inert
    const { labelSets } = this.source.registry.limits
    if (this.#handles.size >= labelSets) {
      return this.#drop(`limit of ${labelSets} sets of labels`)
    }
    const labels = this.#labelsOf(texts)
    let handle: Bound | undefined
    try {
      handle = this.#make(labels)
    } catch (error) {
      return this.#drop((error as Error).message)
    }
    if (handle === undefined) return this.#inert
    this.#handles.set(key, handle)
    return handle
  }

  #drop(why: string): Bound {
    const message = `${this.#title}: ${why}`
    this.source.registry.report('dropped_label_sets', this.#isDropLogged ? undefined : message)
    this.#isDropLogged = true
    return this.#inert
  }

  /**
   * Takes all of the instrument's counters of this thread out of the sessions; sets of labels that
   * are new afterwards do nothing. Idempotent.
   */
  close(): void {
    this.#isDisposed = true
    for (const membership of this.#memberships) membership.remove()
  }

  /** Whether it was closed. */
  get isClosed(): boolean {
    return this.#isDisposed
  }

  /** Defines and binds what a set of labels writes; undefined where there is no room. */
  protected abstract bind(home: CounterHome, labels: Labels): Bound | undefined

  /** @throws {ZoneFullError} where the registry's zone cannot be made */
  #make(labels: Labels): Bound | undefined {
    this.describe(labels)
    if (!this.source.isLive) {
      this.#refuseDefinition('the source is closed, or inert itself')
      return undefined
    }
    return this.bind(this.source.registry.home, labels)
  }

  /** @throws {TypeError | RangeError} for texts that cannot be sent */
  protected describe(labels: Labels): CounterDescription {
    const { registry, name } = this.source
    const attributes = new Attributes(name, this.name, registry.profile)
    attributes.displayName = this.description
    attributes.units = this.unit
    for (const [key, value] of labels) attributes.addLabel(key, value)
    return attributes.description
  }

  /** Defines a metric of the home; negative, counted and logged where it was refused. */
  protected define(
    home: CounterHome,
    of: KeyClass,
    labels: Labels,
    type: MetricType,
    options?: DefinitionOptions,
  ): number {
    const key = encodeKey({ of, provider: this.source.name, name: this.name, labels })
    const metric = home.zone.define(key, type, options)
    if (metric < 0) this.#refuseDefinition(`${refusalOf(metric)}`)
    return metric
  }

  /** Counts a metric that there is no place for, and logs the first. */
  #refuseDefinition(why: string): void {
    const message = `${this.#title}: ${why}`
    const { registry } = this.source
    registry.report('dropped_counters', this.#isDefinitionLogged ? undefined : message)
    this.#isDefinitionLogged = true
  }

  /** Has the metric served. */
  protected present(home: CounterHome, of: KeyClass, labels: Labels): void {
    const key = encodeKey({ of, provider: this.source.name, name: this.name, labels })
    this.#memberships.push(home.present(key, this.describe(labels)))
  }

  /** Counts a value that is none of the kind, and logs the first. */
  protected readonly refuse = (why: string): void => {
    const message = `${this.#title}: ${why}`
    this.source.registry.report('refused_values', this.#isRefusalLogged ? undefined : message)
    this.#isRefusalLogged = true
  }

  /**
   * Makes the keeper of exemplars of a metric that is presented. What is none is counted, and the
   * first one logged; its value has been recorded all the same.
   */
  protected exemplarsOf(metric: number): KeepExemplar {
    const { registry } = this.source
    return (value, given) => {
      const labels = exemplarLabels(given)
      if (labels !== undefined) {
        registry.exemplars.keep(metric, value, labels)
        return
      }
      const want = `${EXEMPLAR_LENGTH_LIMIT} characters in texts by their names`
      const message = `${this.#title}: an exemplar has at most ${want}`
      registry.report('refused_exemplars', this.#isExemplarLogged ? undefined : message)
      this.#isExemplarLogged = true
    }
  }

  get #title(): string {
    return `instrument "${this.name}" of source "${this.source.name}"`
  }
}

function exemplarLabels(given: ExemplarLabels): Labels | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const pairs = Object.entries(given)
  if (!pairs.every(([name, value]) => name !== '' && isText(value))) return undefined
  return lengthOfLabels(pairs) > EXEMPLAR_LENGTH_LIMIT ? undefined : sortLabels(pairs)
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function checkLabelNames(labels: readonly string[]): void {
  for (const label of labels) checkName('label name', label)
  if (new Set(labels).size !== labels.length) throw new TypeError(`labels repeated: ${labels}`)
}
