import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { inTurn } from './start-turn.ts'

const skip = process.platform !== 'linux' && 'only Linux has names that go with their process'

/** Longer than a port number can be, so that no hub is met. */
const PORT = 100_000 + process.pid

test('who starts on a port is let finish before the next one begins', { skip }, async () => {
  const order: string[] = []
  const start = async (): Promise<void> => {
    order.push('begins')
    await setTimeout(1)
    order.push('ends')
  }
  await Promise.all([inTurn(PORT, start), inTurn(PORT, start), inTurn(PORT, start)])
  assert.deepEqual(order, Array(3).fill(['begins', 'ends']).flat())
})

test('on different ports hubs start at once', { skip }, async () => {
  await inTurn(PORT, () => inTurn(PORT + 1, async () => {}))
})

test('a start that fails gives its turn back', { skip }, async () => {
  const failing = inTurn(PORT, async () => {
    throw new Error('no port')
  })
  await assert.rejects(failing, /no port/)
  await inTurn(PORT, async () => {})
})
