/**
 * The dialect EventCounters: windows of counters as events, one series per interval asked for
 * (README.md). Public as `pentameter/eventcounters`.
 */
export * from './client.ts'
export * from './codec.ts'
export * from './display.ts'
export {
  type NamedCounter,
  PROMETHEUS_NAMINGS,
  type PrometheusName,
  type PrometheusNaming,
  prometheusName,
} from './export-rules.ts'
export type {
  Boundary,
  CounterSession,
  CounterSource,
  SessionRequest,
} from './server/counter-source.ts'
export {
  type EndpointParts,
  type EndpointReports,
  type ServedSession,
  serveSession,
} from './server/endpoint.ts'
export {
  type CounterEvent,
  type EventSession,
  openEventSession,
  type SessionArguments,
} from './server/event-session.ts'
export * from './spec.ts'
export * from './summary.ts'
export * from './window.ts'
