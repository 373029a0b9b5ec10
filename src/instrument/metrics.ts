/**
 * An application's own `/metrics` for Prometheus, without a hub: every counter and instrument of a
 * registry in text 0.0.4, OpenMetrics 1.0 or protobuf, under the names of eventcounters.md §7.3.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ExpositionFormat, type Negotiated, negotiate } from '../exposition/negotiation.ts'
import { readingsProtobuf } from './readings/metrics-protobuf.ts'
import { RegistryReadings } from './readings/metrics-readings.ts'
import { readingsText } from './readings/metrics-text.ts'
import type { Reading } from './readings/reading.ts'
import { type CounterRegistry, defaultRegistry } from './registry.ts'

/** Prometheus' text 0.0.4, or OpenMetrics 1.0. */
export type MetricsFormat = 'text' | 'openmetrics'

/** Exposition: text, or bytes of protobuf. */
export type MetricsBody = string | Uint8Array<ArrayBuffer>

const readings = new WeakMap<CounterRegistry, RegistryReadings>()

/** Gives the session of all scrapes of a registry. */
export function readingsOf(registry: CounterRegistry): RegistryReadings {
  const known = readings.get(registry)
  if (known !== undefined) return known
  const made = new RegistryReadings(registry)
  readings.set(registry, made)
  return made
}

/**
 * Makes a handler for `node:http`, Express or Connect that answers every request with the
 * registry's metrics, in the format that its Accept header prefers: text 0.0.4, OpenMetrics 1.0, or
 * protobuf with native histograms.
 * Requests other than GET and HEAD get 405. Event counters count from this call on, plain counters
 * and histograms from when they were made; gauges and statistics (mean, least, most, deviation) are
 * of the time since the scrape before. `nodeRuntime()` adds the metrics of Node itself.
 * @param registry the thread's default one when not given
 * @throws {TypeError} for a registry that another thread serves
 * @throws {RangeError} when the registry's limit of sessions is reached
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { Counter, EventSource, metricsHandler, nodeRuntime } from 'pentameter/instrument'
 *
 * nodeRuntime()
 * const metrics = metricsHandler()
 * const orders = new Counter('orders', new EventSource('Shop'))
 * const server = createServer((request, response) => {
 *   if (request.url === '/metrics') return metrics(request, response)
 *   orders.add()
 *   response.end('thanks')
 * })
 * server.listen(8080)
 * ```
 */
export function metricsHandler(
  registry: CounterRegistry = defaultRegistry(),
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  readingsOf(registry).start()
  return (incoming, outgoing) => {
    if (refusesMethod(incoming, outgoing)) return
    const write = (): void => {
      const { body, contentType } = answer(incoming.headers.accept, registry)
      writeMetrics(incoming, outgoing, body, contentType)
    }
    const gathering = readingsOf(registry).gather()
    if (gathering === undefined) write()
    else void gathering.then(write)
  }
}

/** Refuses a request that asks for no metrics. @returns whether it was refused */
export function refusesMethod({ method }: IncomingMessage, outgoing: ServerResponse): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  outgoing.writeHead(405, { Allow: 'GET, HEAD' }).end()
  return true
}

/** Answers a request for metrics. */
export function writeMetrics(
  { method }: IncomingMessage,
  outgoing: ServerResponse,
  body: MetricsBody,
  contentType: string,
): void {
  const length = Buffer.byteLength(body)
  outgoing.writeHead(200, { 'Content-Type': contentType, 'Content-Length': length })
  outgoing.end(method === 'HEAD' ? undefined : body)
}

/** Part of the platform's Request that is asked for; undefined goes for no header. */
export interface MetricsRequest {
  readonly headers: { get(name: string): string | null }
}

/**
 * Answers a request of the fetch kind (Hono, Next.js, Deno, Bun) with the registry's metrics; as
 * {@link metricsHandler}, but that event counters count from the first call on.
 * @param request without it the format is text 0.0.4
 * @param registry the thread's default one when not given
 * @throws {TypeError} for a registry that another thread serves
 * @throws {RangeError} when the registry's limit of sessions is reached
 * @example
 * ```ts
 * import { metricsResponse } from 'pentameter/instrument'
 *
 * export function GET(request: Request): Promise<Response> {
 *   return metricsResponse(request)
 * }
 * ```
 */
export async function metricsResponse(
  request?: MetricsRequest,
  registry: CounterRegistry = defaultRegistry(),
): Promise<Response> {
  await readingsOf(registry).gather()
  const { body, contentType } = answer(request?.headers.get('accept') ?? undefined, registry)
  return new Response(body, { headers: { 'Content-Type': contentType } })
}

/**
 * Writes the registry's metrics; as {@link metricsHandler}, but that event counters count from the
 * first call on, and that included sources which take their time are as they were last gathered.
 * @param registry the thread's default one when not given
 * @throws {TypeError} for a registry that another thread serves
 * @throws {RangeError} when the registry's limit of sessions is reached
 * @example
 * ```ts
 * import { Counter, EventSource, metricsText } from 'pentameter/instrument'
 *
 * new Counter('orders', new EventSource('Shop')).add()
 * console.log(metricsText())
 * ```
 */
export function metricsText(
  registry: CounterRegistry = defaultRegistry(),
  format: MetricsFormat = 'text',
): string {
  const readings = readingsOf(registry)
  void readings.gather()
  return readingsText(readings.read(), format)
}

/** Gives the format that an Accept header prefers, with its media type. */
export function formatFor(accept: string | undefined): Negotiated {
  return negotiate(accept, 'legacy')
}

/** Writes readings in any of the formats. */
export function metricsBody(readings: Iterable<Reading>, format: ExpositionFormat): MetricsBody {
  return format === 'protobuf' ? readingsProtobuf(readings) : readingsText(readings, format)
}

function answer(accept: string | undefined, registry: CounterRegistry) {
  const { format, contentType } = formatFor(accept)
  return { body: metricsBody(readingsOf(registry).read(), format), contentType }
}
