/**
 * Exports and who uses them: a name is exported because another file of src imports it, or because
 * an entry of the package hands it to users. Tests are no users: they see what users see.
 */
import { posix } from 'node:path'
import { importsOf } from './imports.ts'
import { isTest, lineAt, type Rule, type TidyFile, type Tree, type Violation } from './tree.ts'

/** Taken by bin/pentameter.js, whose address is computed: built files or sources. */
const PROGRAM = 'src/cli/main.ts'

interface Exported {
  readonly name: string
  readonly position: number
  /** Of a re-export: the file that it takes the name from, and the name there. */
  readonly from?: { readonly path: string; readonly name: string }
}

interface Module {
  readonly file: TidyFile
  readonly names: ReadonlyMap<string, Exported>
  /** Files all of whose names are exported here as well. */
  readonly stars: readonly string[]
}

const DECLARED = new RegExp(
  '^export\\s+(?:(?:declare|abstract|async)\\s+)*' +
    '(?:const|let|class|interface|type|function\\*?)\\s+(\\w+)',
  'gm',
)
const LISTED = /^export\s+(?:type\s+)?\{([^}]*)\}(?:\s*from\s*'([^']+)')?/gm
const STARS = /^export\s+\*\s+from\s*'([^']+)'/gm

function moduleOf(file: TidyFile): Module {
  const { path, text } = file
  const resolve = (specifier: string): string => posix.join(posix.dirname(path), specifier)
  const names = new Map<string, Exported>()
  for (const { 1: name, index } of text.matchAll(DECLARED)) {
    names.set(name!, { name: name!, position: index })
  }
  for (const { 1: list, 2: specifier, index } of text.matchAll(LISTED)) {
    for (const [original, name] of pairsOf(list!)) {
      const from =
        specifier === undefined ? {} : { from: { path: resolve(specifier), name: original } }
      names.set(name, { name, position: index, ...from })
    }
  }
  const stars = [...text.matchAll(STARS)].map(([, specifier]) => resolve(specifier!))
  return { file, names, stars }
}

