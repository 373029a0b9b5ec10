/** The public entries of the package, as package.json names them: patterns are expanded. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Entry {
  /** What users import: `pentameter/statshero`. */
  readonly specifier: string
  /** Its declarations, relative to dist. */
  readonly types: string
}

type Exports = Readonly<Record<string, string | null | { readonly types?: string }>>

/** Finds the entries that have declarations in a folder made like dist, by name. */
export function entriesIn(dist: string, exports: Exports = ownExports()): Entry[] {
  const entries = Object.entries(exports).flatMap(([key, target]) => {
    if (typeof target !== 'object' || target?.types === undefined) return []
    const pattern = target.types.replace(/^\.\/dist\//, '')
    const [head = '', tail = ''] = pattern.split('*')
    return globSync(pattern, { cwd: dist }).map((path) => {
      const types = path.replaceAll('\\', '/')
      const star = types.slice(head.length, types.length - tail.length)
      return { specifier: `pentameter${key.slice(1).replace('*', star)}`, types }
    })
  })
  return entries.sort((a, b) => (a.specifier < b.specifier ? -1 : 1))
}

function ownExports(): Exports {
  const root = fileURLToPath(new URL('..', import.meta.url))
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).exports
}
