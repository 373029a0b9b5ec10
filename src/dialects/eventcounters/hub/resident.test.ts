import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeHubView, START_MS } from '../../../../test/support/hub/fake-hub-view.ts'
import { until } from '../../../../test/support/hub/hub.ts'
import { holds } from '../../../../test/support/property.ts'
import type { Clock } from '../../../time/clock.ts'
import { parseFilter } from '../codec/filter.ts'
import type { Boundary, CounterSource, SessionRequest } from '../server/counter-source.ts'
import type { CounterWindow } from '../window.ts'
import { EventCountersResident, eventCountersOf } from './resident.ts'

/** A session and what it got. */
function open(source: CounterSource, request: Partial<SessionRequest> = {}) {
  const got: Boundary[] = []
  const session = source.open({ intervalMs: 1000, deliver: 'own', ...request }, (boundary) => {
    got.push(boundary)
  })
  assert.ok(session !== undefined)
  return { got, close: () => session.close() }
}

/** Second of the boundary, nominal interval, measured length, and one number per window. */
function told(got: readonly Boundary[]): unknown[] {
  return got.map(({ timeMs, windows }) => [
    (timeMs - START_MS) / 1000,
    ...windows.map((window) => [window.seriesMs / 1000, window.intervalSec, numberOf(window)]),
  ])
}

function numberOf({ statistics }: CounterWindow): number {
  return statistics.kind === 'sum' ? statistics.increment : statistics.mean
}

function onlyWindow(hub: FakeHubView): CounterWindow | undefined {
  const { got, close } = open(eventCountersOf(hub)!)
  hub.tick()
  hub.tick()
  close()
  assert.equal(got.length, 1)
  assert.ok(got[0]!.windows.length <= 1)
  return got[0]!.windows[0]
}

test('a window begins at the first tick after opening and is one interval long', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'c', kind: 'counter' })
  hub.count(id, 1000) // before the session, in the second in which it opens
  const { got } = open(eventCountersOf(hub)!, { intervalMs: 3000 })
  hub.count(id, 100)
  hub.tick()
  for (let second = 2; second <= 8; second++) {
    hub.count(id, second)
    hub.tick()
  }
  assert.deepEqual(told(got), [
    [4, [3, 3, 2 + 3 + 4]],
    [7, [3, 3, 5 + 6 + 7]],
  ])
})

test('an interval of no whole number of ticks keeps its grid, and says how long it was', () => {
  const hub = new FakeHubView()
  hub.add({ name: 'c', kind: 'counter' })
  const long = open(eventCountersOf(hub)!, { intervalMs: 1500 })
  const short = open(eventCountersOf(hub)!, { intervalMs: 300 })
  for (let second = 1; second <= 7; second++) hub.tick()
  assert.deepEqual(told(long.got), [
    [3, [1.5, 2, 0]],
    [4, [1.5, 1, 0]],
    [6, [1.5, 2, 0]],
    [7, [1.5, 1, 0]],
  ])
  assert.deepEqual(
    told(short.got),
    [2, 3, 4, 5, 6, 7].map((second) => [second, [0.3, 1, 0]]),
  )
})

test('after a standstill one window tells the real time, and the next one is on the grid', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'c', kind: 'counter' })
  const { got } = open(eventCountersOf(hub)!, { intervalMs: 2000 })
  hub.tick()
  hub.count(id, 1)
  hub.tick()
  hub.count(id, 10)
  hub.tick(6)
  hub.count(id, 100)
  hub.tick()
  assert.deepEqual(told(got), [
    [8, [2, 7, 11]],
    [9, [2, 1, 100]],
  ])
})

test('series that did not change are told too, in the order of their ids', () => {
  const hub = new FakeHubView()
  hub.add({ name: 'c', kind: 'counter' })
  hub.add({ name: 'unknown', kind: 'gauge' })
  const gauge = hub.add({ name: 'g', kind: 'gauge' })
  hub.add({ name: 'h', kind: 'histogram' })
  hub.add({ name: 's', kind: 'summary' })
  hub.set(gauge, -1.5)
  const { got } = open(eventCountersOf(hub)!)
  for (let second = 1; second <= 3; second++) hub.tick()
  const empty = { kind: 'mean', count: 0, mean: 0, deviation: 0, min: Infinity, max: -Infinity }
  for (const { windows } of got) {
    assert.deepEqual(
      windows.map(({ counter, statistics }) => [counter.name, statistics]),
      [
        ['c', { kind: 'sum', increment: 0 }],
        ['g', { kind: 'mean', count: 1, mean: -1.5, deviation: 0, min: -1.5, max: -1.5 }],
        ['h', empty],
        ['s', empty],
      ],
    )
  }
  assert.equal(got.length, 2)
})

