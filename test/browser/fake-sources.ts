/** What an invented hub says of itself, by scene. */
import type {
  FilterStatus,
  FiltersAnswer,
  MetricsAnswer,
} from '../../src/dialects/proxywasm/http/api.ts'
import type {
  ConnectionStatus,
  DialectStatus,
  ErrorStatus,
  ExportStatus,
  HistoryStatus,
  LimitStatus,
  ListenerStatus,
  WorkerStatus,
  ZoneStatus,
} from '../../src/http/api.ts'
import { hash, type Invented, type Scene } from './invented.ts'

/** How long the hub has been up. */
const UP_S = 7200

const DIALECTS = [
  ['statshero', 'Stats Hero, statsd', 'udp+tcp 127.0.0.1:8125', 52_000],
  ['wallaroo', 'Wallaroo', '127.0.0.1:5001, 3 workers', 12_100],
  ['scope', 'Scope', '10.0.40.12:5001, 50 Hz', 800],
  ['eventcounters', 'EventCounters', 'orders-api, pid 4711', 34],
  ['proxywasm', 'Proxy-Wasm', 'zone, 4 writers', 9380],
] as const

const TRY_IT: Readonly<Record<string, string>> = {
  statshero: "printf '1|18\\ndemo.requests:1|m\\n' | nc -u -w1 127.0.0.1 8125",
  wallaroo: 'machida --application-module celsius --metrics 127.0.0.1:5001',
  scope: 'npx pentameter serve --source scope://10.0.40.12:5001',
  eventcounters: 'npx pentameter serve --source eventcounters://127.0.0.1:4100',
  proxywasm: 'npx pentameter wasm filter.wasm --zone /dev/shm/pentameter',
}

function rateAt(base: number, seed: number, t: number): number {
  return base * (1 + 0.25 * Math.sin(t / 17 + seed) + 0.06 * (hash(seed + t) - 0.5))
}

function dialectsAt(scene: Scene, second: number, series: readonly Invented[]): DialectStatus[] {
  const isEmpty = scene === 'empty' && series.length === 0
  return DIALECTS.map(([name, title, address, base], i) => ({
    name,
    title,
    ratePerSecond: isEmpty ? 0 : rateAt(base, i, second),
    recent: Array.from({ length: 60 }, (_, k) => (isEmpty ? 0 : rateAt(base, i, second - 59 + k))),
    address,
    lastDataMs: isEmpty ? null : second * 1000,
    errors: isEmpty ? 0 : errorsOf(name),
    connections: isEmpty ? 0 : i + 1,
    series: series.filter(({ dialect }) => dialect === name).length,
    role: name === 'scope' ? 'emit' : 'receive',
    tryIt: TRY_IT[name] ?? '',
  }))
}

function errorsOf(dialect: string): number {
  return ERRORS.filter((error) => error.dialect === dialect).reduce((sum, e) => sum + e.count, 0)
}

const CONNECTIONS: readonly ConnectionStatus[] = [
  {
    dialect: 'scope',
    peer: 'tcp 127.0.0.1:40112',
    openedBy: 'peer',
    sinceMs: Date.now() - 61_000,
    facts: { framing: 'framed', intervalMs: 100, skipped: 0 },
  },
]

const hexOf = (text: string): string => Buffer.from(text, 'latin1').toString('hex')
const STARTED = Date.now()

