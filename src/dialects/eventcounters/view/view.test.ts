import assert from 'node:assert/strict'
import { test } from 'node:test'
import { factWords, limitTitle, mergeWords } from '../../../web/sources/words.ts'
import { view } from './view.ts'

const WORDS = mergeWords([view])

test('facts of an attached endpoint say what it sends', () => {
  const facts = { state: 'online', interval: 'Interval=1', windows: 3, foreign: 1, reconnects: 0 }
  assert.equal(
    factWords({ ...facts, lastError: 'status 503' }, WORDS),
    'online, Interval=1, 3 windows, 1 window of another interval, last error: status 503',
  )
})

test('the limit of clients has a title', () => {
  assert.equal(limitTitle('eventcounters.sessionsLimit', WORDS), 'EventCounters clients')
})
