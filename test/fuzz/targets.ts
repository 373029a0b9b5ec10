/** Every decoder that bytes of others reach: those of the dialects, then the house's. */
import { REGISTERED, targetsOf } from '../suites/tested.ts'
import { dispatch } from './house/dispatch.ts'
import { globs } from './house/globs.ts'
import { histograms } from './house/histograms.ts'
import { historyChunks } from './house/history-chunks.ts'
import { historyBundles, historyHeads } from './house/history-files.ts'
import { options } from './house/options.ts'
import { requests } from './house/requests.ts'
import type { FuzzTarget } from './target.ts'

const HOUSE: readonly FuzzTarget[] = [
  ...[dispatch, requests, globs, options, histograms],
  ...[historyChunks, historyBundles, historyHeads],
]

export async function allTargets(): Promise<readonly FuzzTarget[]> {
  const ofDialects = await Promise.all(REGISTERED.map(targetsOf))
  return [...ofDialects.flat(), ...HOUSE]
}
