/** docs/coverage.md is true: every sentence has a test that is there, or a reason. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  coverageFaults,
  coveragePage,
  type DocumentCoverage,
  parseCoverage,
  readCoverage,
} from './docs/coverage.ts'
import { REGISTERED, runnersOf } from './suites/tested.ts'
import { DIALECTS } from './support/dialects.ts'
import { caseName, readVectorFiles } from './vectors/vector-file.ts'

suite('sentences of the documents', () => {
  for (const tested of REGISTERED) {
    const { name } = tested.dialect
    test(`of ${name} each have a test that is there, or a reason`, async () => {
      const files = readVectorFiles(fileURLToPath(new URL('vectors', tested.folder)), [name])
      const cases = new Map(
        Object.keys(await runnersOf(tested)).flatMap((category) => {
          const found = files.flatMap(({ categories }) => categories.get(category) ?? [])
          return found.length === 0 ? [] : [[category, new Set(found.map(caseName))]]
        }),
      )
      for (const coverage of readCoverage([name])) {
        assert.deepEqual(coverageFaults(coverage, cases), [])
      }
    })
  }

  test('stand in docs/coverage.md as they are in the dialects', () => {
    const page = coveragePage(readCoverage(DIALECTS.map(({ name }) => name)))
    const written = readFileSync(new URL('../docs/coverage.md', import.meta.url), 'utf8')
    assert.ok(written === page, 'docs/coverage.md is not current: npm run docs')
  })
})

suite('faults that are found', () => {
  const files: Readonly<Record<string, string>> = {
    'a.test.ts': "test('it counts', () => {})\ntest(\n  'it counts in two lines',\n)",
  }
  const faultsOf = (rows: string) => {
    const coverage: DocumentCoverage = parseCoverage('none', `Document 9: x.\n\n${rows}`)
    const cases = new Map([['decode', new Set(['seed'])]])
    return coverageFaults(coverage, cases, (path) => files[path])
  }

  for (const [what, rows, fault] of [
    ['nothing', '| 1 | rule | w | s | a.test.ts: it counts | |', undefined],
    [
      'nothing, of a call in two lines',
      '| 1 | rule | w | s | a.test.ts: it counts in two lines | |',
      undefined,
    ],
    [
      'nothing, of vectors and a reason',
      '| 1 | rule | w | s | vectors: decode/seed | |\n| 2 | rule | w | s | | not: no use |',
      undefined,
    ],
    ['nothing, of background', '| 1 | background | w | s | | |', undefined],
    ['a gap', '| 2 | rule | w | s | a.test.ts: it counts | |', 'none 2: want 1'],
    [
      'a test that is gone',
      '| 1 | rule | w | s | a.test.ts: it adds | |',
      'none 1: a.test.ts has no test "it adds"',
    ],
    [
      'a part of a title',
      '| 1 | rule | w | s | a.test.ts: it | |',
      'none 1: a.test.ts has no test "it"',
    ],
    [
      'a file that is gone',
      '| 1 | rule | w | s | b.test.ts: it counts | |',
      'none 1: no file b.test.ts',
    ],
    [
      'vectors that are not run',
      '| 1 | rule | w | s | vectors: tcp/seed | |',
      'none 1: no vectors of tcp are run',
    ],
    [
      'a case that is gone',
      '| 1 | rule | w | s | vectors: decode/sed | |',
      'none 1: no case sed in decode',
    ],
    [
      'vectors without a case, and nothing else',
      '| 1 | rule | w | s | vectors: decode | |',
      'none 1: name the case that shows it, as "vectors: category/case"',
    ],
    [
      'nothing, of vectors as a whole beside a test',
      '| 1 | rule | w | s | vectors: decode<br>a.test.ts: it counts | |',
      undefined,
    ],
    [
      'a sentence alone',
      '| 1 | rule | w | s | | differs |',
      'none 1: neither a test nor a reason, as "not: …"',
    ],
    [
      'a long quotation',
      '| 1 | background | a b c d e f g h i | s | | |',
      'none 1: quote fewer words',
    ],
  ] as const) {
    test(what, () => {
      assert.deepEqual(faultsOf(rows), fault === undefined ? [] : [fault])
    })
  }
})
