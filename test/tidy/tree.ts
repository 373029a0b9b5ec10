/**
 * What the rules look at: a tree of text files, from the disk or from memory, and what they answer:
 * violations that name file, line and what to do.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface TidyFile {
  /** Relative to the root, with `/`. */
  readonly path: string
  readonly text: string
}

export interface Violation {
  readonly path: string
  /** From 1; 0 where the whole file or folder is meant. */
  readonly line: number
  /** What is wrong and what to do. */
  readonly message: string
}

export interface Rule {
  /** A sentence: what holds in this project. */
  readonly title: string
  check(tree: Tree): Violation[]
}

export class Tree {
  readonly files: readonly TidyFile[]
  readonly #texts: ReadonlyMap<string, string>
  readonly #folders = new Set<string>()

  constructor(files: readonly TidyFile[]) {
    this.files = files
    this.#texts = new Map(files.map(({ path, text }) => [path, text]))
    for (const { path } of files) {
      const parts = path.split('/')
      for (let i = 1; i < parts.length; i++) this.#folders.add(parts.slice(0, i).join('/'))
    }
  }

  /** A tree from memory: path to text. */
  static of(texts: Readonly<Record<string, string>>): Tree {
    return new Tree(Object.entries(texts).map(([path, text]) => ({ path, text })))
  }

  /** The text of a file; undefined when there is none. */
  read(path: string): string | undefined {
    return this.#texts.get(path)
  }

  /** True for files and folders. */
  has(path: string): boolean {
    return this.#texts.has(path) || this.#folders.has(path)
  }

  get folders(): readonly string[] {
    return [...this.#folders]
  }

  /** Files below a folder whose names end in one of the endings. */
  under(folder: string, ...endings: readonly string[]): readonly TidyFile[] {
    return this.files.filter(
      ({ path }) =>
        (folder === '' || path.startsWith(`${folder}/`)) &&
        endings.some((ending) => path.endsWith(ending)),
    )
  }
}

/** Folders that are not the project's own text. */
const FOREIGN = new Set(['node_modules', '.git', 'dist', 'coverage'])
/** Read as text; of all other files only the name counts. */
const TEXT = /\.(ts|tsx|js|css|html|md|json|ya?ml|svg|txt)$|(^|\/)(run|\.npmrc|\.gitignore)$/

export function readTree(root: string): Tree {
  const files: TidyFile[] = []
  const walk = (folder: string): void => {
    const entries = readdirSync(join(root, folder), { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (FOREIGN.has(entry.name)) continue
      if (entry.isDirectory()) walk(path)
      else if (entry.isFile()) files.push({ path, text: textOf(join(root, path)) })
    }
  }
  walk('')
  return new Tree(files)
}

function textOf(path: string): string {
  return TEXT.test(path) ? readFileSync(path, 'utf8') : ''
}

/** Line number, from 1, of a position in a text. */
export function lineAt(text: string, position: number): number {
  let line = 1
  for (let i = text.indexOf('\n'); i !== -1 && i < position; i = text.indexOf('\n', i + 1)) line++
  return line
}

/** Whether a file is a test, or stands in the room `test` of a dialect: what tests are made of. */
export function isTest(path: string): boolean {
  return /\.test\.tsx?$|^src\/dialects\/[^/]+\/test\//.test(path)
}
