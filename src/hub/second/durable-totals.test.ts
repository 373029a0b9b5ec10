import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { runNow } from '../tasks/task.ts'
import { DurableTotals } from './durable-totals.ts'

function watched() {
  const clock = new FakeClock()
  const merger = { begun: 0, firstWaiting: Number.POSITIVE_INFINITY }
  const totals = new DurableTotals(clock, merger)
  /** Ends of the waiting for the disk. */
  const disk: (() => void)[] = []
  totals.keptBy({ settled: () => new Promise((resolve) => disk.push(resolve)) })
  const told: string[] = []
  const ask = (name: string, limitMs = 5000): void => {
    void totals.reach(limitMs).then((isReached) => told.push(`${name} ${isReached}`))
  }
  /** Lists who was told since the last time. */
  const since = async (): Promise<string[]> => {
    await setImmediate()
    return told.splice(0)
  }
  const write = async (): Promise<string[]> => {
    for (const end of disk.splice(0)) end()
    return since()
  }
  return { clock, merger, totals, ask, since, write, begin: () => runNow(totals.beforeClose()) }
}

test('who asks waits for a second that is begun afterwards, and for the disk', async () => {
  const { totals, ask, since, write, begin, clock } = watched()
  ask('a')
  begin()
  ask('b')
  assert.deepEqual(await write(), [])
  totals.handedOn()
  assert.deepEqual(await since(), [], 'handed on is not durable')
  assert.deepEqual(await write(), ['a true'])
  begin()
  totals.handedOn()
  assert.deepEqual(await write(), ['b true'])
  assert.equal(clock.pending, 0)
})

test('cells of a peer that wait for their second hold those back who have read them', async () => {
  const { merger, totals, ask, write, begin } = watched()
  ask('before')
  merger.begun = 1
  merger.firstWaiting = 1
  ask('behind')
  begin()
  totals.handedOn()
  assert.deepEqual(await write(), ['before true'])
  begin()
  merger.begun = 2
  merger.firstWaiting = 2
  totals.handedOn()
  assert.deepEqual(await write(), ['behind true'])
})

test('a limit ends the waiting; at the end of the hub there is only the disk left', async () => {
  const { clock, totals, ask, since, write } = watched()
  ask('patient', 3000)
  ask('hasty', 500)
  clock.advance(500)
  assert.deepEqual(await since(), ['hasty false'])
  totals.finish()
  ask('late')
  assert.deepEqual(await since(), [])
  assert.deepEqual(await write(), ['patient true', 'late true'])
})

test('without a history nobody waits', async () => {
  const clock = new FakeClock()
  const merger = { begun: 0, firstWaiting: Number.POSITIVE_INFINITY }
  const totals = new DurableTotals(clock, merger)
  assert.equal(totals.ready(), undefined)
  assert.equal(totals.isKept, false)
  assert.equal(await totals.reach(5000), true)
  assert.equal(clock.pending, 0)
})
