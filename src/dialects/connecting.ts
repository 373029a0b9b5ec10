/** Options that all servers and clients of a program have, under the same names in each dialect. */
import { integer, number, text } from './options.ts'

/** Where a server of a program listens, or what a client connects to. */
export function addressOptions(port: number) {
  return {
    host: text({ default: '127.0.0.1', description: 'name or address' }),
    port: integer({ min: 0, max: 65_535, default: port, description: 'of the other side, or own' }),
  }
}

interface Pauses {
  readonly firstMs: number
  readonly limitMs: number
  readonly jitter: number
}

/** How often a client tries again: `src/time/backoff.ts`. */
export function reconnectOptions({ firstMs, limitMs, jitter }: Pauses) {
  return {
    reconnectFirstMs: integer({
      min: 0,
      default: firstMs,
      description: 'pause before another attempt to connect, doubled each time',
    }),
    reconnectLimitMs: integer({ min: 0, default: limitMs, description: 'longest such pause' }),
    reconnectJitter: number({
      min: 0,
      max: 1,
      default: jitter,
      description: 'share of the pause by which it varies both ways',
    }),
  }
}
