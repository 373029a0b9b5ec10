import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { EventReader } from '../../../../test/support/http-client.ts'
import { seriesNamed, until } from '../../../../test/support/hub/hub.ts'
import { histogramFacts } from '../../../../test/support/threads/shm.ts'
import type { Sink } from '../../../hub/sinks/sinks.ts'
import { Histogram } from '../../../model/index.ts'
import {
  addressOf,
  attached,
  cellOf,
  count,
  factsOf,
  observe,
  observeWindow,
  type ServedHub,
  second,
  servedHub,
  set,
  stateOf,
  summarize,
  totalOf,
} from './hubs.ts'

/** Time at which clocks of tests begin. */
const START_MS = new FakeClock().startMs

/** Two hubs with senders, and one that is attached to both. */
async function three(options: Record<string, unknown> = {}, queries: readonly string[] = ['', '']) {
  const clock = new FakeClock()
  const b = await servedHub({}, clock)
  const c = await servedHub({}, clock)
  const attach = [addressOf(b, queries[0]), addressOf(c, queries[1])]
  const a = await servedHub({ attach, ...options }, clock)
  await attached(a, b, c)
  return { clock, a, b, c }
}

function deltaOf(hub: ServedHub, name: string, endMs?: number): unknown {
  const cell = cellOf(hub, name, endMs)
  return cell?.kind === 'counter' ? cell.delta : undefined
}

function sumOf(hub: ServedHub, name: string): unknown {
  const total = totalOf(hub, name)
  return total.kind === 'counter' ? total.total : undefined
}

/** Compares what a list tells with the cells so far. @returns whether the zone has more */
function checkTold(hub: ServedHub): boolean {
  const record = [...hub.hub.series].find(({ identity }) => identity.name === 'requests')
  if (record?.kind !== 'counter') return false
  const { told, live } = hub.hub
  const frames = live.between(0, Number.POSITIVE_INFINITY)
  const cells = frames.map((frame) => Number(deltaOf(hub, 'requests', frame.endMs) ?? 0))
  const sum = cells.reduce((all, each) => all + each, 0)
  assert.equal(told.of(record), sum)
  return Number(sumOf(hub, 'requests')) > sum
}

