/** What the hub writes of itself into each second, before it is closed (docs/self-metrics.md). */
import type { SinkQueue } from '../live/sinks.ts'
import type { SelfMetrics } from './self-metrics.ts'
import { connectionCount, type DialectAtWork, type StatusParts } from './sources.ts'

export function observeHub(
  metrics: SelfMetrics,
  { store, live, sessions, dialects, zone, workers, workerRates, pipelines }: StatusParts,
  sinks: readonly SinkQueue[],
  seconds: number,
): void {
  metrics.gauge('pentameter.series', store.countedSize)
  zone.observe(metrics)
  pipelines.observe(metrics)
  workerRates.close(workers(), seconds)
  metrics.gauge('pentameter.live.size', live.bytes, {}, 'bytes')
  metrics.gauge('pentameter.sessions', sessions.size)
  metrics.counter('pentameter.live.evicted').raiseTo(live.evictedFrames)
  if (seconds > 1) metrics.counter('pentameter.tick.missed').add(seconds - 1)
  for (const each of dialects) {
    const labels = { dialect: each.dialect.name }
    metrics.counter('pentameter.measurements', labels).raiseTo(measurementsOf(each))
    metrics.counter('pentameter.values.sent', labels).raiseTo(each.server.valuesSent ?? 0)
    metrics.gauge('pentameter.connections', connectionCount(each.server), labels)
  }
  for (const { sink, length } of sinks) {
    metrics.gauge('pentameter.sink.queue', length, { sink: sink.name })
  }
}

/**
 * Measurements of a dialect so far, refused ones included. A dialect that only emits here, because
 * the hub reads no peer of it, is measured by the values it has sent.
 */
export function measurementsOf({ server, ingests, attached }: DialectAtWork): number {
  const sent = attached.length === 0 ? (server.valuesSent ?? 0) : 0
  return ingests.reduce((sum, ingest) => sum + ingest.measurements, sent)
}
