/** Programs that take in windows of Wallaroo: our hub, and the limit that Node sets. */
import { join } from 'node:path'
import { HUB, type HubOptions } from './hub.ts'
import { forkProgram, type Program } from './receiver.ts'

/** Our hub, whole: shared port, series, windows for the views, totals, and a tick each second. */
export function startPipelineHub(options: HubOptions): Promise<Program> {
  const file = join(import.meta.dirname, 'pipeline-hub-process.ts')
  return forkProgram(HUB, file, [JSON.stringify(options)])
}

/** A server of node:net that only counts bytes. */
export function startBareServer(frameBytes: number): Promise<Program> {
  const file = join(import.meta.dirname, 'bare-server-process.ts')
  return forkProgram('bare TCP', file, [`${frameBytes}`])
}
