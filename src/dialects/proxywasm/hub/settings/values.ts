/** Values of a filter's metrics as its threads have them. */
import type { SegmentReading, ZoneReader } from '../../../../shm/index.ts'
import { jsonInteger } from '../../codec.ts'
import type { MetricValues, WorkerNumber } from '../../http/api.ts'
import type { SlabMetric } from './slab.ts'

const decoder = new TextDecoder()

/** A metric of a filter, by its threads. */
export type ThreadValues = ReturnType<typeof valuesOf>[number]

/** @param segments of the filter's threads, in their order */
export function valuesOf(
  reader: ZoneReader,
  metrics: readonly Pick<SlabMetric, 'metric' | 'kind' | 'mode' | 'prefixed'>[],
  segments: readonly (number | undefined)[],
): MetricValues[] {
  return metrics.map(({ metric, kind, mode, prefixed }) => {
    const name = decoder.decode(prefixed)
    const parts = new Map(reader.segments(metric).map((part) => [part.segment, amountOf(part)]))
    const total = totalOf(reader, metric, kind)
    if (kind === 'gauge') {
      // of mode last, the others are of older writes; of a shared one no thread has a part
      const workers = segments.map((segment) => shown(parts.get(segment ?? -1)))
      return {
        name,
        type: kind,
        total,
        workers,
        ended: mode === 'shared' ? null : shown(parts.get(0)),
      }
    }
    const workers = segments.map((segment) => parts.get(segment ?? -1) ?? 0n)
    const own = new Set(segments)
    let ended = 0n
    for (const [segment, amount] of parts) if (!own.has(segment)) ended += amount ?? 0n
    const numbers = workers.map((amount) => jsonInteger(amount))
    return { name, type: kind, total, workers: numbers, ended: jsonInteger(ended) }
  })
}

function totalOf(reader: ZoneReader, metric: number, kind: SlabMetric['kind']): WorkerNumber {
  if (kind === 'counter') return jsonInteger(reader.counter(metric))
  if (kind === 'histogram') return jsonInteger(sumOf(reader.bins(metric).counts))
  const gauge = { value: 0 as number | bigint, sequence: 0 }
  return reader.gauge(metric, gauge) ? jsonInteger(gauge.value) : 0
}

function amountOf(part: SegmentReading): bigint | undefined {
  if (part.type === 'counter') return part.value
  if (part.type === 'bins') return sumOf(part.counts)
  return part.type === 'gauge' ? BigInt(part.value) : undefined
}

function sumOf(counts: BigUint64Array): bigint {
  return counts.reduce((sum, count) => sum + count, 0n)
}

function shown(amount: bigint | undefined): WorkerNumber | null {
  return amount === undefined ? null : jsonInteger(amount)
}
