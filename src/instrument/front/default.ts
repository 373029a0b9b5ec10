/** The instruments of the thread's default registry, by name, without anything to make before. */
import type { IncrementingPollingCounter, PollingCounter } from '../counters/event-counters.ts'
import type { Counter } from '../plain/counter.ts'
import type { FractionalCounter, FractionalOptions } from '../plain/fractional-counter.ts'
import type { Gauge, GaugeOptions } from '../plain/gauge.ts'
import type { Histogram } from '../plain/histogram.ts'
import type { InstrumentOptions } from '../plain/instrument.ts'
import type { Connection } from '../push/connection.ts'
import type { ConnectOptions } from '../push/push-options.ts'
import { Metrics, type PolledOptions } from './metrics.ts'

/**
 * All instruments of this thread that were made by name, and the ways out of the program.
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { metrics } from 'pentameter'
 *
 * metrics.runtime() // processor, memory, event loop, garbage collector and handles
 * createServer(metrics.handler()).listen(8080)
 * ```
 */
export const metrics: Metrics = new Metrics()

/**
 * Finds the counter of that name, or makes it: an integer that only grows, exact up to 2^64 - 1,
 * over all threads that name it alike. With `isFractional` it takes fractions, and is a double;
 * with `read` it is asked for instead of added to.
 * @param name `group.name`; a name without a dot is in the group `app`
 * @throws {TypeError | RangeError} for a name, label or text that cannot be sent, and for options
 *   that are not those of the instrument that has the name
 * @throws {ZoneFullError} where the shared memory cannot be made
 * @example
 * ```ts
 * import { counter } from 'pentameter'
 *
 * const orders = counter('store.orders', { labels: ['payment'], description: 'Orders taken' })
 * orders.with({ payment: 'card' }).add()
 * console.log(orders.with({ payment: 'card' }).value()) // 1
 * counter('store.sales', { isFractional: true, unit: 'EUR' }).add(12.5)
 * ```
 */
export function counter(name: string, options: PolledOptions): IncrementingPollingCounter
export function counter<Label extends string = never>(
  name: string,
  options: FractionalOptions<Label>,
): FractionalCounter<Label>
export function counter<Label extends string = never>(
  name: string,
  options?: InstrumentOptions<Label>,
): Counter<Label>
export function counter(
  name: string,
  options: InstrumentOptions & Partial<PolledOptions> = {},
): Counter | FractionalCounter | IncrementingPollingCounter {
  return metrics.counter(name, options as PolledOptions)
}

/**
 * Finds the gauge of that name, or makes it: a value that goes up and down. With `read` it is asked
 * for instead of set.
 * @param name `group.name`; a name without a dot is in the group `app`
 * @throws {TypeError | RangeError | ZoneFullError} as {@link counter}
 * @example
 * ```ts
 * import { gauge } from 'pentameter'
 *
 * gauge('store.open-carts').set(12)
 * const queue: string[] = []
 * gauge('store.queue', { read: () => queue.length, description: 'Orders that wait' })
 * ```
 */
export function gauge(name: string, options: PolledOptions): PollingCounter
export function gauge<Label extends string = never>(
  name: string,
  options?: GaugeOptions<Label>,
): Gauge<Label>
export function gauge(
  name: string,
  options: GaugeOptions & Partial<PolledOptions> = {},
): Gauge | PollingCounter {
  return metrics.gauge(name, options as PolledOptions)
}

/**
 * Finds the histogram of that name, or makes it: a distribution over all time and threads, in
 * base-2 buckets, exact in count, sum, least and most.
 * @param name `group.name`; a name without a dot is in the group `app`
 * @throws {TypeError | RangeError | ZoneFullError} as {@link counter}
 * @example
 * ```ts
 * import { histogram } from 'pentameter'
 *
 * const times = histogram('store.checkout', { unit: 'ms', labels: ['payment'] })
 * const answer = times.with({ payment: 'card' }).time(() => 6 * 7)
 * console.log(answer, times.with({ payment: 'card' }).histogram.count) // 42 1n
 * ```
 */
export function histogram<Label extends string = never>(
  name: string,
  options: InstrumentOptions<Label> = {},
): Histogram<Label> {
  return metrics.histogram(name, options)
}

/**
 * Pushes all metrics of this program by OTLP: to a hub each second, `pentameter://HOST`, or to any
 * receiver. Totals are sent, with every bucket of a histogram: what a push that failed would have
 * said, the next one says, also to a hub that was started anew meanwhile. Without an address it
 * goes where the variables of OpenTelemetry say (`OTEL_EXPORTER_OTLP_ENDPOINT` and others), else to
 * a hub on this machine. It doesn't keep the process alive.
 * @param to `pentameter://HOST[:PORT]`, `pentameters:` for TLS; or `http(s)://…` of a receiver
 * @throws {TypeError} for an address or protocol that is not spoken, and in a thread whose counters
 *   another one serves
 * @throws {RangeError} for a time that is none, and beyond the registry's limit of sessions
 * @example
 * ```ts
 * import { connect, histogram } from 'pentameter'
 *
 * const connection = connect('pentameter://127.0.0.1')
 * histogram('store.basket-size').record(3)
 * process.once('SIGTERM', async () => {
 *   await connection.close() // the last second, too
 *   process.exit()
 * })
 * await connection.close()
 * ```
 */
export function connect(to?: string, options: ConnectOptions = {}): Connection {
  return metrics.connect(to, options)
}
