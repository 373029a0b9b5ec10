import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importWords, problemWords } from './words.ts'

const plain = (words: string): string => words.replace(/[\u202f\u00a0]/g, ' ')

test('problems of a filter are words, unknown ones and imports included', () => {
  const problems = { trap: 1, bad_call: 1200, filter_refused: 1, newer_reason: 2 }
  const unknownImports = [
    { name: 'env.quiet', calls: 0 },
    { name: 'env.asked', calls: 3 },
  ]
  const filter = { problems, unknownImports }
  const words = '1 trap, 1 200 metric calls refused, newer_reason 2'
  assert.equal(plain(problemWords(filter)), words)
  assert.equal(importWords(filter), 'not served: env.asked')
  const quiet = { problems: {}, unknownImports: [] }
  assert.deepEqual([problemWords(quiet), importWords(quiet)], ['', ''])
})
