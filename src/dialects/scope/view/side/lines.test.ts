import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withAbsent } from './lines.ts'

test('a line that a link names and that is not there can be seen to be chosen', () => {
  const lines = [['current/motor', 'current/motor']] as const
  const gone = ['gone', 'gone (not there)'] as const
  assert.deepEqual(withAbsent(lines, 'gone'), [gone, ...lines])
  assert.deepEqual(withAbsent(lines, 'current/motor'), lines)
  assert.deepEqual(withAbsent([], ''), [])
})
