/** Counters of fractions: what they take, how they are read back, and every way out of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { decodeOpenTelemetry } from '../../dialects/opentelemetry/codec.ts'
import { Metrics } from '../front/metrics.ts'
import { Counter, CounterRegistry, EventSource, FractionalCounter } from '../index.ts'
import { MergedReadings } from '../processes/merged-readings.ts'
import { headText, readingOf, valueText } from '../processes/messages.ts'
import { otlpBatches } from '../push/otlp-metrics.ts'
import { readingsProtobuf } from '../readings/metrics-protobuf.ts'
import { RegistryReadings } from '../readings/metrics-readings.ts'

/** As much of a metric as is looked at. */
interface SentMetric {
  readonly name: string
  readonly sum: { readonly dataPoints: readonly [{ asDouble?: number; asInt?: string }] }
}

function newBed() {
  const clock = new FakeClock()
  const logged: string[] = []
  const log = (message: string) => logged.push(message)
  const registry = new CounterRegistry({ clock, log })
  return { clock, logged, registry, own: new Metrics(registry) }
}

test('by name it is found again, read back as a number, and an integer counter stays one', () => {
  const { own, registry } = newBed()
  const sales = own.counter('shop.sales', { isFractional: true, labels: ['currency'] })
  const inEuros = sales.with({ currency: 'EUR' })
  inEuros.add(12.5)
  inEuros.add()
  const total: number = inEuros.value()
  assert.equal(total, 13.5)
  assert.ok(sales instanceof FractionalCounter)
  assert.equal(own.counter('shop.sales', { isFractional: true }), sales)
  const orders = own.counter('shop.orders')
  orders.add(0.5)
  assert.deepEqual([orders instanceof Counter, orders.value()], [true, 0])
  assert.equal(registry.counts.refused_values, 1)
  assert.throws(() => own.counter('shop.orders', { isFractional: true }), {
    message: '"shop.orders" is made with isFractional "" already; asked for "true"',
  })
  const rows = own.snapshot().map(({ name, kind, value }) => [name, kind, value])
  assert.deepEqual(rows, [
    ['shop.sales', 'counter', 13.5],
    ['shop.orders', 'counter', 0],
  ])
})

test('it refuses what is no amount, and says so once; it never passes the doubles', () => {
  const { own, registry, logged } = newBed()
  const paid = own.counter('shop.paid', { isFractional: true })
  // @ts-expect-error: a bigint is for counters of integers
  paid.add(1n)
  const wrong = [-0.5, Number.NaN, Number.POSITIVE_INFINITY, null, '1', {}, Symbol('one')]
  for (const n of wrong) paid.add(n as number)
  assert.equal(registry.counts.refused_values, wrong.length + 1)
  assert.deepEqual(logged, [
    'instrument "paid" of source "shop": want a finite number of 0 or more',
  ])
  paid.add(Number.MAX_VALUE)
  paid.add(Number.MAX_VALUE)
  assert.equal(paid.value(), Number.MAX_VALUE)
})

test('each session gets what was added while it was open', () => {
  const { own, registry, clock } = newBed()
  const busy = own.counter('shop.busy', { isFractional: true, unit: 's' })
  busy.add(0.125)
  const increments: unknown[] = []
  registry.open({ intervalMs: 1000, deliver: 'own' }, ({ windows }) => {
    increments.push(...windows.map(({ statistics }) => statistics))
  })
  busy.add(0.25)
  clock.advance(1000)
  busy.add(0.5)
  busy.add(2)
  clock.advance(1000)
  const sum = (increment: number) => ({ kind: 'sum', increment })
  assert.deepEqual(increments, [sum(0.25), sum(2.5)])
})

test('threads add up, and what is shown never falls, whichever of them ends', () => {
  const { own, registry } = newBed()
  own.counter('shop.busy', { isFractional: true }).add(0.1)
  const parts = [0.2, 0.3, 0.7, 1.1].map((n) => {
    const theirs = CounterRegistry.open(registry.share(), { log: () => {} })
    new FractionalCounter('busy', new EventSource('shop', { registry: theirs })).add(n)
    return theirs
  })
  const shown = () => Number(/^shop_busy_total\{.*\} (.*)$/m.exec(own.text())?.[1])
  const totals = [shown()]
  assert.ok(Math.abs(totals[0]! - 2.4) < 1e-12)
  for (const theirs of parts.reverse()) {
    theirs.home.writer.detach()
    totals.push(shown())
  }
  assert.deepEqual(
    totals,
    [...totals].sort((a, b) => a - b),
  )
  assert.ok(Math.abs(totals.at(-1)! - 2.4) < 1e-12)
})

test('it is on /metrics in every format, and pushed as a double, also where it is whole', () => {
  const { own, registry } = newBed()
  const paid = own.counter('shop.paid', { isFractional: true })
  own.counter('shop.orders').add(3)
  paid.add(2.5)
  assert.match(own.text(), /^shop_paid_total\{provider="shop"\} 2\.5$/m)
  assert.match(own.text('openmetrics'), /^# TYPE shop_paid counter\n(#.*\n)*.* 2\.5$/m)
  const readings = new RegistryReadings(registry)
  // Metric.counter, Counter.value: the double 2.5, 0x4004… in the order of the wire
  const protobuf = Buffer.from(readingsProtobuf(readings.read()))
  assert.ok(
    protobuf.includes(Buffer.from('1a09090000000000000440', 'hex')),
    protobuf.toString('hex'),
  )
  const sent = () => {
    const times = { startMs: 1000, timeMs: 2000 }
    const bodies = [...otlpBatches(readings.read(), {}, times, 'protobuf')]
    const [message] = decodeOpenTelemetry(Buffer.from(bodies[0]!.body)).messages
    const { metrics } = JSON.parse(JSON.stringify(message)).scopeMetrics[0]
    return (metrics as readonly SentMetric[]).map(({ name, sum }) => {
      const [{ asDouble, asInt }] = sum.dataPoints
      return [name, asDouble ?? asInt]
    })
  }
  assert.deepEqual(sent(), [
    ['shop.paid', 2.5],
    ['shop.orders', '3'],
  ])
  paid.add(0.5)
  assert.deepEqual(sent()[0], ['shop.paid', 3], 'a number is a double, a text an integer')
  readings.close()
})

test('processes of a cluster add up, and stay doubles', () => {
  const merged = new MergedReadings()
  for (const [worker, amount] of [0.25, 1.75].entries()) {
    const { own, registry } = newBed()
    own.counter('shop.paid', { isFractional: true }).add(amount)
    for (const reading of new RegistryReadings(registry).readOwn()) {
      merged.add(readingOf(headText(reading), valueText(reading)), `${worker}`)
    }
  }
  const [sum] = merged.values()
  assert.ok(sum?.kind === 'counter')
  assert.deepEqual([sum.total, sum.isFractional], [2, true])
})
