/** What the hub writes of itself into each second, before it is closed (docs/self-metrics.md). */
import { connectionCount, measurementsOf } from '../bindings/binding.ts'
import type { Log } from '../log.ts'
import type { Participant } from '../resident.ts'
import type { Task } from '../tasks/task.ts'
import type { SelfMetrics } from './self-metrics.ts'
import { type StatusParts, startTimeMs } from './sources.ts'

export class SelfObservation implements Participant {
  readonly #metrics: SelfMetrics
  readonly #log: Log
  readonly #status: StatusParts

  constructor(metrics: SelfMetrics, log: Log, status: StatusParts) {
    this.#metrics = metrics
    this.#log = log
    this.#status = status
  }

  // biome-ignore lint/correctness/useYield: it has nothing to pause for
  *beforeClose(_endMs: number, seconds: number): Task {
    const metrics = this.#metrics
    const { store, live, sessions, bindings, zone, workerRates, sinks } = this.#status
    metrics.gauge('pentameter.start.time', startTimeMs(this.#status) / 1000, {}, 'seconds')
    metrics.gauge('pentameter.series', store.countedSize)
    zone.observe(metrics)
    workerRates.close(bindings.threads?.workers() ?? [], seconds)
    metrics.gauge('pentameter.live.size', live.bytes, {}, 'bytes')
    metrics.gauge('pentameter.sessions', sessions.size)
    metrics.counter('pentameter.live.evicted').raiseTo(live.evictedFrames)
    if (seconds > 1) metrics.counter('pentameter.tick.missed').add(seconds - 1)
    for (const [reason, lines] of Object.entries(this.#log.lost ?? {})) {
      if (lines > 0) metrics.counter('pentameter.log.lost', { reason }).raiseTo(lines)
    }
    for (const each of bindings) {
      const labels = { dialect: each.dialect.name }
      metrics.counter('pentameter.measurements', labels).raiseTo(measurementsOf(each))
      metrics.counter('pentameter.values.sent', labels).raiseTo(each.server.valuesSent ?? 0)
      metrics.gauge('pentameter.connections', connectionCount(each), labels)
      each.resident?.observe?.(metrics)
    }
    for (const { sink, length } of sinks) {
      metrics.gauge('pentameter.sink.queue', length, { sink: sink.name })
    }
  }
}
