/**
 * The dialect metrics-exporter-scope: snapshots of numbers in MessagePack over TCP, to any number
 * of viewers, each at its own rate (README.md). Public as `pentameter/scope`.
 */

export { clientOptions, serverOptions } from './checked-options.ts'
export type { MirroredSeries, Sample } from './client/mirror.ts'
export { SOURCE_LABEL } from './client/source.ts'
export {
  type ClientCounts,
  type ClientState,
  type ClientStatus,
  ScopeClient,
  type ScopeClientContext,
  type ScopeObserver,
} from './client.ts'
export { encodeInfo, encodeSettings, encodeSnapshot } from './codec/encode.ts'
export { detectFraming, type FramingVerdict, frame } from './codec/framing.ts'
export { type PlainMessage, toPlain } from './codec/messages.ts'
export { decodePacket, type PacketOptions } from './codec/packet.ts'
export { PacketDecoder } from './codec/packet-decoder.ts'
export { type PacketSink, PacketStream, type PacketStreamOptions } from './codec/packet-stream.ts'
export { decodeSettings } from './codec/settings.ts'
export { type Handshake, SettingsStream } from './codec/settings-stream.ts'
export { SnapshotTemplate } from './codec/snapshot-template.ts'
export { createDecoder, encode } from './codec.ts'
export {
  type ExposedSeries,
  type ExposeOptions,
  type Exposure,
  exposeSeries,
  metricIdentity,
  metricMetadata,
  type OmitReason,
} from './map.ts'
export { foldName, type SplitName, splitName, unfoldName } from './names.ts'
export { type CallbackSeries, CallbackSource } from './server/callback-source.ts'
export { type Tick, TickGrid } from './server/ticks.ts'
export { ScopeServer, type ScopeServerContext } from './server.ts'
export * from './spec.ts'
