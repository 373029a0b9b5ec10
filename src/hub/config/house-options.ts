/** Options of the hub itself: their one home, with defaults and limits (docs/configuration.md). */
import type { Dialect } from '../../dialects/dialect.ts'
import {
  auto,
  boolean,
  bytes,
  choice,
  HTTP_PORT,
  integer,
  list,
  map,
  type OptionSpec,
  type PortSpec,
  STREAM_PORT,
  section,
  TEXT_PORT,
  text,
} from '../../dialects/options.ts'
import { SERIES_LIMITS } from '../ingest/quota.ts'
import { LIVE_RING_DEFAULTS } from '../live/ring.ts'
import { SAMPLES_DEFAULTS } from '../live/samples/samples.ts'

const PROMETHEUS_OPTIONS = {
  names: choice(['legacy', 'utf8'], {
    default: 'legacy',
    description: 'utf8: names as sent, for scrapers that ask for them',
  }),
  exportRates: boolean({ default: false, description: 'moving averages of meters as gauges too' }),
  observer: choice(['histogram', 'summary'], {
    default: 'histogram',
    description: 'distributions as buckets, or as quantiles',
  }),
  nativeHistograms: boolean({
    default: false,
    description: 'native buckets too, for scrapers that take protobuf',
  }),
  createdSamples: boolean({
    default: true,
    description: 'when each total began, as NAME_created, in OpenMetrics: one more series for each',
  }),
}

const OTLP_OPTIONS = {
  url: text({
    default: '',
    description: 'receiver of all series, as http://HOST:4318; empty = none',
    check: (url) =>
      url === '' || isHttpUrl(url) ? undefined : 'want a URL, as http://localhost:4318',
  }),
  encoding: choice(['protobuf', 'json'], { default: 'protobuf', description: 'of requests' }),
  compression: choice(['gzip', 'none'], { default: 'gzip', description: 'of requests' }),
  headers: map(text({ default: '', description: 'value' }), {
    keys: /^[A-Za-z0-9-]+$/,
    description: 'sent with every request, as authorization',
  }),
  intervalMs: integer({ min: 1000, default: 10_000, description: 'between two exports' }),
  timeoutMs: integer({ default: 10_000, description: 'for one attempt of a request' }),
  temporality: choice(['dialect', 'cumulative', 'delta'], {
    default: 'dialect',
    description: 'totals, or what an interval brought; dialect: as the document of each says',
  }),
  histogram: choice(['dialect', 'explicit', 'exponential'], {
    default: 'dialect',
    description: 'form of distributions; dialect: as the document of each says',
  }),
  estimatedSum: boolean({
    default: false,
    description: 'sums that their senders do not know, too',
  }),
  resource: map(text({ default: '', description: 'value' }), {
    description: 'attributes beside service.name, service.version and service.instance.id',
  }),
}

const DAY_S = 86_400
const HISTORY_OPTIONS = {
  path: text({
    flag: '--history <place>',
    description:
      'folder of all seconds beyond the last minutes; empty = none. `serve` takes one in the ' +
      'state folder of the platform where nothing is stated. promql+http://HOST:PORT is an ' +
      'engine to read from, which a relay writes to',
  }),
  timeoutMs: integer({
    default: 10_000,
    description: 'time for the whole of a read from an engine',
  }),
  headers: map(text({ default: '', description: 'value' }), {
    description: 'headers of every request to an engine, as `Authorization` or `X-Scope-OrgID`',
  }),
  bytesLimit: bytes({
    min: 16_777_216,
    default: 1_073_741_824,
    description: 'on disk; the oldest seconds go first, then minutes, then hours',
  }),
  secondsKeptS: integer({
    min: 3600,
    default: 7 * DAY_S,
    description: 'age up to which cells of a second are kept',
  }),
  minutesKeptS: integer({
    min: 3600,
    default: 90 * DAY_S,
    description: 'the same of cells of a minute',
  }),
  hoursKeptS: integer({
    min: DAY_S,
    default: 5 * 365 * DAY_S,
    description: 'the same of cells of an hour',
  }),
  seriesLimit: integer({
    default: 1_000_000,
    description: 'series of which cells are kept; above it those silent longest go',
  }),
  digits: integer({
    min: 0,
    max: 15,
    default: 0,
    description:
      'significant digits that gauges keep where they are no decimals of few places; 0 = every bit',
  }),
}

const HTTP_OPTIONS = {
  pipelinedLimit: integer({
    min: 0,
    default: 32,
    description: 'requests that wait in a connection behind the one under way; then it is closed',
  }),
  answersLimit: integer({
    default: 32,
    description: 'large answers at once, such as those of /metrics, being made or taken',
  }),
  answersWaitingLimit: integer({
    min: 0,
    default: 128,
    description: 'large answers that wait for a place; further ones get 503',
  }),
  answerWaitMs: integer({ min: 0, default: 2000, description: 'wait for a place; then 503' }),
}

