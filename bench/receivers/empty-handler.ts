/** Node's limit: a datagram socket whose handler only counts, with the hub's receive buffer. */
import { join } from 'node:path'
import { forkReceiver, type Receiver } from './receiver.ts'

export function startEmptyHandler(): Promise<Receiver> {
  const file = join(import.meta.dirname, 'empty-handler-process.ts')
  return forkReceiver('empty handler', file, 'statshero')
}
