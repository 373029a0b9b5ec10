/** Finds the targets: `test/fuzz.ts` in the folder of every dialect. */
import { DIALECTS } from '../../../src/dialects/registry.ts'
import type { FuzzTarget } from '../target.ts'

const FOLDER = new URL('../../../src/dialects/', import.meta.url)

/** In the order of the registry. @throws {TypeError} for a file that exports no `target` */
export async function loadTargets(): Promise<readonly FuzzTarget[]> {
  return Promise.all(
    DIALECTS.map(async ({ name }) => {
      const path = `${name}/test/fuzz.ts`
      const module = (await import(new URL(path, FOLDER).href)) as { target?: FuzzTarget }
      if (module.target === undefined) throw new TypeError(`${path} exports no target`)
      return module.target
    }),
  )
}
