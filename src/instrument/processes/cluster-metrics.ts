/**
 * `/metrics` of all processes of a cluster, whichever of them is asked (docs/node.md, processes).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../time/clock.ts'
import {
  formatFor,
  type MetricsFormat,
  type MetricsRequest,
  refusesMethod,
  writeMetrics,
} from '../metrics.ts'
import type { RegistryReadings } from '../readings/metrics-readings.ts'
import { Gatherer } from './gatherer.ts'
import { Teller } from './teller.ts'

/**
 * The metrics of all processes of a `node:cluster`, added up: counters and histograms are those of
 * all, also of workers that have ended; a gauge has a label `worker`. Made in the primary and in
 * every worker, by {@link Metrics.cluster}.
 * @example
 * ```ts
 * import cluster from 'node:cluster'
 * import { createServer } from 'node:http'
 * import { metrics } from 'pentameter'
 *
 * const all = metrics.cluster() // in the primary and in the workers
 * if (cluster.isPrimary) console.log(await all.text())
 * else createServer(all.handler()).listen(8080)
 * all.close()
 * ```
 */
export class ClusterMetrics {
  readonly #side: Gatherer | Teller
  readonly #readings: RegistryReadings
  readonly #onClose: () => void

  /** @param onClose called when it is closed */
  constructor(readings: RegistryReadings, clock: Clock, onClose: () => void) {
    this.#onClose = onClose
    const cluster = process.getBuiltinModule('node:cluster')
    this.#readings = readings
    this.#side = cluster.isWorker
      ? new Teller(readings, clock)
      : new Gatherer(cluster, readings, clock)
  }

  /**
   * Writes the metrics of all processes, as Prometheus reads them. A gauge `metrics_processes` says
   * of how many, with `of="process"` where it is this one alone: without a primary that takes
   * part. Workers that do not answer within half a second are there with values of up to a second
   * before, and counted by `metrics_processes_silent`.
   */
  async text(format: MetricsFormat = 'text'): Promise<string> {
    return String(await this.#side.body(format))
  }

  /** Makes a handler for `node:http`, Express and Connect. */
  handler(): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
    return (incoming, outgoing) => {
      if (refusesMethod(incoming, outgoing)) return
      const { format, contentType } = formatFor(incoming.headers.accept)
      void this.#side.body(format).then((body) => {
        writeMetrics(incoming, outgoing, body, contentType)
      })
    }
  }

  /** Answers a request of the fetch kind (Hono, Next.js). */
  async response(request?: MetricsRequest): Promise<Response> {
    const { format, contentType } = formatFor(request?.headers.get('accept') ?? undefined)
    const headers = { 'Content-Type': contentType }
    return new Response(await this.#side.body(format), { headers })
  }

  /** Ends it; a worker tells once more before. */
  close(): void {
    this.#side.close()
    this.#readings.close()
    this.#onClose()
  }
}
