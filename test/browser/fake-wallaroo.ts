/** What an invented hub knows of pipelines: three workers, two pipelines, one slow computation. */
import type {
  ApplicationAnswer,
  ApplicationsAnswer,
  CompatibleAnswer,
  CompatibleApplicationAnswer,
  CompatibleNumbers,
  ConnectionsAnswer,
  RowJson,
  TableJson,
  ViewAnswer,
  ViewKey,
  WorkerJson,
} from '../../src/dialects/wallaroo/http/api.ts'

export const APPLICATION = 'market-spread'
const WORKERS = ['initializer', 'worker2', 'worker3'] as const
const COMPUTATIONS = [
  ['Orders', 'Decode Time in TCP Source', 3000],
  ['Orders', 'Check Order', 21_000],
  ['Orders', 'Sink encoding time', 5400],
  ['Nbbo', 'Update Market Data', 9000],
] as const
const BINS = 64
const LINE_POINTS = 60
/** Share of messages in the bins around the typical latency, the fourth bin being its own. */
const SHAPE = [0.02, 0.1, 0.3, 0.4, 0.15, 0.03] as const
/** Messages a second of one series, and those of the slow one that take some 12 ms. */
const PER_SECOND = 500
const SLOW_PER_SECOND = 15
const SLOW_BIN = 24

interface Invented {
  readonly category: string
  readonly pipeline: string
  readonly worker: string
  readonly name: string
  readonly typicalNs: number
}

type Label = 'pipeline' | 'worker' | 'name'
const LABELS: readonly Label[] = ['pipeline', 'worker', 'name']

const SERIES: readonly Invented[] = WORKERS.flatMap((worker) => [
  ...COMPUTATIONS.map(([pipeline, name, typicalNs]) => {
    return { category: 'computation', pipeline, worker, name, typicalNs }
  }),
  ...['Orders', 'Nbbo'].flatMap((pipeline) => [
    { category: 'start-to-end', pipeline, worker, name: pipeline, typicalNs: 60_000 },
    { category: 'node-ingress-egress', pipeline, worker, name: worker, typicalNs: 40_000 },
    { category: 'pipeline-ingestion', pipeline, worker, name: `${pipeline} source`, typicalNs: 1 },
  ]),
])

function isSlow({ name, worker }: Invented): boolean {
  return name === 'Check Order' && worker === 'worker2'
}

/** Messages by bin in one second. */
function countsOf(series: readonly Invented[]): number[] {
  const counts = new Array<number>(BINS).fill(0)
  for (const each of series) {
    const own = Math.ceil(Math.log2(each.typicalNs))
    SHAPE.forEach((share, i) => {
      const bin = Math.max(0, own + i - 3)
      counts[bin] = counts[bin]! + Math.round(share * PER_SECOND)
    })
    if (isSlow(each)) counts[SLOW_BIN] = counts[SLOW_BIN]! + SLOW_PER_SECOND
  }
  return counts
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}

function quantile(counts: readonly number[], q: number): number | null {
  const wanted = q * sum(counts)
  let below = 0
  for (const [bin, count] of counts.entries()) {
    if (count > 0 && below + count >= wanted) return 2 ** (bin - 1 + (wanted - below) / count)
    below += count
  }
  return null
}

function select(key: ViewKey): readonly Invented[] {
  return SERIES.filter((series) => {
    if (series.category !== key.category) return false
    return LABELS.every((label) => key[label] === undefined || key[label] === series[label])
  })
}

function rowOf(key: ViewKey, seconds: number, nowMs: number): RowJson {
  const counts = countsOf(select(key))
  const rate = sum(counts)
  const at = (q: number): number | null => quantile(counts, q)
  return {
    key,
    latency: {
      count: rate * seconds,
      skewed: 0,
      minNs: null,
      maxNs: null,
      meanNsEstimated: at(0.5),
      p50Ns: at(0.5),
      p95Ns: at(0.95),
      p99Ns: at(0.99),
      p999Ns: at(0.999),
      p9999Ns: at(0.9999),
    },
    throughput: { min: rate, median: rate, max: rate },
    messages: rate * 36_000,
    lastWindowMs: nowMs - 600,
    ageMs: 600,
    ...(isLined(key) ? { line: new Array<number>(LINE_POINTS).fill(rate) } : {}),
  }
}

