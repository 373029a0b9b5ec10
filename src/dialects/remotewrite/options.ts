/** Options of what the hub takes by remote write: their one home, with defaults and limits. */
import { bytes, integer } from '../options.ts'
import { REQUEST_BYTES_LIMIT, UNPACKED_BYTES_LIMIT } from './spec.ts'

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
}
