/**
 * Where a program's metrics are pushed to and how: what the call says, else the variables that the
 * OpenTelemetry specification has for it, else what suits a hub on this machine.
 */
import { hostname } from 'node:os'
import { basename, extname } from 'node:path'
import { PATH } from '../../dialects/opentelemetry/spec.ts'

export interface ConnectOptions {
  /** Pause between two pushes; 1000 to a hub, else OTEL_METRIC_EXPORT_INTERVAL or 60,000. */
  readonly intervalMs?: number
  /** Name of the service; OTEL_SERVICE_NAME, or that of the program's file, when absent. */
  readonly service?: string
  /** Name of this process among those of the service; `HOST:PID` when absent. */
  readonly instance?: string
  /** Further attributes of the process, beside those of OTEL_RESOURCE_ATTRIBUTES. */
  readonly resource?: Readonly<Record<string, string>>
  /** Headers of every request, as `authorization`; beside those of OTEL_EXPORTER_OTLP_HEADERS. */
  readonly headers?: Readonly<Record<string, string>>
  /** Time for one attempt; OTEL_EXPORTER_OTLP_TIMEOUT or 10,000 when absent. */
  readonly timeoutMs?: number
  /** Called with each thing that is wrong, once; default: a process warning. */
  readonly log?: (message: string) => void
}

/** Attributes of who sends: `service.name` and others. */
export type Resource = Readonly<Record<string, string>>

export type Encoding = 'protobuf' | 'json'

/** Address, pace and form of pushes. */
export interface PushPlan {
  readonly url: string
  /** Whether it is a hub, which is told again where it stood when it was away. */
  readonly isHub: boolean
  /** False where the environment says that nothing is sent. */
  readonly isOn: boolean
  readonly intervalMs: number
  readonly timeoutMs: number
  readonly encoding: Encoding
  readonly compression: 'gzip' | 'none'
  readonly headers: Readonly<Record<string, string>>
  readonly resource: Resource
}

type Environment = Readonly<Record<string, string | undefined>>

/** Port of a hub's page, which takes OTLP, too. */
const HUB_PORT = 4000
const HUB_INTERVAL_MS = 1000
const INTERVAL_MS = 60_000
const TIMEOUT_MS = 10_000
/** Longest delay of a timer. */
const MS_MAX = 2_147_483_647

/**
 * Reads address, options and environment.
 * @param to `pentameter://HOST[:PORT]` (`pentameters:` for TLS), or an http or https address of a
 *   receiver; undefined = as the environment says, else a hub at `http://127.0.0.1:4000`
 * @throws {TypeError} for an address or a protocol that is not spoken
 * @throws {RangeError} for a time that is none
 */
export function pushPlan(
  to: string | undefined,
  options: ConnectOptions,
  environment: Environment,
): PushPlan {
  const { url, isHub } = addressOf(to, environment)
  const forMetrics = (name: string): string[] => {
    return [`OTEL_EXPORTER_OTLP_METRICS_${name}`, `OTEL_EXPORTER_OTLP_${name}`]
  }
  const ofMetrics = (name: string): string | undefined => {
    return forMetrics(name)
      .map((each) => text(environment, each))
      .find((value) => value !== undefined)
  }
  const timeOf = (names: readonly string[], otherwise: number): number => {
    return milliseconds(names, environment, (message) => options.log?.(message)) ?? otherwise
  }
  const usualMs = (): number => {
    return isHub ? HUB_INTERVAL_MS : timeOf(['OTEL_METRIC_EXPORT_INTERVAL'], INTERVAL_MS)
  }
  const usualTimeoutMs = (): number => timeOf(forMetrics('TIMEOUT'), TIMEOUT_MS)
  return {
    ...{ url, isHub, isOn: isOn(environment) },
    intervalMs: checkMs('intervalMs', options.intervalMs, usualMs),
    timeoutMs: checkMs('timeoutMs', options.timeoutMs, usualTimeoutMs),
    encoding: isHub ? 'protobuf' : encodingOf(ofMetrics('PROTOCOL') ?? 'http/protobuf'),
    compression: !isHub && ofMetrics('COMPRESSION') === 'gzip' ? 'gzip' : 'none',
    headers: {
      ...pairsOf(text(environment, 'OTEL_EXPORTER_OTLP_HEADERS')),
      ...pairsOf(text(environment, 'OTEL_EXPORTER_OTLP_METRICS_HEADERS')),
      ...options.headers,
    },
    resource: resourceOf(options, environment),
  }
}