const ERRORS: readonly ErrorStatus[] = [
  {
    dialect: 'wallaroo-scope',
    code: 'unclaimed',
    count: 2,
    last: [
      {
        timeMs: STARTED - 9000,
        peer: 'tcp 10.0.40.9:41810',
        offset: 0,
        hexOffset: 0,
        detail: 'of no dialect that listens here (Wallaroo, Scope)',
        guess: 'looks like SSH, which this version does not speak',
        hex: hexOf('SSH-2.0-x\r\n'),
      },
    ],
  },
  {
    dialect: 'statshero',
    code: 'bad_value',
    count: 9,
    last: [
      {
        timeMs: STARTED - 2000,
        peer: '10.0.40.21:41022',
        offset: 20,
        hexOffset: 15,
        detail: '“12,5” is not a number; the line is lost',
        hex: hexOf('checkout.total:12,5|c|#region:eu\n'),
      },
      {
        timeMs: STARTED - 90_000,
        peer: '10.0.40.21:41022',
        offset: 15,
        hexOffset: 15,
        detail: '“9,1” is not a number; the line is lost',
        hex: hexOf('checkout.total:9,1|c|#region:eu\n'),
      },
    ],
  },
  {
    dialect: 'statshero',
    code: 'length_mismatch',
    count: 5,
    last: [
      {
        timeMs: STARTED - 48_000,
        peer: '10.0.40.27:38110',
        offset: 2,
        hexOffset: 2,
        detail: 'the header says 64 bytes, 45 follow; the datagram is lost',
        hex: hexOf('1|64\napi.requests:1|m\napi.latency:8|h\napi.requests'),
      },
    ],
  },
  {
    dialect: 'wallaroo',
    code: 'frame_too_large',
    count: 1,
    last: [
      {
        timeMs: STARTED - 720_000,
        peer: '10.0.40.9:59112',
        offset: 0,
        hexOffset: 0,
        detail: 'frame of 1195725856 bytes, limit 1048576; looks like HTTP',
        hex: hexOf('GET /metrics HTTP/1.1\r\nHost: 10.0.'),
      },
    ],
  },
]

function listenersAt(scene: Scene, second: number): ListenerStatus[] {
  const host = '127.0.0.1'
  const listening = { host, state: 'listening' } as const
  const wallaroo: ListenerStatus = {
    ...listening,
    name: 'wallaroo-scope',
    port: 5001,
    transports: ['tcp'],
    dialects: ['wallaroo', 'scope'],
    connections: 4,
    unclaimed: 2,
  }
  const failed: ListenerStatus = {
    ...wallaroo,
    state: 'failed',
    message: 'port is taken by another process',
    nextTryMs: (second + 12) * 1000,
    connections: 0,
  }
  return [
    {
      ...listening,
      name: 'statshero',
      port: 8125,
      transports: ['udp', 'tcp'],
      dialects: ['statshero'],
      bufferAsked: 4_194_304,
      bufferGranted: 425_984,
      kernelDrops: 0,
      connections: 12,
    },
    scene === 'listener' ? failed : wallaroo,
    {
      ...listening,
      name: 'http',
      port: 4000,
      transports: ['tcp'],
      dialects: ['http'],
      connections: 3,
    },
  ]
}

function limitsAt(scene: Scene, count: number): LimitStatus[] {
  const isReached = scene === 'limit'
  return [
    {
      name: 'seriesLimit',
      limit: 100_000,
      used: count,
      refused: 0,
      behaviour: 'New names are refused, known ones go on.',
    },
    {
      name: 'seriesLimitPerSource',
      limit: 2000,
      used: isReached ? 2000 : Math.min(2000, count),
      refused: isReached ? 311 : 0,
      behaviour: 'New names of that source are refused, known ones go on.',
      ...(isReached
        ? { examples: [{ key: 'session.events{user=9c41f2}', source: '127.0.0.1:8125' }] }
        : {}),
    },
    {
      name: 'sessionsLimit',
      limit: 64,
      used: 3,
      refused: 0,
      behaviour: 'New viewers are refused.',
    },
    {
      name: 'wallaroo.windowBytesLimit',
      limit: 268_435_456,
      used: 268_435_000,
      refused: 12,
      behaviour: 'The oldest windows of a series leave its charts. Raise it to see farther back.',
    },
  ]
}

const EXPORTS: readonly ExportStatus[] = [
  {
    name: 'otlp',
    url: 'http://127.0.0.1:4318/v1/metrics',
    intervalMs: 10_000,
    state: 'failing',
    message: 'ECONNREFUSED; is the receiver running, and is this its address?',
    lastSuccessMs: Date.now() - 300_000,
    points: 8412,
    pointsLost: 120,
    waiting: 3,
  },
]

const FILTER: FilterStatus = {
  name: 'auth',
  path: 'filters/auth.wasm',
  host: 'spec',
  state: 'running',
  abi: '0.2.1',
  sinceMs: Date.now() - 600_000,
  ratePerSecond: 210,
  requests: 126_000,
  requestsFailed: 4,
  callNs: 2_900,
  memoryBytes: 131_072,
  instances: 5,
  series: 12,
  workers: [{ requests: 126_000, requestsFailed: 4, callNs: 2_900, memoryBytes: 131_072 }],
  problems: { trap: 4 },
  unknownImports: [{ name: 'env.proxy_http_call', calls: 5 }],
}

