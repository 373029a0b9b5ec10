/**
 * Dialects as the shared suites take them: the contract, and the folder that holds samples, fuzz
 * target and vectors. The project's own come from the registry; a test may hand in any other.
 */
import { readdirSync } from 'node:fs'
import type { Dialect } from '../../src/dialects/dialect.ts'
import type { FuzzTarget } from '../fuzz/target.ts'
import { DIALECTS } from '../support/dialects.ts'
import type { Runners } from '../vectors/run.ts'
import type { DialectSamples } from './dialect.ts'

export interface TestedDialect {
  readonly dialect: Pick<Dialect, 'name'>
  /** Ends with a slash; its room `test/` holds what the suites need. */
  readonly folder: URL
}

const VECTORS = 'test/vectors.ts'

/** The folder of all dialects. */
export const DIALECTS_FOLDER = new URL('../../src/dialects/', import.meta.url)

/** The dialects of the registry, in its order. */
export const REGISTERED = DIALECTS.map((dialect) => {
  return { dialect, folder: new URL(`${dialect.name}/`, DIALECTS_FOLDER) }
})

/** Names of the folders beside the contract, registered or not. */
export function dialectFolders(): readonly string[] {
  return readdirSync(DIALECTS_FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
}

/** Input of the dialect suite: `samples` of `test/samples.ts`. */
export function samplesOf(tested: TestedDialect): Promise<DialectSamples> {
  return load<DialectSamples>(tested, 'test/samples.ts', 'samples')
}

/** Targets of the fuzzer, one for each of its decoders: `targets` of `test/fuzz.ts`. */
export function targetsOf(tested: TestedDialect): Promise<readonly FuzzTarget[]> {
  return load<readonly FuzzTarget[]>(tested, 'test/fuzz.ts', 'targets')
}

/** Runners of the vectors of one dialect, by category: `runners` of `test/vectors.ts`. */
export function runnersOf(tested: TestedDialect): Promise<Runners> {
  return load<Runners>(tested, VECTORS, 'runners')
}

/**
 * Runners of several dialects, by the dialect's name. One whose cases stand in the file of another
 * as well says so by `alsoIn` of `test/vectors.ts`: the other runs them, too.
 */
export async function runnersByName(
  dialects: readonly TestedDialect[],
): Promise<ReadonlyMap<string, Runners>> {
  const byName = new Map<string, Runners>()
  for (const each of dialects) byName.set(each.dialect.name, await runnersOf(each))
  for (const each of dialects) {
    const { alsoIn } = await moduleOf(each, VECTORS)
    const own = alsoIn === undefined ? undefined : byName.get(alsoIn as string)
    if (own === undefined) continue
    byName.set(alsoIn as string, { ...byName.get(each.dialect.name), ...own })
  }
  return byName
}

type Module = Readonly<Record<string, unknown>>

async function moduleOf({ folder }: TestedDialect, path: string): Promise<Module> {
  return (await import(new URL(path, folder).href)) as Module
}

/** @throws {TypeError} for a file without this export */
async function load<T>(tested: TestedDialect, path: string, name: string): Promise<T> {
  const module = await moduleOf(tested, path)
  if (module[name] === undefined) {
    throw new TypeError(`${tested.folder.href}${path} exports no ${name}`)
  }
  return module[name] as T
}