test('a silent gauge keeps its value; one that is not finite is left out', () => {
  const hub = new FakeHubView()
  hub.staleAfterMs = 1000
  const id = hub.add({ name: 'g', kind: 'gauge' })
  const { got } = open(eventCountersOf(hub)!)
  hub.tick()
  hub.set(id, 7)
  for (let second = 2; second <= 7; second++) hub.tick()
  hub.set(id, Number.POSITIVE_INFINITY)
  hub.tick()
  hub.set(id, 8)
  hub.tick()
  assert.deepEqual(
    got.map(({ windows }) => windows.map(numberOf)),
    [[7], [7], [7], [7], [7], [7], [], [8]],
  )
})

test('a counter is told net of its decrements, with fractions', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'c', kind: 'counter' })
  const { got } = open(eventCountersOf(hub)!, { intervalMs: 2000 })
  hub.tick()
  hub.count(id, 0.25)
  hub.tick()
  hub.count(id, 1.5)
  hub.countDown(id, 3)
  hub.tick()
  hub.count(id, 2n ** 60n)
  hub.tick()
  hub.tick()
  assert.deepEqual(told(got), [
    [3, [2, 2, -1.25]],
    [5, [2, 2, 2 ** 60]],
  ])
})

test('a summary has its own statistics, over the whole window', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 's', kind: 'summary' })
  const { got } = open(eventCountersOf(hub)!, { intervalMs: 2000 })
  hub.tick()
  hub.sample(id, 1)
  hub.sample(id, 3)
  hub.tick()
  hub.sample(id, 5)
  hub.sample(id, 7)
  hub.tick()
  assert.deepEqual(got[0]!.windows[0]!.statistics, {
    kind: 'mean',
    count: 4,
    mean: 4,
    deviation: Math.sqrt(5),
    min: 1,
    max: 7,
  })
})

test('a filter chooses by provider and name, series to come included', () => {
  const hub = new FakeHubView()
  hub.add({ name: 'a', kind: 'counter' })
  hub.add({ name: 'b', kind: 'counter', labels: [['provider', 'Shop']] })
  const filter = parseFilter('shop[b,late],hub')
  const { got } = open(eventCountersOf(hub)!, { filter })
  hub.tick()
  hub.tick()
  hub.add({ name: 'late', kind: 'counter', labels: [['provider', 'SHOP']] })
  hub.add({ name: 'pentameter.series', kind: 'gauge', metadata: { dialect: 'hub' } })
  hub.set(3, 4)
  hub.tick()
  const names = got.map(({ windows }) => windows.map(({ counter }) => counter.name))
  assert.deepEqual(names, [['b'], ['b', 'late', 'pentameter.series']])
  assert.equal(got[1]!.windows[2]!.counter.provider, 'hub')
})

test('descriptions stay the same objects until something of them changes', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'c', kind: 'counter' })
  const { got } = open(eventCountersOf(hub)!)
  hub.tick()
  hub.tick()
  hub.add({ name: 'd', kind: 'counter' })
  hub.tick()
  const record = hub.series.get(id)!
  record.metadata = { ...record.metadata, unit: 'ms' }
  hub.series.revision++
  hub.tick()
  const [first, second, third] = got.map(({ windows }) => windows[0]!.counter)
  assert.equal(first, second)
  assert.notEqual(third, first)
  assert.equal(third!.units, 'ms')
})

test('a session without an interval is open, silent, and counted', () => {
  const hub = new FakeHubView()
  hub.add({ name: 'c', kind: 'counter' })
  const silent = open(eventCountersOf(hub)!, { intervalMs: 0, deliver: 'all' })
  open(eventCountersOf(hub)!)
  for (let second = 0; second < 4; second++) hub.tick()
  assert.deepEqual(silent.got, [])
  assert.equal(eventCountersOf(hub)!.size, 2)
})

