/**
 * The dialect EventCounters: windows of counters as events, one series per interval asked for
 * (README.md). Public as `pentameter/eventcounters`; its wire constants as
 * `pentameter/eventcounters/spec`. Counters themselves are in `pentameter/instrument`.
 */
export type { CodecOptions, Decoded } from '../decoder.ts'
export type { ClientError, ClientErrorReason, Opened } from './client/attempt.ts'
export type { ClientCounts as EventCountersClientCounts } from './client/session-reader.ts'
export {
  EventCountersClient,
  type EventCountersClientOptions,
  type EventCountersClientState,
  type EventCountersClientStatus,
} from './client.ts'
export type { CounterMessage } from './codec/message.ts'
export type { ReadWindow } from './codec/read.ts'
export { decodeEventCounters, encodeEventCounters } from './codec.ts'
export {
  type DisplayedWindow,
  type DotnetCountersDisplay,
  dotnetCountersDisplay,
  type Labelled,
  type Rate,
  rateOf,
  simpleDisplay,
} from './display.ts'
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
export type { CounterDescription, CounterWindow, MetaData, Statistics } from './window.ts'
