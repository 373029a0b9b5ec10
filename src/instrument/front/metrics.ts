/**
 * The front door: instruments found or made by their names alone, in groups that the names say, and
 * the ways out of the program. A name's part before its last dot is the group: `shop.cart.orders`
 * is `orders` of the event source `shop.cart`, and `shop_cart_orders_total` to Prometheus.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Histogram as Buckets, Exact, Labels } from '../../model/index.ts'
import { backgroundClock } from '../../time/system-clock.ts'
import { IncrementingPollingCounter, PollingCounter } from '../counters/event-counters.ts'
import { type HttpMeasuring, type HttpOptions, measureHttp } from '../http/http-requests.ts'
import type { InstrumentMaker } from '../http/maker.ts'
import {
  type ChannelOptions,
  type CountedEvents,
  countEvents,
  PINO_CHANNEL,
  pinoLevel,
} from '../included/channel-events.ts'
import type { IncludedSource, MetricsSource } from '../included/included-sources.ts'
import { OpenTelemetryReader } from '../included/opentelemetry-reader.ts'
import { showIn } from '../included/prom-client-family.ts'
import { type PromClientRegister, PromClientSource } from '../included/prom-client-source.ts'
import {
  type MetricsFormat,
  type MetricsRequest,
  metricsHandler,
  metricsResponse,
  metricsText,
  readingsOf,
} from '../metrics.ts'
import { nodeRuntime } from '../node-runtime/node-runtime.ts'
import { Counter } from '../plain/counter.ts'
import { FractionalCounter, type FractionalOptions } from '../plain/fractional-counter.ts'
import { Gauge, type GaugeOptions } from '../plain/gauge.ts'
import { Histogram } from '../plain/histogram.ts'
import type { InstrumentOptions, LabeledValue } from '../plain/instrument.ts'
import { ClusterMetrics } from '../processes/cluster-metrics.ts'
import { type Connection, OtlpPush } from '../push/connection.ts'
import { type ConnectOptions, pushPlan } from '../push/push-options.ts'
import { RegistryReadings } from '../readings/metrics-readings.ts'
import { askOnce } from '../recording/poll.ts'
import { type CounterRegistry, defaultRegistry, EventSource } from '../registry.ts'

/** Group of a name that says none. */
const GROUP = 'app'

/** A value that is asked for, once for all who read at a time, and only while it is read. */
export interface PolledOptions {
  /** Gives the value now: a finite number; a counter's never falls. */
  readonly read: () => number
  /** Unit as .NET writes it: `B`, `ms`, `%`; empty = none. */
  readonly unit?: string
  /** Text for people: what viewers show instead of the name. */
  readonly description?: string
}

/** One set of labels of an instrument, and what it holds. */
export interface MetricRow {
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly labels: Labels
  /** Total of a counter, value of a gauge (NaN before it has one), buckets of a histogram. */
  readonly value: Exact | Buckets
}

type Kind = MetricRow['kind']

type Plain = Counter | FractionalCounter | Gauge | Histogram
type Polled = IncrementingPollingCounter | PollingCounter

/** An instrument that has been made. */
interface Made {
  readonly kind: Kind
  readonly instrument: Plain | Polled
  readonly options: InstrumentOptions & Partial<PolledOptions>
  /** Reads back what it holds. */
  readonly values: () => readonly LabeledValue<MetricRow['value']>[]
}

/**
 * The instruments of a registry by their names, and what a program does with all of them. Most use
 * {@link metrics} and the functions beside it; a test or a library makes one of its own.
 * @example
 * ```ts
 * import { Metrics } from 'pentameter'
 * import { CounterRegistry } from 'pentameter/instrument'
 *
 * const own = new Metrics(new CounterRegistry())
 * own.counter('store.orders').add(2)
 * console.log(own.snapshot()) // [ { name: 'store.orders', … } ]
 * ```
 */
export class Metrics {
  readonly #given: CounterRegistry | undefined
  readonly #sources = new Map<string, EventSource>()
  readonly #made = new Map<string, Made>()
  readonly #registers = new WeakMap<PromClientRegister, PromClientSource>()
  #http: HttpMeasuring | undefined
  #isCluster = false

  /** @param registry the thread's default one when not given */
  constructor(registry?: CounterRegistry) {
    this.#given = registry
  }

