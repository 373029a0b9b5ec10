/**
 * Reads declaration files as the compiler emits them: statements with their doc comments, and which
 * file declares the names that another one exports.
 */
import { posix } from 'node:path'

export type Kind = 'function' | 'class' | 'interface' | 'type' | 'constant'

/** One exported name; overloads of a function are one declaration. */
export interface Declaration {
  readonly name: string
  readonly kind: Kind
  /** Declaring file. */
  readonly path: string
  /** Statements without their doc comments. */
  readonly text: string
  /** Lines of the doc comment; empty without one. */
  readonly doc: string
}

interface Statement {
  readonly text: string
  readonly doc: string
}

/** A name of another file, or of this one where `path` is its own. */
interface Reference {
  readonly path: string
  readonly name: string
  /** Whether the list says `type`. */
  readonly isType: boolean
}

interface Module {
  readonly declared: ReadonlyMap<string, Declaration>
  readonly imported: ReadonlyMap<string, Reference>
  readonly exported: ReadonlyMap<string, Reference>
  readonly stars: readonly string[]
}

const BLOCK = /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|enum|namespace|module)\b/
const DECLARATION =
  /^(export )?(?:declare )?(?:abstract )?(function|class|interface|type|const|let)\s+([\w$]+)/
const LIST = /^(export|import) (type )?\{([\s\S]*)\}(?: from ['"](\.[^'"]+)['"])?;?$/
const STAR = /^export (?:type )?\* from ['"](\.[^'"]+)['"]/
const KINDS: Readonly<Record<string, Kind>> = { const: 'constant', let: 'constant' }

/** A set of declaration files; `read` gives the text of one, `hasHeader` is of its source. */
export class Declarations {
  readonly #read: (path: string) => string
  readonly #hasHeader: (path: string) => boolean
  readonly #modules = new Map<string, Module>()

  constructor(read: (path: string) => string, hasHeader: (path: string) => boolean) {
    this.#read = read
    this.#hasHeader = hasHeader
  }

  /**
   * Finds all that a file exports, where it is declared, by name.
   * @throws {Error} for a name that no file declares
   */
  exportsOf(path: string): ReadonlyMap<string, Declaration> {
    const { exported, stars } = this.#module(path)
    const all = new Map<string, Declaration>()
    for (const star of stars) {
      for (const [name, declaration] of this.exportsOf(star)) all.set(name, declaration)
    }
    for (const [name, reference] of exported) {
      const found = this.#find(reference, path)
      // Nothing can be made of a class that is exported as a type.
      const isClassType = found.kind === 'class' && reference.isType
      all.set(name, isClassType ? { ...found, kind: 'type' } : found)
    }
    return new Map([...all].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #find({ path, name }: Reference, from: string): Declaration {
    const { declared, imported } = this.#module(path)
    const own = declared.get(name)
    if (own !== undefined) return own
    const reference = imported.get(name)
    if (reference !== undefined) return this.#find(reference, path)
    const other = path === from ? undefined : this.exportsOf(path).get(name)
    if (other === undefined) throw new Error(`${from} exports ${name}, which ${path} has not`)
    return other
  }

  #module(path: string): Module {
    const known = this.#modules.get(path)
    if (known !== undefined) return known
    const module = moduleOf(path, this.#read(path), this.#hasHeader(path))
    this.#modules.set(path, module)
    return module
  }
}

function moduleOf(path: string, text: string, hasHeader: boolean): Module {
  const declared = new Map<string, Declaration>()
  const imported = new Map<string, Reference>()
  const exported = new Map<string, Reference>()
  const stars: string[] = []
  const resolve = (specifier: string): string =>
    posix.join(posix.dirname(path), specifier.replace(/\.[jt]s$/, '.d.ts'))
  for (const statement of statementsOf(text, hasHeader)) {
    const list = LIST.exec(statement.text)
    if (list !== null) {
      const [, word, type, pairs, from] = list
      const target = from === undefined ? path : resolve(from)
      for (const { original, name, isType } of pairsOf(pairs!)) {
        const names = word === 'import' ? imported : exported
        names.set(name, { path: target, name: original, isType: isType || type !== undefined })
      }
      continue
    }
    const star = STAR.exec(statement.text)
    if (star !== null) stars.push(resolve(star[1]!))
    const [, isExported, word, name] = DECLARATION.exec(statement.text) ?? []
    if (word === undefined || name === undefined) continue
    declared.set(name, withOverload(declared.get(name), { ...statement, path, name, word }))
    if (isExported !== undefined) exported.set(name, { path, name, isType: false })
  }
  return { declared, imported, exported, stars }
}

function withOverload(
  before: Declaration | undefined,
  { text, doc, path, name, word }: Statement & { path: string; name: string; word: string },
): Declaration {
  if (before !== undefined) {
    // An overload, or a type of the same name as a constant: both are what the name means.
    return { ...before, text: `${before.text}\n${text}`, doc: before.doc || doc }
  }
  return { name, kind: KINDS[word] ?? (word as Kind), path, text, doc }
}

interface Pair {
  readonly original: string
  readonly name: string
  readonly isType: boolean
}

/** `a, type B as C` as pairs of the name there and the name here. */
function pairsOf(list: string): Pair[] {
  return list
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map((each) => {
      const [original = '', name = original] = each.replace(/^type /, '').split(' as ')
      return { original, name, isType: each.startsWith('type ') }
    })
}

/** Cuts a file into statements; the file's own comment is none of its first statement's. */
export function statementsOf(text: string, hasHeader: boolean): Statement[] {
  const statements: Statement[] = []
  let doc = ''
  let isHeader = hasHeader
  for (let i = 0; i < text.length; ) {
    if (/\s/.test(text[i]!)) {
      i++
    } else if (text.startsWith('/', i)) {
      const end = endOfComment(text, i)
      if (text.startsWith('/**', i) && !isHeader) doc = linesOf(text.slice(i, end))
      isHeader = false
      i = end
    } else {
      const end = endOfStatement(text, i)
      statements.push({ text: text.slice(i, end), doc })
      doc = ''
      isHeader = false
      i = end
    }
  }
  return statements
}

/** Text of a doc comment without its stars. */
export function linesOf(comment: string): string {
  return comment
    .replace(/^\/\*\*|\*\/$/g, '')
    .replace(/^[ \t]*\* ?/gm, '')
    .trim()
}

function endOfComment(text: string, begin: number): number {
  const isBlock = text.startsWith('/*', begin)
  const end = text.indexOf(isBlock ? '*/' : '\n', begin + 2)
  return end === -1 ? text.length : end + (isBlock ? 2 : 1)
}

/** Behind the `;` of a statement, or behind the `}` of a class or an interface. */
function endOfStatement(text: string, begin: number): number {
  const isBlock = BLOCK.test(text.slice(begin, begin + 80))
  let depth = 0
  for (let i = begin; i < text.length; i++) {
    const character = text[i]!
    if (character === '/' && /[/*]/.test(text[i + 1] ?? '')) i = endOfComment(text, i) - 1
    else if ('\'"`'.includes(character)) i = endOfText(text, i)
    else if ('([{'.includes(character)) depth++
    else if (')]}'.includes(character)) depth--
    if (depth === 0 && character === (isBlock ? '}' : ';')) return i + 1
  }
  return text.length
}

/** The closing quote of a literal. */
function endOfText(text: string, begin: number): number {
  for (let i = begin + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === text[begin]) return i
  }
  return text.length
}
