/** The store as a host of filters sees it. */
import { refusalNumber, type Writer, type Zone } from '../../../shm/index.ts'
import type { MetricSpace } from '../host/metric-space.ts'
import { isFilterKey } from '../keys.ts'
import type { FilterMetricType } from '../spec.ts'
import type { MetricDefinition } from './definition.ts'
import type { StoreHost } from './options.ts'

/** What the space asks of its store. */
interface Definitions {
  tryDefine(definition: MetricDefinition): number
  find(definition: Pick<MetricDefinition, 'origin' | 'filter' | 'name' | 'type'>): number
  prefixedName(metric: number): Uint8Array | undefined
}

export class StoreSpace implements MetricSpace {
  readonly zone: Zone
  readonly writer: Writer
  readonly host: StoreHost
  readonly #store: Definitions

  /** Spaces come from `store.space(worker)`. */
  constructor(store: Definitions, zone: Zone, writer: Writer, host: StoreHost) {
    this.#store = store
    this.zone = zone
    this.writer = writer
    this.host = host
  }

  define(filter: string, name: Uint8Array, type: FilterMetricType): number {
    try {
      return this.#store.tryDefine({ filter, name, type })
    } catch {
      return refusalNumber('type_mismatch') // a filter name that the edition has no place for
    }
  }

  find(filter: string, name: Uint8Array, type?: FilterMetricType): number {
    return this.#store.find({ filter, name, type: type ?? 'counter' })
  }

  prefixedName(metric: number): Uint8Array | undefined {
    const name = this.#store.prefixedName(metric)
    return name !== undefined && isFilterKey(name) ? name : undefined
  }
}
