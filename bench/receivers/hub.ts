/** Our hub, whole: listeners, ingest, zone and tick, in one process and without HTTP. */
import { join } from 'node:path'
import { forkReceiver, type Receiver } from './receiver.ts'

export const HUB = 'pentameter'

/** Options of the hub's config; its ports are free ones whatever this says. */
export interface HubOptions {
  /** Threads that take in; 0 = the thread that does everything else, too. */
  readonly ingestWorkers: number
  readonly [option: string]: unknown
}

/** @param title what sets it apart from other hubs of the same question */
export function startHub(options: HubOptions, title = workersText(options)): Promise<Receiver> {
  const file = join(import.meta.dirname, 'hub-process.ts')
  const name = title === '' ? HUB : `${HUB}, ${title}`
  return forkReceiver(name, file, 'statshero', [JSON.stringify(options)])
}

function workersText({ ingestWorkers }: HubOptions): string {
  if (ingestWorkers === 0) return ''
  return ingestWorkers === 1 ? '1 worker' : `${ingestWorkers} workers`
}
