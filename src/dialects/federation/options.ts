/** Options of both sides: their one home, with defaults and limits. */
import { bytes, integer, reconnectOptions, section, type ValuesOf } from '../options.ts'

const CLIENT_OPTIONS = reconnectOptions({ firstMs: 250, limitMs: 5000, jitter: 0.2 })

export const OPTIONS = {
  readersLimit: integer({
    max: 1000,
    default: 64,
    description: 'hubs that may be attached to this one at once; further ones are refused',
  }),
  replaySeconds: integer({
    max: 3600,
    default: 600,
    description: 'seconds for which one that was cut off may come back and miss nothing',
  }),
  replayBytesLimit: bytes({
    default: 67_108_864,
    description: 'memory of these seconds; above it the oldest are given up',
  }),
  client: section(CLIENT_OPTIONS, { description: 'how hubs are attached to' }),
}
export type FederationOptions = ValuesOf<typeof OPTIONS>
