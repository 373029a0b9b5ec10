/** Families of the hub in protobuf, some rows a step (exposition/family-message.ts). */

import { exportedSum } from '../../../exposition/distribution.ts'
import {
  familyHeadBytes,
  type MetricMessage,
  type MetricValue,
  writeMetric,
} from '../../../exposition/family-message.ts'
import { exportedQuantile, QUANTILES } from '../../../exposition/histogram-text.ts'
import { beganMs, isWindowed } from '../../../hub/series/record.ts'
import type { HubView } from '../../../hub/view.ts'
import type { Exemplar, Kind } from '../../../model/index.ts'
import { ProtobufWriter } from '../../../wire/protobuf/writer.ts'
import { type Pieces, ROWS_PER_STEP } from '../../pieces.ts'
import type { Family, Row } from './layout/families.ts'
import { counterExemplar, type Distribution, rowTimeMs, rowValue } from './row-value.ts'

/**
 * Writes a family; its length is known when its last row is written, so it is kept until then.
 * @param hasNative histograms have native buckets beside the classic ones
 * @returns nothing for a family without samples
 */
export function* familyProtobuf(
  family: Family,
  view: HubView,
  hasNative: boolean,
): Pieces<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  for (let from = 0; from < family.rows.length; from += ROWS_PER_STEP) {
    const writer = new ProtobufWriter()
    for (const row of family.rows.slice(from, from + ROWS_PER_STEP)) {
      const metric = metricOf(row, family.type, view, hasNative)
      if (metric !== undefined) writeMetric(writer, family.type, metric)
    }
    const part = writer.finish()
    if (part.length > 0) parts.push(part)
    size += part.length
    yield
  }
  if (size === 0) return
  yield familyHeadBytes(family, size)
  yield* parts
}

function metricOf(
  row: Row,
  type: Kind,
  view: HubView,
  hasNative: boolean,
): MetricMessage | undefined {
  const value = rowValue(view, row)
  if (value === undefined) return undefined
  const { labels, shift, record } = row
  const shown: MetricValue =
    'sample' in value
      ? { kind: 'sample', value: value.sample }
      : distributionOf(row, type, value.total, hasNative)
  const times = { createdMs: beganMs(record), timeMs: rowTimeMs(row) }
  return { labels, shift, value: shown, ...times, exemplars: exemplarsOf(row, type, view) }
}

function exemplarsOf(row: Row, type: Kind, view: HubView): readonly Exemplar[] {
  if (type === 'histogram') return view.series.exemplars.of(row.record.id)
  const exemplar = counterExemplar(view, row, type)
  return exemplar === undefined ? [] : [exemplar]
}

function distributionOf(
  { part, record }: Row,
  type: Kind,
  total: Distribution,
  isNative: boolean,
): MetricValue {
  if (total.kind !== 'histogram') {
    const { summary, sum } = total
    return { kind: 'summary', count: BigInt(summary.count), sum, quantiles: [] }
  }
  const { histogram } = total
  if (type === 'histogram') {
    const isClassic = part !== 'native' || histogram.bounds !== undefined
    const shown = { histogram, isClassic, isNative, isWindowed: isWindowed(record) }
    return { kind: 'histogram', ...shown }
  }
  const quantiles = QUANTILES.map((q) => [q, exportedQuantile(histogram, q)] as const)
  return { kind: 'summary', count: histogram.count, sum: exportedSum(histogram), quantiles }
}