  /** Registry that serves the instruments to sessions, other threads and tools. */
  get registry(): CounterRegistry {
    return this.#given ?? defaultRegistry()
  }

  /** Finds or makes one, as {@link counter}. */
  counter(name: string, options: PolledOptions): IncrementingPollingCounter
  counter<Label extends string = never>(
    name: string,
    options: FractionalOptions<Label>,
  ): FractionalCounter<Label>
  counter<Label extends string = never>(
    name: string,
    options?: InstrumentOptions<Label>,
  ): Counter<Label>
  counter(name: string, options: InstrumentOptions | PolledOptions = {}) {
    const isFractional = 'isFractional' in options && options.isFractional === true
    return this.#findOrMake('counter', name, options, {
      plain: (source, own) =>
        isFractional
          ? new FractionalCounter(own, source, options)
          : new Counter(own, source, options),
      polled: (source, own, read, texts) =>
        new IncrementingPollingCounter(own, source, read, texts),
    })
  }

  /** Finds or makes one, as {@link gauge}. */
  gauge(name: string, options: PolledOptions): PollingCounter
  gauge<Label extends string = never>(name: string, options?: GaugeOptions<Label>): Gauge<Label>
  gauge(name: string, options: GaugeOptions | PolledOptions = {}) {
    return this.#findOrMake('gauge', name, options, {
      plain: (source, own) => new Gauge(own, source, options),
      polled: (source, own, read, texts) => new PollingCounter(own, source, read, texts),
    })
  }

  /** Finds or makes one, as {@link histogram}. */
  histogram<Label extends string = never>(
    name: string,
    options: InstrumentOptions<Label> = {},
  ): Histogram<Label> {
    return this.#findOrMake('histogram', name, options, {
      plain: (source, own) => new Histogram(own, source, options),
    }) as Histogram<Label>
  }

  /** Makes a handler for `node:http`, Express and Connect, as {@link metricsHandler}. */
  handler(): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
    return metricsHandler(this.registry)
  }

  /** Answers a request of the fetch kind (Hono, Next.js, Deno, Bun), as {@link metricsResponse}. */
  response(request?: MetricsRequest): Promise<Response> {
    return metricsResponse(request, this.registry)
  }

  /**
   * Writes everything as Prometheus reads it, as {@link metricsText}. What included sources say is
   * as it was {@link Metrics.gather | gathered} last, but for those that answer at once.
   */
  text(format: MetricsFormat = 'text'): string {
    return metricsText(this.registry, format)
  }

  /**
   * Shows what something else keeps with all that is here: on `/metrics`, in pushes, on the page.
   * It is asked whenever ours are read, and shown as it is; sessions do not have it.
   * @example
   * ```ts
   * import { metrics } from 'pentameter'
   *
   * const jobs = new Map([['mail', 12]])
   * metrics.include({
   *   read: () =>
   *     [...jobs].map(([queue, value]) => ({
   *       ...{ name: 'jobs_waiting', kind: 'gauge', labels: [['queue', queue]], value },
   *     })),
   * })
   * console.log(metrics.text()) // … jobs_waiting{queue="mail"} 12 …
   * ```
   */
  include(source: MetricsSource): IncludedSource {
    return this.registry.included.add(source)
  }

  /** Asks all included sources; {@link text} has what they answer. It never rejects. */
  async gather(): Promise<void> {
    await this.registry.included.gather()
  }

  /**
   * Shows what a register of prom-client or `@prometheus-io/client` holds with all that is here,
   * under its names.
   * @example
   * ```ts
   * import { metrics } from 'pentameter'
   *
   * // import { register } from 'prom-client'
   * const register = {
   *   getMetricsAsJSON: async () => [
   *     { name: 'jobs', help: 'Jobs done', type: 'counter', values: [{ value: 3, labels: {} }] },
   *   ],
   *   registerMetric() {},
   *   removeSingleMetric() {},
   * }
   * metrics.includeRegister(register)
   * await metrics.gather()
   * console.log(metrics.text()) // … jobs_total 3 …
   * ```
   */
  includeRegister(register: PromClientRegister): IncludedSource {
    const source = new PromClientSource(register)
    this.#registers.set(register, source)
    const included = this.include(source)
    return {
      close: () => {
        included.close()
        this.#registers.delete(register)
      },
    }
  }

  /**
   * Shows all that is here in a register of prom-client or `@prometheus-io/client`, too: what is
   * scraped there has ours beside its own, also instruments that are made later. Integers are
   * exact up to 2^53 there.
   */
  showIn(register: PromClientRegister): IncludedSource {
    const readings = readingsOf(this.registry)
    const own = () => this.#registers.get(register)
    return showIn(register, { registry: this.registry, readings, own })
  }

  /**
   * Makes a reader for the SDK of OpenTelemetry, `new MeterProvider({ readers: [reader] })`: what
   * its instrumentations record is shown with all that is here, histograms in the same buckets.
   */
  otelReader(): OpenTelemetryReader {
    const reader = new OpenTelemetryReader()
    this.include(reader)
    return reader
  }

  /**
   * Counts what is published on a channel of `node:diagnostics_channel`, until it is closed.
   * @example
   * ```ts
   * import { channel } from 'node:diagnostics_channel'
   * import { counter, metrics } from 'pentameter'
   *
   * metrics.countEvents('shop:order', {
   *   name: 'shop.orders',
   *   labels: ['payment'],
   *   of: (message) => ({ payment: (message as { payment: string }).payment }),
   * })
   * channel('shop:order').publish({ payment: 'card' })
   * console.log(counter('shop.orders').values()[0]?.value) // 1
   * ```
   */
  countEvents<Label extends string = never>(
    channel: string | symbol,
    options: ChannelOptions<Label>,
  ): CountedEvents {
    const { name, of: _, ...own } = options
    return countEvents(channel, this.counter<Label>(name, own), options, this.registry.report)
  }

  /**
   * Counts the records of all loggers of pino in this process as `pino.records`, by their level,
   * until it is closed. Records below a logger's level are never made, and not counted.
   */
  countLogs(): CountedEvents {
    return this.countEvents(PINO_CHANNEL, {
      ...{ name: 'pino.records', labels: ['level'] as const, of: pinoLevel },
      description: 'Records that pino has written',
    })
  }

  /**
   * Pushes everything to a hub or a receiver of OTLP, as {@link connect}.
   * @param sinceMs Unix ms since when totals count to the receiver; since the process began
   */
  connect(to?: string, options: ConnectOptions = {}, sinceMs = performance.timeOrigin): Connection {
    const { log = (message) => process.emitWarning(message, 'MetricsWarning') } = options
    const plan = pushPlan(to, { ...options, log }, process.env)
    const readings = new RegistryReadings(this.registry)
    const push = new OtlpPush(plan, {
      ...{ readings, log, clock: backgroundClock, startMs: sinceMs },
      onClose: () => {
        process.off('beforeExit', closeAtExit)
        readings.close()
      },
    })
    const closeAtExit = (): void => void push.close()
    if (plan.isOn) process.once('beforeExit', closeAtExit)
    return push
  }

  /**
   * Adds up all processes of a `node:cluster`: called in the primary and in every worker, once. The
   * primary asks the workers at each scrape, whichever process is scraped, and keeps what those
   * that ended have counted.
   * @throws {TypeError} while it goes on already
   */
  cluster(): ClusterMetrics {
    if (this.#isCluster) throw new TypeError('the processes of the cluster are added up already')
    this.#isCluster = true
    return new ClusterMetrics(new RegistryReadings(this.registry), backgroundClock, () => {
      this.#isCluster = false
    })
  }

  /** Adds event loop, heap, garbage collector, processor and handles, as {@link nodeRuntime}. */
  runtime(): EventSource {
    return nodeRuntime(this.registry)
  }

  /**
   * Measures all requests of `node:http` that this process answers, whatever framework is on top,
   * and those that it makes by `fetch`, undici and `node:http`: time, sizes, how many are open, by
   * method, route and status, under the names of OpenTelemetry. Until it is closed; at most once at
   * a time.
   * @throws {RangeError} for a limit that is none
   * @throws {TypeError} while it goes on already
   * @example
   * ```ts
   * import { createServer } from 'node:http'
   * import { metrics } from 'pentameter'
   *
   * const measuring = metrics.http()
   * createServer(metrics.handler()).listen(8080)
   * measuring.close()
   * ```
   */
  http(options: HttpOptions = {}): HttpMeasuring {
    if (this.#http !== undefined) throw new TypeError('HTTP requests are measured already')
    const maker: InstrumentMaker = {
      counter: (name, own) => this.counter(name, own),
      gauge: (name, own) => this.gauge(name, own),
      histogram: (name, own) => this.histogram(name, own),
    }
    const measuring = measureHttp(maker, options)
    this.#http = measuring
    return {
      close: () => {
        measuring.close()
        if (this.#http === measuring) this.#http = undefined
      },
    }
  }

  /**
   * Reads back all instruments that were made here, in that order; for tests above all. Totals are
   * over all threads; sets of labels are those that this thread has used.
   */
  snapshot(): readonly MetricRow[] {
    return [...this.#made].flatMap(([name, { kind, values }]) =>
      values().map((each) => ({ name, kind, ...each })),
    )
  }

  /**
   * Has {@link snapshot} and the values of all instruments that were made here begin anew, for
   * tests; what a program asks for (`read`) is as it says. Scrapes, pushes and sessions go on.
   * @example
   * ```ts
   * import { counter, metrics } from 'pentameter'
   *
   * const orders = counter('depot.orders')
   * orders.add(2)
   * metrics.reset() // in beforeEach
   * orders.add()
   * console.log(orders.value()) // 1
   * ```
   */
  reset(): void {
    for (const { instrument } of this.#made.values()) {
      if ('reset' in instrument) instrument.reset()
    }
  }

  /** Takes all instruments and groups that were made here out of the registry; names begin anew. */
  close(): void {
    this.#http?.close()
    this.#http = undefined
    for (const { instrument } of this.#made.values()) instrument.close()
    for (const source of this.#sources.values()) source.close()
    this.#made.clear()
    this.#sources.clear()
  }

  #findOrMake(
    kind: Kind,
    name: string,
    options: InstrumentOptions | PolledOptions,
    make: Makers,
  ): Plain | Polled {
    const known = this.#made.get(name)
    if (known !== undefined && !known.instrument.isClosed) {
      checkSame(name, known, kind, options)
      return known.instrument
    }
    const at = name.lastIndexOf('.')
    const isGrouped = at > 0 && at < name.length - 1
    const group = isGrouped ? name.slice(0, at) : GROUP
    const own = isGrouped ? name.slice(at + 1) : name
    const source = this.#sourceOf(group)
    if (!('read' in options)) {
      const plain = make.plain(source, own)
      this.#made.set(name, { kind, instrument: plain, options, values: () => plain.values() })
      return plain
    }
    if (make.polled === undefined) throw new TypeError(`a ${kind} is recorded, it has no "read"`)
    const { read, unit = '', description = '' } = options
    const texts = { displayUnits: unit, displayName: description }
    const polled = make.polled(source, own, read, texts)
    const values = () => [{ labels: [], value: askOnce(read) }]
    this.#made.set(name, { kind, instrument: polled, options, values })
    return polled
  }

  #sourceOf(group: string): EventSource {
    const known = this.#sources.get(group)
    if (known !== undefined) return known
    const source = new EventSource(group, { registry: this.registry })
    this.#sources.set(group, source)
    return source
  }
}

interface Makers {
  readonly plain: (source: EventSource, name: string) => Plain
  readonly polled?: (
    source: EventSource,
    name: string,
    read: () => number,
    texts: { readonly displayUnits: string; readonly displayName: string },
  ) => Polled
}

type AnyOptions = GaugeOptions & Partial<FractionalOptions>

/** Refuses to find another instrument than the one asked for: options that are given must agree. */
function checkSame(
  name: string,
  known: Made,
  kind: Kind,
  options: InstrumentOptions | PolledOptions,
): void {
  const refuse = (is: string, asked: string): never => {
    throw new TypeError(`"${name}" is ${is} already; asked for ${asked}`)
  }
  if (known.kind !== kind) refuse(`a ${known.kind}`, `a ${kind}`)
  const { read } = known.options
  if ('read' in options && options.read !== read) {
    refuse(read !== undefined ? 'polled by another function' : 'recorded', 'a polled one')
  }
  for (const key of ['unit', 'description', 'labels', 'across', 'isFractional'] as const) {
    const asked = (options as AnyOptions)[key]
    const given = (known.options as AnyOptions)[key]
    if (asked === undefined || String(asked) === String(given ?? '')) continue
    refuse(`made with ${key} "${given ?? ''}"`, `"${asked}"`)
  }
}
