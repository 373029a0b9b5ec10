/**
 * A hub whose history can't be opened when it starts goes on trying, and hands on what it has held;
 * so it does with what it held while the thread was away.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { HistoryStore } from '../../src/history/store.ts'
import { parseConfig } from '../../src/hub/config/config.ts'
import { openHistory } from '../../src/hub/history/open-history.ts'
import { identityKey } from '../../src/model/index.ts'
import { DIALECTS } from '../support/dialects.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { packet, sendUdp, seriesNamed, startHub, type TestHub, until } from '../support/hub/hub.ts'
import { smallDisk } from '../support/small-disk.ts'

const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const OPEN = 'the history is open now'

function newFolder(t: TestContext): string {
  const path = mkdtempSync(join(ROOT, 'pentameter-late-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

async function withHistory(path: string, clock = new FakeClock()): Promise<TestHub> {
  const to = await startHub({}, { clock })
  const config = parseConfig({ history: { path } }, DIALECTS)
  await openHistory(to.hub, config, DIALECTS, (_, message) => to.log.push(message))
  return to
}

/** Closes a second in which `a` counts 1. */
async function second(to: TestHub): Promise<void> {
  await sendUdp(to, [packet('a:1|m\n')])
  to.clock.advance(1000)
}

function own(to: TestHub, name: string): number {
  const total = to.hub.total(seriesNamed(to.hub, name))
  return total.kind === 'counter' ? Number(total.total) : Number.NaN
}

/** Lists what the history has of `a`, in the order of time, seconds without any left out. */
async function kept(to: TestHub): Promise<number[]> {
  const groups = [[identityKey(seriesNamed(to.hub, 'a').identity)]]
  const toS = Math.floor(to.clock.wallMs() / 1000)
  const range = { fromS: toS - 3600, toS, stepS: 1 }
  const { columns } = await (to.hub.history as HistoryStore).read({ groups, ...range })
  return columns[0]!.cells.flatMap((cell) => (cell?.kind === 'counter' ? Number(cell.delta) : []))
}

/** Lets seconds pass until something was logged. */
async function passUntil(to: TestHub, message: string): Promise<void> {
  for (let i = 0; !to.log.includes(message); i++) {
    assert.ok(i < 3000, message)
    await second(to)
  }
}

/** Lets a hub have its history late, and looks at what is in it then, and at the next start. */
async function opensLate(path: string, to: TestHub, reason: RegExp, mend: () => void) {
  assert.ok(to.log.includes('the hub runs without a history for now, and tries again'))
  for (let i = 0; i < 5; i++) await second(to)
  const { state, message } = to.hub.sources().history!
  assert.equal(state, 'failing')
  assert.match(message!, reason)
  mend()
  await passUntil(to, OPEN)
  for (let i = 0; i < 3; i++) await second(to)
  const count = own(to, 'a')
  await until(async () => (await kept(to)).length === count)
  assert.deepEqual(
    await kept(to),
    Array.from({ length: count }, () => 1),
  )
  assert.equal(to.hub.sources().history!.state, 'running')
  await to.hub.stop()
  const next = await withHistory(path, new FakeClock(to.clock.wallMs() + 5000))
  assert.equal(own(next, 'a'), count)
  await next.hub.stop()
}

test('a full disk at the start: it begins when there is room, and has all since', async (t) => {
  const disk = smallDisk('1m')
  if (disk === undefined) return t.skip('no file system can be mounted here')
  const ballast = join(disk, 'ballast')
  assert.throws(() => writeFileSync(ballast, new Uint8Array(2 ** 21)), { code: 'ENOSPC' })
  const path = join(disk, 'history')
  await opensLate(path, await withHistory(path), /full/, () => rmSync(ballast))
})

test('what is in the way of the folder at the start: it begins when that has gone', async (t) => {
  const path = join(newFolder(t), 'history')
  writeFileSync(path, '')
  await opensLate(path, await withHistory(path), /is no folder/, () => rmSync(path))
})

test('of a folder whose hub ends soon, only seconds that it does not have are added', async (t) => {
  const path = newFolder(t)
  const first = await withHistory(path)
  for (let i = 0; i < 5; i++) await second(first)
  const next = await withHistory(path, new FakeClock(first.clock.wallMs() - 3000))
  assert.equal(next.hub.sources().history?.state, 'off')
  for (let i = 0; i < 3; i++) await second(next)
  await first.hub.stop()
  await passUntil(next, OPEN)
  const lost = own(next, 'pentameter.history.lost')
  // the first one ended within a second, which it has, too
  assert.equal(lost, 4)
  const count = own(next, 'a')
  await until(async () => (await kept(next)).length === 5 + count - lost)
  assert.deepEqual(new Set(await kept(next)), new Set([1]), 'none is counted twice')
  await next.hub.stop()
  const last = await withHistory(path, new FakeClock(next.clock.wallMs() + 5000))
  assert.equal(own(last, 'a'), count - lost, 'those that were added late are in the total')
  await last.hub.stop()
})

test('a folder that another hub keeps is tried for less than a minute', async (t) => {
  const path = newFolder(t)
  const first = await withHistory(path)
  const next = await withHistory(path)
  await passUntil(next, 'the hub runs without a history')
  await first.hub.stop()
  for (let i = 0; i < 90; i++) await second(next)
  assert.equal(next.hub.sources().history?.state, 'off')
  assert.match(next.hub.sources().history?.message ?? '', /in use by process/)
  await next.hub.stop()
})