/** `a, type B as C` as pairs of the name there and the name here. */
function pairsOf(list: string): (readonly [original: string, name: string])[] {
  return list
    .replace(/\/\/.*|\/\*[\s\S]*?\*\//g, '')
    .split(',')
    .map((each) => each.trim().replace(/^type\s+/, ''))
    .filter((each) => each !== '')
    .map((each) => {
      const [original = '', name = original] = each.split(/\s+as\s+/)
      return [original, name]
    })
}

const IMPORTED = /^import\s+(?:type\s+)?([^'"`;()]*?)\s*from\s*'(\.[^']+)'/gm
/** Names taken of a module that is loaded later. */
const TAKEN = /\{([^{}]*)\}\s*=\s*await import\(\s*'(\.[^']+)'/g
/** What a module of a computed address is asked for: `const a: { name: T } = await import(…)`. */
const ASKED = /:\s*\{\s*(\w+):[^}]*\}\s*=\s*await import\((?!\s*['"])/g
/** A file that hands out its own address. */
const GIVES_ITSELF = /\bmodule: import\.meta\.url\b/
const GLOB = /\bimport\.meta\.glob(?:<[^>]*>)?\(\s*'([^']+)'/g

export const usedExports: Rule = {
  title: 'what a file of src exports is imported by another one, or is in an entry of the package',
  check(tree) {
    const files = tree.under('src', '.ts', '.tsx').filter(({ path }) => !isTest(path))
    const modules = new Map(files.map((file) => [file.path, moduleOf(file)]))
    const used = new Uses(modules)
    for (const path of entriesOf(tree)) used.all(path)
    for (const file of files) markImports(file, used)
    // what a module of WebAssembly exports is called by its name
    for (const { path } of files.filter(({ path }) => path.endsWith('.as.ts'))) used.all(path)
    markAsked(files, used)
    return [...modules.values()].flatMap((module) => unusedIn(module, used))
  },
}

function unusedIn({ file, names }: Module, used: Uses): Violation[] {
  return [...names.values()]
    .filter(({ name }) => !used.has(file.path, name) && !isGiven(name, file.text))
    .map(({ name, position }) => {
      const message = `${name} is exported, and no file of src uses it: take the export away`
      return { path: file.path, line: lineAt(file.text, position), message }
    })
}

/** Whether a function of the file gives this: declarations of its callers have to name the type. */
function isGiven(name: string, text: string): boolean {
  return (
    new RegExp(`^export (?:interface|type|class) ${name}\\b`, 'm').test(text) &&
    new RegExp(`\\): ${name}\\b`).test(text)
  )
}

function markAsked(files: readonly TidyFile[], used: Uses): void {
  const asked = files.flatMap(({ text }) => [...text.matchAll(ASKED)].map(([, name]) => name!))
  for (const { path, text } of files) {
    if (GIVES_ITSELF.test(text)) for (const name of asked) used.name(path, name)
  }
}

function markImports(file: TidyFile, used: Uses): void {
  const { path, text } = file
  const resolve = (specifier: string): string => posix.join(posix.dirname(path), specifier)
  const named = new Set<string>()
  for (const [, what, specifier] of text.matchAll(IMPORTED)) {
    const target = resolve(specifier!)
    named.add(specifier!)
    const braces = /\{([^}]*)\}/.exec(what!)
    for (const [original] of pairsOf(braces?.[1] ?? '')) used.name(target, original)
    if (/\*\s+as\s/.test(what!)) used.all(target)
  }
  for (const [, list, specifier] of text.matchAll(TAKEN)) {
    for (const [original] of pairsOf(list!)) used.name(resolve(specifier!), original)
  }
  // Whole modules: `import()`, programs of threads. What re-exports take counts with their users.
  for (const { specifier, target, isReExport } of importsOf(file)) {
    if (target !== undefined && !isReExport && !named.has(specifier)) used.all(target)
  }
  for (const [, pattern] of text.matchAll(GLOB)) used.matching(resolve(pattern!))
}

/** Names that are used, by file; a use of a re-export is one of what it takes. */
class Uses {
  readonly #modules: ReadonlyMap<string, Module>
  readonly #used = new Set<string>()

  constructor(modules: ReadonlyMap<string, Module>) {
    this.#modules = modules
  }

  has(path: string, name: string): boolean {
    return this.#used.has(`${path}#${name}`)
  }

  name(path: string, name: string): void {
    const module = this.#modules.get(path)
    if (module === undefined || this.has(path, name)) return
    this.#used.add(`${path}#${name}`)
    const exported = module.names.get(name)
    if (exported?.from !== undefined) this.name(exported.from.path, exported.from.name)
    if (exported === undefined) for (const star of module.stars) this.name(star, name)
  }

  all(path: string): void {
    const module = this.#modules.get(path)
    if (module === undefined) return
    for (const name of module.names.keys()) this.name(path, name)
    for (const star of module.stars) this.all(star)
  }

  /** All names of the files that a pattern with `*` and `{a,b}` means. */
  matching(pattern: string): void {
    const expression = pattern
      .replace(/[.+]/g, '\\$&')
      .replace(/\*+/g, '[^/]+')
      .replace(/\{([^}]*)\}/g, (_, words: string) => `(?:${words.replaceAll(',', '|')})`)
    for (const path of this.#modules.keys()) {
      if (new RegExp(`^${expression}$`).test(path)) this.all(path)
    }
  }
}

interface Manifest {
  readonly exports?: Readonly<Record<string, string | null | Readonly<Record<string, string>>>>
}

/** Sources of the package's entries (dist is built from src), and of the program. */
function entriesOf(tree: Tree): string[] {
  const { exports = {} } = JSON.parse(tree.read('package.json') ?? '{}') as Manifest
  const built = Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? [entry] : Object.values(entry ?? {}),
  )
  const patterns = built.map((path) =>
    path.replace(/^\.\/dist\//, 'src/').replace(/(\.d\.ts|\.js)$/, '.ts'),
  )
  const isEntry = (path: string): boolean => patterns.some((pattern) => isLike(pattern, path))
  return [PROGRAM, ...tree.files.map(({ path }) => path).filter(isEntry)]
}

/** Whether a path fits a pattern of package.json; `*` is taken for one folder. */
export function isLike(pattern: string, path: string): boolean {
  const [head = '', tail] = pattern.split('*')
  if (tail === undefined) return path === head
  if (!path.startsWith(head) || !path.endsWith(tail)) return false
  return /^[^/]+$/.test(path.slice(head.length, path.length - tail.length))
}
