/** Series that leave a hub and come again: at every instant their whole past is there, once. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { RangeAnswer } from '../../src/http/api.ts'
import { findPast } from '../../src/http/query/range/past.ts'
import { rangeJson } from '../../src/http/query/range/range.ts'
import { parseConfig } from '../../src/hub/config/config.ts'
import { openHistory } from '../../src/hub/history/open-history.ts'
import type { ThreadHistory } from '../../src/hub/history/thread/thread-history.ts'
import type { SeriesRecord } from '../../src/hub/series/record.ts'
import { DIALECTS } from '../support/dialects.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { packet, sendUdp, seriesNamed, startHub, type TestHub, until } from '../support/hub/hub.ts'

const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const EXPIRE_S = 5

function newFolder(): string {
  const path = mkdtempSync(join(ROOT, 'pentameter-lives-'))
  after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Starts a hub on a folder, some seconds later than it was first started. */
async function start(path: string, afterS = 0, expireAfterS = EXPIRE_S): Promise<TestHub> {
  const clock = new FakeClock(new FakeClock().startMs + afterS * 1000)
  const started = await startHub({ expireAfterS }, { clock })
  const config = parseConfig({ history: { path }, expireAfterS }, DIALECTS)
  await openHistory(started.hub, config, [], () => {})
  return started
}

/** Closes a second, and waits until the history has it. */
async function second(started: TestHub, lines = ''): Promise<void> {
  const { hub, clock } = started
  if (lines !== '') await sendUdp(started, [packet(lines)])
  const history = hub.history as ThreadHistory
  const { taken } = await history.health()
  clock.advance(1000)
  await until(async () => (await history.health()).taken > taken)
}

function listed({ hub }: TestHub, name: string): SeriesRecord | undefined {
  return [...hub.series].find(({ identity }) => identity.name === name)
}

async function pastOf({ hub, clock }: TestHub, filter: string, limit = 100) {
  const nowS = Math.ceil(clock.wallMs() / 1000)
  return hub.past!.find({ filter, limit, fromS: nowS - 86_400, toS: nowS })
}

async function columnOf({ hub, clock }: TestHub, id: number, fromMs: number, stepMs: number) {
  const { window, past } = await findPast(hub, { ids: [id], fromMs, toMs: clock.wallMs(), stepMs })
  const text = [...rangeJson(hub, [id], window, past)].join('')
  const answer = JSON.parse(text) as RangeAnswer
  return { column: answer.columns[0]!, stepMs: answer.stepMs }
}

