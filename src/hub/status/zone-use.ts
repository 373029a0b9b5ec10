/**
 * The hub's zone as the hub tells of it: read once a second, written into self-metrics
 * (docs/self-metrics.md), and kept for requests in between.
 */
import type { Zone, ZoneUsage } from '../../shm/index.ts'
import type { SelfMetrics } from './self-metrics.ts'
import type { ZoneStatus } from './status.ts'

export class ZoneUse {
  readonly #zone: Pick<Zone, 'usage'>
  #usage: ZoneUsage

  constructor(zone: Pick<Zone, 'usage'>) {
    this.#zone = zone
    this.#usage = zone.usage()
  }

  /** Use as of the last {@link observe}. */
  get usage(): ZoneUsage {
    return this.#usage
  }

  /** Reads it anew; to be called once a second. */
  observe(metrics: SelfMetrics): void {
    this.#usage = this.#zone.usage()
    observeSizes(metrics, this.#usage)
    observeEvents(metrics, this.#usage)
  }

  status(): ZoneStatus {
    const { budgetBytes, chargedBytes, segments, workersLimit, ...usage } = this.#usage
    return {
      backing: usage.backing,
      metrics: usage.metrics,
      metricsLimit: usage.metricsLimit,
      bytes: usage.bytes,
      bytesTotal: usage.bytesTotal,
      bytesLimit: usage.bytesLimit,
      ...(budgetBytes > 0 && { budget: { bytes: budgetBytes, charged: chargedBytes } }),
      segments: segments.length,
      segmentsLimit: 1 + workersLimit,
      refusals: usage.refusals,
      orphansFolded: usage.orphansFolded,
      lockTakeovers: usage.lockTakeovers,
      lockWaits: usage.lockWaits,
      binFallbacks: usage.binFallbacks,
      replacements: usage.replacements,
    }
  }
}

function observeSizes(metrics: SelfMetrics, usage: ZoneUsage): void {
  const { bytes, bytesTotal, bytesLimit, budgetBytes, chargedBytes } = usage
  metrics.gauge('pentameter.zone.metrics', usage.metrics)
  metrics.gauge('pentameter.zone.segments', usage.segments.length)
  metrics.gauge('pentameter.zone.size', bytesTotal, {}, 'bytes')
  metrics.gauge('pentameter.zone.limit', bytesLimit, {}, 'bytes')
  for (const [part, size] of Object.entries(bytes)) {
    metrics.gauge('pentameter.zone.part.size', size, { part }, 'bytes')
  }
  if (budgetBytes === 0) return
  metrics.gauge('pentameter.zone.budget', budgetBytes, {}, 'bytes')
  metrics.gauge('pentameter.zone.charged', chargedBytes, {}, 'bytes')
}

function observeEvents(metrics: SelfMetrics, usage: ZoneUsage): void {
  for (const [reason, count] of Object.entries(usage.refusals)) {
    metrics.counter('pentameter.zone.refused', { reason }).raiseTo(count)
  }
  metrics.counter('pentameter.zone.orphans.folded').raiseTo(usage.orphansFolded)
  metrics.counter('pentameter.zone.lock.takeovers').raiseTo(usage.lockTakeovers)
  metrics.counter('pentameter.zone.lock.waits').raiseTo(usage.lockWaits)
  metrics.counter('pentameter.zone.bin.fallbacks').raiseTo(usage.binFallbacks)
  metrics.counter('pentameter.zone.replacements').raiseTo(usage.replacements)
}
