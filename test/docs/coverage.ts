/**
 * What each dialect's document says, sentence by sentence, joined with the tests that show it: read
 * from `test/coverage.md` of the dialect, written as docs/coverage.md.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Kinds of sentences: what a program has to do, what says why, what shows how. */
const KINDS = ['rule', 'background', 'example'] as const

export interface Sentence {
  readonly n: number
  readonly kind: string
  /** A few of its words, to find it by. */
  readonly words: string
  /** What it means, in our words. */
  readonly says: string
  readonly tests: readonly TestReference[]
  /** Where the product does otherwise, or more, and why. */
  readonly differs: string
}

interface TestReference {
  /** File of the test, from the root; of vectors their file. */
  readonly path: string
  /** Title as its source has it; of vectors their category, or `category/case`. */
  readonly title: string
  readonly isVectors: boolean
}

/** Names of cases by category of vectors. */
type CasesByCategory = ReadonlyMap<string, ReadonlySet<string>>

export interface DocumentCoverage {
  readonly dialect: string
  /** First sentence of the file: which document it is. */
  readonly document: string
  readonly sentences: readonly Sentence[]
}

/** Reads what dialects' folders state, of those that do. */
export function readCoverage(dialects: readonly string[]): DocumentCoverage[] {
  return dialects.flatMap((dialect) => {
    const text = readFile(`src/dialects/${dialect}/test/coverage.md`)
    return text === undefined ? [] : parseCoverage(dialect, text)
  })
}

export function parseCoverage(dialect: string, text: string): DocumentCoverage {
  const document = /^Document .*$/m.exec(text)?.[0] ?? ''
  const rows = text.split('\n').filter((line) => /^\| \d/.test(line))
  return { dialect, document, sentences: rows.map((row) => sentenceOf(dialect, row)) }
}

function sentenceOf(dialect: string, row: string): Sentence {
  const cells = row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
  const [, n, kind = '', words = '', says = '', tests = '', differs = ''] = cells
  const references = tests === '' ? [] : tests.split('<br>')
  return {
    ...{ n: Number(n), kind, words, says, differs },
    tests: references.map((reference) => referenceOf(dialect, reference)),
  }
}

function referenceOf(dialect: string, text: string): TestReference {
  const at = text.indexOf(': ')
  const place = at < 0 ? text.replace(/:$/, '') : text.slice(0, at)
  const title = at < 0 ? '' : text.slice(at + 2)
  const folder = `src/dialects/${dialect}/`
  if (place === 'vectors') {
    return { path: `${folder}vectors/${dialect}.json`, title, isVectors: true }
  }
  const path = existsSync(join(ROOT, folder, place)) ? folder + place : place
  return { path, title, isVectors: false }
}

/**
 * Lists what is wrong with a document's table: a gap in the numbers, a sentence with neither test
 * nor reason, a test that is not there, a whole category of vectors as all that shows a sentence.
 * @param cases names of the vectors that are run, by category
 * @param read gives the text of a file of the tree
 */
export function coverageFaults(
  { dialect, document, sentences }: DocumentCoverage,
  cases: CasesByCategory,
  read = readFile,
): string[] {
  const faults: string[] = []
  if (document === '') faults.push(`${dialect}: no line "Document …"`)
  for (const [i, sentence] of sentences.entries()) {
    const where = `${dialect} ${sentence.n}`
    if (sentence.n !== i + 1) faults.push(`${where}: want ${i + 1}`)
    const { kind, words, says, tests } = sentence
    if (!KINDS.includes(kind as 'rule')) faults.push(`${where}: kind ${kind}`)
    if (words === '' || says === '') faults.push(`${where}: wants words, and what they say`)
    if (words.split(/\s+/).length > 8) faults.push(`${where}: quote fewer words`)
    if (kind !== 'background' && tests.length === 0 && !isLeftOut(sentence)) {
      faults.push(`${where}: neither a test nor a reason, as "not: …"`)
    }
    if (tests.length > 0 && tests.every((test) => test.isVectors && !test.title.includes('/'))) {
      faults.push(`${where}: name the case that shows it, as "vectors: category/case"`)
    }
    for (const test of tests) {
      const fault = testFault(test, cases, read)
      if (fault !== undefined) faults.push(`${where}: ${fault}`)
    }
  }
  return faults
}

/** Tells whether a sentence is stated as one that the product does not do. */
function isLeftOut({ differs }: Sentence): boolean {
  return /^not: ./.test(differs)
}

function testFault(
  { path, title, isVectors }: TestReference,
  cases: CasesByCategory,
  read: (path: string) => string | undefined,
): string | undefined {
  if (isVectors) {
    const [category, name] = title.split('/') as [string, string?]
    const names = cases.get(category)
    if (names === undefined) return `no vectors of ${category} are run`
    return name === undefined || names.has(name) ? undefined : `no case ${name} in ${category}`
  }
  const text = read(path)
  if (text === undefined) return `no file ${path}`
  return hasTest(text, title) ? undefined : `${path} has no test "${title}"`
}

/** Tells whether a call that is not skipped has this title, on its line or on the next one. */
function hasTest(text: string, title: string): boolean {
  if (title === '') return false
  const escaped = title.replaceAll('`', '\\`')
  return [title, escaped].some((wanted) => {
    const places = text.split(wanted)
    return places.slice(0, -1).some((before, i) => {
      const quote = /\b(?:test|it)\(\s*(['"`])$/.exec(before.slice(-80))?.[1]
      return quote !== undefined && places[i + 1]!.startsWith(quote)
    })
  })
}

function readFile(path: string): string | undefined {
  const file = join(ROOT, path)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

/** Writes docs/coverage.md. */
export function coveragePage(documents: readonly DocumentCoverage[]): string {
  return [
    '# What the documents say, and what shows it',
    '',
    'Every sentence of the documents that the dialects implement, by a few of its words: what it',
    'means, the tests that show it, and where the product does otherwise or more, and why. Made by',
    '`npm run docs` of `src/dialects/*/test/coverage.md`, which a test holds against the tests.',
    '',
    '| document | sentences | background | hold | hold, with a difference | left out |',
    '|---|---|---|---|---|---|',
    ...documents.map(summaryRow),
    ...documents.flatMap(section),
    '',
  ].join('\n')
}

function summaryRow({ dialect, sentences }: DocumentCoverage): string {
  const stated = sentences.filter(({ kind }) => kind !== 'background')
  const left = stated.filter(isLeftOut)
  const differing = stated.filter((each) => each.differs !== '' && !isLeftOut(each))
  const counts = [
    sentences.length,
    sentences.length - stated.length,
    stated.length - left.length - differing.length,
    differing.length,
    left.length,
  ]
  return `| [${dialect}](#${dialect}) | ${counts.join(' | ')} |`
}

function section({ dialect, document, sentences }: DocumentCoverage): string[] {
  return [
    '',
    `## ${dialect}`,
    '',
    document,
    '',
    '| | sentence | says | shown by | differs |',
    '|---|---|---|---|---|',
    ...sentences.map(({ n, kind, words, says, tests, differs }) => {
      const mark = kind === 'rule' ? '' : ` (${kind})`
      const cells = [n, `${words}${mark}`, says, tests.map(linkOf).join('<br>'), differs]
      return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
    }),
  ]
}

function linkOf({ path, title, isVectors }: TestReference): string {
  const name = isVectors ? 'vectors' : path.replace(/^.*\//, '').replace('.test.ts', '')
  return `[${name}](../${path}): ${title.replaceAll('<', '&lt;')}`
}
