/** Options of NetTrace's sides: their one home, with defaults and limits. */
import { boolean, bytes, choice, integer, list, section, text } from '../options.ts'
import {
  BLOCK_BYTES_LIMIT,
  METER_LIMITS,
  WAITING_BYTES_LIMIT,
  WAITING_EVENTS_LIMIT,
} from './spec.ts'

/** Longest interval of a runtime, ms. */
export const INTERVAL_MS_MAX = 2 ** 31 - 1

export const CLIENT_OPTIONS = {
  providers: list(text({ default: '', description: 'NAME or NAME[COUNTER,COUNTER]' }), {
    description:
      'event sources and meters that processes are asked for where the address names none; ' +
      'System.Runtime without any',
  }),
  intervalMs: integer({
    max: INTERVAL_MS_MAX,
    default: 1000,
    description:
      'asked of processes whose address names none; a smaller one is for all their tools',
  }),
  intervals: choice(['own', 'any'], {
    default: 'own',
    description: 'payloads taken while another tool’s smaller interval is in force',
  }),
  maxTimeSeries: integer({
    default: METER_LIMITS.timeSeries,
    description:
      'of all meters of a process, which leaves out what is beyond; as many as dotnet-counters',
  }),
  maxHistograms: integer({
    default: METER_LIMITS.histograms,
    description: 'the same of histograms; with another number a process refuses dotnet-counters',
  }),
  processesLimit: integer({
    max: 10_000,
    default: 64,
    description: 'processes read from by one address; further ones are left out and counted',
  }),
}

const CLR_VERSION = text({
  default: '8.0.0',
  description: 'version of .NET that tools see; from 8 on they ask for counters as we tell them',
  check: (version) => (/^\d+\.\d+\.\d+/.test(version) ? undefined : 'want one like 8.0.0'),
})

export const OPTIONS = {
  dotnetSocket: boolean({
    default: false,
    flag: '--dotnet-socket',
    description: 'shows all series to the tools of .NET, as if the hub were a .NET process',
  }),
  clrVersion: CLR_VERSION,
  diagnosticPort: text({
    flag: '--diagnostic-port <path>',
    description: 'socket that runtimes dial: DOTNET_DiagnosticPorts=<path>,nosuspend',
  }),
  client: section(CLIENT_OPTIONS),
}

/** Options of a socket in a program. */
export const SOCKET_OPTIONS = {
  clrVersion: CLR_VERSION,
  folder: text({
    default: '',
    lengthMin: 0,
    description: 'where the socket is; $TMPDIR or /tmp, where tools look, unless given',
  }),
}

export const READER_OPTIONS = {
  order: choice(['time', 'stream'], {
    default: 'time',
    description: 'order of events; in that of the stream each comes as soon as it is read',
  }),
  blockBytesLimit: bytes({
    min: 1024,
    default: BLOCK_BYTES_LIMIT,
    description: 'of one block; a larger one ends the stream',
  }),
  waitingEventsLimit: integer({
    default: WAITING_EVENTS_LIMIT,
    description: 'that wait for their turn in time; beyond it they come in the order of the stream',
  }),
  waitingBytesLimit: bytes({
    default: WAITING_BYTES_LIMIT,
    description: 'of the payloads of those events',
  }),
}
