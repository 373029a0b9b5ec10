/**
 * The hub's options: every limit by name, with its default (docs/configuration.md). One schema
 * checks what a program, a file or the command line gives.
 */
import { z } from 'zod'
import { LIMITS } from '../dialects/eventcounters/spec.ts'
import { filterList } from '../dialects/proxywasm/hub/options.ts'
import { NAME_PREFIX } from '../dialects/wallaroo/spec.ts'
import { parseColor } from '../model/board/color.ts'
import { SERIES_LIMITS } from './ingest/quota.ts'
import { STATISTICS } from './live/canonical-values.ts'
import { LIVE_RING_DEFAULTS } from './live/ring.ts'

const port = z.int().min(0).max(65535)
const positive = z.int().min(1)
const bytes = z.int().min(4096)

const profile = z.enum(['document', 'peer']).default('peer')

const relayEmit = z.strictObject({
  profile: profile.describe('grammar of what is sent'),
  maxDatagramBytes: z.int().min(64).max(65_507).default(1432).describe('whole packet'),
  counterAs: z.enum(['m', 'mr']).default('m').describe('increments, or totals that survive loss'),
  histogramAs: z
    .enum(['rate', 'repeat'])
    .default('rate')
    .describe('a line per bucket with a sample rate, or a line per observation'),
})

const statshero = z.strictObject({
  profile: profile.describe('grammar that the listener takes'),
  maxFrameBytes: z.int().min(64).max(1_073_741_824).default(1_048_576).describe('TCP body'),
  maxInflatedBytes: positive.default(1_048_576).describe('gzip body once unpacked'),
  maxValueDigits: z.int().min(1).max(100).default(100).describe('leading zeros counted'),
  maxKeyBytes: positive.max(4096).default(4096).describe('longer keys are refused'),
  frameTimeoutMs: z.int().min(0).default(30_000).describe('for one TCP frame; 0 = any'),
  negativeMeter: z
    .enum(['split', 'refuse'])
    .default('split')
    .describe('a negative increment counts in a second part, or is refused'),
  counterBits: z
    .record(z.string(), z.literal([32, 64]))
    .default({})
    .describe('width of meter readers by key; * in a key is any run of characters'),
  emit: relayEmit.prefault({}),
})

const match = z.strictObject({
  name: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
})

const color = z.string().refine((text) => parseColor(text) !== undefined, {
  error: 'want #RGB, #RRGGBB or a colour that scope viewers know by name, as red',
})

const scopeClient = z.strictObject({
  samplingIntervalNs: positive.default(100_000_000).describe('asked of the exporter'),
  profile: profile.describe('framing tried first: peer framed, document bare'),
  framing: z.enum(['auto', 'framed', 'bare']).default('auto').describe('the only one taken'),
  strict: z.boolean().default(false).describe('refuse what the real parser refuses'),
  promoteLabels: z
    .array(z.string())
    .default([])
    .describe('label keys whose first value becomes part of the identity'),
})

const scope = z.strictObject({
  framing: z.enum(['auto', 'framed', 'bare']).default('auto').describe('the only one taken'),
  handshakeTimeoutMs: positive.default(60_000).describe('until the settings are complete'),
  detectGraceMs: positive.default(250).describe('silence after which short settings are bare'),
  settingsCapBytes: z.int().min(32).max(53_136).default(4096).describe('largest settings'),
  minIntervalNs: positive.default(1_000_000).describe('shorter requests are raised to it'),
  infoIntervalMs: positive.default(5000).describe('between two information packets'),
  maxClients: positive.default(256).describe('viewers at once'),
  maxBufferedBytes: bytes.default(8_388_608).describe('per viewer; above it snapshots are skipped'),
  stallTimeoutMs: positive.default(60_000).describe('a viewer that takes nothing is closed'),
  maxSeries: positive.default(10_000).describe('further ones are left out'),
  nameStyle: z.enum(['name', 'display']).default('name').describe('which name viewers see'),
  include: z.array(match).default([]).describe('only matching series are offered; empty = all'),
  exclude: z.array(match).default([]).describe('matching series are not offered'),
  hints: z
    .array(z.strictObject({ match, plot: z.string().optional(), color: color.optional() }))
    .default([])
    .describe('plot and colour by rule; the first match decides'),
  select: z
    .array(z.enum(STATISTICS))
    .default([])
    .describe('further values of distributions, as NAME.p99'),
  client: scopeClient.prefault({}),
})

