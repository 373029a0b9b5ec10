/**
 * Where definitions are kept: under which key the zone has a metric, and who counts how many there
 * are. The document's index is this one; the hub's knows metrics as series (hub/hub-space.ts).
 */
import { refusalNumber, type Zone, type ZoneRefusal } from '../../../shm/index.ts'
import { keyOf, type NamedMetric, nameOfKey } from '../keys.ts'
import { isOfFilter } from '../names.ts'
import type { ZoneDefinition } from './definition.ts'
import { FilterQuota } from './filter-quota.ts'
import type { OwnCounts } from './handles.ts'
import type { NameRules } from './options.ts'

export interface MetricIndex {
  /**
   * Defines the metric if it is new, and gives its number or a negative answer that `refusalOf`
   * names.
   */
  define(named: NamedMetric, definition: ZoneDefinition): number
  /** Finds the metric, or -1. Takes no lock. */
  find(named: NamedMetric): number
  /** Reads the prefixed name; undefined when the metric is none of this index. */
  prefixedName(metric: number): Uint8Array | undefined
  /** Takes note that a name is too long; returns the number of a refusal. */
  refuse(refusal: 'key_too_long', named: NamedMetric): number
}

export interface DocumentIndexRules extends NameRules {
  /** Unlimited unless given. */
  readonly metricsPerFilterLimit?: number
}

/** Keys of keys.ts, and a limit for each filter. */
export class DocumentIndex implements MetricIndex {
  readonly #zone: Zone
  readonly #rules: DocumentIndexRules
  readonly #counts: OwnCounts
  readonly #quota: FilterQuota | undefined

  constructor(zone: Zone, rules: DocumentIndexRules, counts: OwnCounts) {
    this.#zone = zone
    this.#rules = rules
    this.#counts = counts
    const limit = rules.metricsPerFilterLimit
    if (limit !== undefined) this.#quota = new FilterQuota(limit, (filter) => this.#countOf(filter))
  }

  define(named: NamedMetric, { type, options }: ZoneDefinition): number {
    const key = keyOf(named, this.#rules.host)
    const quota = isOfFilter(named.origin) ? this.#quota : undefined
    if (quota?.hasRoom(named.filter) === false && this.#zone.find(key) === -1) {
      this.#counts.filterLimit++
      return refusalNumber('zone_full')
    }
    const metric = this.#zone.define(key, type, options)
    if (metric >= 0 && this.#zone.isNew) quota?.take(named.filter, metric)
    return metric
  }

  find(named: NamedMetric): number {
    return this.#zone.find(keyOf(named, this.#rules.host))
  }

  /**
   * Reads the prefixed name; another thread may retire the metric at any moment, also between a
   * look and a reading.
   */
  prefixedName(metric: number): Uint8Array | undefined {
    try {
      return nameOfKey(this.#zone.key(metric), this.#rules.host)
    } catch (error) {
      if (this.#zone.has(metric)) throw error
      return undefined
    }
  }

  refuse(refusal: ZoneRefusal): number {
    return refusalNumber(refusal)
  }

  /** Takes note that a metric was retired. */
  forget(metric: number): void {
    this.#quota?.giveBack(metric)
  }

  /**
   * Counts metrics of a filter that are there already, made in other threads or by an instance
   * before this one. Envoy's names don't say whose they are.
   */
  #countOf(filter: string): number {
    if (this.#rules.hasCustomNames) return 0
    const mark = this.#rules.profile === 'peer' ? ':' : '.'
    const prefix = new TextEncoder().encode(`pw${mark}${filter}${mark}`)
    let count = 0
    for (let metric = 0; metric < this.#zone.metrics; metric++) {
      const name = this.prefixedName(metric)
      if (name !== undefined && prefix.every((byte, i) => name[i] === byte)) count++
    }
    return count
  }
}