function isLined({ category }: ViewKey): boolean {
  return category === 'start-to-end' || category === 'node-ingress-egress'
}

/** One row for every value of the labels. */
function rowsBy(key: ViewKey, by: readonly Label[], seconds: number, nowMs: number): RowJson[] {
  const keys = new Map<string, ViewKey>()
  for (const series of select(key)) {
    const own = { ...key, ...Object.fromEntries(by.map((label) => [label, series[label]])) }
    keys.set(JSON.stringify(own), own)
  }
  return [...keys.values()].map((own) => rowOf(own, seconds, nowMs))
}

function workersAt(nowMs: number): WorkerJson[] {
  return WORKERS.map((worker, i) => ({
    application: APPLICATION,
    worker,
    isConnected: i < 2,
    lastSeenMs: nowMs - 600,
    clockOffsetMs: i === 2 ? 90_000 : 40,
    isClockOff: i === 2,
  }))
}

function application(nowMs: number): ApplicationAnswer {
  const seconds = 300
  const rows = (category: string, by: readonly Label[]): RowJson[] =>
    rowsBy({ category }, by, seconds, nowMs)
  const workers = workersAt(nowMs)
  return {
    application: APPLICATION,
    nowMs,
    fromMs: nowMs - seconds * 1000,
    toMs: nowMs,
    pipelines: rows('start-to-end', ['pipeline']).map((row) => ({
      ...row,
      ingested: { min: 1500, median: 1500, max: 1500 },
    })),
    workers: rows('node-ingress-egress', ['worker']).map((row, i) => ({
      ...row,
      worker: workers[i]!,
    })),
    computations: rows('computation', ['pipeline', 'name']),
    computationsByWorker: rows('computation', ['pipeline', 'worker', 'name']),
    others: [],
  }
}

function tablesOf(key: ViewKey, seconds: number, nowMs: number): TableJson[] {
  const { pipeline, worker } = key
  const tables: TableJson[] = []
  if (worker === undefined) {
    const rows = rowsBy(key, ['worker'], seconds, nowMs)
    tables.push({ name: 'by_worker', label: 'worker', rows })
  }
  if (key.category === 'computation') return tables
  const place = {
    category: 'computation',
    ...(pipeline === undefined ? {} : { pipeline }),
    ...(worker === undefined ? {} : { worker }),
  }
  const rows = rowsBy(place, ['pipeline', 'name'], seconds, nowMs)
  tables.push({ name: 'computations', label: 'name', rows })
  return tables
}

function view(query: URLSearchParams, nowMs: number): ViewAnswer | undefined {
  const key: ViewKey = {
    category: query.get('category') ?? '',
    ...Object.fromEntries(
      LABELS.filter((label) => query.has(label)).map((label) => [label, query.get(label)]),
    ),
  }
  const series = select(key)
  if (series.length === 0 || query.get('application') !== APPLICATION) return undefined
  const seconds = Number(query.get('seconds') ?? 300)
  const toMs = Number(query.get('to') ?? nowMs)
  const counts = countsOf(series)
  const filled = [...counts.entries()].filter(([, count]) => count > 0)
  const column = <T>(value: T): T[] => new Array<T>(seconds).fill(value)
  return {
    mode: 'own',
    application: APPLICATION,
    key,
    nowMs,
    fromMs: toMs - seconds * 1000,
    toMs,
    stepMs: 1000,
    series: series.length,
    ids: [],
    total: rowOf(key, seconds, nowMs),
    charts: {
      throughput: column(sum(counts)),
      p50Ns: column(quantile(counts, 0.5)),
      p95Ns: column(quantile(counts, 0.95)),
      p99Ns: column(quantile(counts, 0.99)),
      bins: column(filled),
      windowS: column(1),
    },
    bins: filled.map(([bin, count]) => ({
      bin,
      fromNs: bin === 0 ? 0 : 2 ** (bin - 1),
      toNs: 2 ** bin,
      count: count * seconds,
      percent: (count / sum(counts)) * 100,
    })),
    tables: tablesOf(key, seconds, nowMs),
    workers: workersAt(nowMs).filter((each) => series.some(({ worker }) => worker === each.worker)),
  }
}

