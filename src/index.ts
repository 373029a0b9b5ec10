/**
 * The one import of a program that measures itself: instruments found or made by their names, read
 * back in tests, and `/metrics`. Public as `pentameter`.
 */

export { connect, counter, gauge, histogram, metrics } from './instrument/front/default.ts'
export { type MetricRow, Metrics, type PolledOptions } from './instrument/front/metrics.ts'
export type { HttpMeasuring, HttpOptions } from './instrument/http/http-requests.ts'
export { nameRoute } from './instrument/http/server-requests.ts'
export type { ChannelOptions, CountedEvents } from './instrument/included/channel-events.ts'
export type {
  IncludedSource,
  MetricsSource,
  SourceSeries,
} from './instrument/included/included-sources.ts'
export { OpenTelemetryReader } from './instrument/included/opentelemetry-reader.ts'
export type { PromClientRegister } from './instrument/included/prom-client-source.ts'
export type { ClusterMetrics } from './instrument/processes/cluster-metrics.ts'
export type { Connection, PushStatus } from './instrument/push/connection.ts'
export type { ConnectOptions } from './instrument/push/push-options.ts'
export { type PageOptions, type ProgramPage, servePage } from './program-page.ts'
