/**
 * Metadata of metrics by their names: in 1.0 it comes by itself, once a minute from Prometheus, in
 * 2.0 beside each series.
 */
import type { MetricMetadata } from '../codec/request-scan.ts'
import { FAMILIES_LIMIT } from '../spec.ts'

export class Families {
  readonly #known = new Map<string, MetricMetadata>()
  /** Rises when anything is said anew: what was made of it must be looked at again. */
  version = 0

  get size(): number {
    return this.#known.size
  }

  /** Finds what is said of a metric. */
  readonly find = (name: string): MetricMetadata | undefined => this.#known.get(name)

  /**
   * Takes what is said; at the limit the metric that was told longest ago makes room.
   * @returns what is known of it now, one object as long as the same is said
   */
  take(metadata: MetricMetadata): MetricMetadata {
    const { name, type, help, unit } = metadata
    const held = this.#known.get(name)
    const isSame = held?.type === type && held.help === help && held.unit === unit
    this.#known.delete(name)
    const now = isSame ? held : metadata
    this.#known.set(name, now)
    if (!isSame) this.version++
    if (this.#known.size > FAMILIES_LIMIT) this.#known.delete(this.#known.keys().next().value!)
    return now
  }
}
