/**
 * Whether the limits of series press, and how many series would have to leave until they don't:
 * from 95 % of a limit on, down to 90 % of it. The zone gives no memory back, but what series leave
 * is used again: so its limit presses where it is nearly reached and little waits for new series.
 */
import type { ZoneUsage } from '../../shm/index.ts'
import type { SeriesStore } from './series.ts'

const PRESSING = 0.95
const RELIEVED = 0.9

export interface SeriesNeeds {
  /** Series that have to leave, of any source. */
  all: number
  /** Limits by source, of its own series. */
  readonly bySource: Map<string, number>
}

/** Says what has to leave; nothing where no limit presses. */
export function needsOf(
  store: SeriesStore,
  zone: Pick<ZoneUsage, 'metrics' | 'metricsFree' | 'bytesTotal' | 'bytesLimit'>,
): SeriesNeeds {
  const { seriesLimit, seriesLimitPerSource } = store.limits
  const { bytesLimitPerSource } = store.quota
  const bySource = new Map<string, number>()
  for (const [source, { series, bytes }] of store.uses) {
    const mean = bytes / series
    const byBytes = excess(bytes, bytesLimitPerSource) / mean
    const need = Math.max(excess(series, seriesLimitPerSource), Math.ceil(byBytes))
    if (need > 0) bySource.set(source, need)
  }
  const isZoneFull = zone.bytesTotal >= PRESSING * zone.bytesLimit
  const wanted = isZoneFull ? (1 - RELIEVED) * zone.metrics - zone.metricsFree : 0
  return { all: Math.max(0, excess(store.countedSize, seriesLimit), Math.ceil(wanted)), bySource }
}

function excess(used: number, limit: number): number {
  return used < PRESSING * limit ? 0 : Math.ceil(used - RELIEVED * limit)
}
