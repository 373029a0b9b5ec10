import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { MinuteLog } from './minute-log.ts'

test('a message is one line a minute, which says how often it was', () => {
  const clock = new FakeClock()
  const lines: unknown[] = []
  const log = new MinuteLog(clock, (message, facts) => lines.push([message, facts]))
  for (let i = 0; i < 5; i++) log.note('refused', { address: i })
  log.note('closed')
  clock.advance(59_999)
  log.note('refused')
  assert.deepEqual(lines, [
    ['refused', { address: 0, count: 1 }],
    ['closed', { count: 1 }],
  ])
  clock.advance(1)
  log.note('refused', { address: 6 })
  assert.deepEqual(lines[2], ['refused', { address: 6, count: 6 }])
})
