/** Graphite's plain text as a way out of the hub: `--relay graphite+tcp://HOST:PORT` (§4.8). */
import type { Output } from '../../dialect.ts'
import { GraphiteEmitter } from './emitter.ts'

export const graphite: Output = {
  name: 'graphite',
  transports: ['tcp', 'udp'],
  /** The port of Carbon's line receiver. */
  port: { number: 2003 },
  connectEmitter: (target, context) => new GraphiteEmitter(target, context),
}
