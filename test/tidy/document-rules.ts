/**
 * Markdown links, cited sections, the numbering of decisions, and what package.json and the lock
 * file promise.
 */
import { posix } from 'node:path'
import { isLike } from './export-rules.ts'
import { lineAt, type Rule, type TidyFile, type Tree, type Violation } from './tree.ts'

const LINK = /\]\(\s*<?([^)\s>]+)>?[^)]*\)|<(?:img|source|a)\b[^>]*\b(?:src|srcset|href)="([^"]+)"/g

export const links: Rule = {
  title: 'relative links in Markdown lead to files and headings that exist',
  check: (tree) => tree.under('', '.md').flatMap((file) => checkLinks(tree, file)),
}

function checkLinks(tree: Tree, file: TidyFile): Violation[] {
  const text = withoutCode(file.text)
  return [...text.matchAll(LINK)].flatMap((match) => {
    const address = match[1] ?? match[2]!
    if (/^[a-z][a-z0-9+.-]*:/i.test(address)) return []
    const [path = '', anchor] = address.split('#')
    const line = lineAt(text, match.index)
    const folder = posix.dirname(file.path)
    const target = path === '' ? file.path : posix.join(folder, decodeURI(path)).replace(/\/$/, '')
    if (target !== '.' && !tree.has(target)) {
      return [{ path: file.path, line, message: `${address} leads nowhere: correct the link` }]
    }
    const other = tree.read(target)
    if (anchor === undefined || other === undefined || !target.endsWith('.md')) return []
    if (headingsOf(other).has(anchor)) return []
    return [{ path: file.path, line, message: `no heading #${anchor} in ${target}` }]
  })
}

/** Blanks fenced blocks and code spans, so that positions stay. */
function withoutCode(text: string): string {
  const blank = (part: string): string => part.replace(/[^\n]/g, ' ')
  return text.replace(/^(`{3,})[\s\S]*?^\1/gm, blank).replace(/`[^`\n]*`/g, blank)
}

/** Anchors as code hosts make them: lower case, no punctuation, hyphens for spaces. */
function headingsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#{1,6}\s+(.*)$/gm)].map((match) =>
    match[1]!
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  )
  return new Set(headings)
}

const CITATION = /(?:\b([a-z]+)\.md |\b(RFC \d+) )?§(\d+(?:\.\d+)*)/g

export const citations: Rule = {
  title: 'sections that are cited (NAME.md §N, or §N in a dialect) are headings in docs/formats',
  check: (tree) =>
    tree.under('', '.ts', '.tsx', '.md').flatMap((file) => checkCitations(tree, file)),
}

