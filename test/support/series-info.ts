/** A series as the hub lists it, for tests of the page. */
import type { SeriesInfo } from '../../src/http/api.ts'

export function fakeSeries(part: Partial<SeriesInfo> = {}): SeriesInfo {
  return {
    id: 1,
    name: 'api.requests',
    kind: 'counter',
    labels: [],
    dialect: 'statshero',
    source: '127.0.0.1',
    firstSeenMs: 0,
    lastDataMs: 0,
    isStale: false,
    current: 0,
    canonical: { name: part.name ?? 'api.requests', value: 0 },
    ...part,
  }
}
