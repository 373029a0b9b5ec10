/** Exemplars of plain instruments, and where OpenMetrics and protobuf have them. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { until } from '../../../test/support/threads/zone-threads.ts'
import {
  Counter,
  CounterRegistry,
  EventSource,
  FractionalCounter,
  Histogram,
  metricsResponse,
  metricsText,
} from '../index.ts'

class Bed {
  readonly clock = new FakeClock()
  readonly logged: string[] = []
  readonly registry = new CounterRegistry({
    clock: this.clock,
    log: (message) => this.logged.push(message),
  })
  readonly source = new EventSource('Shop', { registry: this.registry })

  /** Lines with an exemplar, each without what all have: the provider, the second. */
  marked(): string[] {
    const seconds = this.clock.wallMs() / 1000
    return metricsText(this.registry, 'openmetrics')
      .split('\n')
      .filter((line) => line.includes(' # '))
      .map((line) => line.replace(/,?provider="Shop",?/, '').replace(` ${seconds}`, ' NOW'))
  }
}

suite('exemplars', () => {
  test('stand behind the bucket that they are in, in the unit of the family', () => {
    const bed = new Bed()
    const times = new Histogram('took', bed.source, { unit: 'ms' })
    for (const value of [1.5, 3, 3.5, 3000]) times.record(value)
    times.record(3.75, { trace_id: 'a' })
    times.record(3.25, { trace_id: 'b', span_id: 'c' })
    times.record(5000, { trace_id: 'slow' })
    assert.deepEqual(bed.marked(), [
      'shop_took_seconds_bucket{le="0.004"} 5 # {span_id="c",trace_id="b"} 0.00325 NOW',
      'shop_took_seconds_bucket{le="8.192"} 7 # {trace_id="slow"} 5 NOW',
    ])
    assert.doesNotMatch(metricsText(bed.registry), / # \{/) // text 0.0.4 has no place for them
  })

  test('of counters the newest one is shown, of integers and of fractions', () => {
    const bed = new Bed()
    const orders = new Counter('orders', bed.source, { labels: ['payment'] })
    orders.with({ payment: 'card' }).add(2, { trace_id: 'a' })
    orders.with({ payment: 'card' }).add(3n, { trace_id: 'b' })
    orders.with({ payment: 'cash' }).add()
    new FractionalCounter('sales', bed.source).add(1.5, { order: '7' })
    assert.deepEqual(bed.marked(), [
      'shop_orders_total{payment="card"} 5 # {trace_id="b"} 3 NOW',
      'shop_sales_total{} 1.5 # {order="7"} 1.5 NOW',
    ])
  })

  test('of threads come to the one that is scraped: one at once, more once a second', async () => {
    const bed = new Bed()
    new Counter('orders', bed.source).add(1, { trace_id: 'here' })
    const clock = new FakeClock()
    clock.advance(5)
    const registry = CounterRegistry.open(bed.registry.share(), { clock, log: () => {} })
    const theirs = new EventSource('Shop', { registry })
    const [orders, took] = [new Counter('orders', theirs), new Histogram('took', theirs)]
    orders.add(1, { trace_id: 'there' })
    const traces = () => bed.marked().map((line) => /trace_id="(\w+)"/.exec(line)![1])
    await until(() => traces()[0] === 'there')
    took.record(3, { trace_id: 'slow' })
    orders.add(1, { trace_id: 'last' })
    clock.advance(999)
    assert.deepEqual(traces(), ['there'])
    clock.advance(1)
    await until(() => traces().length === 2)
    assert.deepEqual(traces(), ['last', 'slow'])
    theirs.close()
  })

  test('that cannot be sent are counted and logged once; what they mark is recorded', () => {
    const bed = new Bed()
    const orders = new Counter('orders', bed.source)
    orders.add(1, { trace_id: 'x'.repeat(121) })
    orders.add(1, { trace_id: 7 } as never)
    orders.add(-1, { trace_id: 'a' })
    assert.deepEqual([orders.value(), bed.marked()], [2, []])
    assert.equal(bed.registry.counts.refused_exemplars, 2)
    assert.equal(bed.logged.filter((text) => /exemplar has at most 128/.test(text)).length, 1)
    orders.add(1, { trace_id: 'x'.repeat(120) }) // with the name's 8: 128
    assert.equal(bed.marked().length, 1)
  })

  test('of a timed call are those of its record', () => {
    const bed = new Bed()
    const times = new Histogram('took', bed.source, { unit: 's' })
    times.time(() => 1, { trace_id: 'timed' })
    assert.match(bed.marked().join(), /# \{trace_id="timed"\} /)
  })

  test('are in protobuf as well', async () => {
    const bed = new Bed()
    new Histogram('sizes', bed.source).record(3, { trace_id: 'in-protobuf' })
    new Counter('orders', bed.source).add(1, { trace_id: 'of-a-counter' })
    const accept = 'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily'
    const headers = new Headers({ accept: `${accept};encoding=delimited` })
    const answer = await metricsResponse({ headers }, bed.registry)
    const bytes = Buffer.from(await answer.arrayBuffer())
    // LabelPair: name 1, value 2
    const pair = (value: string) =>
      Buffer.concat([
        Buffer.from('\n\x08trace_id\x12'),
        Buffer.of(value.length),
        Buffer.from(value),
      ])
    const count = (part: Buffer) =>
      bytes.toString('latin1').split(part.toString('latin1')).length - 1
    // a bucket's, and the native histogram's
    assert.deepEqual([count(pair('in-protobuf')), count(pair('of-a-counter'))], [2, 1])
  })
})
