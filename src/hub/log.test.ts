import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { limitLog } from './log.ts'

test('a repeated message is held back, and the next minute tells how often', () => {
  const clock = new FakeClock()
  const lines: string[] = []
  const log = limitLog((_level, message, facts) => {
    lines.push(`${message} ${JSON.stringify(facts)}`)
  }, clock)
  for (let i = 0; i < 50; i++) log('warn', 'flood', { i })
  log('warn', 'other', {})
  assert.equal(lines.length, 11)
  assert.equal(log.lost?.held_back, 40)
  clock.advance(61_000)
  log('warn', 'flood', { i: 50 })
  assert.equal(lines.at(-1), 'flood {"i":50,"heldBack":40}')
})

test('ten thousand different messages are few lines, and those known before still come', () => {
  const clock = new FakeClock()
  const lines: string[] = []
  const log = limitLog((_level, message) => void lines.push(message), clock)
  log('info', 'known')
  for (let i = 0; i < 10_000; i++) log('warn', `lying length ${i}`)
  assert.ok(lines.length <= 520, `${lines.length} lines`)
  log('info', 'known')
  assert.equal(lines.at(-1), 'known')
  clock.advance(61_000)
  log('info', 'new after a minute')
  assert.equal(lines.at(-1), 'new after a minute')
})
