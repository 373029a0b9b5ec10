/**
 * The dialect metrics-exporter-scope: snapshots of numbers in MessagePack over TCP, to any number
 * of viewers, each at its own rate (README.md). Public as `pentameter/scope`; its wire constants as
 * `pentameter/scope/spec`.
 */
export type { CodecOptions, Decoded } from '../decoder.ts'
export type { CanonicalSeries, SnapshotSource } from '../snapshot-source.ts'
export type { Sample } from './client/mirror.ts'
export type { MirroredSeries } from './client/name-memory.ts'
export {
  ScopeClient,
  type ScopeClientCounts,
  type ScopeClientOptions,
  type ScopeClientState,
  type ScopeClientStatus,
} from './client.ts'
export type { PlainMessage } from './codec/messages.ts'
export { decodeScope, encodeScope } from './codec.ts'
export type { HintRule, Match } from './options.ts'
export { type CallbackSeries, CallbackSource } from './server/callback-source.ts'
export { ScopeServer, type ScopeServerOptions } from './server.ts'
