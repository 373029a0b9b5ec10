/**
 * What a session asks a process for (§7, §9): counters of event sources, and instruments of meters
 * by the provider that tells of all of them. In the words of the usual tool, so that both share one
 * collection of meters.
 */
import type { Provider } from '../../codec/ipc/messages.ts'
import { formatArguments } from '../../codec/ipc/texts.ts'
import { METRICS_PROVIDER } from '../../codec/layouts.ts'
import { COUNTERS_EVENT } from '../../codec/message.ts'
import { METER_LIMITS } from '../../spec.ts'

/** Counters of a provider, of a meter of that name, or both. */
export interface WantedProvider {
  readonly name: string
  /** Names of the counters and instruments; all unless stated. */
  readonly counters?: readonly string[]
  /** Whether a meter of the name is left out. */
  readonly isSourceOnly: boolean
}

/** Request for the counters of a process. */
export interface CounterRequest {
  /**
   * `NAME` or `NAME[COUNTER,…]`: event source and meter of the name; with {@link SOURCE_ONLY} in
   * front the event source alone.
   */
  readonly providers: readonly string[]
  /** Interval, ms: 1 or more; instruments of meters have at least 100. */
  readonly intervalMs: number
  /**
   * Payloads of an interval that another tool has asked for: left out and counted (`own`, unless
   * stated), or taken (`any`).
   */
  readonly intervals?: 'own' | 'any'
  /** Series of all meters together, and histograms; the process leaves out what is beyond. */
  readonly maxTimeSeries?: number
  readonly maxHistograms?: number
  /** Version of the runtime; before 8 a collection of meters is not shared. */
  readonly clrVersion?: string | undefined
}

/** Request as it goes out, and the names by which its answers are known. */
export interface CollectRequest {
  readonly providers: readonly Provider[]
  readonly wanted: readonly WantedProvider[]
  /** Number of ms that payloads of counters have behind `Interval=`. */
  readonly seriesMs: number
  /** Session that events of meters are of. */
  readonly sessionId: string
  readonly clientId: string
}

const LEVEL = 4
/** Group of the values of instruments. */
const TIME_SERIES = 2
const METER_INTERVAL_MS_MIN = 100
const SHARED = 'SHARED'
/** First version that shares a collection. */
const SHARING_VERSION = 8
/** Words in front of a name that leave out a meter, as the usual tool has them. */
const SOURCE_ONLY = `${COUNTERS_EVENT}\\`

/**
 * Makes the providers of a session.
 * @throws {TypeError} for a provider that makes no sense
 * @throws {EncodeError} for a name with a quote in it
 */
export function collectRequest(request: CounterRequest): CollectRequest {
  const { intervalMs } = request
  const wanted = parseProviders(request.providers)
  const seconds = String(intervalMs / 1000)
  const clientId = crypto.randomUUID()
  const version = Number.parseInt(request.clrVersion ?? '0', 10)
  const sessionId = version >= SHARING_VERSION ? SHARED : clientId
  const sources = [...new Set(wanted.map(({ name }) => name))]
  const args = formatArguments([['EventCounterIntervalSec', seconds]])
  const meters = metersOf(wanted)
  return {
    providers: [
      ...sources.map((name) => ({ name, keywords: 0, level: LEVEL, arguments: args })),
      ...(meters === '' ? [] : [metricsProvider(request, meters, sessionId, clientId)]),
    ],
    wanted,
    seriesMs: seriesOf(intervalMs / 1000),
    sessionId,
    clientId,
  }
}

function metricsProvider(
  request: CounterRequest,
  meters: string,
  sessionId: string,
  clientId: string,
): Provider {
  const { intervalMs } = request
  const { maxTimeSeries = METER_LIMITS.timeSeries } = request
  const { maxHistograms = METER_LIMITS.histograms } = request
  const refresh = String(Math.max(intervalMs, METER_INTERVAL_MS_MIN) / 1000)
  const pairs = [
    ['SessionId', sessionId],
    ['Metrics', meters],
    ['RefreshInterval', refresh],
    ['MaxTimeSeries', String(maxTimeSeries)],
    ['MaxHistograms', String(maxHistograms)],
    ['ClientId', clientId],
  ] as const
  const args = formatArguments(pairs)
  return { name: METRICS_PROVIDER, keywords: TIME_SERIES, level: LEVEL, arguments: args }
}

/** Writes which instruments are wanted: `Meter,Other\instrument`. */
function metersOf(wanted: readonly WantedProvider[]): string {
  const meters = wanted.filter(({ isSourceOnly }) => !isSourceOnly)
  const items = meters.flatMap(({ name, counters }) => {
    return counters === undefined ? [name] : counters.map((each) => `${name}\\${each}`)
  })
  return items.join(',')
}

/**
 * Computes the number that the process puts behind `Interval=`: it has the seconds as a 32 bit
 * float.
 */
function seriesOf(seconds: number): number {
  return Math.trunc(Math.fround(Math.fround(seconds) * 1000))
}

/**
 * Reads `NAME` and `NAME[COUNTER,…]`, each also with {@link SOURCE_ONLY} in front.
 * @throws {TypeError} for what is none of these
 */
export function parseProviders(texts: readonly string[]): WantedProvider[] {
  return texts.map((text) => {
    const isSourceOnly = text.startsWith(SOURCE_ONLY)
    const rest = isSourceOnly ? text.slice(SOURCE_ONLY.length) : text
    const [, name = '', list] = /^([^[\],"\0]+)(?:\[([^[\]"\0]*)\])?$/.exec(rest.trim()) ?? []
    if (name === '') {
      throw new TypeError(`provider ${JSON.stringify(text)}: want NAME or NAME[COUNTER,COUNTER]`)
    }
    const counters = list?.split(',').filter((each) => each !== '')
    const isAll = counters === undefined || counters.length === 0
    return { name, isSourceOnly, ...(isAll ? {} : { counters }) }
  })
}

/** Splits `A,B[c,d]` at the commas outside of brackets; empty items are left out. */
export function splitProviders(text: string): string[] {
  const items = text.match(/(?:[^,[\]]|\[[^\]]*\]?|\])+/g) ?? []
  return items.filter((each) => each.trim() !== '')
}
