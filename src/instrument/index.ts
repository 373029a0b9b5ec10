/** What an application calls to measure itself. Public as `pentameter/instrument`. */

export type { CanonicalSeries, SnapshotSource, Statistic } from '../dialects/snapshot-source.ts'
export {
  EventCounter,
  type EventCounterOptions,
  IncrementingEventCounter,
  IncrementingPollingCounter,
  PollingCounter,
} from './counters/event-counters.ts'
export type { CounterOptions, RateCounterOptions } from './counters/source-counter.ts'
export { Meter } from './meter.ts'
export {
  type MetricsFormat,
  type MetricsRequest,
  metricsHandler,
  metricsResponse,
  metricsText,
} from './metrics.ts'
export {
  NODE_RUNTIME,
  type NodeRuntimeParts,
  nodeRuntime,
} from './node-runtime/node-runtime.ts'
export { BoundCounter, Counter } from './plain/counter.ts'
export {
  BoundFractionalCounter,
  FractionalCounter,
  type FractionalOptions,
} from './plain/fractional-counter.ts'
export { BoundGauge, Gauge, type GaugeOptions } from './plain/gauge.ts'
export { BoundHistogram, Histogram } from './plain/histogram.ts'
export type {
  ExemplarLabels,
  InstrumentOptions,
  LabeledValue,
  LabelValues,
} from './plain/instrument.ts'
export { Stopwatch } from './plain/stopwatch.ts'
export {
  CounterRegistry,
  defaultRegistry,
  EventSource,
  type EventSourceOptions,
  type RegistryLimits,
  type RegistryOptions,
} from './registry.ts'
export type { RegistryCounts } from './reports.ts'
export type { RecordedRequest, SnapshotParts } from './requests/recorded-request.ts'
export {
  type RequestMiddlewareOptions,
  RequestRecorder,
  type RequestRecorderCounts,
  type RequestRecorderOptions,
} from './requests/recorder.ts'
export {
  type CallTime,
  type LineSender,
  type RequestKind,
  type RequestReport,
  type RequestSink,
  requestInstruments,
} from './requests/request-sink.ts'
export {
  forwardWeight,
  Reservoir,
  type ReservoirOptions,
  type Snapshot,
  uniformSnapshot,
  type WeightedValue,
  weightedSnapshot,
} from './reservoir.ts'
export {
  type CounterHandler,
  type EndpointCounts,
  EventCountersServer,
  type EventCountersServerOptions,
  eventCountersHandler,
} from './serve.ts'
export type {
  CounterSession,
  MeanWindow,
  SessionOptions,
  SessionWindow,
  SumWindow,
} from './sessions/session.ts'
export type { SharedRegistry } from './threads/home.ts'
export { ViewerSource, type ViewerSourceOptions } from './viewer-source.ts'