function addressOf(to: string | undefined, environment: Environment) {
  if (to !== undefined) return givenAddress(to)
  const whole = text(environment, 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT')
  if (whole !== undefined) return { url: checkUrl(whole).href, isHub: false }
  const base = text(environment, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  if (base === undefined) return givenAddress('pentameter://127.0.0.1')
  const url = checkUrl(base)
  url.pathname = `${url.pathname.replace(/\/$/, '')}${PATH}`
  return { url: url.href, isHub: false }
}

function givenAddress(to: string): { readonly url: string; readonly isHub: boolean } {
  const scheme = /^(pentameters?):/.exec(to)?.[1]
  const isHub = scheme !== undefined
  const secure = scheme === 'pentameters' ? 'https' : 'http'
  const url = checkUrl(isHub ? to.replace(/^pentameters?/, secure) : to)
  if (isHub && url.port === '' && !/:(80|443)(\/|$)/.test(to)) url.port = String(HUB_PORT)
  if (url.pathname === '/') url.pathname = PATH
  return { url: url.href, isHub }
}

function checkUrl(address: string): URL {
  const want = 'want pentameter://HOST, or http:// or https:// and the address of a receiver'
  if (!URL.canParse(address)) throw new TypeError(`no address: "${address}"; ${want}`)
  const url = new URL(address)
  if (url.protocol === 'http:' || url.protocol === 'https:') return url
  throw new TypeError(`nothing is spoken over ${url.protocol}//; ${want}`)
}

function encodingOf(protocol: string): Encoding {
  if (protocol === 'http/protobuf') return 'protobuf'
  if (protocol === 'http/json') return 'json'
  throw new TypeError(
    `OTEL_EXPORTER_OTLP_PROTOCOL is "${protocol}"; spoken are http/protobuf and http/json`,
  )
}

function isOn(environment: Environment): boolean {
  const isDisabled = text(environment, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true'
  return !isDisabled && text(environment, 'OTEL_METRICS_EXPORTER') !== 'none'
}

function resourceOf(
  { service, instance, resource }: ConnectOptions,
  environment: Environment,
): Resource {
  const name = service ?? text(environment, 'OTEL_SERVICE_NAME')
  return {
    'service.name': programName(),
    'service.instance.id': `${hostname()}:${process.pid}`,
    ...pairsOf(text(environment, 'OTEL_RESOURCE_ATTRIBUTES')),
    ...(name === undefined ? {} : { 'service.name': name }),
    ...(instance === undefined ? {} : { 'service.instance.id': instance }),
    ...resource,
  }
}

/** Gives the name of the program's file; OpenTelemetry's word for one that is not known. */
function programName(): string {
  const file = process.argv[1]
  return file === undefined ? 'unknown_service:node' : basename(file, extname(file))
}

/** Reads `KEY=VALUE,KEY=VALUE`, percent-encoded as W3C Baggage is; what is no pair is left out. */
function pairsOf(list = ''): Record<string, string> {
  const pairs = list.split(',').flatMap((pair) => {
    const at = pair.indexOf('=')
    if (at <= 0) return []
    return [[decoded(pair.slice(0, at)), decoded(pair.slice(at + 1))] as const]
  })
  return Object.fromEntries(pairs)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part.trim())
  } catch {
    return part.trim()
  }
}

/** Reads a variable; an empty one is not set, by the specification. */
function text(environment: Environment, name: string): string | undefined {
  return environment[name]?.trim() || undefined
}

/**
 * Reads a time from the first of some variables that is set; one that is none is left out with a
 * warning, as the specification wants it.
 */
function milliseconds(
  names: readonly string[],
  environment: Environment,
  log: (message: string) => void,
): number | undefined {
  const name = names.find((each) => text(environment, each) !== undefined)
  if (name === undefined) return undefined
  const given = text(environment, name)
  if (isMs(Number(given))) return Number(given)
  log(`${name} is "${given}", which is left out: ${WANTED_MS}`)
  return undefined
}

const WANTED_MS = `want 1 to ${MS_MAX} milliseconds`

function isMs(ms: number): boolean {
  return ms >= 1 && ms <= MS_MAX
}

/** Checks a time of the call; takes another one where it has none. */
function checkMs(name: string, ms: number | undefined, otherwise: () => number): number {
  if (ms === undefined) return otherwise()
  if (isMs(ms)) return ms
  throw new RangeError(`${name} is ${ms}; ${WANTED_MS}`)
}