/** Not calculated: what the page shows is what the hub said. */
const COMPATIBLE: CompatibleNumbers = {
  percentiles: {
    '50.0': '32768',
    '95.0': '65536',
    '99.0': '16777216',
    '99.9': '18446744073709551616',
    '99.99': '18446744073709551616',
  },
  throughput: { min: 480, med: 501, max: 12_345 },
  texts: {
    percentiles: {
      '50.0': '≤ 32 μs',
      '95.0': '≤ 66 μs',
      '99.0': '≤ 16 ms',
      '99.9': '> 1 s',
      '99.99': '> 1 s',
    },
    throughput: { min: '0.48k', med: '0.5k', max: '12k' },
  },
}

function compatible({ key, tables }: ViewAnswer, nowMs: number): CompatibleAnswer {
  const nowS = Math.floor(nowMs / 1000)
  return {
    mode: 'compatible',
    application: APPLICATION,
    key,
    hubS: nowS,
    nowS,
    ...COMPATIBLE,
    chart: [
      ['1', 0],
      ['1024', 12.5],
      ['524288', 84.5],
      ['16777216', 2.9],
      ['18446744073709551616', 0.1],
    ],
    chartDemo: [],
    line: Array.from({ length: 60 }, (_, i) => [nowS - 60 + i, i % 20 === 0 ? 0 : 500] as const),
    tables: tables.map(({ name, label, rows }) => {
      return { name, label, rows: rows.map((row) => ({ key: row.key, ...COMPATIBLE })) }
    }),
  }
}

function compatibleApplication(nowMs: number): CompatibleApplicationAnswer {
  const own = application(nowMs)
  const numbers = ({ key }: RowJson) => ({ key, ...COMPATIBLE })
  const { throughput, texts } = COMPATIBLE
  return {
    mode: 'compatible',
    application: APPLICATION,
    hubS: Math.floor(nowMs / 1000),
    pipelines: own.pipelines.map((row) => ({
      ...numbers(row),
      ingested: { throughput, texts: texts.throughput },
    })),
    workers: own.workers.map(numbers),
    computations: COMPUTATIONS.map(([, name]) => ({
      key: { category: 'computation', name },
      ...COMPATIBLE,
    })),
    others: [],
  }
}

function connections(nowMs: number): ConnectionsAnswer {
  return {
    nowMs,
    connections: WORKERS.slice(0, 2).map((worker, i) => ({
      address: '127.0.0.1',
      port: 40_100 + i,
      sinceMs: nowMs - 61_000,
      workers: [{ application: APPLICATION, worker }],
      order: i === 0 ? 'peer' : 'document',
      binning: i === 0 ? 'document' : 'unknown',
      lengths: 'exclusive',
      frames: { connect: 1, join: 1, metrics: 1830, rejected: i },
      notes: [
        ['empty_window', 40],
        ['clock_skew', 12],
      ],
      rejects: i === 0 ? [] : [['bad_topic', 1]],
      bytesHeld: 0,
    })),
    workers: workersAt(nowMs),
  }
}

/** @param path below `/wallaroo/`; undefined where nothing is known */
export function answerWallaroo(
  path: string,
  query: URLSearchParams,
  second: number,
  isEmpty: boolean,
): unknown {
  const nowMs = second * 1000
  if (path === 'applications') {
    const summary = {
      application: APPLICATION,
      pipelines: 2,
      workers: WORKERS.length,
      workersConnected: 2,
      computations: COMPUTATIONS.length,
      lastWindowMs: nowMs - 600,
    }
    const answer: ApplicationsAnswer = { nowMs, applications: isEmpty ? [] : [summary] }
    return answer
  }
  if (isEmpty) return undefined
  if (path === 'application') {
    if (query.get('application') !== APPLICATION) return undefined
    return query.get('mode') === 'compatible' ? compatibleApplication(nowMs) : application(nowMs)
  }
  if (path === 'view') {
    const own = view(query, nowMs)
    return own && query.get('mode') === 'compatible' ? compatible(own, nowMs) : own
  }
  return path === 'connections' ? connections(nowMs) : undefined
}
