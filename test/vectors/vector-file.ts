/**
 * Files of golden vectors: JSON with one array of cases per category (or one array whose cases name
 * their category). Listing a file is the test list; a new case is no code.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { respell } from '../support/codes.ts'

export interface VectorFile {
  readonly path: string
  /** Registry name of the dialect, which begins the file's name. */
  readonly dialect: string
  /** Cases by category, in the file's order. */
  readonly categories: ReadonlyMap<string, readonly VectorCase[]>
}

/** Fields by category; see `layout` or `notation` inside the file. */
export type VectorCase = Readonly<Record<string, unknown>>

/** Reads every vector file below a folder whose name begins with a known dialect, by name. */
export function readVectorFiles(folder: string, dialects: readonly string[]): VectorFile[] {
  return filesBelow(folder).flatMap((path) => {
    const name = basename(path)
    const dialect = dialects.find((each) => new RegExp(`^${each}([-._].*)?\\.json$`).test(name))
    return dialect === undefined ? [] : [readVectorFile(path, dialect)]
  })
}

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesBelow(path) : [path]
    })
}

/** @throws {SyntaxError} when the file is no JSON object */
export function readVectorFile(path: string, dialect: string): VectorFile {
  const content: unknown = JSON.parse(readFileSync(path, 'utf8'))
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new SyntaxError(`${path} holds no object of categories`)
  }
  const categories = new Map<string, VectorCase[]>()
  for (const [key, value] of Object.entries(content)) {
    if (!Array.isArray(value)) continue
    for (const each of value as unknown[]) {
      if (typeof each !== 'object' || each === null) continue
      const testCase = respell(each as VectorCase)
      const category = typeof testCase.category === 'string' ? testCase.category : key
      const cases = categories.get(category) ?? []
      cases.push(testCase)
      categories.set(category, cases)
    }
  }
  return { path, dialect, categories }
}

export function caseName(testCase: VectorCase, index: number): string {
  const name = testCase.id ?? testCase.name
  return typeof name === 'string' ? name : `#${index}`
}
