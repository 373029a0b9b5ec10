import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { TestRegistry } from '../../../test/support/counter-sessions.ts'
import { parseFilter } from '../../dialects/eventcounters/codec/filter.ts'
import { EventCounter, IncrementingEventCounter } from '../counters/event-counters.ts'
import { EventSource } from '../registry.ts'

const NEVER_MS = 4_294_967_295_000

/** Adds one every half second, from a quarter on, for so many seconds. */
function tick(test: TestRegistry, counter: IncrementingEventCounter, seconds: number): void {
  for (let i = 0; i < 2 * seconds; i++) {
    test.pass(0.25)
    counter.increment()
    test.pass(0.25)
  }
}

suite('sessions side by side', () => {
  test('10 s and 1 s for 30 s: three payloads, each the sum of ten of the other', () => {
    const bed = new TestRegistry()
    const counter = new EventCounter('c', bed.source)
    const [slow, fast] = [bed.follow(10), bed.follow(1)]
    for (let i = 0; i < 60; i++) {
      bed.pass(0.25)
      counter.writeMetric(i)
      if (i % 3 === 0) counter.writeMetric(i)
      bed.pass(0.25)
    }
    assert.deepEqual(
      slow.payloads.map(({ at, series, sec }) => [at, series, sec]),
      [10, 20, 30].map((at) => [at, 10, 10]),
    )
    assert.equal(fast.payloads.length, 30)
    slow.payloads.forEach(({ count }, i) => {
      const ten = fast.payloads.slice(10 * i, 10 * i + 10)
      assert.equal(
        count,
        ten.reduce((sum, each) => sum + each.count!, 0),
      )
    })
  })

  test('a session that comes and goes ten times changes no byte of another', () => {
    const run = (isDisturbed: boolean) => {
      const bed = new TestRegistry()
      const counter = new EventCounter('c', bed.source)
      const followed = bed.follow(10)
      for (let i = 0; i < 300; i++) {
        const other = isDisturbed && i % 30 === 7 ? bed.follow(1) : undefined
        counter.writeMetric(Math.sin(i))
        bed.pass(0.1001)
        other?.session?.close()
      }
      return followed.windows
    }
    assert.equal(JSON.stringify(run(true)), JSON.stringify(run(false)))
    assert.equal(run(true).length, 3)
  })

  test('a boundary near that of another session stays at its own moment', () => {
    const bed = new TestRegistry()
    new EventCounter('c', bed.source)
    const first = bed.follow(1)
    bed.pass(0.0004)
    const second = bed.follow(1)
    bed.pass(2.5)
    assert.deepEqual(first.boundaries, [1, 2])
    assert.deepEqual(
      second.boundaries.map((at) => at.toFixed(4)),
      ['1.0004', '2.0004'],
    )
    assert.ok(second.payloads.every(({ sec }) => sec === 1))
  })

  test('the first payload comes one interval after opening, and closing yields none', () => {
    const bed = new TestRegistry()
    const counter = new IncrementingEventCounter('n', bed.source)
    tick(bed, counter, 3)
    const followed = bed.follow(2)
    tick(bed, counter, 3)
    followed.session?.close()
    followed.session?.close()
    tick(bed, counter, 5)
    assert.deepEqual(followed.payloads, [{ at: 5, name: 'n', series: 2, sec: 2, increment: 4 }])
    assert.equal(bed.clock.pending, 0)
  })

  test('a session without an interval is open and receives nothing', () => {
    const bed = new TestRegistry()
    new EventCounter('c', bed.source)
    const silent = bed.follow(0)
    assert.deepEqual([silent.session?.isOpen, bed.source.isEnabled], [true, false])
    bed.pass(100)
    assert.deepEqual(silent.boundaries, [])
    assert.equal(bed.clock.pending, 0)
  })

  test('boundaries come without payloads where no counter matches', () => {
    const bed = new TestRegistry()
    const followed = bed.follow(1, { filter: parseFilter('Other') })
    bed.pass(3)
    assert.deepEqual(followed.boundaries, [1, 2, 3])
    assert.deepEqual(followed.payloads, [])
  })

  test('payloads of a boundary stand in the order of counter creation, over all sources', () => {
    const bed = new TestRegistry()
    const other = new EventSource('Other', bed)
    for (const [name, source] of [
      ['z', bed.source],
      ['a', other],
      ['m', bed.source],
    ] as const) {
      new EventCounter(name, source)
    }
    const followed = bed.follow(1)
    new EventCounter('b', other)
    bed.pass(1)
    assert.deepEqual(
      followed.payloads.map(({ name }) => name),
      ['z', 'a', 'm', 'b'],
    )
  })

  test('a filter takes sources without regard to case and counters exactly', () => {
    const bed = new TestRegistry()
    for (const name of ['a', 'A', 'b']) new EventCounter(name, bed.source)
    const followed = bed.follow(1, { filter: parseFilter('sOURCE[A,x]') })
    bed.pass(1)
    assert.deepEqual(
      followed.payloads.map(({ name }) => name),
      ['A'],
    )
  })

  test('more sessions than the limit are refused and counted, and a closed one makes room', () => {
    const bed = new TestRegistry({ limits: { sessions: 2 } })
    const [first] = [bed.follow(1), bed.follow(0)]
    assert.equal(bed.follow(1).session, undefined)
    assert.equal(bed.registry.counts.refused_sessions, 1)
    first!.session?.close()
    assert.notEqual(bed.follow(1).session, undefined)
  })

  test('an interval that is no whole number of milliseconds in range is an error', () => {
    const { registry } = new TestRegistry()
    for (const intervalMs of [-1, 0.5, Number.NaN, NEVER_MS + 1]) {
      assert.throws(() => registry.open({ intervalMs, deliver: 'own' }, () => {}), RangeError)
    }
    assert.equal(registry.sessionCount, 0)
  })

  test('closing all sessions leaves counters that a new one finds', () => {
    const bed = new TestRegistry()
    new EventCounter('c', bed.source)
    const followed = bed.follow(1)
    bed.registry.closeSessions()
    bed.pass(5)
    assert.deepEqual([followed.boundaries, bed.registry.sessionCount], [[], 0])
    const next = bed.follow(1)
    bed.pass(1)
    assert.equal(next.payloads.length, 1)
  })
})

