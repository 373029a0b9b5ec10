/** Rows as the API sends them, for the tests of this folder. */
import type { RowJson, ViewAnswer, ViewKey } from '../../src/http/api.ts'

export function fakeRow(key: Partial<ViewKey>, p99Ns: number | null, count = 1000): RowJson {
  return {
    key: { category: 'computation', ...key },
    latency: {
      count,
      skewed: 0,
      minNs: 1,
      maxNs: p99Ns,
      meanNsEstimated: p99Ns,
      p50Ns: p99Ns,
      p95Ns: p99Ns,
      p99Ns,
      p999Ns: p99Ns,
      p9999Ns: p99Ns,
    },
    throughput: { min: 10, median: 20, max: 30 },
    messages: count,
    lastWindowMs: 1_700_000_000_000,
    ageMs: 600,
  }
}

const START_MS = 1_700_000_000_000

/** A view of three seconds: bins 10 and 12 in the first, nothing in the second, 12 in the third. */
export function fakeView(): ViewAnswer {
  return {
    mode: 'own',
    application: 'spread',
    key: { category: 'computation', name: 'Check' },
    nowMs: START_MS + 3000,
    fromMs: START_MS,
    toMs: START_MS + 3000,
    stepMs: 1000,
    series: 1,
    ids: [2],
    total: fakeRow({ name: 'Check' }, 4000, 6),
    charts: {
      throughput: [3, null, '3'],
      p50Ns: [900, null, 3000],
      p95Ns: [3500, null, 4000],
      p99Ns: [3900, null, 4000],
      bins: [
        [
          [10, 2],
          [12, 1],
        ],
        null,
        [[12, '3']],
      ],
      windowS: [1, null, 1],
    },
    bins: [
      { bin: 10, fromNs: 512, toNs: 1024, count: 2, percent: 33.3 },
      { bin: 11, fromNs: 1024, toNs: 2048, count: 0, percent: 0 },
      { bin: 12, fromNs: 2048, toNs: 4096, count: '4', percent: 66.7 },
    ],
    tables: [],
    workers: [],
  }
}
