/** Our hub, whole: listeners, ingest, zone and tick, in one process and without HTTP. */
import { join } from 'node:path'
import { forkReceiver, type Receiver } from './receiver.ts'

export const HUB = 'pentameter'

export function startHub(): Promise<Receiver> {
  return forkReceiver(HUB, join(import.meta.dirname, 'hub-process.ts'), 'statshero')
}
