/**
 * The dialect Wallaroo: windows of latencies in 65 bins, pushed by workers over TCP (README.md).
 * Public as `pentameter/wallaroo`.
 */
import type { CodecOptions } from '../decoder.ts'
import type { Dialect } from '../dialect.ts'
import { connectEmitter } from './client/emitter.ts'
import { createDecoder, encodeMessage, guessTransport } from './codec/decoder.ts'
import { explainForeign } from './server/connection.ts'
import { createServer } from './server.ts'
import { ERROR_CODES, NAME, REPORT_DEFAULTS } from './spec.ts'

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
  EmitError,
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

export const wallaroo: Dialect = {
  name: NAME,
  title: 'Wallaroo',
  document: 'How a pipeline pushes windows of latencies, binned by powers of two',
  roles: { server: 'receive', client: 'emit' },
  transports: ['tcp'],
  port: 'stream',
  defaultProfile: REPORT_DEFAULTS.profile,
  errorCodes: ERROR_CODES,
  speaksFirst: false,

  /** `00 00`, as every frame below 64 KiB begins and no message of a scope viewer (§2). */
  claims(first) {
    if (first.length === 0) return undefined
    if (first[0] !== 0) return false
    return first.length === 1 ? undefined : first[1] === 0
  },

  explainForeign,
  createServer,
  connectEmitter,
  guessTransport,
  createDecoder,

  encode(messages, options: CodecOptions = {}) {
    const profile = options.profile ?? REPORT_DEFAULTS.profile
    return messages.map((message) => encodeMessage(message, profile))
  },

  /** A worker that joins and has nothing to say: Connect, then Join of application `a`. */
  tryIt(host, port) {
    const connect = '\\0\\0\\0\\1\\1'
    const join = '\\0\\0\\0\\23\\2\\0\\0\\0\\11metrics:a\\0\\0\\0\\1w'
    return `bash -c "printf '${connect}${join}' > /dev/tcp/${host}/${port}"`
  },
}
