/** The store against an invented hub, with its stream and all clocks in hand. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  counterInfo,
  createBench,
  START,
  seconds,
  started,
} from '../../../test/support/store-bench.ts'
import { RefusedRequest } from './hub-api.ts'

test('a chart that comes on screen is subscribed, and its window is read back', async (t) => {
  const bench = await started(t)
  bench.store.screen.show(1)
  await bench.pass(200)
  assert.deepEqual(bench.posts, [[1]])
  const [fill] = bench.fills()
  assert.deepEqual(fill, {
    series: [1],
    fromMs: (START - 1 - 60) * 1000,
    toMs: (START - 1) * 1000,
    stepMs: 1000,
  })
  assert.deepEqual(seconds(bench.store, 1, START - 2, 2), [100, 100])
})

test('charts of one moment share their requests', async (t) => {
  const bench = await started(t)
  bench.store.screen.show(1)
  bench.store.screen.show(2)
  await bench.pass(200)
  assert.deepEqual(bench.posts, [[1, 2]])
  assert.deepEqual(
    bench.fills().map(({ series }) => series),
    [[1, 2]],
  )
})

test('two charts of one series are one subscription until both are gone', async (t) => {
  const bench = await started(t)
  const hideFirst = bench.store.screen.show(1)
  const hideSecond = bench.store.screen.show(1)
  hideFirst()
  await bench.pass(200)
  assert.deepEqual(bench.posts.at(-1), [1])
  hideSecond()
  await bench.pass(200)
  assert.deepEqual(bench.posts.at(-1), [])
})

test('the first seconds of a newcomer are read back, later silence is a standstill', async (t) => {
  const bench = await started(t)
  bench.store.screen.show(1)
  await bench.pass(200)
  // The stream may have closed this second before it knew of the chart.
  await bench.second(START + 1, [])
  await bench.pass(100)
  assert.deepEqual(seconds(bench.store, 1, START, 2), [100, 100])
  await bench.second(START + 2, [[1, 7]])
  await bench.second(START + 3, [])
  assert.deepEqual(seconds(bench.store, 1, START + 2, 2), [7, 0])
})

test('a lost connection is retried, and what was missed is read back', async (t) => {
  const bench = await started(t)
  bench.store.screen.show(1)
  await bench.pass(200)
  await bench.second(START + 1, [])
  await bench.second(START + 2, [[1, 7]])
  await bench.pass(200)
  bench.source().onerror?.()
  assert.equal(bench.store.clock.connection.value.state, 'lost')
  await bench.pass(999)
  assert.equal(bench.opened.length, 1)
  await bench.pass(1)
  assert.deepEqual(bench.opened, [[], [1]])
  bench.source().onerror?.()
  await bench.pass(2000)
  await bench.pass(5000)
  assert.ok(bench.store.clock.edge() > START + 8, 'the picture moves on, the gap grows')
  await bench.greet()
  await bench.pass(100)
  assert.equal(bench.store.clock.connection.value.state, 'live')
  const before = bench.fills().at(-1)!
  assert.equal(before.fromMs, (START + 2) * 1000)
  await bench.second(START + 10, [])
  await bench.second(START + 11, [[1, 8]])
  await bench.second(START + 12, [[1, 9]])
  await bench.pass(100)
  const known = seconds(bench.store, 1, START + 2, 11)
  assert.ok(
    known.every((value) => !Number.isNaN(value)),
    known.join(),
  )
  assert.deepEqual([known[0], known[10]], [7, 9])
})

test('a stream that falls silent is taken for lost', async (t) => {
  const bench = await started(t)
  await bench.pass(5999)
  assert.equal(bench.store.clock.connection.value.state, 'live')
  await bench.pass(1)
  assert.equal(bench.store.clock.connection.value.state, 'lost')
  assert.ok(bench.source().isClosed)
})

test('a connection is lost since the last that was heard, however late it is known', async (t) => {
  const bench = await started(t)
  await bench.second(START + 1, [])
  const heardMs = Date.now()
  await bench.pass(6000)
  const connection = bench.store.clock.connection.value
  assert.equal(connection.state === 'lost' && connection.sinceMs, heardMs)
})

test('a stream that cannot be read is lost, and opened anew', async (t) => {
  const bench = await started(t)
  const source = bench.source()
  source.sendText('cells', '{"endMs": 17')
  assert.equal(bench.store.clock.connection.value.state, 'lost')
  assert.ok(source.isClosed)
  await bench.pass(1000)
  assert.notEqual(bench.source(), source)
  await bench.greet()
  assert.equal(bench.store.clock.connection.value.state, 'live')
})

test('an answer that never comes does not keep the next stream from its series', async (t) => {
  const bench = await started(t)
  bench.setGate = new Promise(() => {})
  bench.store.screen.show(1)
  await bench.pass(200)
  assert.deepEqual(bench.posts, [[1]])
  bench.source().onerror?.()
  await bench.pass(1000)
  bench.source().send('hello', { stream: 'b', version: '0', startId: 'start 1', nowMs: Date.now() })
  await bench.pass(0)
  bench.setGate = undefined
  bench.store.screen.show(2)
  await bench.pass(200)
  assert.deepEqual(bench.posts.at(-1), [1, 2])
  assert.ok(bench.store.carries(2))
})

test('a list that did not come while the stream goes on is asked for again', async (t) => {
  const bench = createBench(t)
  bench.refusal = new DOMException('no answer in time', 'TimeoutError')
  bench.store.start()
  await bench.pass(0)
  await bench.greet()
  await bench.pass(1000)
  bench.refusal = undefined
  for (let second = START + 2; second <= START + 9; second += 1) await bench.second(second, [])
  assert.ok(bench.store.catalogue.get(1))
})

test('a paused picture stands while the reading goes on', async (t) => {
  const bench = await started(t)
  bench.store.screen.show(1)
  await bench.pass(200)
  await bench.second(START + 1, [])
  await bench.second(START + 2, [[1, 7]])
  await bench.pass(100)
  bench.store.pause()
  const edge = bench.store.clock.edge()
  await bench.second(START + 3, [[1, 8]])
  assert.equal(bench.store.clock.edge(), edge)
  assert.ok(Number.isNaN(seconds(bench.store, 1, START + 3, 1)[0]!))
  bench.store.resume()
  assert.equal(bench.store.clock.edge(), START + 3)
  assert.deepEqual(seconds(bench.store, 1, START + 2, 2), [7, 8])
})

test('a picture held in the past is read from history', async (t) => {
  const bench = await started(t)
  const at = START - 3000
  bench.store.pause(at)
  bench.store.screen.show(1)
  await bench.pass(200)
  assert.deepEqual(bench.fills()[0], {
    series: [1],
    fromMs: (at - 60) * 1000,
    toMs: at * 1000,
    stepMs: 1000,
  })
  assert.deepEqual(seconds(bench.store, 1, at - 1, 2), [100, 100])
  assert.equal(bench.store.clock.edge(), at)
})

test('a held picture that is moved reads what it lacks, also of a move meanwhile', async (t) => {
  const bench = await started(t)
  bench.store.screen.show(1)
  await bench.pass(60)
  bench.store.pause(START - 100)
  bench.store.pause(START - 130)
  await bench.pass(60)
  assert.equal(bench.fills().at(-1)?.fromMs, (START - 190) * 1000)
  const count = bench.fills().length
  let answer = (): void => {}
  bench.gate = new Promise((resolve) => {
    answer = resolve
  })
  bench.store.pause(START - 140)
  await bench.pass(60)
  bench.store.pause(START - 150)
  await bench.pass(60)
  bench.gate = undefined
  answer()
  await bench.pass(60)
  await bench.pass(60)
  const spans = bench.fills().slice(count)
  assert.deepEqual(
    spans.map(({ fromMs, toMs }) => [fromMs / 1000 - START, toMs / 1000 - START]),
    [
      [-200, -190],
      [-210, -200],
    ],
  )
  assert.equal(
    seconds(bench.store, 1, START - 209, 60).every((rate) => rate === 100),
    true,
  )
})

test('a long window asks for few series at a time', async (t) => {
  const bench = await started(t)
  bench.list = Array.from({ length: 20 }, (_, i) => counterInfo(i + 1))
  await bench.store.deleteSeries(20)
  await bench.pass(0)
  bench.store.setWindow(1200)
  for (let id = 1; id <= 19; id += 1) bench.store.screen.show(id)
  await bench.pass(60)
  const asked = bench.fills().filter(({ fromMs, toMs }) => toMs - fromMs === 1_200_000)
  assert.equal(asked.flatMap(({ series }) => series).length, 19)
  assert.ok(asked.every(({ series }) => series.length <= 5))
})

test('a longer window reads back only what it lacks', async (t) => {
  const bench = await started(t)
  bench.store.screen.show(1)
  await bench.pass(200)
  bench.store.setWindow(300)
  await bench.pass(200)
  assert.equal(bench.fills().length, 2)
  bench.store.setWindow(60)
  await bench.pass(200)
  assert.equal(bench.fills().length, 2)
})

test('an id that means another series after a restart of the hub loses its past', async (t) => {
  const bench = await started(t)
  bench.store.screen.show(1)
  await bench.pass(200)
  assert.equal(seconds(bench.store, 1, START - 2, 1)[0], 100)
  bench.list = [counterInfo(1, 'another'), counterInfo(2)]
  await bench.tell(2)
  assert.equal(bench.store.catalogue.get(1)?.text, 'another')
  assert.equal(bench.store.data(1)?.at('rate', START - 2) ?? Number.NaN, Number.NaN)
})

test('after a restart of the hub every series keeps its points, under its new id', async (t) => {
  const bench = await started(t)
  bench.store.screen.show(1)
  bench.store.screen.show(2)
  await bench.pass(200)
  for (const at of [1, 2, 3])
    await bench.second(START + at, [
      [1, 7],
      [2, 9],
    ])
  await bench.pass(200)
  bench.source().onerror?.()
  bench.list = [counterInfo(1, 'c2')]
  await bench.pass(1000)
  await bench.greet()
  const back = bench.store.catalogue.find('c2')!
  const away = bench.store.catalogue.find('c1')!
  assert.equal(back.id, 1)
  assert.deepEqual(seconds(bench.store, back.id, START + 2, 2), [9, 9])
  assert.deepEqual(seconds(bench.store, away.id, START + 2, 2), [7, 7])
  bench.list = [counterInfo(1, 'c2'), counterInfo(2, 'c1')]
  await bench.tell(2)
  assert.deepEqual(seconds(bench.store, 2, START + 2, 2), [7, 7])
  assert.ok(bench.store.catalogue.entries.every(({ id }) => id > 0))
})

test('a list of a new hub that is read ahead of its greeting ends no series', async (t) => {
  const bench = await started(t)
  bench.store.screen.show(1)
  await bench.pass(1000)
  await bench.second(START + 1, [[1, 7]])
  bench.revision = 2
  bench.source().send('series', { revision: 2, total: 1 })
  bench.source().onerror?.()
  bench.list = [counterInfo(1, 'c2')]
  const lists = bench.lists.length
  await bench.pass(700)
  await bench.pass(700)
  assert.ok(bench.lists.slice(lists).some(({ after, ids }) => after === 0 && ids === undefined))
  await bench.pass(1000)
  await bench.greet()
  const away = bench.store.catalogue.find('c1')!
  assert.deepEqual(seconds(bench.store, away.id, START + 1, 1), [7])
})

test('until the list of a new hub is read its cells are not taken for old series', async (t) => {
  const bench = await started(t)
  bench.store.screen.show(1)
  await bench.pass(200)
  bench.source().onerror?.()
  await bench.pass(1000)
  bench.list = [counterInfo(1, 'other')]
  const asked = bench.fills().length
  const times = { nowMs: Date.now(), intervalMs: 1000, staleAfterMs: 300_000, windowMaxMs: 600_000 }
  bench.source().send('hello', { stream: 'b', version: '0', ...times })
  const quiet = { gauges: [], histograms: [], summaries: [] }
  const end = START + 1
  const event = { endMs: end * 1000, intervalMs: 1000, counters: [[1, 5]], ...quiet }
  bench.source().send('cells', event, end * 1000)
  assert.equal(bench.fills().length, asked)
  await bench.pass(0)
  const old = bench.store.catalogue.find('c1')!
  assert.deepEqual(seconds(bench.store, old.id, START - 2, 1), [100])
  assert.deepEqual(seconds(bench.store, old.id, end, 1), [Number.NaN])
})

test('what a restarted hub never hears of again leaves when it is stale', async (t) => {
  const bench = await started(t)
  // the list that is read anew behind the first hello
  await bench.pass(1000)
  bench.source().onerror?.()
  bench.list = []
  await bench.pass(1000)
  await bench.greet()
  assert.equal(bench.store.catalogue.entries.length, 2)
  for (let at = 2; at <= 340; at += 1) await bench.second(START + at, [])
  assert.equal(bench.store.catalogue.entries.length, 0)
})

test('silence is measured from the newest of list and stream', async (t) => {
  const bench = await started(t)
  bench.store.screen.show(1)
  await bench.pass(200)
  await bench.second(START + 2, [[1, 7]])
  assert.equal(bench.store.lastDataMs(1), (START + 2) * 1000)
  assert.ok(!bench.store.isStale(1))
  for (let at = 3; at <= 310; at += 1) await bench.second(START + at, [])
  assert.ok(bench.store.isStale(1))
})

test('a deleted series leaves the list at once, without news from the stream', async (t) => {
  const bench = await started(t)
  // The list that a first stream asks for has been read.
  await bench.pass(200)
  const { deleted } = await bench.store.deleteSeries(1)
  assert.equal(deleted, 1)
  await bench.pass(0)
  assert.deepEqual(
    bench.store.catalogue.entries.map(({ id }) => id),
    [2],
  )
})

test('a hub that refuses its list is asked again when it says; why is told', async (t) => {
  const bench = createBench(t)
  const { catalogue } = bench.store
  bench.refusal = new RefusedRequest('/api/v1/series', 503, 'short of memory', 10_000)
  bench.store.start()
  await bench.pass(0)
  assert.equal(catalogue.refusal.value, 'short of memory')
  assert.ok(!catalogue.isLoaded)
  await bench.greet()
  bench.refusal = undefined
  await bench.pass(9000)
  assert.ok(!catalogue.isLoaded)
  await bench.pass(1000)
  assert.equal(catalogue.refusal.value, undefined)
  assert.equal(catalogue.entries.length, 2)
})

test('a hub that was started anew is told apart from one that was away', async (t) => {
  const bench = await started(t)
  assert.equal(bench.store.restartedMs.value, undefined)
  await bench.greet()
  assert.equal(bench.store.restartedMs.value, undefined)
  await bench.greet('start 2')
  assert.equal(bench.store.restartedMs.value, Date.now())
})
