/** Options of a reader: what a stream may hold at most. */
import { bytes, choice, integer } from '../options.ts'
import { BLOCK_BYTES_LIMIT, WAITING_BYTES_LIMIT, WAITING_EVENTS_LIMIT } from './spec.ts'

/** The hub has none of this dialect: nothing of it listens or attaches yet. */
export const OPTIONS = {}

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