function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

const LIMIT_OPTIONS = {
  allowedHosts: list(text({ default: '', description: 'name' }), {
    flag: '--allow-host <name...>',
    description: 'further names under which browsers may reach the page',
  }),
  ingestWorkers: auto({
    min: 0,
    max: 64,
    default: 'auto',
    flag: '--ingest-workers <count>',
    description:
      'threads that take text; auto = one for each core but one, 0 = none but the main thread',
  }),
  connectionsLimit: integer({
    max: 1_000_000,
    default: 1000,
    description: 'per listener; shared out by address when all are taken',
  }),
  connectionsLimitPerAddress: integer({
    max: 1_000_000,
    default: 500,
    description: 'connections of one peer address, over all listeners',
  }),
  firstMessageTimeoutMs: integer({
    default: 45_000,
    description: 'a connection that has sent no whole message by then is closed',
  }),
  greetAfterMs: integer({
    max: 60_000,
    default: 50,
    flag: '--greet-after <ms>',
    description:
      'time to decide whether a peer of a shared port speaks or waits to be greeted as a viewer',
  }),
  messageTimeoutMs: integer({
    default: 30_000,
    description: 'from the first byte of a message to its last; a slower one is closed',
  }),
  idleAfterMs: integer({
    default: 600_000,
    description: 'silence after which a connection makes room when all places are taken',
  }),
  unfinishedBytesLimit: bytes({
    default: 134_217_728,
    description: 'memory of unfinished messages; the address that holds most loses one',
  }),
  unfinishedBytesLimitPerAddress: bytes({
    default: 33_554_432,
    description: 'the same of one peer address; at least as large as the largest message',
  }),
  receiveBufferBytes: bytes({
    max: 1_073_741_824,
    default: 4_194_304,
    description: 'asked for each UDP socket',
  }),
  udpReceive: choice(['auto', 'dgram', 'recvmmsg'], {
    default: 'auto',
    description:
      'one datagram a system call, or many by the experimental node:ffi, ' +
      'a fault of which would end the process; auto = many where its self-test works',
  }),
  seriesLimit: integer({
    default: SERIES_LIMITS.seriesLimit,
    flag: '--series-limit <count>',
    description: 'most series in the hub',
  }),
  seriesLimitPerSource: integer({
    default: SERIES_LIMITS.seriesLimitPerSource,
    description: 'series that one address may bring',
  }),
  memoryBytesLimit: auto({
    min: 67_108_864,
    max: Number.MAX_SAFE_INTEGER,
    default: 'auto',
    description:
      'memory that the process should keep to; `auto` = 90 % of the machine’s or its container’s',
  }),
  zoneBytesLimit: integer({
    min: 1_048_576,
    max: 1_073_741_824,
    default: SERIES_LIMITS.zoneBytesLimit,
    description: 'shared memory of all totals',
  }),
  zonePercentPerSource: integer({
    max: 100,
    default: SERIES_LIMITS.zonePercentPerSource,
    description: 'share of `zoneBytesLimit` that the series of one address may take',
  }),
  attachedBytesLimit: bytes({
    default: 33_554_432,
    description: 'memory of the names of one attached peer; further ones make no series',
  }),
  nameBytesLimit: integer({
    max: 65_535,
    default: SERIES_LIMITS.nameBytesLimit,
    description: 'series with longer names are refused, whatever their dialect',
  }),
  labelBytesLimit: integer({
    max: 65_535,
    default: SERIES_LIMITS.labelBytesLimit,
    description: 'the same of the key and the value of each label',
  }),
  liveBytesLimit: integer({
    min: 65_536,
    default: LIVE_RING_DEFAULTS.bytesLimit,
    description: 'memory of the last 20 minutes; the oldest seconds go first',
  }),
  samplesBytesLimit: integer({
    min: 65_536,
    default: SAMPLES_DEFAULTS.bytesLimit,
    description:
      'memory of samples below a second, of 10 minutes; the oldest of the largest go first',
  }),
  sessionsLimit: integer({
    default: 1000,
    description: 'subscribers with an interval of their own',
  }),
  staleAfterS: integer({
    default: 300,
    description: 'silence after which a series is shown as stale',
  }),
  expireAfterS: integer({
    min: 0,
    default: 0,
    flag: '--expire-after <seconds>',
    description: 'seconds of silence after which a series is removed; 0 = never for that alone',
  }),
  hostMetricsIntervalS: integer({
    min: 0,
    max: 3600,
    default: 0,
    flag: '--host-metrics <seconds>',
    description: 'between two readings of this machine (processors, memory, disks); 0 = none',
  }),
  relieveAfterS: integer({
    min: 0,
    default: 3600,
    description: 'the same while a limit of series is nearly reached, oldest first; 0 = never',
  }),
}

