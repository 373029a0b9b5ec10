/** Metadata of metrics by their names, which comes by itself, once a minute from Prometheus. */
import type { MetricMetadata } from '../codec/series-scan.ts'
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

  /** Takes what is said; at the limit the metric that was told longest ago makes room. */
  take(metadata: MetricMetadata): void {
    const { name, type, help, unit } = metadata
    const held = this.#known.get(name)
    const isSame = held?.type === type && held.help === help && held.unit === unit
    this.#known.delete(name)
    this.#known.set(name, metadata)
    if (!isSame) this.version++
    if (this.#known.size <= FAMILIES_LIMIT) return
    this.#known.delete(this.#known.keys().next().value!)
  }
}