function checkCitations(tree: Tree, { path, text }: TidyFile): Violation[] {
  const own = /^(?:src\/dialects\/([a-z]+)\/|docs\/formats\/([a-z]+)\.md$)/.exec(path)
  return [...text.matchAll(CITATION)].flatMap(({ 1: stated, 2: rfc, 3: number, index }) => {
    if (rfc !== undefined) return []
    const name = stated ?? own?.[1] ?? own?.[2]
    const target = `docs/formats/${name}.md`
    const sections = tree.read(target)?.matchAll(/^#{2,6} (\d+(?:\.\d+)*) /gm) ?? []
    if ([...sections].some((heading) => heading[1] === number)) return []
    const message =
      name === undefined
        ? `§${number} of which document? Write NAME.md §${number}`
        : `${target} has no section ${number}: correct the citation`
    return [{ path, line: lineAt(text, index), message }]
  })
}

export const decisions: Rule = {
  title: 'decisions are numbered NNNN-title.md from 0001 without a gap',
  check(tree) {
    const names = tree
      .under('docs/decisions', '.md')
      .map(({ path }) => path.slice('docs/decisions/'.length))
      .filter((name) => name !== 'README.md')
      .sort()
    return names.flatMap((name, i) => {
      const expected = String(i + 1).padStart(4, '0')
      if (name.startsWith(`${expected}-`)) return []
      const message = `number ${expected} comes here: renumber so that there is no gap`
      return [{ path: `docs/decisions/${name}`, line: 0, message }]
    })
  },
}

interface Manifest {
  readonly exports?: Readonly<Record<string, string | null | Readonly<Record<string, string>>>>
  readonly bin?: Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
}

export const manifest: Rule = {
  title: 'package.json names files that exist: exports (dist is built from src), bin, scripts',
  check(tree) {
    const text = tree.read('package.json')
    if (text === undefined) return []
    const { exports = {}, bin = {}, scripts = {} } = JSON.parse(text) as Manifest
    const named = [
      ...Object.values(exports).flatMap((entry) =>
        typeof entry === 'string' ? [entry] : Object.values(entry ?? {}),
      ),
      ...Object.values(bin),
      ...Object.values(scripts).flatMap(filesOf),
    ]
    return named.flatMap((path) => {
      const source = sourceOf(path)
      if (tree.files.some((file) => isLike(source, file.path))) return []
      const line = lineAt(text, text.indexOf(path))
      return [{ path: 'package.json', line, message: `${path}: there is no ${source}` }]
    })
  },
}

/** Files that a script runs or reads; patterns are left to whoever expands them. */
function filesOf(script: string): string[] {
  return script.split(/\s+/).filter((word) => /^[\w./-]+\.(ts|js|json)$/.test(word))
}

function sourceOf(path: string): string {
  const relative = path.replace(/^\.\//, '')
  if (!relative.startsWith('dist/')) return relative
  return relative.replace(/^dist\//, 'src/').replace(/(\.d\.ts|\.js)$/, '.ts')
}

/** Options of the compiler that keep whole kinds of mistakes out; all configurations extend it. */
const COMPILER_OPTIONS = ['strict', 'exactOptionalPropertyTypes', 'noUncheckedIndexedAccess']

export const compilerOptions: Rule = {
  title: `tsconfig.json says ${COMPILER_OPTIONS.join(', ')}, and no other takes it back`,
  check: (tree) =>
    tree.files
      .filter(({ path }) => /(?:^|\/)tsconfig[^/]*\.json$/.test(path))
      .flatMap(({ path, text }) => {
        const { compilerOptions = {} } = JSON.parse(text) as {
          compilerOptions?: Readonly<Record<string, unknown>>
        }
        const isRoot = path === 'tsconfig.json'
        return COMPILER_OPTIONS.flatMap((option) => {
          const value = compilerOptions[option]
          if (value === true || (value === undefined && !isRoot)) return []
          const line = value === undefined ? 0 : lineAt(text, text.indexOf(`"${option}"`))
          return [{ path, line, message: `set ${option} to true` }]
        })
      }),
}

export const lockFile: Rule = {
  title: 'the lock file and .npmrc name no download address: any registry will do',
  check(tree) {
    const forbidden: readonly (readonly [string, RegExp, string])[] = [
      ['package-lock.json', /"resolved": "https?:/g, 'omit-lockfile-registry-resolved in .npmrc'],
      ['package-lock.json', /"resolved": "git[+:]/g, 'depend on a published version instead'],
      ['.npmrc', /^\s*(@[^:]+:)?registry\s*=/gm, 'leave the registry to the machine'],
      ['.npmrc', /_auth(Token)?\s*=/g, 'no credentials in the repository'],
    ]
    return forbidden.flatMap(([path, pattern, message]) => {
      const text = tree.read(path) ?? ''
      return [...text.matchAll(pattern)].map(({ index }) => {
        return { path, line: lineAt(text, index), message }
      })
    })
  },
}

interface LockEntry {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export const completeLock: Rule = {
  title: 'the lock file has an entry for every dependency, those of other platforms included',
  check(tree) {
    const path = 'package-lock.json'
    const text = tree.read(path)
    if (text === undefined) return []
    const { packages = {} } = JSON.parse(text) as { packages?: Record<string, LockEntry> }
    return Object.entries(packages).flatMap(([place, { dependencies, optionalDependencies }]) => {
      const names = Object.keys({ ...dependencies, ...optionalDependencies })
      const missing = names.filter((name) => !isResolved(name, place, packages))
      const line = lineAt(text, text.indexOf(`"${place}": {`))
      return missing.map((name) => {
        return { path, line, message: `no entry for ${name}: npm ci refuses, add it` }
      })
    })
  },
}

/** As Node looks it up: in the place's own node_modules, then in those above. */
function isResolved(name: string, place: string, packages: object): boolean {
  for (let folder = place; ; folder = folder.replace(/(^|\/)[^/]*$/, '')) {
    const prefix = folder === '' ? '' : `${folder}/`
    if (`${prefix}node_modules/${name}` in packages) return true
    if (folder === '') return false
  }
}