const wallarooEmit = z.strictObject({
  profile: profile.describe('order of min and max, and header, of what is sent'),
  reconnectMs: positive.default(250).describe('between two attempts'),
})

const wallaroo = z.strictObject({
  maxFrameBytes: z
    .int()
    .min(1024)
    .max(1_073_741_824)
    .default(1_048_576)
    .describe('length field; a larger one ends the connection'),
  retentionMs: z
    .int()
    .min(60_000)
    .max(86_400_000)
    .default(3_600_000)
    .describe('windows are kept so long for charts, and series of workers that are gone'),
  windowBytesLimit: bytes
    .default(268_435_456)
    .describe('memory of these windows; the oldest of a series go first'),
  includeSkew: z
    .boolean()
    .default(false)
    .describe('latencies that clocks made impossible count in histograms too'),
  namePrefix: z.string().max(100).default(NAME_PREFIX).describe('in front of names of series'),
  workersLimit: positive.default(10_000).describe('workers known at once, connected or not'),
  emit: wallarooEmit.prefault({}),
})

const eventcountersClient = z
  .strictObject({
    intervalSec: z
      .number()
      .min(0.001)
      .max(LIMITS.documentIntervalSecMax)
      .default(LIMITS.defaultIntervalMs / 1000)
      .describe('asked of an endpoint whose address names none'),
    profile: z
      .enum(['document', 'peer'])
      .default('document')
      .describe('spelling asked for; peer takes parts of a second'),
  })
  .refine(({ intervalSec, profile }) => profile === 'peer' || Number.isInteger(intervalSec), {
    path: ['intervalSec'],
    error: 'want a whole number of seconds, or the profile peer',
  })

const eventcounters = z.strictObject({
  prometheusNames: z
    .enum(['standard', 'dotnet-monitor'])
    .default('standard')
    .describe('names, units and types on /metrics: our own, or as dotnet-monitor has them'),
  sessionsLimit: positive.default(LIMITS.sessions).describe('sessions served at once'),
  outputBytes: bytes
    .default(LIMITS.outputBytes)
    .describe('per session; above it boundaries are skipped'),
  skippedInARow: positive
    .default(LIMITS.skippedInARow)
    .describe('boundaries; then the session is closed'),
  keepAliveMs: z
    .int()
    .min(100)
    .max(2 * LIMITS.keepAliveMs) // clients give up after three times the limit
    .default(LIMITS.keepAliveMs)
    .describe('silence that an empty line ends'),
  client: eventcountersClient.prefault({}),
})

const prometheus = z.strictObject({
  names: z
    .enum(['legacy', 'utf8'])
    .default('legacy')
    .describe('utf8: names as sent, for scrapers that ask for them'),
  exportRates: z.boolean().default(false).describe('moving averages of meters as gauges too'),
  observer: z
    .enum(['histogram', 'summary'])
    .default('histogram')
    .describe('distributions as buckets, or as quantiles'),
  promNames: z
    .enum(['labels', 'flat'])
    .default('labels')
    .describe('filters by a label, or as pw_FILTER_NAME'),
  nativeHistograms: z
    .boolean()
    .default(false)
    .describe('native buckets too, for scrapers that take protobuf'),
})

const otlp = z.strictObject({
  url: z
    .union([z.literal(''), z.url({ protocol: /^https?$/ })], {
      error: 'want a URL, as http://localhost:4318',
    })
    .default('')
    .describe('receiver of all series, as http://HOST:4318; empty = none'),
  encoding: z.enum(['protobuf', 'json']).default('protobuf').describe('of requests'),
  compression: z.enum(['gzip', 'none']).default('gzip').describe('of requests'),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]+$/), z.string())
    .default({})
    .describe('sent with every request, as authorization'),
  intervalMs: z.int().min(1000).default(10_000).describe('between two exports'),
  timeoutMs: positive.default(10_000).describe('for one attempt of a request'),
  temporality: z
    .enum(['dialect', 'cumulative', 'delta'])
    .default('dialect')
    .describe('totals, or what an interval brought; dialect: delta for EventCounters alone'),
  histogram: z
    .enum(['dialect', 'explicit', 'exponential'])
    .default('dialect')
    .describe('form of distributions; dialect: explicit for Wallaroo and filters alone'),
  estimatedSum: z.boolean().default(false).describe('sums that their senders do not know, too'),
  resource: z
    .record(z.string(), z.string())
    .default({})
    .describe('attributes beside service.name, service.version and service.instance.id'),
})

