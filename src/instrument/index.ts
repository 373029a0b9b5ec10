/** What an application calls to measure itself. Public as `pentameter/instrument`. */
export { EventCounter, type EventCounterOptions } from './counters/event-counter.ts'
export { IncrementingEventCounter } from './counters/incrementing-event-counter.ts'
export { IncrementingPollingCounter } from './counters/incrementing-polling-counter.ts'
export type { CounterOptions, RateCounterOptions } from './counters/options.ts'
export { PollingCounter } from './counters/polling-counter.ts'
export { EventSource, type EventSourceOptions } from './event-source.ts'
export { Meter } from './meter.ts'
export {
  NODE_RUNTIME,
  type NodeRuntimeParts,
  nodeRuntime,
} from './node-runtime/node-runtime.ts'
export { BoundCounter, Counter } from './plain/counter.ts'
export { BoundGauge, Gauge, type GaugeOptions } from './plain/gauge.ts'
export { BoundHistogram, Histogram } from './plain/histogram.ts'
export type { InstrumentOptions, LabelValues } from './plain/instrument.ts'
export {
  type CounterChange,
  CounterRegistry,
  defaultRegistry,
  type RegistryLimits,
  type RegistryOptions,
} from './registry.ts'
export * from './reservoir.ts'
export {
  type CounterHandler,
  type CounterServer,
  type EndpointCounts,
  eventCountersHandler,
  type ServeOptions,
  serveEventCounters,
} from './serve.ts'
export type { CounterEvent, EventSession, SessionArguments } from './sessions/event-session.ts'
export type { Membership } from './sessions/members.ts'
export type { RegistryCounts } from './sessions/report.ts'
export type { ClosedWindow, OpenWindow, Pass, ServedCounter } from './sessions/served-counter.ts'
export * from './snapshot.ts'
export type { SharedRegistry } from './threads/share.ts'
