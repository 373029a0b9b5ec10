/** Options of what the hub takes by OTLP/HTTP: their one home, with defaults and limits. */
import { bytes, integer } from '../options.ts'
import { REQUEST_BYTES_LIMIT, UNPACKED_BYTES_LIMIT } from './spec.ts'

export const OPTIONS = {
  port: integer({
    min: 0,
    max: 65_535,
    default: 0,
    flag: '--otlp-port <port>',
    description:
      'further port for OTLP/HTTP, 4318 by its standard; 0 = that of the page alone, which ' +
      'takes it, too',
  }),
  requestBytesLimit: bytes({
    max: 67_108_864,
    default: REQUEST_BYTES_LIMIT,
    description: 'of a request as sent; a longer one gets 413',
  }),
  unpackedBytesLimit: bytes({
    max: 268_435_456,
    default: UNPACKED_BYTES_LIMIT,
    description: 'of a request once unpacked; a longer one gets 413',
  }),
  streamsLimit: integer({
    default: 200_000,
    description:
      'streams of points whose last one is remembered; those silent for 2 minutes make room, ' +
      'and points of further ones are refused',
  }),
}
