import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeSeries } from '../../../test/support/series-info.ts'
import { RefusedRequest } from '../../viewer/store/hub-api.ts'
import { deletedWords, lossWords, refusalWords } from './deletion.ts'

test('what would go is said with what it has added up', () => {
  for (const [kind, current, words] of [
    ['counter', 12, 'The series goes, with its total of 12'],
    ['gauge', 12, 'The series goes, with its last value'],
    ['histogram', 1, 'The series goes, with its 1 observation'],
    ['summary', 12, 'The series goes, with its 12 observations'],
    ['gauge', null, 'The series goes'],
  ] as const) {
    assert.equal(lossWords(fakeSeries({ kind, current })), words)
  }
})

test('how many went is said, also where there was none left; what stays has not gone', () => {
  const answer = (matching: number, deleted: number, kept: number): string | undefined =>
    deletedWords('a{b=c}', { matching, deleted, kept, isDryRun: false })
  assert.equal(answer(1, 1, 0), '1 series deleted: a{b=c}')
  assert.equal(answer(0, 0, 0), '0 series deleted: a{b=c} had gone before')
  assert.equal(answer(1, 0, 1), undefined)
})

test('a refusal says why, and what was not affected', () => {
  const refused = (status: number): string =>
    refusalWords(new RefusedRequest('/api/v1/series', status, 'busy'))
  const elsewhere = 'Series can be deleted only on the machine of the hub. The series stays.'
  assert.equal(refused(403), elsewhere)
  assert.equal(refused(503), 'The hub refused: busy. The series stays.')
  assert.match(refusalWords(new TypeError('failed')), /^The hub did not answer\./)
})
