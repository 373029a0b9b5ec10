/** Every decoder that bytes of others reach: those of the dialects, then the house's. */
import { REGISTERED, targetsOf } from '../suites/tested.ts'
import type { FuzzTarget } from './target.ts'

export async function allTargets(): Promise<readonly FuzzTarget[]> {
  const ofDialects = await Promise.all(REGISTERED.map(targetsOf))
  return ofDialects.flat()
}
