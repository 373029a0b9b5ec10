/** The thread of a history that ends by itself is started again, and no second is lost. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
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
  const own = (name: string): number => {
    const total = to.hub.total(seriesNamed(to.hub, name))
    return total.kind === 'counter' ? Number(total.total) : Number.NaN
  }
  await until(async () => (await countOf(to, 'c')) === 3)
  assert.equal(to.hub.sources().history!.state, 'running')
  assert.equal(own('pentameter.history.restarts'), 1)
  const count = own('a')
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
