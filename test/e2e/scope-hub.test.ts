/** The viewer of scope in the terminal, on series of a hub: from a sender to a line of a board. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { SeriesFeed } from '../../src/dialects/scope/cli/feed/series-feed.ts'
import { CallbackSource, ScopeServer } from '../../src/dialects/scope/index.ts'
import { StatsHeroClient } from '../../src/dialects/statshero/index.ts'
import { type RunningHub, startHub } from '../../src/hub/index.ts'
import { Board } from '../../src/model/board/board.ts'
import { parseHub } from '../../src/terminal/hub/address.ts'
import { systemClock } from '../../src/time/system-clock.ts'
import { FREE_PORTS } from '../support/ports.ts'

/** Waits until something is so, ten seconds at most. */
async function until(isSo: () => boolean, what: () => unknown = () => ''): Promise<void> {
  for (let turns = 0; !isSo(); turns++) {
    assert.ok(turns < 500, `${isSo} ${JSON.stringify(what())}`)
    await pause(20)
  }
}

async function hubFor(t: TestContext, config: object = {}): Promise<RunningHub> {
  const hub = await startHub({ config: { ...FREE_PORTS, ingestWorkers: 0, ...config } })
  t.after(() => hub.close())
  return hub
}

/** A board of the series of a hub that match. */
async function viewing(t: TestContext, hub: RunningHub, selector: string, intervalS = 0.02) {
  const board = new Board({ windowS: 10 })
  const address = parseHub(`127.0.0.1:${hub.addresses.http!.port}`)
  const options = { hub: address, selector, intervalS, statistics: ['p50', 'max'] as const }
  const feed = new SeriesFeed(options, board, systemClock, () => {})
  t.after(() => feed.close())
  await feed.start()
  return { board, feed }
}

test('samples of an exporter that a hub is attached to come one by one, a spike too', async (t) => {
  let calls = 0
  const values = new CallbackSource()
  values.add('motor', () => (++calls % 50 === 25 ? 100 : 1), { plot: 'current', unit: 'A' })
  const server = new ScopeServer({ source: values, port: 0 })
  await server.start()
  t.after(() => server.close())
  const attach = [`scope://127.0.0.1:${server.port}?interval=20ms`]
  const hub = await hubFor(t, { attach })
  const { board, feed } = await viewing(t, hub, 'motor')
  await until(() => board.size > 0)
  const [line] = [...board.lines]
  board.events.edit(line!.key, { above: 50 })
  await until(
    () => board.events.list.length > 0,
    () => feed.status(),
  )
  const [plot] = board.plots()
  assert.deepEqual([plot?.name, plot?.lines[0]?.about.unit], ['current', 'A'])
  assert.equal(board.events.list[0]!.value, 100)
  assert.equal(feed.status().state, 'online')
})

test('series of any dialect are lines: rates, values and statistics', async (t) => {
  const hub = await hubFor(t)
  const client = new StatsHeroClient({ host: '127.0.0.1', port: hub.addresses.text!.port })
  await client.start()
  t.after(() => client.close())
  const send = setInterval(() => {
    client.meter('shop.orders').record(2)
    client.gauge('shop.carts').record(7)
    client.histogram('shop.latency', 1).record(20)
  }, 50)
  t.after(() => clearInterval(send))
  const { board } = await viewing(t, hub, 'shop', 0.1)
  const names = ['shop.carts', 'shop.latency.max', 'shop.latency.p50', 'shop.orders']
  const shown = (): Record<string, number> => {
    return Object.fromEntries([...board.lines].map(({ name, value }) => [name, value]))
  }
  await until(() => names.every((name) => shown()[name]! > 0), shown)
  assert.equal(shown()['shop.carts'], 7)
  assert.ok(Math.abs(shown()['shop.latency.p50']! - 20) < 1)
  assert.ok(shown()['shop.orders']! > 10 && shown()['shop.orders']! < 90)
})

test('a hub that is not there is said, with what to do', async (t) => {
  const hub = await hubFor(t)
  const port = hub.addresses.http!.port
  await hub.close()
  const options = { hub: parseHub(`127.0.0.1:${port}`), selector: '', intervalS: 1, statistics: [] }
  const feed = new SeriesFeed(options, new Board(), systemClock, () => {})
  t.after(() => feed.close())
  await assert.rejects(feed.start(), /no hub answers at 127\.0\.0\.1:\d+.*\n.*pentameter serve/)
})