suite('seconds of hubs that are attached', () => {
  test('a counter is the sum of all hubs in the second in which each counted', async () => {
    const { clock, a, b, c } = await three()
    count(a, 'requests', 1)
    count(b, 'requests', 20)
    count(c, 'requests', 300)
    const endMs = await second(clock, a, b, c)
    assert.equal(deltaOf(a, 'requests', endMs), 321)
    assert.equal(sumOf(a, 'requests'), 321)
    count(b, 'requests', 5)
    await second(clock, a, b, c)
    assert.deepEqual([deltaOf(a, 'requests'), sumOf(a, 'requests')], [5, 326])
    await second(clock, a, b, c)
    assert.deepEqual([cellOf(a, 'requests'), sumOf(a, 'requests')], [undefined, 326])
    assert.equal(deltaOf(b, 'requests', endMs), 20)
  })

  test('a list has no second before it is handed on, whichever hubs have told of it', async () => {
    const { clock, a, b, c } = await three()
    let isAhead = false
    for (let i = 1; i <= 5; i++) {
      for (const [n, hub] of [a, b, c].entries()) count(hub, 'requests', i * 10 ** n)
      const endMs = clock.wallMs() + 1000
      clock.advance(1000)
      await until(() => {
        isAhead ||= checkTold(a)
        return a.hub.told.endMs === endMs
      })
    }
    checkTold(a)
    assert.equal(sumOf(a, 'requests'), 15 * 111)
    assert.ok(isAhead, 'cells of a hub were in the total before they were handed on')
  })

  test('integers beyond 2^53 and negative increments arrive to the unit', async () => {
    const { clock, a, b, c } = await three()
    count(b, 'bytes', 2n ** 60n + 1n)
    count(c, 'bytes', 2)
    count(c, 'depth', 7)
    count(c, 'depth', -3)
    await second(clock, a, b, c)
    assert.equal(deltaOf(a, 'bytes'), 2n ** 60n + 3n)
    const depth = totalOf(a, 'depth')
    assert.ok(depth.kind === 'counter')
    assert.deepEqual([depth.total, depth.decrements], [7, 3])
  })

  test('histograms, of lines and of windows, are those of all observations', async () => {
    const { clock, a, b, c } = await three()
    const all = new Histogram()
    const values = [
      [0.5, 3, 3000],
      [1e-3, 7],
      [12, 1e6, 13.25],
    ] as const
    for (const [i, hub] of [a, b, c].entries()) {
      for (const value of values[i] ?? []) all.record(value)
      observe(hub, 'latency', values[i] ?? [])
      observeWindow(hub, 'window', values[i] ?? [])
    }
    await second(clock, a, b, c)
    for (const name of ['latency', 'window']) {
      const cell = cellOf(a, name)
      const total = totalOf(a, name)
      assert.ok(cell?.kind === 'histogram' && total.kind === 'histogram')
      assert.deepEqual(
        histogramFacts(cell.histogram),
        histogramFacts(all.atScale(cell.histogram.scale)),
      )
      const { count: observed, sum } = total.histogram
      assert.deepEqual([observed, sum], [all.count, all.sum])
    }
  })

  test('summaries are merged, and a gauge has the value that came last', async () => {
    const { clock, a, b, c } = await three()
    summarize(b, 'size', 2)
    summarize(c, 'size', 6)
    set(b, 'level', 1)
    await second(clock, a, b, c)
    const size = cellOf(a, 'size')
    assert.ok(size?.kind === 'summary')
    assert.deepEqual(size.summary, { count: 2, mean: 4, squares: 8, min: 2, max: 6 })
    set(a, 'level', 5)
    await second(clock, a, b, c)
    assert.deepEqual(totalOf(a, 'level'), { kind: 'gauge', value: 5 })
    set(c, 'level', 3)
    await second(clock, a, b, c)
    assert.deepEqual(totalOf(a, 'level'), { kind: 'gauge', value: 3 })
    const level = cellOf(a, 'level')
    assert.ok(level?.kind === 'gauge' && level.value === 3)
    await second(clock, a, b, c)
    assert.equal(cellOf(a, 'level'), undefined, 'no second tells of it again')
  })

  test('a series stays what it is: dialect, unit, words; its source is the hub', async () => {
    const { clock, a, b, c } = await three()
    set(b, 'level', 1)
    await second(clock, a, b, c)
    const { metadata, source, identity } = seriesNamed(a.hub, 'level')
    assert.deepEqual(metadata, seriesNamed(b.hub, 'level').metadata)
    assert.deepEqual([identity.labels, source], [[], `127.0.0.1:${b.port}`])
    const names = [...a.hub.series].filter((each) => each.source.endsWith(`:${b.port}`))
    assert.deepEqual(
      names.map((each) => each.identity.name),
      ['level'],
      'nothing of what the hub says of itself',
    )
  })

  test('with ?hub=NAME series of hubs are apart by that label', async () => {
    const { clock, a, b, c } = await three({}, ['?hub=east', ''])
    count(b, 'requests', 1)
    count(c, 'requests', 2)
    await second(clock, a, b, c)
    const found = [...a.hub.series].filter(({ identity }) => identity.name === 'requests')
    const told = found.map((record) => [record.identity.labels, a.hub.total(record)])
    assert.deepEqual(told, [
      [[['hub', 'east']], { kind: 'counter', total: 1, decrements: 0 }],
      [[], { kind: 'counter', total: 2, decrements: 0 }],
    ])
  })

  test('hubs that are attached to each other show the same, and nothing comes round', async () => {
    const clock = new FakeClock()
    const port = 20_000 + (process.pid % 20_000)
    const a = await servedHub({ attach: [`pentameter://127.0.0.1:${port}`] }, clock)
    const b = await servedHub({ attach: [addressOf(a)] }, clock, port)
    await attached(a, b)
    await attached(b, a)
    for (let round = 1; round <= 3; round++) {
      count(a, 'requests', 1)
      count(b, 'requests', 10)
      await second(clock, a, b)
      assert.deepEqual([sumOf(a, 'requests'), sumOf(b, 'requests')], [11 * round, 11 * round])
    }
  })

  test('a hub is not attached to itself nor twice to another, and says so', async () => {
    const clock = new FakeClock()
    const b = await servedHub({}, clock)
    const attach = [addressOf(b), `pentameter://localhost:${b.port}`]
    const a = await servedHub({ attach }, clock)
    const messages = () => (a.hub.sources().peers ?? []).map(({ message }) => message ?? '')
    await until(() => messages().some((each) => /hub_twice: it is attached already/.test(each)))
    count(b, 'requests', 7)
    await second(clock, a, b)
    assert.equal(sumOf(a, 'requests'), 7)
  })
})