test('with `all`, each interval that one of these asked for is a series of all', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'c', kind: 'counter' })
  const a = open(eventCountersOf(hub)!, { intervalMs: 2000, deliver: 'all' })
  const tick = () => {
    hub.count(id, 1)
    hub.tick()
  }
  tick()
  tick()
  // joins the series of two seconds in its middle, and gets its next boundary
  const b = open(eventCountersOf(hub)!, { intervalMs: 2000, deliver: 'all' })
  const own = open(eventCountersOf(hub)!, { intervalMs: 3000 })
  for (let second = 3; second <= 7; second++) tick()
  assert.deepEqual(told(a.got), [
    [3, [2, 2, 2]],
    [5, [2, 2, 2]],
    [7, [2, 2, 2]],
  ])
  assert.deepEqual(told(b.got), told(a.got))
  assert.deepEqual(told(own.got), [[6, [3, 3, 3]]])
})

test('a listener that throws loses its session, counted; its neighbours notice nothing', () => {
  const hub = new FakeHubView()
  hub.add({ name: 'c', kind: 'counter' })
  const counted: string[] = []
  const counters = new EventCountersResident(hub, {
    sessionsLimit: 64,
    reports: { count: (name, reason) => counted.push(`${name} ${reason}`), log() {} },
  })
  let calls = 0
  counters.open({ intervalMs: 1000, deliver: 'own' }, () => {
    calls++
    throw new Error('planted')
  })
  const neighbour = open(counters)
  for (let second = 0; second < 4; second++) hub.tick()
  assert.equal(calls, 1)
  assert.deepEqual(counted, ['listener_errors thrown'])
  assert.equal(neighbour.got.length, 3)
  assert.equal(counters.size, 1)
})

test('a session closed by another one of the same boundary gets no more', () => {
  const hub = new FakeHubView()
  const victim: { close?: () => void } = {}
  eventCountersOf(hub)!.open({ intervalMs: 1000, deliver: 'own' }, () => victim.close?.())
  const second = open(eventCountersOf(hub)!)
  victim.close = second.close
  hub.tick()
  hub.tick()
  assert.deepEqual(second.got, [])
})

test('above its own limit, or the hub’s, a session is refused; nothing is left behind', () => {
  const hub = new FakeHubView()
  const counters = new EventCountersResident(hub, { sessionsLimit: 2 })
  const request = { intervalMs: 1000, deliver: 'own' } as const
  const sessions = [open(counters), open(counters)]
  assert.equal(
    counters.open(request, () => {}),
    undefined,
  )
  assert.equal(counters.refused, 1)
  hub.tick()
  for (const { close } of sessions) close()
  for (const { close } of sessions) close()
  assert.deepEqual([counters.size, hub.sessions.size], [0, 0])
  assert.ok(counters.open(request, () => {}) !== undefined)
  counters.stop()
  assert.deepEqual([counters.size, hub.sessions.size], [0, 0])
  const full = new FakeHubView(undefined, 0)
  assert.equal(
    eventCountersOf(full)!.open(request, () => {}),
    undefined,
  )
  assert.equal(eventCountersOf(full)!.refused, 1)
})

test('ten thousand series cost one window each, however many sessions want them', () => {
  const hub = new FakeHubView()
  for (let i = 0; i < 10_000; i++) hub.add({ name: `c${i}`, kind: 'counter' })
  const sessions = Array.from({ length: 64 }, () => open(eventCountersOf(hub)!))
  hub.tick()
  hub.tick()
  const [first] = sessions[0]!.got
  assert.equal(first!.windows.length, 10_000)
  for (const { got } of sessions) assert.equal(got[0]!.windows, first!.windows)
})

test('the wall clock set back moves the times told, and no window', () => {
  const hub = new FakeHubView()
  let wallMs = 0
  const clock: Clock = {
    wallMs: () => hub.clock.wallMs() + wallMs,
    monotonicNs: () => hub.clock.monotonicNs(),
    after: (delayMs, callback) => hub.clock.after(delayMs, callback),
  }
  const { series, sessions } = hub
  const total = hub.total.bind(hub)
  const counters = new EventCountersResident(
    { clock, series, sessions, total, wasAway: () => false },
    { sessionsLimit: 64 },
  )
  const { got } = open(counters)
  hub.tick()
  hub.tick()
  wallMs = -3_600_000 + 4
  hub.tick()
  wallMs = 12 // late, as real ticks are
  hub.tick()
  assert.deepEqual(
    got.map(({ timeMs }) => timeMs - START_MS),
    [2000, 3000 - 3_600_000, 4000],
  )
})