suite('the time of boundaries', () => {
  test('a loop blocked for 3.3 intervals gives one payload, and the next on the schedule', () => {
    const bed = new TestRegistry()
    const counter = new IncrementingEventCounter('n', bed.source)
    const followed = bed.follow(1)
    bed.pass(1)
    counter.increment(5)
    bed.clock.stall(3300)
    bed.pass(1.7)
    assert.deepEqual(
      followed.payloads.map(({ at, sec, increment }) => ({ at, sec, increment })),
      [
        { at: 1, sec: 1, increment: 0 },
        { at: 4.3, sec: 3.3, increment: 5 },
        { at: 5, sec: 0.7, increment: 0 },
        { at: 6, sec: 1, increment: 0 },
      ],
    )
  })

  test('a wall clock set back by an hour changes times, and no interval', () => {
    const bed = new TestRegistry()
    new EventCounter('c', bed.source)
    const followed = bed.follow(1)
    bed.pass(2)
    const { wallMs } = bed.clock
    bed.clock.wallMs = () => wallMs.call(bed.clock) - 3_600_000
    bed.pass(2)
    assert.deepEqual(followed.boundaries, [1, 2, 3 - 3600, 4 - 3600])
    assert.ok(followed.payloads.every(({ sec }) => sec === 1))
  })

  test('the longest interval of all gives no payload and wakes at most every 24 days', () => {
    const bed = new TestRegistry()
    new EventCounter('c', bed.source)
    let wakes = 0
    const { after } = bed.clock
    bed.clock.after = (delayMs, callback) => {
      wakes++
      assert.ok(delayMs <= 2_147_483_647)
      return after.call(bed.clock, delayMs, callback)
    }
    const followed = bed.follow(NEVER_MS / 1000)
    bed.pass(365 * 86_400)
    assert.deepEqual(followed.boundaries, [])
    assert.ok(wakes <= 16, `${wakes} timers in a year`)
    bed.pass(NEVER_MS / 1000)
    assert.equal(followed.boundaries.length, 1)
  })

  test('a timer that fires up to 1 ms early is on time, and one that fires earlier is not', () => {
    for (const [earlyMs, boundaries] of [
      [0.7, [0.9993, 1.9993, 2.9993]],
      [5, [1, 2, 3]],
    ] as const) {
      const bed = new TestRegistry()
      new EventCounter('c', bed.source)
      const { after } = bed.clock
      bed.clock.after = (delayMs, callback) => {
        const early = delayMs > 2 * earlyMs ? delayMs - earlyMs : delayMs
        return after.call(bed.clock, early, callback)
      }
      const followed = bed.follow(1)
      bed.pass(3)
      assert.deepEqual(
        followed.boundaries.map((at) => Math.round(at * 1e4) / 1e4),
        boundaries,
      )
    }
  })

  test('all sessions of a day at 1 s have 86,400 boundaries each, the last at midnight', () => {
    const bed = new TestRegistry()
    const [first, second] = [bed.follow(1), bed.follow(1)]
    bed.pass(86_400)
    for (const { boundaries } of [first, second]) {
      assert.deepEqual([boundaries.length, boundaries.at(-1)], [86_400, 86_400])
    }
  })

  test('one timer waits however many sessions are open, and none when all are closed', () => {
    const bed = new TestRegistry()
    const followed = [1, 2, 3, 0.5, 10].map((seconds) => bed.follow(seconds))
    assert.equal(bed.clock.pending, 1)
    bed.pass(7.1)
    assert.equal(bed.clock.pending, 1)
    for (const { session } of followed) session?.close()
    assert.equal(bed.clock.pending, 0)
  })
})
