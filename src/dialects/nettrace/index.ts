/**
 * The dialect NetTrace: events of .NET processes, and the Diagnostics IPC that asks for them
 * (README.md). Public as `pentameter/nettrace`; its constants as `pentameter/nettrace/spec`.
 */

export type { Decoded } from '../decoder.ts'
export type {
  CounterEvent,
  CounterEventSource,
  CounterEvents,
  OpenCounters,
  WantedProvider,
} from '../snapshot-source.ts'
export {
  CommandError,
  type CommandFailure,
  readFacts,
  sendCommand,
} from './client/command.ts'
export {
  CounterSession,
  type CounterSessionCounts,
  type CounterSessionOptions,
} from './client/counter-session.ts'
export type { CounterRequest } from './client/counters/providers.ts'
export { type ProcessDoor, socketDoor } from './client/door.ts'
export {
  findProcess,
  listProcesses,
  type ProcessPlaces,
  type ProcessSocket,
} from './client/processes.ts'
export {
  EventPipeSession,
  type SessionEnd,
  type SessionEndReason,
  type SessionObserver,
  type SessionOptions,
} from './client/session.ts'
export type { NetTraceEvent } from './codec/event.ts'
export type {
  Advertisement,
  CollectCommand,
  CollectName,
  IpcCommand,
  IpcMessage,
  IpcReply,
  PlainCommand,
  ProcessFacts,
  ProcessReplyName,
  Provider,
} from './codec/ipc/messages.ts'
export {
  type ArgumentPairs,
  formatArguments,
  parseArguments,
  parseSocketName,
  type SocketOwner,
} from './codec/ipc/texts.ts'
export type { EventMessage, PlainValue } from './codec/message.ts'
export type { BlockKind } from './codec/stream/framing.ts'
export { NetTraceReader, type NetTraceReaderOptions } from './codec/stream/reader.ts'
export { decodeNetTrace, encodeNetTrace, type NetTraceMessage } from './codec.ts'
export { type Reading, type ReadingValues, readingOf } from './map.ts'
export { DotnetSocket, type DotnetSocketOptions } from './server.ts'
