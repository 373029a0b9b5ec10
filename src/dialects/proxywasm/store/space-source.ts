/** How a filter in a thread of its own comes by a store: that thread opens it and attaches. */
import type { MetricSpace, MetricSpaceSource } from '../host/metric-space.ts'
import { MetricStore, type SharedStore } from './metric-store.ts'

/**
 * Names a store as the space of a filter in a thread of its own.
 *
 * @example
 * import { MetricStore, storeSpaceSource } from 'pentameter/proxywasm'
 *
 * const space = storeSpaceSource(MetricStore.create())
 * console.log(space.module)
 */
export function storeSpaceSource(store: MetricStore): MetricSpaceSource {
  return { module: import.meta.url, data: store.shared }
}

/** What {@link storeSpaceSource} names. */
export function openMetricSpace(data: unknown): MetricSpace {
  const store = MetricStore.open(data as SharedStore)
  return store.space(store.attach())
}
