/** Deletions as work that any caller may ask for: few at once, and in turns. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeHubView } from '../../../test/support/hub/fake-hub-view.ts'
import { RoundRobin } from '../../hub/tasks/round-robin.ts'
import type { HttpError } from '../http-error.ts'
import { Deletions } from './deletion.ts'

test('a ninth deletion is refused while eight are under way, each in turns', async () => {
  const hub = new FakeHubView()
  for (let i = 0; i < 1000; i++) hub.add({ name: `${'a'.repeat(100)}${i}`, kind: 'gauge' })
  const loops: (() => void)[] = []
  // every look at the clock takes a millisecond
  let nowNs = 0n
  const clock = { monotonicNs: () => (nowNs += 1_000_000n) }
  const nextLoop = (callback: () => void): void => void loops.push(callback)
  const turns = new RoundRobin(clock, { budgetNs: 8_000_000n, turnNs: 4_000_000n, nextLoop })
  const deletions = new Deletions(hub, turns)
  const deletion = { name: `*${'a'.repeat(50)}b*`, dryRun: true }
  const running = Array.from({ length: 8 }, () => deletions.run(deletion))
  await assert.rejects(deletions.run(deletion), (error: HttpError) => error.status === 503)
  let count = 0
  for (; loops.length > 0; count++) {
    loops.shift()!()
    await new Promise(setImmediate)
  }
  // 1000 names, 19 of them between two looks, four looks in a turn
  assert.ok(count > 50, `${count} turns`)
  for (const each of running) assert.equal((await each).matching, 0)
  assert.ok((await Promise.race([deletions.run(deletion), 'begun'])) === 'begun')
})
