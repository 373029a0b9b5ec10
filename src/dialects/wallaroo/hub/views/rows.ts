/** Numbers of a view as the API states them (http/api.ts). */

import { forEachItem, sorted, type Task } from '../../../../hub/tasks/task.ts'
import { type Exact, exact, exactToJson } from '../../../../model/index.ts'
import type {
  BinJson,
  ChartsJson,
  CountJson,
  LatencyJson,
  RowJson,
  ThroughputJson,
  ViewKey,
  WorkerJson,
} from '../../http/api.ts'
import type { LatencyTotals } from '../../rollup/latency-totals.ts'
import type { SecondCounts } from '../../rollup/second-counts.ts'
import { BINS, SKEW_BIN } from '../../spec.ts'
import type { WallarooWorker } from '../workers.ts'
import { compareTexts } from './groups.ts'
import { lineOf } from './line.ts'
import type { Columns, Span } from './span.ts'

const NS_PER_SECOND = 1_000_000_000
/** Seconds of a chart in one step of a pass. */
const COLUMNS_PER_STEP = 32

function countJson(count: bigint): CountJson {
  return exactToJson(exact(count))
}

export function rowJson(key: ViewKey, span: Span): RowJson {
  const { lastEndMs, range } = span
  const hasWindows = lastEndMs > Number.NEGATIVE_INFINITY
  return {
    key,
    latency: latencyJson(span.totals, range.hasSkew),
    throughput: throughputJson(span.messages),
    messages: countJson(span.total),
    lastWindowMs: hasWindows ? lastEndMs : null,
    ageMs: hasWindows ? range.nowMs - lastEndMs : null,
    ...(key.category === 'computation' ? { id: span.id } : {}),
    ...(hasLine(key) ? { line: lineOf(span.messages) } : {}),
  }
}

/**
 * Tells whether a row has a line. Computations are the many: on every worker, they would double the
 * answer.
 */
function hasLine({ category }: ViewKey): boolean {
  return category === 'start-to-end' || category === 'node-ingress-egress'
}

function latencyJson(totals: LatencyTotals, hasSkew: boolean): LatencyJson {
  const { counts, minNs, maxNs, sumNs } = totals
  const latencies = counts.latencies()
  const quantile = (q: number): number | null => totals.quantile(q) ?? null
  return {
    count: countJson(hasSkew ? counts.total() : latencies),
    skewed: countJson(counts.skewed()),
    minNs: known(minNs),
    maxNs: known(maxNs),
    meanNsEstimated: latencies === 0n ? null : sumNs / Number(latencies),
    p50Ns: quantile(0.5),
    p95Ns: quantile(0.95),
    p99Ns: quantile(0.99),
    p999Ns: quantile(0.999),
    p9999Ns: quantile(0.9999),
  }
}

function known(value: Exact): CountJson | null {
  return Number.isNaN(value) ? null : exactToJson(value)
}

export function throughputJson(messages: SecondCounts): ThroughputJson {
  const found = messages.statistics()
  if (found === undefined) return { min: null, median: null, max: null }
  const { min, median, max } = found
  return { min: exactToJson(min), median: exactToJson(median), max: exactToJson(max) }
}

export function* chartsJson(
  messages: SecondCounts,
  columns: Columns,
  hasSkew: boolean,
): Task<ChartsJson> {
  const throughput: (CountJson | null)[] = []
  const quantiles: readonly (number | null)[][] = [[], [], []]
  const bins: ((readonly [number, CountJson])[] | null)[] = []
  const windowS: (number | null)[] = []
  for (const [i, totals] of columns.totals.entries()) {
    const count = messages.at(i)
    throughput.push(count === undefined ? null : exactToJson(count))
    for (const [j, q] of CHART_QUANTILES.entries()) {
      quantiles[j]!.push(totals?.quantile(q) ?? null)
    }
    bins.push(totals === undefined ? null : filledBins(totals, hasSkew))
    windowS.push(totals === undefined ? null : columns.periodNs[i]! / NS_PER_SECOND)
    if (i % COLUMNS_PER_STEP === 0) yield
  }
  const [p50Ns, p95Ns, p99Ns] = quantiles as [ChartLine, ChartLine, ChartLine]
  return { throughput, p50Ns, p95Ns, p99Ns, bins, windowS }
}

type ChartLine = (number | null)[]
const CHART_QUANTILES = [0.5, 0.95, 0.99] as const

function filledBins({ counts }: LatencyTotals, hasSkew: boolean): (readonly [number, CountJson])[] {
  const filled: (readonly [number, CountJson])[] = []
  for (let bin = 0; bin < (hasSkew ? BINS : SKEW_BIN); bin++) {
    if (counts.isFilled(bin)) filled.push([bin, countJson(counts.count(bin))])
  }
  return filled
}

/** Lists bins without gaps, but for bin 64, which stands far from all others. */
export function binsJson({ counts }: LatencyTotals, hasSkew: boolean): BinJson[] {
  const total = Number(hasSkew ? counts.total() : counts.latencies())
  const [first, last] = counts.span(0, SKEW_BIN - 1)
  const bins = Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => first + i)
  if (hasSkew && counts.isFilled(SKEW_BIN)) bins.push(SKEW_BIN)
  return bins.map((bin) => ({
    bin,
    fromNs: bin === 0 ? 0 : countJson(1n << BigInt(bin - 1)),
    toNs: countJson(1n << BigInt(bin)),
    count: countJson(counts.count(bin)),
    percent: (counts.approximate(bin) / total) * 100,
  }))
}

export function workerJson(known: WallarooWorker, nowMs: number): WorkerJson {
  const { application, worker, lastSeenMs, offset } = known
  return {
    application,
    worker: worker ?? '',
    isConnected: known.connectionAt(nowMs),
    lastSeenMs,
    clockOffsetMs: offset.offsetMs ?? null,
    isClockOff: offset.isOff,
  }
}

/** Lists workers by application and name; those without a worker's name are left out. */
export function* workersJson(workers: Iterable<WallarooWorker>, nowMs: number): Task<WorkerJson[]> {
  const found: WorkerJson[] = []
  yield* forEachItem(workers, (each) => {
    if (each.worker !== undefined) found.push(workerJson(each, nowMs))
  })
  return yield* sorted(found, (a, b) => {
    return compareTexts(a.application, b.application) || compareTexts(a.worker, b.worker)
  })
}
