import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { collectOnce } from './collect-once.ts'

test('a thread collects once, with all that V8 can let go of, and only where it may ask', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const collect = mock.fn<NodeJS.GCFunction>()
  collectOnce(collect)
  collectOnce(undefined)
  assert.equal(collect.mock.callCount(), 0)
  t.mock.timers.tick(60_000)
  assert.deepEqual(
    collect.mock.calls.map(({ arguments: [options] }) => options),
    [{ type: 'major', execution: 'sync', flavor: 'last-resort' }],
  )
})
