/** Finds the targets: every file of test/fuzz that is neither main.ts nor target.ts. */
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FuzzTarget } from '../target.ts'

const FOLDER = new URL('../', import.meta.url)
const NO_TARGETS = new Set(['main.ts', 'target.ts'])

/** In the order of their file names. @throws {TypeError} for a file that exports no `target` */
export async function loadTargets(): Promise<readonly FuzzTarget[]> {
  const names = readdirSync(fileURLToPath(FOLDER))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !NO_TARGETS.has(name))
    .sort()
  return Promise.all(
    names.map(async (name) => {
      const module = (await import(new URL(name, FOLDER).href)) as { target?: FuzzTarget }
      if (module.target === undefined) throw new TypeError(`test/fuzz/${name} exports no target`)
      return module.target
    }),
  )
}
