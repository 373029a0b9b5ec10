/** The thread of a history that ends by itself is started again, and no second is lost. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import type { HistoryStore } from '../../src/history/store.ts'
import { parseConfig } from '../../src/hub/config/config.ts'
import { openHistory } from '../../src/hub/history/open-history.ts'
import { identityKey } from '../../src/model/index.ts'
import { DIALECTS } from '../support/dialects.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { packet, sendUdp, seriesNamed, startHub, type TestHub, until } from '../support/hub/hub.ts'

const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Threads in the order in which they are started. */
const threads: Worker[] = []
const started = (message: unknown): void => {
  threads.push((message as { worker: Worker }).worker)
}

function storeOf({ hub }: TestHub): HistoryStore {
  return hub.history as HistoryStore
}

/** Closes a second in which `a` counts 1, and whatever else is sent. */
async function second(to: TestHub, more = ''): Promise<void> {
  await sendUdp(to, [packet(`a:1|m\n${more}`)])
  to.clock.advance(1000)
}

/** Adds up what the history has of a counter. */
async function countOf(to: TestHub, name: string): Promise<number> {
  const groups = [[identityKey(seriesNamed(to.hub, name).identity)]]
  const toS = Math.floor(to.clock.wallMs() / 1000)
  const { columns } = await storeOf(to).read({ groups, fromS: toS - 7200, toS, stepS: 10 })
  return columns[0]!.cells.reduce((sum, cell) => {
    return sum + (cell?.kind === 'counter' ? Number(cell.delta) : 0)
  }, 0)
}

function counterOf({ hub }: TestHub, name: string): number {
  const total = hub.total(seriesNamed(hub, name))
  return total.kind === 'counter' ? Number(total.total) : Number.NaN
}

test('it is started again, told and counted; what came meanwhile is handed on', async (t) => {
  subscribe('worker_threads', started)
  t.after(() => unsubscribe('worker_threads', started))
  const path = mkdtempSync(join(ROOT, 'pentameter-thread-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  const to = await startHub()
  const config = parseConfig({ history: { path } }, DIALECTS)
  await openHistory(to.hub, config, DIALECTS, (_, message) => to.log.push(message))
  const durable = async (count: number): Promise<void> =>
    until(async () => (await countOf(to, 'a')) === count)
  for (let i = 0; i < 3; i++) await second(to, 'b:1|m\n')
  await durable(3)
  await threads.at(-1)!.terminate()
  const { history } = to.hub.sources()
  assert.equal(history!.state, 'failing')
  assert.match(history!.message!, /thread of the history ended/)
  // what is sent meanwhile is held, and handed on
  for (let i = 0; !to.log.includes('the thread of the history runs again'); i++) {
    assert.ok(i < 3000, 'it runs again')
    await second(to)
  }
  for (let i = 0; i < 3; i++) await second(to, 'b:1|m\nc:1|m\n')
  await until(async () => (await countOf(to, 'c')) === 3)
  assert.equal(to.hub.sources().history!.state, 'running')
  assert.equal(counterOf(to, 'pentameter.history.restarts'), 1)
  const count = counterOf(to, 'a')
  await durable(count)
  assert.equal(await countOf(to, 'b'), 6)
  await to.hub.stop()
  // the next start goes on from there: the series were the same all the time
  const next = await startHub({}, { clock: new FakeClock(to.clock.wallMs() + 5000) })
  await openHistory(next.hub, config, DIALECTS, () => {})
  const total = next.hub.total(seriesNamed(next.hub, 'a'))
  assert.deepEqual(total, { kind: 'counter', total: count, decrements: 0 })
  await next.hub.stop()
})

test('a folder that is removed or renamed under it is told, and made anew', async (t) => {
  const root = mkdtempSync(join(ROOT, 'pentameter-gone-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const path = join(root, 'history')
  const config = parseConfig({ history: { path } }, DIALECTS)
  for (const take of [
    () => rmSync(path, { recursive: true }),
    () => renameSync(path, `${path}-`),
  ]) {
    const to = await startHub()
    await openHistory(to.hub, config, DIALECTS, (_, message) => to.log.push(message))
    for (let i = 0; i < 3; i++) await second(to)
    await until(async () => (await countOf(to, 'a')) === 3)
    take()
    await second(to)
    await until(() => to.hub.sources().history?.state === 'failing')
    assert.match(to.hub.sources().history!.message!, /history was removed or renamed/)
    for (let i = 0; !to.log.includes('the thread of the history runs again'); i++) {
      assert.ok(i < 3000, 'it runs again')
      await second(to)
    }
    // all but the second that found it gone
    await until(async () => (await countOf(to, 'a')) === counterOf(to, 'a') - 4)
    assert.equal(to.hub.sources().history!.state, 'running')
    assert.equal(counterOf(to, 'pentameter.history.lost'), 1)
    await to.hub.stop()
    rmSync(path, { recursive: true })
  }
})
