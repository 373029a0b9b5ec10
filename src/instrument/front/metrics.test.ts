/** The front door: what is found and made by name, read back, timed, and shown to Prometheus. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { counter, metrics } from '../../index.ts'
import { CounterRegistry, defaultRegistry, Histogram } from '../index.ts'
import { Metrics } from './metrics.ts'

function newMetrics(): { own: Metrics; logged: string[] } {
  const logged: string[] = []
  const log = (message: string) => logged.push(message)
  return { own: new Metrics(new CounterRegistry({ log })), logged }
}

/** Lines of samples, without comments. */
function samplesOf(own: Metrics): string[] {
  return own
    .text()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
}

test('the same name is the same instrument; its group is what stands before the last dot', () => {
  const { own } = newMetrics()
  const orders = own.counter('shop.cart.orders', { description: 'Orders taken' })
  assert.equal(own.counter('shop.cart.orders'), orders)
  assert.deepEqual([orders.source.name, orders.name], ['shop.cart', 'orders'])
  assert.equal(own.gauge('shop.cart.open').source, orders.source)
  assert.equal(own.gauge('open').source.name, 'app')
  assert.equal(own.gauge('.x').name, '.x')
  orders.add(3)
  assert.deepEqual(samplesOf(own), ['shop_cart_orders_total{provider="shop.cart"} 3'])
  assert.match(own.text(), /^# HELP shop_cart_orders_total Orders taken$/m)
})

test('a name that is taken by another one is refused, and says which', () => {
  const { own } = newMetrics()
  own.counter('shop.orders', { labels: ['payment'], unit: 'B' })
  own.gauge('shop.queue', { read: () => 1 })
  const refused = [
    [() => own.gauge('shop.orders'), /^"shop.orders" is a counter already; asked for a gauge$/],
    [
      () => own.counter('shop.orders', { labels: ['country'] }),
      /^"shop.orders" is made with labels "payment" already; asked for "country"$/,
    ],
    [() => own.counter('shop.orders', { unit: 's' }), /with unit "B" already; asked for "s"$/],
    [() => own.gauge('shop.queue', { read: () => 2 }), /is polled by another function already/],
    [() => own.counter('shop.orders', { read: () => 2 }), /is recorded already/],
    [() => own.histogram('shop.h', { read: () => 2 } as object), /a histogram is recorded/],
  ] as const
  for (const [act, message] of refused) assert.throws(act, { name: 'TypeError', message })
  assert.deepEqual(own.snapshot().length, 1, 'a counter without sets of labels has no rows')
})

test('labels are typed: others than those of the instrument do not compile', () => {
  const { own } = newMetrics()
  const visits = own.counter('shop.visits', { labels: ['language'] })
  visits.with({ language: 'en' }).add()
  // @ts-expect-error: another name
  assert.throws(() => visits.with({ lang: 'en' }), TypeError)
  // @ts-expect-error: none at all
  assert.throws(() => visits.with({}), TypeError)
  const plain = own.histogram('shop.sizes')
  // @ts-expect-error: an instrument without labels
  assert.throws(() => plain.with({ language: 'en' }), TypeError)
  // A list that is known only when the program runs takes any names.
  const names: string[] = ['a', 'b']
  own.gauge('shop.dynamic', { labels: names }).with({ a: '1', b: '2' }).set(1)
})

test('what was recorded is read back, set by set', () => {
  const { own, logged } = newMetrics()
  const orders = own.counter('shop.orders', { labels: ['payment', 'country'] })
  orders.with({ payment: 'card', country: 'NO' }).add(2)
  orders.with({ payment: 'card', country: 'NO' }).add(2n ** 60n)
  orders.with({ country: 'SE', payment: 'cash' }).add()
  const open = own.gauge('shop.open')
  assert.ok(Number.isNaN(open.value()), 'never set')
  open.set(2.5)
  open.add(-1)
  const sizes = own.histogram('shop.sizes', { unit: 'B' })
  sizes.record(100)
  sizes.record(300)
  own.gauge('shop.queue', { read: () => 7 })
  own.counter('shop.broken', {
    read: () => {
      throw new Error('no')
    },
  })
  assert.equal(orders.with({ payment: 'cash', country: 'SE' }).value(), 1)
  const rows = own.snapshot().map(({ value, ...rest }) => {
    return { ...rest, value: typeof value === 'object' ? [value.count, value.sum] : value }
  })
  const labels = (payment: string, country: string) => [
    ['country', country],
    ['payment', payment],
  ]
  assert.deepEqual(rows, [
    {
      ...{ name: 'shop.orders', kind: 'counter', labels: labels('card', 'NO') },
      value: 2n ** 60n + 2n,
    },
    { name: 'shop.orders', kind: 'counter', labels: labels('cash', 'SE'), value: 1 },
    { name: 'shop.open', kind: 'gauge', labels: [], value: 1.5 },
    { name: 'shop.sizes', kind: 'histogram', labels: [], value: [2n, 400] },
    { name: 'shop.queue', kind: 'gauge', labels: [], value: 7 },
    { name: 'shop.broken', kind: 'counter', labels: [], value: Number.NaN },
  ])
  assert.ok(sizes.value() instanceof Object && sizes.value().count === 2n)
  assert.deepEqual(logged, [])
})

test('a polled value that is a promise is none, and may fail', async () => {
  const { own } = newMetrics()
  own.gauge('shop.later', { read: (async () => Promise.reject(new Error('no'))) as () => never })
  assert.ok(Number.isNaN(own.snapshot()[0]!.value))
  await turn() // an unhandled rejection would end the test
})

test('a value beyond the limit of label sets reads as nothing, and takes nothing', () => {
  const limits = { labelSets: 1 }
  const own = new Metrics(new CounterRegistry({ limits, log: () => {} }))
  const orders = own.counter('shop.orders', { labels: ['id'] })
  orders.with({ id: 'a' }).add()
  const dropped = orders.with({ id: 'b' })
  dropped.add()
  assert.deepEqual([dropped.value(), orders.values().length], [0, 1])
  assert.ok(Number.isNaN(own.gauge('g', { labels: ['id'] }).value()))
})

test('times are recorded in the unit of the histogram, however the call ends', async () => {
  const { own } = newMetrics()
  const times = own.histogram('shop.times', { unit: 'us' })
  assert.equal(
    times.time(() => 'done'),
    'done',
  )
  assert.throws(() =>
    times.time(() => {
      throw new RangeError('no')
    }),
  )
  assert.equal(times.histogram.count, 2n)
  const late = Promise.withResolvers<number>()
  const promised = times.time(() => late.promise)
  await turn()
  assert.equal(times.histogram.count, 2n, 'not before it is settled')
  late.resolve(42)
  assert.equal(await promised, 42)
  assert.equal(times.histogram.count, 3n)
  await assert.rejects(times.time(() => Promise.reject(new TypeError('later'))))
  assert.equal(times.histogram.count, 4n)
  {
    using watch = times.start()
    watch.stop()
  }
  assert.equal(times.histogram.count, 5n, 'stopped twice, recorded once')
})

test('a time is as long in every unit', (t) => {
  let nowMs = 1000
  t.mock.method(performance, 'now', () => nowMs)
  const { own } = newMetrics()
  const units = ['s', 'ms', 'us', 'ns'] as const
  const all = units.map((unit) => own.histogram(`shop.in-${unit}`, { unit }))
  const watches = all.map((each) => each.start())
  nowMs += 250
  for (const watch of watches) watch.stop()
  assert.deepEqual(
    all.map(({ histogram }) => histogram.sum),
    [0.25, 250, 250_000, 250_000_000],
  )
})

test('a time of a histogram that holds none is refused before anything is called', () => {
  const { own } = newMetrics()
  const message = 'times need a histogram whose unit is s, ms, us or ns; it has "B"'
  const sizes = own.histogram('shop.sizes', { unit: 'B' })
  assert.throws(() => sizes.time(() => assert.fail()), { name: 'TypeError', message })
  assert.throws(() => own.histogram('shop.none').start(), /it has none$/)
})

test('a polled value is asked for by readers, once for all who read together', () => {
  const { own } = newMetrics()
  let asked = 0
  own.gauge('shop.queue', { read: () => ++asked, description: 'Orders that wait' })
  assert.equal(asked, 0)
  assert.deepEqual(samplesOf(own), ['shop_queue{provider="shop"} 1'])
  assert.match(own.text(), /^shop_queue\{provider="shop"\} 2$/m)
})

test('what was closed is made anew by its name; close takes everything away', () => {
  const { own } = newMetrics()
  const first = own.counter('shop.orders')
  first.add(5)
  first.close()
  const second = own.counter('shop.orders')
  assert.notEqual(second, first)
  own.gauge('shop.queue', { read: () => 1 }).close()
  own.gauge('shop.queue', { read: () => 3 })
  assert.deepEqual(samplesOf(own), [
    'shop_orders_total{provider="shop"} 5',
    'shop_queue{provider="shop"} 3',
  ])
  own.close()
  assert.deepEqual([own.snapshot(), samplesOf(own), own.registry.sources], [[], [], []])
  own.gauge('shop.queue', { read: () => 2 })
  assert.deepEqual(samplesOf(own), ['shop_queue{provider="shop"} 2'])
})

test('the functions of the package are those of the default registry', (t) => {
  t.after(() => metrics.close())
  counter('front.orders').add(2)
  assert.equal(metrics.registry, defaultRegistry())
  assert.equal(metrics.counter('front.orders').value(), 2)
  assert.match(metrics.text('openmetrics'), /^front_orders_total\{provider="front"\} 2$/m)
  assert.ok(metrics.histogram('front.times') instanceof Histogram)
})

test('a response for servers of the fetch kind has the format that was asked for', async () => {
  const { own } = newMetrics()
  own.counter('shop.orders').add(1)
  const headers = new Headers({ accept: 'application/openmetrics-text; version=1.0.0' })
  const response = await own.response({ headers })
  assert.match(response.headers.get('content-type') ?? '', /^application\/openmetrics-text/)
  assert.match(await response.text(), /shop_orders_total\{provider="shop"\} 1\n# EOF\n$/)
  assert.equal(own.runtime().name, 'Node.Runtime')
})

test('reset begins anew for who reads back, with the same handles; scrapes go on', () => {
  const { own } = newMetrics()
  const orders = own.counter('shop.orders', { labels: ['payment'] })
  const byCard = orders.with({ payment: 'card' })
  const sales = own.counter('shop.sales', { isFractional: true })
  const open = own.gauge('shop.open')
  const sizes = own.histogram('shop.sizes')
  own.gauge('shop.queue', { read: () => 4 })
  byCard.add(2n ** 60n)
  sales.add(0.5)
  open.set(7)
  for (const size of [1, 1000]) sizes.record(size)
  own.reset()
  assert.deepEqual([byCard.value(), sales.value(), open.value()], [0, 0, Number.NaN])
  assert.deepEqual([sizes.value().count, sizes.value().sum], [0n, 0])

  byCard.add(3)
  orders.with({ payment: 'cash' }).add()
  sales.add(0.25)
  open.add(2)
  sizes.record(5)
  const values = own.snapshot().map(({ name, value }) => [name, value])
  assert.deepEqual(values.slice(0, 4), [
    ['shop.orders', 3],
    ['shop.orders', 1],
    ['shop.sales', 0.25],
    ['shop.open', 2],
  ])
  const { count, sum } = sizes.value()
  assert.deepEqual([count, sum, sizes.value().quantile(0.5) > 4], [1n, 5, true])
  const lines = samplesOf(own)
  assert.ok(lines.includes('shop_orders_total{payment="card",provider="shop"} 1152921504606846979'))
  assert.ok(lines.includes('shop_sizes_count{provider="shop"} 3'))
})

test('what is asked for is asked once by each reader, each time it reads', async () => {
  const { own } = newMetrics()
  let asked = 0
  const read = () => ++asked
  own.gauge('shop.queue', { read })
  own.counter('shop.done', { read })
  const by = async (reader: () => unknown): Promise<number> => {
    const before = asked
    await reader()
    return asked - before
  }
  own.text() // opens the session of scrapes, whose windows begin with a first look
  const readers = [
    () => own.text(),
    () => own.text('openmetrics'),
    () => own.response(),
    () => own.snapshot(),
  ]
  for (const reader of readers) assert.equal(await by(reader), 2)
})