async function sumOf(started: TestHub, name: string, fromMs: number, stepMs: number) {
  const { column } = await columnOf(started, seriesNamed(started.hub, name).id, fromMs, stepMs)
  if (column.kind === 'counter') return sum(column.delta.map(Number))
  assert.ok(column.kind === 'histogram')
  return sum(column.cells.map((cell) => cell?.count ?? 0))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

test('of a counter that is no more, what counted down is taken off', async () => {
  const started = await start(newFolder())
  const { hub, clock } = started
  const { startMs } = clock
  await second(started, 'jobs:5|m\njobs:-2|m\n')
  await second(started, 'jobs:-4|m\n')
  for (let i = 0; i < EXPIRE_S + 2; i++) await second(started)
  assert.equal(listed(started, 'jobs'), undefined)
  const { series } = await pastOf(started, 'jobs')
  assert.equal(series.length, 1)
  const { column } = await columnOf(started, series[0]!.id, startMs, 1000)
  assert.ok(column.kind === 'counter')
  assert.deepEqual(column.delta.slice(0, 2), [3, -4])
  await hub.stop()
})

test('a series that expires and comes again has both its lives at once', async () => {
  const started = await start(newFolder())
  const { hub, clock } = started
  const beginMs = clock.wallMs()
  for (let i = 0; i < 4; i++) await second(started, `jobs:2|m\ntimes:${i}|h\ndepth:${i}|g\n`)
  const first = seriesNamed(hub, 'jobs').id
  for (let i = 0; i < 2 * EXPIRE_S; i++) await second(started)
  assert.equal(listed(started, 'jobs'), undefined)
  for (let i = 0; i < 3; i++) {
    await second(started, `jobs:3|m\ntimes:${i}|h\ndepth:7|g\n`)
    assert.notEqual(seriesNamed(hub, 'jobs').id, first)
    for (const stepMs of [1000, 2000, 10_000, 60_000]) {
      assert.equal(await sumOf(started, 'jobs', beginMs, stepMs), 8 + 3 * (i + 1), `${stepMs} ms`)
      assert.equal(await sumOf(started, 'times', beginMs, stepMs), 4 + i + 1)
    }
  }
  const { column } = await columnOf(started, seriesNamed(hub, 'depth').id, beginMs, 1000)
  assert.ok(column.kind === 'gauge')
  assert.deepEqual(column.value.slice(0, 4), [0, 1, 2, 3])
  assert.deepEqual(column.value.slice(-3), [7, 7, 7])
  const between = column.value.slice(4, -3)
  const held = new Array(EXPIRE_S).fill(3)
  assert.deepEqual(between, [...held, ...new Array(between.length - EXPIRE_S).fill(null)])
  // of a new one the history knows nothing: its samples below a second are told as fine as they are
  await second(started, 'new:1|g\n')
  const fine = (name: string) => columnOf(started, seriesNamed(hub, name).id, beginMs, 100)
  assert.equal((await fine('new')).stepMs, 100)
  assert.equal((await fine('depth')).stepMs, 1000)
  await hub.stop()
})

test('a clock that is set ahead or back takes nothing of the past away', async () => {
  const started = await start(newFolder())
  const { hub, clock } = started
  const beginMs = clock.wallMs()
  for (let i = 0; i < 4; i++) await second(started, 'jobs:2|m\n')
  for (let i = 0; i < 2 * EXPIRE_S; i++) await second(started)
  clock.setWall(99_000) // of which no second is known
  await second(started, 'jobs:3|m\n')
  const both = async (wanted: number): Promise<void> => {
    for (const stepMs of [1000, 10_000]) {
      assert.equal(await sumOf(started, 'jobs', beginMs, stepMs), wanted, `${stepMs} ms`)
    }
  }
  await both(11)
  clock.setWall(-114_000) // to where it came first
  for (let i = 0; i < 3; i++) await second(started, 'jobs:5|m\n')
  const { column } = await columnOf(started, seriesNamed(hub, 'jobs').id, beginMs, 1000)
  assert.ok(column.kind === 'counter')
  assert.deepEqual(column.delta.slice(0, 3), [7, 7, 7])
  await hub.stop()
})

test('at every instant a series is listed, or found as one that is no more', async () => {
  const started = await start(newFolder())
  const { hub } = started
  const look = async (isThere: boolean): Promise<void> => {
    const { series, total } = await pastOf(started, 'jobs')
    assert.deepEqual([listed(started, 'jobs') !== undefined, total], [isThere, isThere ? 0 : 1])
    assert.equal(series.length, total)
  }
  await second(started, 'jobs:2|m\nother:1|m\n')
  await look(true)
  hub.series.retire(seriesNamed(hub, 'jobs'))
  await look(false)
  for (let i = 0; i < 3; i++) {
    await second(started)
    await look(false)
  }
  await sendUdp(started, [packet('jobs:5|m\n')])
  await look(true)
  await second(started)
  await look(true)
  for (let i = 0; listed(started, 'jobs') !== undefined; i++) {
    assert.ok(i < 3 * EXPIRE_S, 'it expires')
    await second(started, 'other:1|m\n')
  }
  await look(false)
  const both = await pastOf(started, '', 1)
  assert.deepEqual([both.series.length, both.total], [1, 1], 'of one there is one')
  await hub.stop()
})

test('a counter that comes again as it is taken away is there, after a restart too', async () => {
  const path = newFolder()
  const started = await start(path)
  await second(started, 'jobs:2|m\n')
  started.hub.series.retire(seriesNamed(started.hub, 'jobs'))
  for (let i = 0; i < 3; i++) await second(started, 'jobs:5|m\n')
  assert.equal((await pastOf(started, 'jobs')).total, 0)
  await started.hub.stop()
  const next = await start(path, 5)
  const total = next.hub.total(seriesNamed(next.hub, 'jobs'))
  assert.deepEqual(total, { kind: 'counter', total: 15, decrements: 0 })
  await next.hub.stop()
})

test('after a restart counters at 0 are there, and those that came without a change', async () => {
  const path = newFolder()
  const started = await start(path)
  await second(started, 'zero:0|m\nreading:7|mr\n')
  await second(started, 'reading:9|mr\n')
  for (let i = 0; i < 2 * EXPIRE_S; i++) await second(started, 'reading:9|mr\n')
  await second(started, 'late:0|m\nreading:9|mr\n')
  await started.hub.stop()
  const names = (hub: TestHub['hub']) => {
    const others = [...hub.series].filter(({ metadata }) => metadata.dialect !== 'hub')
    return others.map(({ identity }) => identity.name).sort()
  }
  const next = await start(path, 2 * EXPIRE_S + 6)
  assert.deepEqual(names(next.hub), ['late', 'reading'], 'what is silent for long has expired')
  const total = next.hub.total(seriesNamed(next.hub, 'reading'))
  assert.deepEqual(total, { kind: 'counter', total: 2, decrements: 0 })
  await next.hub.stop()
  const third = await start(path, 5 * EXPIRE_S + 6)
  assert.deepEqual(names(third.hub), [])
  await third.hub.stop()
})

test('of the second in which a hub started again, a counter is known if it counted', async () => {
  const path = newFolder()
  const started = await start(path, 0, 60)
  const { startMs } = started.clock
  for (let i = 0; i < 2; i++) await second(started, 'jobs:2|m\nidle:2|m\n')
  await started.hub.stop()
  const next = await start(path, 4.3, 60)
  await sendUdp(next, [packet('jobs:3|m\n')])
  next.clock.advance(700)
  for (let i = 0; i < 2; i++) await second(next)
  // the hub before told its last second, the one that had begun, as well
  for (const [name, deltas] of [
    ['jobs', [2, 2, 0, null, 3, 0, 0]],
    ['idle', [2, 2, 0, null, null, 0, 0]],
  ] as const) {
    const of = (stepMs: number) => columnOf(next, seriesNamed(next.hub, name).id, startMs, stepMs)
    const { column } = await of(1000)
    assert.deepEqual(column.kind === 'counter' && column.delta, deltas, name)
    const { column: coarse } = await of(7000)
    const whole = sum(deltas.map(Number))
    assert.deepEqual(coarse.kind === 'counter' && sum(coarse.delta.map(Number)), whole)
  }
  await next.hub.stop()
})

test('what the hub tells of itself is not over because it has begun anew', async () => {
  const path = newFolder()
  for (const afterS of [0, 10, 20]) {
    const started = await start(path, afterS, 0)
    const asked = pastOf(started, '')
    await second(started)
    assert.deepEqual((await asked).series, [])
    assert.deepEqual((await pastOf(started, '')).total, 0)
    await started.hub.stop()
  }
})
