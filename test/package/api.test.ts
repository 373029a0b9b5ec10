/** The reference of the package is current, and every entry shows how it is used. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { before, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type ApiEntry, examplesOf, parseDoc, readApi } from '../../tools/api-docs.ts'

const DOCS = fileURLToPath(new URL('../../tools/docs.ts', import.meta.url))

suite('the API reference', () => {
  let api: readonly ApiEntry[]

  before(() => {
    api = readApi()
  })

  test('docs/api, tables in documents and the list of exports are current', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [DOCS, '--check'], {
      encoding: 'utf8',
    })
    assert.deepEqual([status, stdout, stderr], [0, '', ''])
  })

  test('every entry says what it is for', () => {
    for (const { specifier, intro } of api) assert.notEqual(intro, '', specifier)
  })

  test('every function and class has an example that can be copied', () => {
    for (const entry of api) {
      assert.deepEqual(withoutExample(entry), [], `${entry.specifier}: write an @example`)
    }
  })

  test('every example imports the package by its name', () => {
    for (const entry of api) {
      for (const example of examplesOf(entry)) {
        const place = `${entry.specifier}:\n${example}`
        assert.match(example, /\bfrom 'pentameter(?:\/[\w/-]+)?'/, place)
        assert.doesNotMatch(example, /\bfrom '\./, place)
      }
    }
  })
})

/** Functions and classes that do not show their use. */
function withoutExample({ exports }: ApiEntry): string[] {
  return exports
    .filter(({ kind }) => kind === 'function' || kind === 'class')
    .filter(({ doc }) => parseDoc(doc).examples.length === 0)
    .map(({ name }) => name)
}
