import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import {
  Counter,
  CounterRegistry,
  EventCounter,
  EventSource,
  Gauge,
  Histogram,
  IncrementingEventCounter,
  PollingCounter,
  ViewerSource,
  type ViewerSourceOptions,
} from './index.ts'

/** A registry of one source, and what viewers see of it. */
function viewed(options: ViewerSourceOptions = {}) {
  const clock = new FakeClock()
  const registry = new CounterRegistry({ clock })
  const shop = new EventSource('Shop', { registry })
  const source = new ViewerSource({ registry, clock, ...options })
  const values = (): Record<string, number> => {
    const list = source.list()
    const target = new Float64Array(list.length)
    source.read(target)
    return Object.fromEntries(
      list.map(({ identity, statistic }, i) => {
        const name = statistic === undefined ? identity.name : `${identity.name}.${statistic}`
        return [name, target[i]!]
      }),
    )
  }
  return { clock, registry, shop, source, values }
}

suite('a registry for viewers', () => {
  test('has gauges as they are at that moment', () => {
    const { shop, values } = viewed()
    let depth = 3
    const gauge = new Gauge('carts', shop)
    new PollingCounter('depth', shop, () => depth)
    assert.deepEqual(values(), { carts: Number.NaN, depth: 3 })
    gauge.set(7)
    depth = 4
    assert.deepEqual(values(), { carts: 7, depth: 4 })
  })

  test('has counters as total and as rate, a minute unless they say otherwise', () => {
    const { clock, shop, values } = viewed()
    const orders = new Counter('orders', shop)
    const hits = new IncrementingEventCounter('hits', shop, { displayRateTimeScale: '00:00:01' })
    orders.add(5)
    values()
    orders.add(2)
    hits.increment(10)
    assert.deepEqual(values()['orders.total'], 7, 'the total is as it is now')
    clock.advance(2000)
    const { orders: perMinute, hits: perSecond, 'hits.total': total } = values()
    assert.deepEqual([perMinute, perSecond, total], [60, 5, 10])
    clock.advance(500)
    orders.add(100)
    assert.equal(values().orders, 60, 'until the next window ends')
  })

  test('has distributions as the mean of the last busy window, and as quantiles', () => {
    const { clock, shop, values } = viewed({ select: ['p50', 'p99', 'count', 'min', 'max'] })
    const latency = new Histogram('latency', shop)
    const size = new EventCounter('size', shop)
    values()
    for (let i = 1; i <= 100; i++) latency.record(i)
    size.writeMetric(10)
    size.writeMetric(30)
    clock.advance(1000)
    const seen = values()
    assert.equal(seen.latency, 50.5)
    assert.equal(seen['latency.count'], 100)
    for (const [name, exact] of [
      ['p50', 50],
      ['p99', 99],
      ['min', 1],
      ['max', 100],
    ] as const) {
      assert.ok(Math.abs(seen[`latency.${name}`]! / exact - 1) < 0.05, `${name}`)
    }
    assert.deepEqual([seen.size, seen['size.count'], seen['size.max']], [20, 2, 30])
    assert.equal('size.p50' in seen, false, 'there are no buckets')
    clock.advance(1000)
    assert.equal(values().latency, 50.5)
  })

  test('has no quantile of a window beyond the extremes, and new ones as they are', () => {
    const { clock, shop, values } = viewed({ select: ['p99', 'min', 'max'] })
    const latency = new Histogram('latency', shop)
    const window = (...recorded: number[]) => {
      for (const value of recorded) latency.record(value)
      clock.advance(1000)
      return values()
    }
    values()
    const first = window(...Array.from({ length: 100 }, (_, i) => i + 1))
    assert.deepEqual([first['latency.min'], first['latency.max']], [1, 100])
    assert.ok(first['latency.p99']! <= 100)
    const again = window(...new Array(50).fill(100))
    assert.ok(again['latency.max']! <= 100 && again['latency.p99']! <= 100, 'no bound of a bucket')
    const between = window(40, 50)
    assert.ok(Math.abs(between['latency.max']! / 50 - 1) < 0.05, 'of this window, not of all')
    const least = window(...new Array(50).fill(1))
    assert.ok(least['latency.min']! >= 1)
    const wider = window(50, 0.7, 129)
    assert.deepEqual([wider['latency.min'], wider['latency.max']], [0.7, 129])
  })

  test('has what is added, and not what has gone', () => {
    const { shop, source, values } = viewed()
    const first = new Gauge('first', shop)
    first.set(1)
    values()
    const { revision } = source
    const second = new PollingCounter('second', shop, () => 2)
    assert.ok(source.revision > revision)
    assert.deepEqual(values(), { first: 1, second: 2 })
    second.close()
    assert.deepEqual(values(), { first: 1 })
  })

  test('records nothing once it is closed', () => {
    const { registry, source, shop, values } = viewed()
    new EventCounter('size', shop)
    values()
    assert.equal(registry.sessionCount, 1)
    source.close()
    assert.equal(registry.sessionCount, 0)
  })

  test('refuses a statistic that there is none of', () => {
    assert.throws(() => viewed({ select: ['p42' as never] }), RangeError)
    assert.throws(() => viewed({ windowMs: 0 }), RangeError)
  })
})