suite('a hub whose clock is off', () => {
  for (const [byMs, shiftMs, told] of [
    [-3200, 3000, '3 s behind'],
    [-400, 0, undefined],
    [2600, -2000, '2 s ahead'],
  ] as const) {
    test(`by ${byMs} ms: its seconds are moved by ${shiftMs} ms, and it is said`, async () => {
      const [clock, other] = [new FakeClock(), new FakeClock(START_MS + byMs)]
      const b = await servedHub({}, other)
      const a = await servedHub({ attach: [addressOf(b)] }, clock)
      await attached(a, b)
      for (let passed = 0; passed < 4500; passed += 100) {
        if (passed === 1500) count(b, 'requests', 5)
        clock.advance(100)
        other.advance(100)
        await new Promise((resolve) => setImmediate(resolve))
      }
      const { id } = seriesNamed(b.hub, 'requests')
      const counted = b.hub.live.since(0).find((frame) => frame.row(id, 'counter') >= 0)
      const endMs = (counted?.endMs ?? 0) + shiftMs
      await until(() => deltaOf(a, 'requests', endMs) === 5)
      assert.equal(factsOf(a, b).clock, told)
      assert.equal(sumOf(a, 'requests'), 5)
    })
  }
})

suite('where merged seconds are seen', () => {
  test('the live stream of a page has the sum of all hubs', async () => {
    const { clock, a, b, c } = await three()
    count(b, 'requests', 1)
    await second(clock, a, b, c)
    const { id } = seriesNamed(a.hub, 'requests')
    const stream = await EventReader.open(a.port, `/api/v1/live?series=${id}`)
    await stream.next('hello')
    count(b, 'requests', 20)
    count(c, 'requests', 300)
    await second(clock, a, b, c)
    const { data } = await stream.next<{ counters: unknown }>('cells')
    assert.deepEqual(data.counters, [[id, 320]])
    stream.incoming.destroy()
  })

  test('late seconds go to those who keep seconds as parts of theirs, ten in each', async () => {
    const clock = new FakeClock()
    const b = await servedHub({}, clock)
    const late: number[] = []
    const sink: Sink = {
      name: 'kept',
      *deliver() {},
      *late({ endMs, seconds, cellCount }) {
        assert.deepEqual([seconds, cellCount], [0, 1])
        late.push(endMs)
        yield
      },
      async close() {},
    }
    const a = await servedHub({ attach: [addressOf(b)], hostMetricsIntervalS: 0 }, clock)
    a.hub.addSink(sink)
    await attached(a, b)
    await b.stopDoor()
    await until(() => stateOf(a, b).state === 'lost')
    const ends: number[] = []
    for (let i = 0; i < 25; i++) {
      count(b, 'requests', 1)
      ends.push(await second(clock, a, b))
    }
    await b.openDoor(b.port)
    await attached(a, b)
    await until(() => sumOf(a, 'requests') === 25)
    for (const kept of [10, 20, 25]) {
      await second(clock, a, b)
      await until(() => late.length >= kept)
      assert.deepEqual(late, ends.slice(0, kept))
    }
    assert.deepEqual(
      ends.map((endMs) => deltaOf(a, 'requests', endMs)),
      ends.map(() => 1),
    )
  })

  test('of the time in which this hub stood still, seconds of others come late', async () => {
    const [there, here] = [new FakeClock(), new FakeClock()]
    const b = await servedHub({}, there)
    const a = await servedHub({ attach: [addressOf(b)], hostMetricsIntervalS: 0 }, here)
    const late: number[] = []
    a.hub.addSink({
      name: 'kept',
      *deliver() {},
      *late({ endMs }) {
        late.push(endMs)
        yield
      },
      async close() {},
    })
    await attached(a, b)
    const both = async (): Promise<number> => {
      const endMs = there.wallMs() + 1000
      there.advance(1000)
      here.advance(1000)
      await until(() => a.hub.live.newest?.endMs === endMs)
      return endMs
    }
    count(b, 'requests', 1)
    await both()
    const ends: number[] = []
    for (let i = 2; i <= 6; i++) {
      count(b, 'requests', i)
      there.advance(1000)
      here.pass(1000)
      ends.push(there.wallMs())
      await until(() => sumOf(a, 'requests') === (i * (i + 1)) / 2)
    }
    here.advance(0)
    count(b, 'requests', 100)
    assert.equal(deltaOf(a, 'requests', await both()), 100)
    await both()
    await until(() => late.length === ends.length)
    assert.deepEqual(late, ends)
    assert.equal(sumOf(a, 'requests'), 121)
  })
})

