/** Options of remote write, in and out: their one home, with defaults and limits. */
import {
  bytes,
  choice,
  defaultsOf,
  integer,
  map,
  section,
  text,
  type ValuesOf,
} from '../options.ts'
import { REQUEST_BYTES_LIMIT, UNPACKED_BYTES_LIMIT } from './spec.ts'

const EMIT_OPTIONS = {
  hub: text({
    description: 'value of the label `hub` of all that is sent; the name of the machine unless set',
  }),
  histograms: choice(['classic', 'native', 'both'], {
    default: 'classic',
    description: 'buckets as series of their own, native histograms, or both',
  }),
  repeatS: integer({
    max: 240,
    default: 15,
    description: 'seconds after which a series that stands still is told again',
  }),
  queueFolder: text({
    description:
      'where requests wait, each address in a folder of its own; ' +
      '`pentameter/remotewrite` in the state folder of the platform unless set',
  }),
  queueBytesLimit: bytes({
    min: 65_536,
    default: 1_073_741_824,
    description: 'of the requests of one address that wait on disk; of more, the oldest are lost',
  }),
  timeoutMs: integer({ default: 30_000, description: 'time for the answer to one request' }),
  headers: map(text({ default: '', description: 'value' }), {
    description: 'headers of every request, as `Authorization` or `X-Scope-OrgID`',
  }),
}
export type EmitOptions = ValuesOf<typeof EMIT_OPTIONS>
export const EMIT_DEFAULTS: EmitOptions = defaultsOf(EMIT_OPTIONS)

export const OPTIONS = {
  requestBytesLimit: bytes({
    max: 67_108_864,
    default: REQUEST_BYTES_LIMIT,
    description: 'of a request as sent; a longer one gets 413',
  }),
  unpackedBytesLimit: bytes({
    max: 67_108_864,
    default: UNPACKED_BYTES_LIMIT,
    description: 'of a request once unpacked; a longer one gets 413',
  }),
  streamsLimit: integer({
    default: 200_000,
    description:
      'series whose last sample is remembered; those silent for 2 minutes make room, and samples ' +
      'of further ones are refused',
  }),
  emit: section(EMIT_OPTIONS, { description: 'what is sent to stores' }),
}
