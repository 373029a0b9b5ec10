/** Finds a file's imports by its text: static, re-exported, dynamic, and worker entry files. */
import { posix } from 'node:path'
import { lineAt, type TidyFile } from './tree.ts'

export interface Import {
  readonly from: string
  readonly line: number
  /** As written. */
  readonly specifier: string
  /** Path from the root for a relative import; undefined for packages and `node:`. */
  readonly target: string | undefined
  /** Erased before running: `import type`, or nothing but `type` names in the braces. */
  readonly isType: boolean
  /** `export … from`: the names are handed on, not used here. */
  readonly isReExport: boolean
}

/** `@` begins an example in a comment, whose imports are not the file's. */
const STATIC = /^(import|export)\s+(type\s+)?([^'"`;()@]*?)\s*from\s*['"]([^'"]+)['"]/gm
const SIDE_EFFECT = /^import\s*['"]([^'"]+)['"]/gm
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g
const ENTRY = /\bnew URL\(\s*['"](\.[^'"]+\.ts)['"]\s*,\s*import\.meta\.url/g

const cache = new WeakMap<TidyFile, readonly Import[]>()

export function importsOf(file: TidyFile): readonly Import[] {
  const known = cache.get(file)
  if (known !== undefined) return known
  const found = findImports(file)
  cache.set(file, found)
  return found
}

function findImports(file: TidyFile): Import[] {
  const found: Import[] = []
  const add = (position: number, specifier: string, isType: boolean, isReExport = false): void => {
    const isRelative = specifier.startsWith('.')
    const target = posix.join(posix.dirname(file.path), specifier).replace(/[?#].*$/, '')
    found.push({
      from: file.path,
      line: lineAt(file.text, position),
      specifier,
      target: isRelative ? target : undefined,
      isType,
      isReExport,
    })
  }
  for (const match of file.text.matchAll(STATIC)) {
    const isType = match[2] !== undefined || hasOnlyTypes(match[3]!)
    add(match.index, match[4]!, isType, match[1] === 'export')
  }
  for (const match of file.text.matchAll(SIDE_EFFECT)) add(match.index, match[1]!, false)
  for (const pattern of [DYNAMIC, ENTRY]) {
    for (const match of file.text.matchAll(pattern)) add(match.index, match[1]!, false)
  }
  return found
}

/** `{ type A, type B }`: every name in the braces is a type. */
function hasOnlyTypes(names: string): boolean {
  const braces = /^\{([^}]*)\}$/.exec(names.trim())
  if (braces === null) return false
  const list = braces[1]!.split(',').filter((name) => name.trim() !== '')
  return list.length > 0 && list.every((name) => /^\s*type\s/.test(name))
}

/** Name of a package, without the path inside it. */
export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
