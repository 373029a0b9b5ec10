/**
 * The messages of remote write 1.0 as a table, from prompb (remote.proto, types.proto). What reads
 * and writes whole requests walks it; the way of samples into the hub has its own scan.
 */
import { message, type Schema } from '../../../wire/protobuf/schema.ts'
import { METRIC_TYPES, RESET_HINTS } from '../spec.ts'

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
const histogram = message([
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
])
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

/** One exemplar of a series. */
export const EXEMPLAR: Schema = exemplar

export const WRITE_REQUEST: Schema = message([
  ['timeseries', 1, () => timeSeries, '*'],
  ['metadata', 3, () => metadata, '*'],
])
