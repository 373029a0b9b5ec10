/**
 * The dialect Wallaroo: windows of latencies in 65 bins, pushed by workers over TCP (README.md).
 * Public as `pentameter/wallaroo`.
 */
export type { Exact } from '../../model/index.ts'
export type { Clock } from '../../time/clock.ts'
export type { CodecOptions, Decoder, Profile } from '../decoder.ts'
export { type Address, parseAddress } from './client/address.ts'
export {
  CLIENT_DEFAULTS,
  type ClientCounts,
  type ClientOptions,
  type ClientSettings,
  WallarooClient,
} from './client.ts'
export type { ConnectMessage, JoinMessage, Message, MetricsMessage } from './codec/decoder.ts'
export { createDecoder } from './codec/decoder.ts'
export {
  encodeConnect,
  encodeJoin,
  encodeMetrics,
  type FrameRules,
  FrameScanner,
  type FrameVisitor,
  type LengthReading,
  type Metrics,
  MetricsFrame,
  type MinMaxOrder,
} from './codec.ts'
export { type BinRefusal, binsOf, histogramOf, type Meaning, meaningOf, namesOf } from './map.ts'
export {
  type IngestRecorder,
  type Recorder,
  Reporter,
  type ReporterClock,
  type ReporterOptions,
} from './reporter/reporter.ts'
export { ComputationStage, SinkStage, SourceStage } from './reporter/stages.ts'
export { BinCounts, binCountsOf } from './rollup/bin-counts.ts'
export { LatencyTotals } from './rollup/latency-totals.ts'
export { rollUp, type SeriesNames, VIEWS, type View, type ViewName } from './rollup/views.ts'
export type { WindowReceiver } from './server/connection.ts'
export { WallarooServer, type WallarooServerContext } from './server.ts'
export * from './spec.ts'
