/** Versions of the packages that are rivals: a report names them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const PACKAGES = join(import.meta.dirname, '../../node_modules')

/** Reads the version that is installed. */
export function packageVersion(name: string): string {
  return JSON.parse(readFileSync(join(PACKAGES, name, 'package.json'), 'utf8')).version
}