test('a session that begins after the clock was set has nothing older in it', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'c', kind: 'counter' })
  const counters = eventCountersOf(hub)!
  open(counters, { intervalMs: 2000 })
  hub.tick()
  hub.clock.setWall(3000)
  const { got } = open(counters, { intervalMs: 2000 })
  hub.count(id, 1000)
  hub.tick()
  for (const amount of [1, 2]) {
    hub.count(id, amount)
    hub.tick()
  }
  assert.deepEqual(
    got.map(({ windows }) => windows.map(numberOf)),
    [[1 + 2]],
  )
})

test('windows of many series are closed in turns; ticks that come meanwhile are one', async () => {
  const hub = new FakeHubView()
  const ids = Array.from({ length: 2000 }, (_, i) => hub.add({ name: `c${i}`, kind: 'counter' }))
  // each look at the clock takes a millisecond
  let looks = 0
  const clock: Clock = {
    wallMs: () => hub.clock.wallMs(),
    monotonicNs: () => BigInt(++looks) * 1_000_000n,
    after: (delayMs, callback) => hub.clock.after(delayMs, callback),
  }
  const { series, sessions } = hub
  const total = hub.total.bind(hub)
  const counters = new EventCountersResident(
    { clock, series, sessions, total, wasAway: () => false },
    { sessionsLimit: 64 },
  )
  const { got } = open(counters, { filter: parseFilter('statshero[c7,c1999]') })
  hub.tick()
  for (let second = 1; second <= 4; second++) {
    for (const id of ids) hub.count(id, second)
    hub.tick()
  }
  assert.deepEqual(got, [])
  await until(() => got.length === 2)
  assert.deepEqual(told(got), [
    [2, [1, 1, 1], [1, 1, 1]],
    [5, [1, 3, 9], [1, 3, 9]],
  ])
})

interface Visit {
  readonly opensAt: number
  readonly lasts: number
  readonly intervalMs: number
  readonly deliver: 'own' | 'all'
}

/** What a session gets that is open from second 3 on, with such neighbours. */
function lone(intervalMs: number, visits: readonly Visit[], standstills: readonly number[]) {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'c', kind: 'counter' })
  const visitors = new Map<Visit, { close(): void }>()
  let watched: { got: Boundary[] } | undefined
  for (let second = 0; second < 60; second++) {
    for (const visit of visits) {
      if (visit.opensAt === second) visitors.set(visit, open(eventCountersOf(hub)!, visit))
      if (visit.opensAt + visit.lasts === second) visitors.get(visit)?.close()
    }
    if (second === 3) watched = open(eventCountersOf(hub)!, { intervalMs })
    hub.count(id, second + 1)
    hub.tick(standstills.includes(second) ? 5 : 1)
  }
  return told(watched!.got)
}

test('whoever else opens and closes sessions, each gets what it would get alone', () => {
  const visit = fc.record({
    opensAt: fc.integer({ min: 0, max: 50 }),
    lasts: fc.integer({ min: 1, max: 60 }),
    intervalMs: fc.constantFrom(250, 1000, 1500, 2000, 3000, 7000),
    deliver: fc.constantFrom('own' as const, 'all' as const),
  })
  holds(
    fc.property(
      fc.constantFrom(1000, 1500, 2000, 3000, 7000),
      fc.array(visit, { maxLength: 10 }),
      fc.array(fc.integer({ min: 0, max: 59 }), { maxLength: 3 }),
      (intervalMs, visits, standstills) => {
        assert.deepEqual(lone(intervalMs, visits, standstills), lone(intervalMs, [], standstills))
      },
    ),
  )
})

test('one window at a time: nothing is told twice, nothing is lost', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'c', kind: 'counter' })
  hub.count(id, 5)
  assert.equal(numberOf(onlyWindow(hub)!), 0)
  const { got } = open(eventCountersOf(hub)!, { intervalMs: 4000 })
  hub.tick()
  let total = 0
  for (let second = 1; second <= 20; second++) {
    hub.count(id, second)
    total += second
    hub.tick()
  }
  const increments = got.map(({ windows }) => numberOf(windows[0]!))
  assert.equal(increments.length, 5)
  assert.equal(
    increments.reduce((sum, each) => sum + each, 0),
    total,
  )
})
