/**
 * The dialect Wallaroo: windows of latencies in 65 bins, pushed by workers over TCP (README.md).
 * Public as `pentameter/wallaroo`; its wire constants as `pentameter/wallaroo/spec`.
 */
export type { CodecOptions, Decoded } from '../decoder.ts'
export { type Address, parseAddress } from './client/address.ts'
export { WallarooClient, type WallarooClientCounts, type WallarooClientOptions } from './client.ts'
export type { Metrics } from './codec/encode.ts'
export {
  type ConnectMessage,
  decodeWallaroo,
  type EncodeOptions,
  encodeWallaroo,
  type JoinMessage,
  type Message,
  type MetricsMessage,
} from './codec.ts'
export {
  type IngestRecorder,
  type Recorder,
  Reporter,
  type ReporterClock,
  type ReporterOptions,
  type WindowOptions,
} from './reporter/reporter.ts'
export {
  ArrivalStage,
  ComputationStage,
  HandOverStage,
  SinkStage,
  SourceStage,
} from './reporter/stages.ts'
export { WallarooServer, type WallarooServerOptions } from './server.ts'