const FILTER_METRICS: MetricsAnswer = {
  settings: {
    ...{ slabSize: 5_242_880, maxMetricNameLength: 256, workers: 1 },
    ...{ histogram: 'dense', metricNames: 'label' },
  },
  slab: {
    ...{ bytes: 5_242_880, usedBytes: 6_144, metrics: 12, meanNameBytes: 31 },
    fits: { counter: 54_000, gauge: 62_000, histogram: 8_200 },
    original: {
      ...{ documentedBytes: 2_300, allocatedBytes: 3_400 },
      fitsEmpty: { counter: 20_336, gauge: 20_336, histogram: 16_256 },
    },
  },
}

const FILTERS: readonly FilterStatus[] = [
  FILTER,
  {
    ...FILTER,
    name: 'geo',
    path: 'filters/geo.wasm',
    state: 'refused',
    message: 'module exports neither proxy_on_memory_allocate nor malloc',
    ratePerSecond: 0,
    callNs: 0,
    memoryBytes: 0,
    series: 0,
    problems: { filter_refused: 1 },
    unknownImports: [],
  },
]

function workersAt(second: number): WorkerStatus[] {
  return [0, 1, 2, 3].map((thread) => ({
    thread,
    state: 'running',
    segment: thread + 2,
    connections: thread === 2 ? 0 : 3 + thread,
    measurements: 3_100_000 + 17_000 * thread + 13_000 * (second % 600),
    ratePerSecond: Math.round(rateAt(13_000, thread, second)),
    restarts: thread === 2 ? 1 : 0,
    udpReceive: 'recvmmsg',
  }))
}

const BYTES = {
  fixed: 65_536,
  index: 262_144,
  descriptors: 131_072,
  names: 196_608,
  tables: 65_536,
  segments: 3_407_872,
  blocks: 0,
  free: 131_072,
}

function zoneOf(count: number): ZoneStatus {
  return {
    backing: 'wasm',
    metrics: count,
    metricsLimit: 1_000_000,
    bytes: BYTES,
    bytesTotal: Object.values(BYTES).reduce((sum, bytes) => sum + bytes, 0),
    bytesLimit: 268_435_456,
    segments: 7,
    segmentsLimit: 257,
    refusals: { type_mismatch: 2, key_too_long: 0, zone_full: 0 },
    orphansFolded: 1,
    lockTakeovers: 0,
    lockWaits: 38,
    binFallbacks: 0,
    replacements: 0,
  }
}

const DAY_S = 86_400

function historyAt(second: number, series: number): HistoryStatus {
  const keptS = [7 * DAY_S, 90 * DAY_S, 5 * 365 * DAY_S]
  const widths = [1, 60, 3600]
  return {
    ...{ place: '/var/lib/pentameter/history', state: 'running', keptS, series, restored: 12 },
    ...{ bytes: 412_000_000, bytesLimit: 1_073_741_824 },
    resolutions: widths.map((stepS, i) => ({ stepS, fromS: second - keptS[i]! })),
  }
}

export function inventSources(
  scene: Scene,
  second: number,
  series: readonly Invented[],
): FiltersAnswer {
  const isEmpty = scene === 'empty'
  const address = '127.0.0.1:8125'
  return {
    startedMs: (second - UP_S) * 1000,
    dialects: dialectsAt(scene, second, series),
    listeners: listenersAt(scene, second),
    ...(isEmpty ? {} : { workers: workersAt(second), zone: zoneOf(series.length) }),
    sources: isEmpty
      ? []
      : DIALECTS.map(([dialect], i) => ({
          address: dialect === 'statshero' ? address : `10.0.40.3${i}:5011${i}`,
          dialect,
          series: series.filter((each) => each.dialect === dialect).length,
          errors: errorsOf(dialect),
          lastDataMs: (second - i) * 1000,
        })),
    connections: isEmpty ? [] : CONNECTIONS,
    limits: limitsAt(scene, series.length),
    errors: isEmpty ? [] : ERRORS,
    ...(isEmpty ? {} : { filters: FILTERS, filterMetrics: FILTER_METRICS, exports: EXPORTS }),
    ...(scene === 'history' ? { history: historyAt(second, series.length) } : {}),
    refusals: scene === 'limit' ? [{ dialect: 'statshero', code: 'series_limit', count: 412 }] : [],
  }
}
