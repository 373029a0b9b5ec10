/** What goes between the main thread and the thread of a filter besides the host's own messages. */

import type { NewSeries, SeriesRefusal } from '../../../hub/ingest/definition.ts'
import type { SeriesLimits } from '../../../hub/ingest/quota.ts'
import type { Zone } from '../../../shm/index.ts'
import type { LabelPattern } from '../label-patterns.ts'
import type { FilterConfig } from '../options.ts'
import type { FilterMetricType } from '../spec.ts'

/** Data with which the thread of a filter opens its part of the hub's zone. */
export interface HubSpaceStart {
  readonly zone: Zone['shared']
  readonly quota: SharedArrayBuffer
  readonly limits: SeriesLimits
  /** Owner of the quota's lock, unlike those of all other threads. */
  readonly thread: number
  /** Name of the broadcast channel on which the main thread listens. */
  readonly channel: string
  readonly filter: Pick<
    FilterConfig,
    'name' | 'host' | 'profile' | 'unit' | 'histogram' | 'metricsPerFilterLimit'
  >
  readonly labelPatterns: readonly LabelPattern[]
  /** Memory of FilterSettings. */
  readonly settings: SharedArrayBuffer
}

/**
 * A filter thread says which series it has begun to write into; a thread that replaces it says so
 * again, which is nothing new. Bounded by the filter's limit of metrics.
 */
export type Announcement =
  | {
      readonly kind: 'series'
      readonly series: NewSeries
      readonly metric: number
      readonly type: FilterMetricType
      readonly prefixed: Uint8Array
    }
  | {
      readonly kind: 'refused'
      readonly source: string
      readonly name: string
      readonly code: SeriesRefusal
    }

/** Names the source of a filter's series, as the API does. */
export function sourceOf(filter: string): string {
  return `filter ${filter}`
}
