import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { FilterCaller } from '../../../../../test/filters/caller.ts'
import { compileFilter } from '../../../../../test/filters/compile.ts'
import { type HostileName, hostileFilter } from '../../../../../test/filters/hostile.ts'
import { Zone } from '../../../../shm/index.ts'
import { zoneSpaceSource } from '../../store/space.ts'
import { FilterModule, FilterRefusedError } from '../module/module.ts'
import { FilterThread, type FilterThreadParts } from './thread.ts'

/** Long enough for a loaded machine to make a call that returns. */
const CALL_TIMEOUT_MS = 700

async function started(
  zone: Zone,
  name: HostileName | 'raw',
  parts: Partial<FilterThreadParts> = {},
): Promise<FilterThread> {
  const bytes = name === 'raw' ? await compileFilter('raw') : await hostileFilter(name)
  const module = await FilterModule.compile(bytes)
  const space = zoneSpaceSource({ shared: zone.shared })
  return FilterThread.start(module, { name }, { space, callTimeoutMs: CALL_TIMEOUT_MS, ...parts })
}

function total(zone: Zone, key: string): bigint {
  return zone.reader().counter(zone.find(Buffer.from(key)))
}

test('a filter in its own thread answers requests and writes into the zone', async () => {
  for (const backing of ['sab', 'wasm'] as const) {
    const zone = Zone.create({ backing })
    const lines: string[] = []
    const filter = await started(zone, 'raw', { onLog: ({ text }) => lines.push(text) })
    const caller = new FilterCaller(filter)
    const outcomes = await Promise.all([caller.get(1), caller.get(1), caller.get(1)])
    assert.deepEqual(
      outcomes.map(({ value }) => value),
      [1n, 2n, 3n],
    )
    assert.equal(total(zone, 'pw.raw.a_counter'), 3n)
    await filter.close()
    assert.equal(total(zone, 'pw.raw.a_counter'), 3n)
    assert.deepEqual(lines, Array(3).fill('request is over'))
    assert.equal((await filter.request()).reason, 'filter is closed')
    const { requests, requestsFailed } = filter.statistics()
    assert.deepEqual({ requests, requestsFailed }, { requests: 4, requestsFailed: 1 })
  }
})

test('a filter that loops is ended, its totals stay, a neighbour goes on answering', async () => {
  const zone = Zone.create({ backing: 'wasm' })
  const looping = await started(zone, 'loopsLater')
  const neighbour = await started(zone, 'raw')
  for (let i = 0; i < 2; i++) assert.equal((await looping.request()).status, 200)
  const stuck = looping.request()
  const behind = looping.request()
  for (let i = 0; i < 10; i++) assert.equal((await neighbour.request()).status, 200)
  const outcome = await stuck
  assert.equal(outcome.status, 500)
  assert.equal(outcome.reason, `call into the filter took more than ${CALL_TIMEOUT_MS} ms`)
  assert.equal((await behind).status, 500)
  assert.equal(total(zone, 'pw.loopsLater.n'), 3n)
  assert.equal((await looping.request()).status, 200)
  assert.equal(total(zone, 'pw.loopsLater.n'), 4n)
  const { callTimeouts, instances, requests, requestsFailed } = looping.statistics()
  assert.deepEqual(
    { callTimeouts, instances, requests, requestsFailed },
    {
      callTimeouts: 1,
      instances: 2,
      requests: 5,
      requestsFailed: 2,
    },
  )
  assert.equal(total(zone, 'pw.raw.a_counter'), 10n)
  await Promise.all([looping.close(), neighbour.close()])
})

test('the segment of an ended thread is folded once, and leased again', async () => {
  const zone = Zone.create()
  const filter = await started(zone, 'loopsLater')
  for (let round = 1; round <= 3; round++) {
    for (let i = 0; i < 3; i++) await filter.request()
    assert.equal(total(zone, 'pw.loopsLater.n'), BigInt(3 * round))
  }
  await filter.close()
  assert.equal(total(zone, 'pw.loopsLater.n'), 9n)
})

test('a filter that loops at its start, or traps there, is refused', async () => {
  const zone = Zone.create()
  const loops = started(zone, 'loopsAtStart', { callTimeoutMs: 60 })
  await assert.rejects(loops, { name: 'FilterRefusedError', refusal: 'start_failed' })
  const traps = started(zone, 'trapsAtStart')
  await assert.rejects(traps, /did not start: unreachable/)
})

test('a space that does not open ends the thread, with the reason', async () => {
  const zone = Zone.create()
  const space = { module: 'file:///nowhere/space.ts', data: undefined }
  await assert.rejects(started(zone, 'raw', { space }), (error: unknown) => {
    assert.ok(error instanceof FilterRefusedError)
    return /nowhere/.test(error.message)
  })
})

test('requests above the limit of those that wait are answered at once', async () => {
  const zone = Zone.create()
  const filter = await started(zone, 'loops', { waitingLimit: 2, callTimeoutMs: 100 })
  const waiting = [filter.request(), filter.request()]
  const third = await filter.request()
  assert.equal(third.reason, 'too many requests wait for the filter')
  for (const outcome of await Promise.all(waiting)) assert.match(outcome.reason, /more than 100 ms/)
  await filter.close()
})

test('a filter whose calls always take too long is started again later and later', async () => {
  const zone = Zone.create()
  const pauses: number[] = []
  const onPause = (pauseMs: number) => void pauses.push(pauseMs)
  const filter = await started(zone, 'loops', { callTimeoutMs: 60, onPause })
  for (let i = 0; i < 4; i++) assert.match((await filter.request()).reason, /more than 60 ms/)
  assert.equal(pauses.length, 1)
  const { instances } = filter.statistics()
  for (let i = 0; i < 100; i++)
    assert.match((await filter.request()).reason, /^filter waits \d+ ms/)
  const after = filter.statistics()
  assert.deepEqual([after.instances, after.callTimeouts], [instances, 4])
  assert.equal(after.startsRefused, 100)
  assert.ok(filter.pauseMs > 0 && filter.pauseMs <= pauses[0]!)
  await filter.close()
})

test('what fails after a call that took too long is said until it runs again', async () => {
  const zone = Zone.create()
  const module = await FilterModule.compile(await hostileFilter('loopsLater'))
  const good = zoneSpaceSource({ shared: zone.shared })
  let isBroken = false
  const reasons: string[] = []
  const filter = await FilterThread.start(
    module,
    { name: 'f' },
    {
      space: () => (isBroken ? { module: 'file:///nowhere/space.ts', data: undefined } : good),
      callTimeoutMs: 100,
      onFailure: (reason) => void reasons.push(reason),
    },
  )
  assert.equal(filter.failure, undefined)
  for (let i = 0; i < 3; i++) await filter.request()
  assert.deepEqual(reasons, ['call into the filter took more than 100 ms'])
  isBroken = true
  await filter.request()
  assert.equal(reasons.length, 2)
  assert.match(reasons[1]!, /^it did not start: .*nowhere/)
  assert.equal(filter.failure, reasons[1])
  isBroken = false
  await filter.request()
  assert.equal(filter.failure, undefined)
  await filter.close()
  assert.equal(reasons.length, 2)
})
