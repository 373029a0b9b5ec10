/** Codec of EventCounters: payloads and lines of NDJSON in both spellings (eventcounters.md §3). */
export { decimalText } from './codec/decimal.ts'
export { createDecoder, decodeEventCounters } from './codec/decoder.ts'
export { encodeEventCounters } from './codec/encode.ts'
export {
  type CounterFilter,
  type CounterGroup,
  FILTER_ERRORS,
  FilterError,
  matchesCounter,
  matchesProvider,
  parseFilter,
} from './codec/filter.ts'
export {
  type IntervalArgument,
  parseInterval,
  parseSeries,
  seriesText,
} from './codec/interval.ts'
export {
  boundaryText,
  type LineCounts,
  type LineObserver,
  LineReader,
  type LineReaderOptions,
  lineText,
} from './codec/line.ts'
export type { CounterMessage, JsonNumber, MeanMessage, SumMessage } from './codec/message.ts'
export { toMessage } from './codec/message.ts'
export {
  buildMetaData,
  checkPair,
  checkText,
  type ParsedMetaData,
  parseMetaData,
} from './codec/metadata.ts'
export { type PayloadObject, payloadText, toPayload } from './codec/payload.ts'
export { parseRateScale, rateScaleText } from './codec/rate-scale.ts'
export {
  type IgnoredReason,
  type LineResult,
  type ReadWindow,
  readLine,
  type Warning,
} from './codec/read.ts'
