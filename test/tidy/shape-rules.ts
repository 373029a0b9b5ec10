/** Sizes, names and headers of files. */
import { isTest, type Rule, type TidyFile, type Tree, type Violation } from './tree.ts'

const LINES_LIMIT = 500
const COLUMNS_LIMIT = 100
const CODE = ['.ts', '.tsx', '.js', '.css'] as const

export const fileLength: Rule = {
  title: `no code file is longer than ${LINES_LIMIT} lines`,
  check: (tree) =>
    tree.under('', ...CODE).flatMap((file) => {
      const count = file.text.split('\n').length - 1
      if (count <= LINES_LIMIT) return []
      const message = `${count} lines, limit ${LINES_LIMIT}: split it along its stages`
      return [{ path: file.path, line: LINES_LIMIT + 1, message }]
    }),
}

export const columns: Rule = {
  title: `no line is wider than ${COLUMNS_LIMIT} columns, but for tables and links in Markdown`,
  check: (tree) =>
    tree.under('', ...CODE, '.html', '.md', '.yml', '.yaml', 'run').flatMap((file) =>
      file.text.split('\n').flatMap((text, i) => {
        const width = [...text].length
        if (width <= COLUMNS_LIMIT || isExempt(file, text)) return []
        const message = `${width} columns, limit ${COLUMNS_LIMIT}: break the line`
        return [{ path: file.path, line: i + 1, message }]
      }),
    ),
}

/** Table rows can't be broken, nor can the address of a link; docs/api is made of the sources. */
function isExempt(file: TidyFile, line: string): boolean {
  if (file.path.startsWith('docs/api/')) return true
  if (!file.path.endsWith('.md')) return false
  return /^\s*\|/.test(line) || /\]\([^)]*\)|https?:\/\/|<(img|source)\b/.test(line)
}

const FILES_LIMIT = 12
/** What is no code of the product: prose, golden data, styles beside a component. */
const UNCOUNTED = /\.(?:md|json|wat)$|(?:^|\/)tsconfig[^/]*$/

export const folderSize: Rule = {
  title: `no folder of src holds more than ${FILES_LIMIT} files beside tests, data and prose`,
  check(tree) {
    const counts = new Map<string, number>()
    for (const { path } of tree.files) {
      if (!path.startsWith('src/') || isTest(path) || UNCOUNTED.test(path)) continue
      const folder = path.slice(0, path.lastIndexOf('/'))
      counts.set(folder, (counts.get(folder) ?? 0) + 1)
    }
    return [...counts]
      .filter(([, count]) => count > FILES_LIMIT)
      .map(([path, count]) => {
        const message = `${count} files, limit ${FILES_LIMIT}: make rooms, join small files`
        return { path, line: 0, message }
      })
  },
}

const DRAWERS = new Set(['utils', 'util', 'common', 'helpers', 'helper', 'misc', 'lib'])

export const drawers: Rule = {
  title: 'no folder or file is a drawer named utils, common, helpers',
  check(tree) {
    const found: Violation[] = []
    for (const path of [...tree.folders, ...tree.files.map((file) => file.path)]) {
      const name = path.slice(path.lastIndexOf('/') + 1).replace(/\..*$/, '')
      const drawer = name.split('-').find((word) => DRAWERS.has(word))
      if (drawer === undefined) continue
      found.push({ path, line: 0, message: `"${drawer}" says nothing: name it after its content` })
    }
    return found
  },
}

export const fileNames: Rule = {
  title: 'code files have lower-case names, words parted by hyphens',
  check: (tree) =>
    tree.under('', ...CODE).flatMap(({ path }) => {
      const name = path.slice(path.lastIndexOf('/') + 1)
      if (/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)+$/.test(name)) return []
      return [{ path, line: 0, message: `rename ${name} to lower case with hyphens` }]
    }),
}

export const headers: Rule = {
  title: 'every source file begins with a comment that says what it is for',
  check: (tree) =>
    tree.under('src', ...CODE).flatMap((file) => {
      if (isTest(file.path) || /^(#!.*\n)?\s*(\/\*|\/\/)/.test(file.text)) return []
      const message = 'begin with a comment: what the file is for, and its document section'
      return [{ path: file.path, line: 1, message }]
    }),
}

const PROTOCOL_FILES = ['README.md', 'spec.ts', 'options.ts', 'codec.ts', 'map.ts', 'index.ts']
/** The contract fulfilled, and what else the house gets of the dialect. */
const HOUSE_FILES = ['dialect.ts', 'guest.ts']
/** What the shared suites look for: test/suites/tested.ts. */
const TEST_FILES = ['test/samples.ts', 'test/fuzz.ts', 'test/vectors.ts']
const DIALECT_FILES = [...PROTOCOL_FILES, ...HOUSE_FILES, ...TEST_FILES]

export const dialectFiles: Rule = {
  title: `a dialect's folder has ${DIALECT_FILES.join(', ')} and vectors of its name`,
  check(tree) {
    const folders = tree.folders.filter((path) => /^src\/dialects\/[^/]+$/.test(path))
    return folders.flatMap((folder) => missingIn(tree, folder))
  },
}

function missingIn(tree: Tree, folder: string): Violation[] {
  const name = folder.slice(folder.lastIndexOf('/') + 1)
  const required = [...DIALECT_FILES, `vectors/${name}.json`]
  return required
    .filter((file) => tree.read(`${folder}/${file}`) === undefined)
    .map((file) => ({ path: folder, line: 0, message: `add ${file}: every dialect has one` }))
}
