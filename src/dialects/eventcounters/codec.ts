/** Codec of EventCounters: payloads and lines of NDJSON in both spellings (eventcounters.md §3). */
export { createDecoder, decodeEventCounters } from './codec/decoder.ts'
export { encodeEventCounters } from './codec/encode.ts'
export type { CounterMessage } from './codec/message.ts'
export type { ReadWindow } from './codec/read.ts'
