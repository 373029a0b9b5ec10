/**
 * A hub process that is stopped and goes on, while it is sent to, with a viewer as `top` is one:
 * each total that is shown for a second is what the hub had counted up to its end.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { parseHub } from '../../src/terminal/hub/address.ts'
import { HttpConnection } from '../../src/terminal/hub/connection.ts'
import { contextOf } from '../../src/terminal/top/list.ts'
import { readSeries } from '../../src/viewer/series/reading.ts'
import { createHubApi } from '../../src/viewer/store/hub-api.ts'
import { Store } from '../../src/viewer/store/store.ts'
import { packet } from '../support/hub/hub.ts'
import { type HubProcess, startHubProcess } from '../support/hub/hub-process.ts'

const NAME = 'paused.orders'
/** Time for which the hub stands still: longer than a tick may be late. */
const STOPPED_MS = 3500

/** Sends one order after another. @returns a function that ends it, and tells how many it were */
async function sendOrders(t: TestContext, hub: HubProcess): Promise<() => number> {
  const socket = connect(hub.listeners.text.port, '127.0.0.1')
  await once(socket, 'connect')
  let sent = 0
  const timer = setInterval(() => {
    socket.write(packet(`${NAME}:1|m\n`))
    sent++
  }, 20)
  t.after(() => {
    clearInterval(timer)
    socket.destroy()
  })
  return () => {
    clearInterval(timer)
    return sent
  }
}

async function turn(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await setTimeout(20)
}

test('behind a standstill no total is ahead of what was counted', async (t) => {
  const hub = await startHubProcess('serve')
  t.after(() => hub.stop())
  const finish = await sendOrders(t, hub)
  const address = parseHub(`127.0.0.1:${hub.listeners.http.port}`)
  const api = createHubApi(new HttpConnection(address!))
  const store = new Store(api)
  store.start()
  t.after(() => store.stop())

  const entryOf = () => store.catalogue.entries.find(({ info }) => info.name === NAME)
  await turn(() => entryOf() !== undefined)
  const { id } = entryOf()!
  store.screen.show(id)

  const shown = new Map<number, Set<string>>()
  const look = (): void => {
    const second = store.clock.readingSecond()
    const context = contextOf(store, store.catalogue.get(id)!, second, true)
    const { sub } = readSeries(store.readings(id, false), context)
    if (sub.startsWith('total ')) shown.set(second, (shown.get(second) ?? new Set()).add(sub))
  }
  for (const changes of [store.clock.tick, store.cache.version]) t.after(changes.subscribe(look))

  /** Reads the series anew, again and again, until so many more seconds have a total. */
  const readFor = async (seconds: number): Promise<void> => {
    const until = shown.size + seconds
    while (shown.size < until) {
      const end = store.follow(id)
      await setTimeout(70)
      end()
    }
  }
  await readFor(2)
  hub.signal('SIGSTOP')
  await setTimeout(STOPPED_MS)
  hub.signal('SIGCONT')
  await readFor(3)

  const sent = finish()
  const listed = async () => (await api.listSeries({ ids: [id] })).series[0]!
  let last = await listed()
  for (; Number(last.current) < sent; last = await listed()) await setTimeout(50)
  assert.equal(last.current, sent)

  const [from, to] = [Math.min(...shown.keys()), last.lastDataMs / 1000]
  const asked = { series: [id], fromMs: from * 1000, toMs: to * 1000, stepMs: 1000 }
  const [column] = (await api.range(asked)).columns
  assert.ok(column?.kind === 'counter')
  for (const [second, lines] of shown) {
    const later: number[] = column.delta.slice(second - from).map(Number)
    const total: number = sent - later.reduce((sum, delta) => sum + delta, 0)
    const plain = [...lines].map((line) => line.replace(/\D/g, ''))
    assert.deepEqual(plain, [`${total}`], `at second ${second - from}`)
  }
})