suite('a hub that goes and comes', () => {
  test('is missed by nothing while it lives, whatever becomes of the connection', async () => {
    const { clock, a, b, c } = await three()
    count(b, 'requests', 1)
    await second(clock, a, b, c)
    const port = b.port
    await b.stopDoor()
    await until(() => stateOf(a, { port }).state === 'lost')
    for (let i = 0; i < 3; i++) {
      count(b, 'requests', 10)
      await second(clock, a, c)
    }
    assert.equal(sumOf(a, 'requests'), 1)
    const ends = b.hub.live.since(0).map(({ endMs }) => endMs)
    await b.openDoor(port)
    await attached(a, b)
    await until(() => sumOf(a, 'requests') === 31)
    await second(clock, a, b, c)
    assert.deepEqual(
      ends.map((endMs) => deltaOf(a, 'requests', endMs)),
      [1, 10, 10, 10],
      'each in its own second',
    )
    const { late, lost } = factsOf(a, b)
    assert.deepEqual([late, lost], [3, 0])
  })

  test('counts on when it is started anew, and the sum is that of all its seconds', async () => {
    const clock = new FakeClock()
    let b = await servedHub({}, clock)
    const { port } = b
    const a = await servedHub({ attach: [addressOf(b)] }, clock)
    await attached(a, b)
    let sum = 0
    for (let start = 0; start < 4; start++) {
      for (let i = 1; i <= 3; i++) {
        count(b, 'requests', i)
        sum += i
        await second(clock, a, b)
      }
      assert.equal(sumOf(a, 'requests'), sum)
      await b.stop()
      await until(() => stateOf(a, { port }).state === 'lost')
      b = await servedHub({}, clock, port)
      count(b, 'requests', 100)
      sum += 100
      await second(clock, b)
      await attached(a, b)
      await until(() => sumOf(a, 'requests') === sum)
    }
  })

  test('is told as lost where it has seconds no more', async () => {
    const clock = new FakeClock()
    const b = await servedHub({ federation: { replaySeconds: 3 } }, clock)
    const { port } = b
    const a = await servedHub({ attach: [addressOf(b)] }, clock)
    await attached(a, b)
    await b.stopDoor()
    await until(() => stateOf(a, { port }).state === 'lost')
    for (let i = 0; i < 5; i++) {
      count(b, 'requests', 1)
      await second(clock, b)
    }
    await b.openDoor(port)
    await attached(a, b)
    await until(() => factsOf(a, b).seconds === 3)
    assert.deepEqual([factsOf(a, b).lost, sumOf(a, 'requests')], [2, 3])
  })
})