export const configSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').describe('address that every listener binds'),
  textPort: port.default(8125).describe('Stats Hero, UDP and TCP'),
  streamPort: port.default(5001).describe('Wallaroo workers and scope viewers, TCP'),
  httpPort: port.default(4000).describe('page, API, live stream and /metrics'),
  allowedHosts: z
    .array(z.string())
    .default([])
    .describe('further names under which browsers may reach the page'),
  ingestWorkers: z
    .union([z.literal('auto'), z.int().min(0).max(64)], {
      error: 'want auto, or a whole number of 0 to 64',
    })
    .default('auto')
    .describe('threads that take text; auto = one per core, 0 = none but the main thread'),
  connectionsLimit: positive.default(1000).describe('per listener'),
  receiveBufferBytes: bytes.default(4_194_304).describe('asked for each UDP socket'),
  udpReceive: z
    .enum(['auto', 'dgram', 'recvmmsg'])
    .default('auto')
    .describe('one datagram a system call, or many; auto = many where that works'),
  seriesLimit: positive.default(SERIES_LIMITS.seriesLimit).describe('series in the hub'),
  seriesLimitPerSource: positive
    .default(SERIES_LIMITS.seriesLimitPerSource)
    .describe('series that one address may bring'),
  zoneBytesLimit: z
    .int()
    .min(1_048_576)
    .max(1_073_741_824)
    .default(268_435_456)
    .describe('shared memory of all totals'),
  liveBytesLimit: z
    .int()
    .min(65_536)
    .default(LIVE_RING_DEFAULTS.bytesLimit)
    .describe('memory of the last 20 minutes; the oldest seconds go first'),
  sessionsLimit: positive.default(1000).describe('subscribers with an interval of their own'),
  staleAfterS: positive.default(300).describe('silence after which a series is shown as stale'),
  expireAfterS: z.int().min(0).default(0).describe('silence after which it is removed; 0 = never'),
  relay: z
    .array(z.string())
    .default([])
    .describe('where to send every second, as statshero+udp://HOST:PORT'),
  attach: z
    .array(z.string())
    .default([])
    .describe('whom to read from, as scope://HOST:PORT or http://HOST:PORT'),
  filters: filterList,
  statshero: statshero.prefault({}),
  scope: scope.prefault({}),
  wallaroo: wallaroo.prefault({}),
  eventcounters: eventcounters.prefault({}),
  prometheus: prometheus.prefault({}),
  otlp: otlp.prefault({}),
})

export type HubConfig = z.infer<typeof configSchema>

/**
 * The defaults with the given options over them.
 * @throws {ConfigError}
 */
export function parseConfig(options: unknown): HubConfig {
  const result = configSchema.safeParse(options)
  if (result.success) return result.data
  const problems = new Map<string, readonly string[]>()
  for (const issue of result.error.issues) {
    // A value of a wrong type may be too short as well: the first problem of an option says it.
    const path = issue.path.join('.')
    if (!problems.has(path)) problems.set(path, describeIssue(issue, path, options))
  }
  throw new ConfigError([...problems.values()].flat())
}

/** The dialect's own section of the config. */
export function dialectOptions(
  config: HubConfig,
  dialect: string,
): Readonly<Record<string, unknown>> {
  return (config as unknown as Record<string, Record<string, unknown>>)[dialect] ?? {}
}

/** An option that is not understood; `problems` has one line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** One line per problem: `seriesLimit: 0, want at least 1`. */
function describeIssue(issue: z.core.$ZodIssue, path: string, options: unknown): string[] {
  const place = path === '' ? '' : `${path}: `
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${path === '' ? '' : `${path}.`}${key}: no such option`)
  }
  return [`${place}${valueText(valueAt(options, issue.path))}, ${wanted(issue)}`]
}

/** Expected types as zod names them, in words for who writes the file. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'a mapping',
  record: 'a mapping',
  string: 'text',
}

function wanted(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `want ${TYPE_WORDS[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `want ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
    case 'too_small':
      return `want at least ${issue.minimum}${issue.origin === 'string' ? ' character' : ''}`
    case 'too_big':
      return `want at most ${issue.maximum}`
    default:
      return issue.message
  }
}

function valueAt(options: unknown, path: readonly PropertyKey[]): unknown {
  let value = options
  for (const key of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[key]
  return value
}

/** Longest value that a message repeats whole. */
const VALUE_TEXT_MAX = 60

function valueText(value: unknown): string {
  if (value === undefined) return 'missing'
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value))
  return text.length > VALUE_TEXT_MAX ? `${text.slice(0, VALUE_TEXT_MAX)}…` : text
}
