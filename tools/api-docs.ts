/**
 * The API reference (docs/api): a page for each entry of the package, made of the declarations that
 * the compiler emits and of their doc comments.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { OptionSpec } from '../src/dialects/options.ts'
import { type Declaration, Declarations, type Kind, linesOf } from './declarations.ts'
import { entriesIn } from './entries.ts'
import { tableOf } from './tables.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

export interface ApiEntry {
  readonly specifier: string
  /** First comment of its source: what the entry is for. */
  readonly intro: string
  readonly exports: readonly Declaration[]
}

/** Headings in the order of a page. */
const HEADINGS: Readonly<Record<Kind, string>> = {
  function: 'Functions',
  class: 'Classes',
  constant: 'Constants',
  interface: 'Interfaces',
  type: 'Types',
}

/** Emits declarations of the sources into a folder of its own, and reads all entries from them. */
export function readApi(): ApiEntry[] {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-api-'))
  try {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
    const project = ['-p', join(ROOT, 'tsconfig.build.json'), '--outDir', folder]
    const options = [...project, '--declaration', '--emitDeclarationOnly']
    execFileSync(process.execPath, [compiler, ...options], { stdio: 'inherit' })
    return apiOf(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Reads all entries from a folder made like dist. */
export function apiOf(folder: string): ApiEntry[] {
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
  const declarations = new Declarations(read, (path) => {
    const source = sourceOf(path)
    // The compiler drops the header together with the import behind it, where that has no types.
    return hasHeader(source) && read(path).startsWith(firstComment(source))
  })
  return entriesIn(folder).map(({ specifier, types }) => {
    const exports = [...declarations.exportsOf(types)].map(([name, each]) => ({ ...each, name }))
    return {
      specifier,
      intro: withDocument(linesOf(firstComment(sourceOf(types))), types),
      exports,
    }
  })
}

function sourceOf(path: string): string {
  const source = join(ROOT, 'src', path.replace(/\.d\.ts$/, '.ts'))
  return existsSync(source) ? readFileSync(source, 'utf8') : ''
}

function firstComment(source: string): string {
  return /^\/\*\*[\s\S]*?\*\//.exec(source)?.[0] ?? ''
}

/** Whether a file's first comment is about the file: an import, an export list or a gap follows. */
export function hasHeader(source: string): boolean {
  const rest = source.slice(firstComment(source).length)
  return /^\s*\n\s*\n|^\s*(?:import\b|export (?:type )?[{*]|$)/.test(rest)
}

export interface DocComment {
  readonly text: string
  /** Code of its examples, without fences. */
  readonly examples: readonly string[]
  /** `@param name what it is` and the like. */
  readonly tags: readonly { readonly tag: string; readonly text: string }[]
}

/** Takes a doc comment apart. */
export function parseDoc(doc: string): DocComment {
  // At the very beginning of a text `split` finds nothing.
  const [text = '', ...parts] = `\n${doc}`.split(/^(?=@[a-z]+\b)/m)
  const tags = parts.map((part) => {
    const [, tag = '', rest = ''] = /^@([a-z]+)\s?([\s\S]*)$/.exec(part) ?? []
    return { tag, text: rest.trimEnd() }
  })
  const examples = tags.filter(({ tag }) => tag === 'example').map((each) => codeOf(each.text))
  return {
    text: text.trim(),
    examples: [...examples, ...fencedIn(text)],
    tags: tags.filter(({ tag }) => tag !== 'example'),
  }
}

function codeOf(example: string): string {
  const fenced = fencedIn(example)
  return (fenced.length > 0 ? fenced.join('\n') : example).replace(/^\n+|\s+$/g, '')
}

function fencedIn(text: string): string[] {
  return [...text.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, code]) => code!.trimEnd())
}

/** Code of all examples of an entry: of its own comment and of what it exports. */
export function examplesOf({ intro, exports }: ApiEntry): string[] {
  return [intro, ...exports.map(({ doc }) => doc)].flatMap((doc) => parseDoc(doc).examples)
}

/** Tables of the options that a declaration takes over as data (src/dialects/options.ts). */
export type OptionTables = ReadonlyMap<Declaration, readonly string[]>

/** Reads the options behind each `GivenOptions<typeof NAME>` from the module that declares them. */
export async function readOptions(entries: readonly ApiEntry[]): Promise<OptionTables> {
  const tables = new Map<Declaration, readonly string[]>()
  for (const declaration of entries.flatMap(({ exports }) => exports)) {
    const names = [...declaration.text.matchAll(/GivenOptions<typeof (\w+)>/g)]
    const specs = await Promise.all(names.map(([, name]) => specOf(name!, declaration.path)))
    if (specs.length > 0) tables.set(declaration, tableOf(Object.assign({}, ...specs)))
  }
  return tables
}

/** The options of a name that a source file declares or imports. */
async function specOf(name: string, path: string): Promise<OptionSpec> {
  const file = join(ROOT, 'src', path.replace(/\.d\.ts$/, '.ts'))
  const imported = new RegExp(`import (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\} from '(\\.[^']+)'`)
  const from = imported.exec(sourceOf(path))?.[1]
  const module = from === undefined ? file : join(dirname(file), from)
  const spec = ((await import(module)) as Readonly<Record<string, OptionSpec>>)[name]
  if (spec === undefined) throw new Error(`${path}: ${module} has no options ${name}`)
  return spec
}

/** Makes all pages, by path: one for each entry, and README.md that lists them. */
export function apiPages(
  entries: readonly ApiEntry[],
  tables: OptionTables = new Map(),
): Map<string, string> {
  const formatted = formatCode(entries.flatMap(({ exports }) => exports.map(({ text }) => text)))
  const rows = entries.map(({ specifier, intro, exports }) => {
    const first = proseOf(parseDoc(intro).text.split(/\n\s*\n/)[0]!).replaceAll('\n', ' ')
    return `| [\`${specifier}\`](${fileOf(specifier)}) | ${exports.length} | ${first} |`
  })
  const list =
    '# API\n\nWhat the package exports, made of comments in its sources by `npm run docs`.\n\n' +
    `| entry | exports | what it is |\n|---|---|---|\n${rows.join('\n')}\n`
  const pages = new Map([['docs/api/README.md', list]])
  for (const entry of entries) {
    pages.set(`docs/api/${fileOf(entry.specifier)}`, pageOf(entry, formatted, tables))
  }
  return pages
}

/** `pentameter/statshero/spec` as `statshero-spec.md`. */
function fileOf(specifier: string): string {
  const entry = specifier.replace(/^pentameter\//, '') // its main entry keeps the package's name
  return `${entry.replaceAll('/', '-')}.md`
}

function pageOf(
  { specifier, intro, exports }: ApiEntry,
  code: ReadonlyMap<string, string>,
  tables: OptionTables,
) {
  const sections = Object.entries(HEADINGS).flatMap(([kind, heading]) => {
    const own = exports.filter((each) => each.kind === kind)
    if (own.length === 0) return []
    return [
      `## ${heading}`,
      ...own.map((each) => sectionOf(each, code.get(each.text)!, tables.get(each))),
    ]
  })
  return `${[`# ${specifier}`, docSection(intro), ...sections].join('\n\n')}\n`
}

function sectionOf(
  declaration: Declaration,
  code: string,
  table: readonly string[] | undefined,
): string {
  const { name, doc, path } = declaration
  const parts = [`### ${name}`, block(code), ...(doc === '' ? [] : [docSection(doc)])]
  if (table !== undefined) parts.push(table.join('\n'))
  return withDocument(parts.join('\n\n'), path)
}

function docSection(doc: string): string {
  const { text, examples, tags } = parseDoc(doc)
  const prose = proseOf(text.replace(/^```\w*\n[\s\S]*?^```$\n?/gm, '').trim())
  const list = tags.map((each) => `- ${tagLine(each)}`).join('\n')
  return [prose, list, ...examples.map(block)].filter((part) => part !== '').join('\n\n')
}

/** `@param name what` as `name: what`, `@throws {Error} when` as `throws Error: when`. */
function tagLine({ tag, text }: { readonly tag: string; readonly text: string }): string {
  const prose = proseOf(text.replace(/\s*\n\s*/g, ' ').trim())
  const [, name = '', rest = ''] = /^\{?([\w$.|]+)\}?\s*(.*)$/.exec(prose) ?? []
  if (tag === 'param') return `\`${name}\`: ${rest}`
  if (tag !== 'throws') return `${tag} ${prose}`
  return rest === '' ? `throws \`${name}\`` : `throws \`${name}\` ${rest}`
}

/** Links of doc comments as code; what looks like HTML as text. */
function proseOf(text: string): string {
  return text
    .replace(/\{@link ([^}]+)\}/g, '`$1`')
    .replace(/(`[^`]*`)|</g, (_, code: string | undefined) => code ?? '\\<')
}

/** A section of a dialect's document is cited with the document's name; `path` is of the file. */
function withDocument(text: string, path: string): string {
  const [, dialect] = /^dialects\/([a-z]+)\//.exec(path) ?? []
  if (dialect === undefined) return text
  const cited = /(\b[a-z]+\.md |\bRFC \d+ )?§/g
  return text.replace(cited, (all, document?: string) => (document ? all : `${dialect}.md §`))
}

function block(code: string): string {
  return `\`\`\`ts\n${code}\n\`\`\``
}

/** Formats declarations in the house's style, all at once; by the text that was given. */
function formatCode(texts: readonly string[]): ReadonlyMap<string, string> {
  const mark = '// ---- declaration\n'
  const unique = [...new Set(texts)]
  const biome = join(ROOT, 'node_modules/@biomejs/biome/bin/biome')
  const formatted = execFileSync(
    process.execPath,
    [biome, 'format', '--stdin-file-path=api.d.ts'],
    {
      cwd: ROOT,
      input: unique.map((text) => `${mark}${withoutInner(text)}\n`).join(''),
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const parts = formatted.split(mark).slice(1)
  const codeAt = (i: number): string => parts[i]!.replace(/^export (declare )?/gm, '').trim()
  return new Map(unique.map((text, i) => [text, codeAt(i)]))
}

/** Leaves out what no user can reach: private members. */
function withoutInner(text: string): string {
  return text.replace(/^\s*(?:#private|private (?:readonly )?[\w$]+);\n/gm, '')
}
