/** Options of the socket for tools, and of a reader: what a stream may hold at most. */
import { boolean, bytes, choice, integer, text } from '../options.ts'
import { BLOCK_BYTES_LIMIT, WAITING_BYTES_LIMIT, WAITING_EVENTS_LIMIT } from './spec.ts'

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
