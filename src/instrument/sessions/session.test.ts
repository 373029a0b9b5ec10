import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { TestRegistry } from '../../../test/support/counter-sessions.ts'
import { EventCounter, IncrementingEventCounter } from '../counters/event-counters.ts'
import { EventSource } from '../registry.ts'
import type { SessionOptions, SessionWindow } from './session.ts'

function watch(bed: TestRegistry, options: SessionOptions) {
  const windows: SessionWindow[] = []
  const session = bed.registry.session(options, (window) => windows.push(window))
  return { session, windows, names: () => windows.map(({ source, name }) => `${source}/${name}`) }
}

suite('a session by function call', () => {
  test('calls back with plain objects, times in milliseconds', () => {
    const bed = new TestRegistry()
    const latency = new EventCounter('latency', bed.source, {
      displayName: 'Latency',
      displayUnits: 'ms',
      metaData: { room: '2' },
    })
    const orders = new IncrementingEventCounter('orders', bed.source)
    const { windows } = watch(bed, { intervalMs: 2000 })
    latency.writeMetric(10)
    latency.writeMetric(20)
    orders.increment(5)
    bed.pass(2.5)
    const timeMs = bed.clock.startMs + 2000
    assert.deepEqual(windows, [
      {
        ...{ source: 'Source', name: 'latency', displayName: 'Latency', unit: 'ms' },
        ...{ labels: { room: '2' }, timeMs, intervalMs: 2000, seriesMs: 2000 },
        ...{ kind: 'mean', count: 2, mean: 15, deviation: 5, min: 10, max: 20 },
      },
      {
        ...{ source: 'Source', name: 'orders', displayName: '', unit: '', labels: {} },
        ...{ timeMs, intervalMs: 2000, seriesMs: 2000 },
        ...{ kind: 'sum', increment: 5, perSecond: 2.5 },
      },
    ])
  })

  test('wants what its patterns say: sources by any case, counters exactly', () => {
    const bed = new TestRegistry()
    for (const name of ['Shop.Web', 'Shop.Jobs', 'Bank', 'Shop']) {
      const source = new EventSource(name, { registry: bed.registry })
      new EventCounter('a', source)
      new EventCounter('ab', source)
    }
    const cases: readonly [SessionOptions['counters'], readonly string[]][] = [
      ['shop.*[a]', ['Shop.Web/a', 'Shop.Jobs/a']],
      [
        ['Bank', '*.jobs[*b]'],
        ['Shop.Jobs/ab', 'Bank/a', 'Bank/ab'],
      ],
      ['Shop[A]', []],
    ]
    const watched = cases.map(([counters]) => watch(bed, { intervalMs: 1000, counters }))
    const all = watch(bed, { intervalMs: 1000, counters: [] })
    bed.pass(1)
    cases.forEach(([counters, expected], i) => {
      assert.deepEqual(watched[i]?.names(), expected, String(counters))
    })
    assert.equal(all.windows.length, 8)
  })

  test('is closed by its user, or by an error of the listener, and no other is', () => {
    const bed = new TestRegistry()
    new EventCounter('a', bed.source)
    new EventCounter('b', bed.source)
    const other = watch(bed, { intervalMs: 1000 })
    let calls = 0
    const failing = bed.registry.session({ intervalMs: 1000 }, () => {
      calls++
      throw new Error('no')
    })
    const closing = bed.registry.session({ intervalMs: 1000 }, () => {
      calls++
      closing.close()
    })
    bed.pass(2)
    assert.deepEqual([calls, failing.isOpen, closing.isOpen], [2, false, false])
    assert.deepEqual([other.session.isOpen, other.windows.length], [true, 4])
    other.session.close()
    assert.equal(bed.registry.sessionCount, 0)
  })

  test('is refused without an interval, for a text that is no list, beyond the limit', () => {
    const bed = new TestRegistry({ limits: { sessions: 1 } })
    const open = (options: SessionOptions) => bed.registry.session(options, () => {})
    assert.throws(() => open({ intervalMs: 0 }), /^RangeError: interval of 0 ms/)
    assert.throws(() => open({ intervalMs: 1.5 }), /^RangeError: interval of 1.5 ms/)
    assert.throws(() => open({ intervalMs: 1000, counters: ',' }), { name: 'FilterError' })
    open({ intervalMs: 1000 })
    assert.throws(() => open({ intervalMs: 1000 }), /^RangeError: limit of sessions/)
    assert.equal(bed.registry.counts.refused_sessions, 1)
  })
})
