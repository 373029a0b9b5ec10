/**
 * The messages of remote write 1.0 and 2.0 as tables, from prompb (remote.proto, types.proto;
 * io/prometheus/write/v2/types.proto, with the start timestamps of the document 2.0-rc.4). What
 * reads and writes whole requests walks them; the way of samples into the hub has its own scan.
 */
import { message, type Row, type Schema } from '../../../wire/protobuf/schema.ts'
import { METRIC_TYPES, RESET_HINTS, type Version } from '../spec.ts'

const label = message([
  ['name', 1, 'string'],
  ['value', 2, 'string'],
])
const sample = message([
  ['value', 1, 'double'],
  ['timestamp', 2, 'int64'],
])
const exemplar = message([
  ['labels', 1, () => label, '*'],
  ['value', 2, 'double'],
  ['timestamp', 3, 'int64'],
])
const span = message([
  ['offset', 1, 'sint32'],
  ['length', 2, 'uint32'],
])
const HISTOGRAM: readonly Row[] = [
  ['countInt', 1, 'uint64', '?'],
  ['countFloat', 2, 'double', '?'],
  ['sum', 3, 'double'],
  ['schema', 4, 'sint32'],
  ['zeroThreshold', 5, 'double'],
  ['zeroCountInt', 6, 'uint64', '?'],
  ['zeroCountFloat', 7, 'double', '?'],
  ['negativeSpans', 8, () => span, '*'],
  ['negativeDeltas', 9, 'sint64', '*'],
  ['negativeCounts', 10, 'double', '*'],
  ['positiveSpans', 11, () => span, '*'],
  ['positiveDeltas', 12, 'sint64', '*'],
  ['positiveCounts', 13, 'double', '*'],
  ['resetHint', 14, 'enum', '', RESET_HINTS],
  ['timestamp', 15, 'int64'],
  ['customValues', 16, 'double', '*'],
]
const histogram = message(HISTOGRAM)
const timeSeries = message([
  ['labels', 1, () => label, '*'],
  ['samples', 2, () => sample, '*'],
  ['exemplars', 3, () => exemplar, '*'],
  ['histograms', 4, () => histogram, '*'],
])
const metadata = message([
  ['type', 1, 'enum', '', METRIC_TYPES],
  ['metricFamilyName', 2, 'string'],
  ['help', 4, 'string'],
  ['unit', 5, 'string'],
])

const startedSample = message([
  ['value', 1, 'double'],
  ['timestamp', 2, 'int64'],
  ['startTimestamp', 3, 'int64'],
])
const startedHistogram = message([...HISTOGRAM, ['startTimestamp', 17, 'int64']])
const referringExemplar = message([
  ['labelsRefs', 1, 'uint32', '*'],
  ['value', 2, 'double'],
  ['timestamp', 3, 'int64'],
])
const referringMetadata = message([
  ['type', 1, 'enum', '', METRIC_TYPES],
  ['helpRef', 3, 'uint32'],
  ['unitRef', 4, 'uint32'],
])
const referringSeries = message([
  ['labelsRefs', 1, 'uint32', '*'],
  ['samples', 2, () => startedSample, '*'],
  ['histograms', 3, () => startedHistogram, '*'],
  ['exemplars', 4, () => referringExemplar, '*'],
  ['metadata', 5, () => referringMetadata],
  // of the whole series, as drafts before start timestamps had it
  ['createdTimestamp', 6, 'int64'],
])

/** One exemplar of a series, by version. */
export const EXEMPLARS: Readonly<Record<Version, Schema>> = { 1: exemplar, 2: referringExemplar }

/** Whole requests, by version. */
export const REQUESTS: Readonly<Record<Version, Schema>> = {
  1: message([
    ['timeseries', 1, () => timeSeries, '*'],
    ['metadata', 3, () => metadata, '*'],
  ]),
  2: message([
    ['symbols', 4, 'string', '*'],
    ['timeseries', 5, () => referringSeries, '*'],
  ]),
}
