/**
 * The dialect Stats Hero: text measurements under a header with version and length, over UDP and
 * TCP (README.md). Public as `pentameter/statshero`.
 */
export {
  CLIENT_DEFAULTS,
  type ClientCounts,
  type ClientOptions,
  type Recorder,
  StatsHeroClient,
} from './client.ts'
export type { Message } from './codec/decoder.ts'
export { encodePackets, type Line } from './codec.ts'
export { cellLines, type EmitMapping, type EmitNote, emitKey } from './map.ts'
export {
  EMIT_DEFAULTS,
  type EmitOptions,
  RECEIVE_DEFAULTS,
  type ReceiveOptions,
} from './options.ts'
export {
  ENCODE_ERROR_CODES,
  type EncodeErrorCode,
  ERROR_CODES,
  type ErrorCode,
  TYPE_WORDS,
  type TypeWord,
} from './spec.ts'