const HOST_OPTIONS = {
  host: text({
    lengthMin: 1,
    default: '127.0.0.1',
    flag: '--host <address>',
    description: 'address that every listener binds',
  }),
  httpPort: portOption(HTTP_PORT, 'page, API, live stream and /metrics'),
}

function peerOptions(dialects: readonly Dialect[]) {
  const address = text({ default: '', description: 'address' })
  return {
    relay: list(address, {
      flag: '--relay <url...>',
      description: `where to send every second${exampleOf(dialects, 'connectEmitter')}`,
    }),
    attach: list(address, {
      flag: '--attach <url...>',
      description: `where to read from${exampleOf(dialects, 'connectSource')}`,
    }),
  }
}

/**
 * Writes `, as NAME+tcp://HOST:PORT or http://HOST:PORT`: what peers of these dialects are
 * addressed by, each with the first of its transports.
 */
function exampleOf(dialects: readonly Dialect[], side: 'connectEmitter' | 'connectSource'): string {
  const isRelay = side === 'connectEmitter'
  const outputs = isRelay ? dialects.flatMap((each) => each.outputs ?? []) : []
  const urls = dialects
    .filter((dialect) => dialect[side] !== undefined || (isRelay && dialect.connectTotals))
    .map(({ name, title, schemes, transports, ownAddress }) => {
      if (ownAddress !== undefined) return `${ownAddress.form} (${title})`
      return schemes === undefined
        ? `${name}+${transports[0]}://HOST:PORT`
        : `${schemes[0]}://HOST:PORT[/PATH][?QUERY] (${title})`
    })
  urls.push(...outputs.map(({ name, transports }) => `${name}+${transports[0]}://HOST:PORT`))
  const notes = isRelay ? dialects.flatMap(({ relayNote }) => relayNote ?? []) : []
  return urls.length === 0 ? '' : [`, as ${urls.join(' or ')}`, ...notes].join('; ')
}

/** Lists ports that the house opens, and those that dialects bring, but for that of HTTP. */
export function listenPorts(dialects: readonly Dialect[]): readonly PortSpec[] {
  const ports = dialects.flatMap(({ port }) => port ?? [])
  const all = new Map([TEXT_PORT, STREAM_PORT, ...ports].map((port) => [port.name, port]))
  return [...all.values()].filter((port) => port !== HTTP_PORT)
}

function portOption(port: PortSpec, description: string) {
  const { name, number } = port
  return integer({
    min: 0,
    max: 65_535,
    default: number,
    flag: `--${name}-port <port>`,
    description,
  })
}

/** Writes titles of the dialects of a port, and its transports: `…, UDP and TCP`. */
function describePort(port: PortSpec, dialects: readonly Dialect[]): string {
  const sharing = dialects.filter((dialect) => dialect.port === port)
  const transports = new Set(sharing.flatMap((dialect) => dialect.transports))
  const names = sharing.map(({ title }) => title).join(', ')
  return [names, [...transports].join(' and ').toUpperCase().replace(' AND ', ' and ')].join(', ')
}

export type HouseOptions = typeof HOST_OPTIONS &
  ReturnType<typeof peerOptions> &
  typeof LIMIT_OPTIONS & {
    readonly history: ReturnType<typeof section<typeof HISTORY_OPTIONS>>
    readonly http: ReturnType<typeof section<typeof HTTP_OPTIONS>>
    readonly prometheus: ReturnType<typeof section<typeof PROMETHEUS_OPTIONS>>
    readonly otlp: ReturnType<typeof section<typeof OTLP_OPTIONS>>
  }

/** Composes the options of a hub: its own, with the section of each dialect between them. */
export function composeOptions(dialects: readonly Dialect[]): OptionSpec & HouseOptions {
  const ports = listenPorts(dialects).map((port) => {
    return [`${port.name}Port`, portOption(port, describePort(port, dialects))] as const
  })
  const sections = dialects
    .filter(({ options }) => Object.keys(options).length > 0)
    .map(({ name, options }) => [name, section(options)] as const)
  const { host, httpPort } = HOST_OPTIONS
  return {
    host,
    ...Object.fromEntries(ports),
    httpPort,
    ...LIMIT_OPTIONS,
    ...peerOptions(dialects),
    ...Object.fromEntries(sections),
    history: section(HISTORY_OPTIONS),
    http: section(HTTP_OPTIONS),
    prometheus: section(PROMETHEUS_OPTIONS),
    otlp: section(OTLP_OPTIONS),
  }
}
