/** Metrics that other libraries keep among ours, and ours among theirs: the real packages. */
import assert from 'node:assert/strict'
import { channel } from 'node:diagnostics_channel'
import { Writable } from 'node:stream'
import { suite, type TestContext, test } from 'node:test'
import { AggregationType, MeterProvider } from '@opentelemetry/sdk-metrics'
import * as prometheusIo from '@prometheus-io/client'
import { pino } from 'pino'
import * as promClient from 'prom-client'
import { Metrics } from '../../src/index.ts'
import { CounterRegistry } from '../../src/instrument/index.ts'
import { startHub } from '../../src/start-hub.ts'
import { parseExposition, sampleTexts } from '../support/outputs/exposition-parser.ts'

function fresh(t: TestContext): Metrics & { readonly logged: readonly string[] } {
  const logged: string[] = []
  const registry = new CounterRegistry({ log: (message) => logged.push(message) })
  const metrics = new Metrics(registry)
  t.after(() => metrics.close())
  return Object.assign(metrics, { logged })
}

async function samplesOf(metrics: Metrics): Promise<ReadonlyMap<string, string>> {
  await metrics.gather()
  return sampleTexts(parseExposition(metrics.text(), 'text'))
}

const CLIENTS: readonly (readonly [string, typeof promClient])[] = [
  ['prom-client', promClient],
  ['@prometheus-io/client', prometheusIo as unknown as typeof promClient],
]

for (const [name, client] of CLIENTS) {
  suite(name, () => {
    test('its metrics are among ours, to the unit, under their names', async (t) => {
      const register = new client.Registry()
      const registers = [register]
      const labelNames = ['path'] as const
      const requests = new client.Counter({
        name: 'appRequests_total',
        help: 'H',
        labelNames,
        registers,
      })
      const size = new client.Gauge({ name: 'pool:size', help: 'S', registers })
      const times = new client.Histogram({
        ...{ name: 'times_seconds', help: 'Times', labelNames, registers, buckets: [0.5, 1, 2.5] },
      })
      const waits = new client.Summary({ name: 'waits', help: 'W', registers, percentiles: [0.5] })
      requests.inc({ path: '/a"b' }, 2.5)
      size.set(-3)
      for (const value of [0.25, 0.5, 0.75, 2, 9]) times.observe({ path: '/' }, value)
      waits.observe(4)

      const metrics = fresh(t)
      metrics.counter('shop.orders').add(7)
      const included = metrics.includeRegister(register)
      const samples = await samplesOf(metrics)
      assert.deepEqual(Object.fromEntries(samples), {
        'appRequests_total{path="/a\\"b"}': '2.5',
        'pool:size{}': '-3',
        'shop_orders_total{provider="shop"}': '7',
        'times_seconds_bucket{le="+Inf",path="/"}': '5',
        'times_seconds_bucket{le="0.5",path="/"}': '2',
        'times_seconds_bucket{le="1",path="/"}': '3',
        'times_seconds_bucket{le="2.5",path="/"}': '4',
        'times_seconds_count{path="/"}': '5',
        'times_seconds_sum{path="/"}': '12.5',
        'waits_count{}': '1',
        'waits_sum{}': '4',
        'waits{quantile="0.5"}': '4',
      })
      requests.inc({ path: '/a"b' })
      assert.equal((await samplesOf(metrics)).get('appRequests_total{path="/a\\"b"}'), '3.5')
      included.close()
      assert.deepEqual(
        [...(await samplesOf(metrics)).keys()],
        ['shop_orders_total{provider="shop"}'],
      )
    })

    test('ours are in its text, those made later, too, and nothing comes back', async (t) => {
      const register = new client.Registry()
      const registers = [register]
      const own = new client.Counter({ name: 'own_total', help: 'Own', registers })
      own.inc(3)
      new client.Counter({ name: 'shop_taken_total', help: 'Of both', registers })
      const metrics = fresh(t)
      metrics.includeRegister(register)
      const shown = metrics.showIn(register)
      metrics.counter('shop.taken').add()
      metrics
        .counter('shop.orders', { labels: ['by'] })
        .with({ by: 'card' })
        .add(2)
      const times = metrics.histogram('shop.times', { unit: 'ms' })
      for (const value of [1, 3, 1000]) times.record(value)
      metrics.gauge('shop.open').set(1.5)

      const text = await register.metrics()
      const samples = sampleTexts(parseExposition(`${text.replaceAll('\n\n', '\n')}`, 'text'))
      assert.deepEqual(Object.fromEntries(samples), {
        'own_total{}': '3',
        'shop_taken_total{}': '0',
        'shop_orders_total{by="card",provider="shop"}': '2',
        'shop_open{provider="shop"}': '1.5',
        'shop_times_seconds_bucket{le="+Inf",provider="shop"}': '3',
        'shop_times_seconds_bucket{le="0.001",provider="shop"}': '1',
        'shop_times_seconds_bucket{le="0.004",provider="shop"}': '2',
        'shop_times_seconds_bucket{le="1.024",provider="shop"}': '3',
        'shop_times_seconds_count{provider="shop"}': '3',
        'shop_times_seconds_sum{provider="shop"}': '1.004',
      })
      assert.match(metrics.logged.join('\n'), /another metric named shop_taken_total/)
      // what is shown there is not read back
      const ours = await samplesOf(metrics)
      assert.equal([...ours.keys()].filter((key) => key.startsWith('shop_orders')).length, 1)
      assert.equal(ours.get('own_total{}'), '3')
      shown.close()
      assert.ok(!(await register.metrics()).includes('shop_orders'))
    })
  })
}

suite('OpenTelemetry SDK', () => {
  test('what is recorded there is among ours, with every bucket', async (t) => {
    const metrics = fresh(t)
    const provider = new MeterProvider({ readers: [metrics.otelReader()] })
    t.after(() => provider.shutdown())
    const meter = provider.getMeter('shop')
    const orders = meter.createCounter('orders', { description: 'Orders', unit: '{order}' })
    orders.add(2, { payment: 'card', tries: 2 })
    orders.add(0.5, { payment: 'card', tries: 2 })
    meter.createUpDownCounter('open').add(-2)
    const times = meter.createHistogram('http.server.request.duration', { unit: 's' })
    for (const value of [0, 1, 1, 3]) times.record(value)
    meter
      .createObservableGauge('heat')
      .addCallback((result) => result.observe(7, { at: ['a', 'b'] }))

    assert.deepEqual(Object.fromEntries(await samplesOf(metrics)), {
      'orders_total{otel_scope_name="shop",payment="card",tries="2"}': '2.5',
      'open{otel_scope_name="shop"}': '-2',
      'heat{at="[\\"a\\",\\"b\\"]",otel_scope_name="shop"}': '7',
      'http_server_request_duration_seconds_bucket{le="+Inf",otel_scope_name="shop"}': '4',
      'http_server_request_duration_seconds_bucket{le="0",otel_scope_name="shop"}': '1',
      'http_server_request_duration_seconds_bucket{le="1",otel_scope_name="shop"}': '3',
      'http_server_request_duration_seconds_bucket{le="4",otel_scope_name="shop"}': '4',
      'http_server_request_duration_seconds_count{otel_scope_name="shop"}': '4',
      'http_server_request_duration_seconds_sum{otel_scope_name="shop"}': '5',
    })
    await provider.shutdown()
    assert.deepEqual([...(await samplesOf(metrics)).keys()], [])
  })

  test('bounds of a view stay, and one reader has one provider', async (t) => {
    const metrics = fresh(t)
    const reader = metrics.otelReader()
    const aggregation = {
      type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM,
      options: { boundaries: [10, 20] as number[] },
    } as const
    const views = [{ instrumentName: 'sizes', aggregation }]
    const provider = new MeterProvider({ readers: [reader], views })
    t.after(() => provider.shutdown())
    provider.getMeter('').createHistogram('sizes').record(15)
    const samples = await samplesOf(metrics)
    assert.deepEqual(
      [...samples].filter(([key]) => key.includes('bucket')).map(([, value]) => value),
      ['0', '1', '1'],
    )
    assert.throws(() => new MeterProvider({ readers: [reader] }), /MeterProvider already/)
  })
})

test('a hub to which a program pushes has what other libraries keep, to the unit', async (t) => {
  const hub = await startHub({ config: { httpPort: 0, textPort: 0, streamPort: 0 } })
  t.after(() => hub.close())
  const metrics = fresh(t)
  const register = new promClient.Registry()
  const times = new promClient.Histogram({
    ...{ name: 'job_seconds', help: 'Jobs', registers: [register], buckets: [1, 2, 5] },
  })
  metrics.includeRegister(register)
  const provider = new MeterProvider({ readers: [metrics.otelReader()] })
  t.after(() => provider.shutdown())
  const sizes = provider.getMeter('shop').createHistogram('cart.size', { unit: 'By' })
  const to = `pentameter://127.0.0.1:${hub.addresses.http!.port}`
  const connection = metrics.connect(to, { intervalMs: 86_400_000 })
  t.after(() => connection.close())
  assert.equal(await connection.flush(), true)
  for (const value of [0.5, 1.5, 1.5, 9]) times.observe(value)
  for (let value = 1; value <= 100; value++) sizes.record(value)
  await connection.close()
  const totals = () => new Map([...hub.series()].map((row) => [row.identity.name, row.total]))
  for (let i = 0; i < 1000 && !totals().has('cart.size'); i++) {
    await new Promise((done) => setTimeout(done, 5))
  }
  const [jobs, carts] = [totals().get('job_seconds'), totals().get('cart.size')]
  assert.ok(jobs?.kind === 'histogram' && carts?.kind === 'histogram')
  assert.deepEqual([...(jobs.histogram.bounds ?? [])], [1, 2, 5])
  assert.deepEqual([jobs.histogram.count, jobs.histogram.sum], [4n, 12.5])
  assert.deepEqual([...jobs.histogram.positive.counts], [1n, 2n, 0n, 1n])
  assert.deepEqual([carts.histogram.count, carts.histogram.sum], [100n, 5050])
})

test('records of pino are counted by level, those below it never', (t) => {
  const metrics = fresh(t)
  const counted = metrics.countLogs()
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const log = pino({ level: 'info', customLevels: { audit: 35 } }, nowhere)
  log.info('one')
  log.child({ part: 'cart' }).error(new Error('two'))
  log.debug('never made')
  log.audit('three')
  log.info({ n: 4 })
  counted.close()
  log.info('not counted any more')
  const levels = metrics.snapshot().map(({ labels, value }) => [labels[0]?.[1], value])
  assert.deepEqual(levels, [
    ['info', 2],
    ['error', 1],
    ['audit', 1],
  ])
})

test('events of a channel are counted; one whose labels fail harms nobody', (t) => {
  const metrics = fresh(t)
  const orders = channel('test:orders')
  const options = {
    ...{ name: 'shop.events', labels: ['kind'] as const },
    of: (message: unknown) => ({ kind: (message as { kind: string }).kind }),
  }
  {
    using _ = metrics.countEvents('test:orders', options)
    orders.publish({ kind: 'new' })
    orders.publish({ kind: 'new' })
    orders.publish(undefined)
    orders.publish({})
  }
  orders.publish({ kind: 'new' })
  assert.deepEqual(
    metrics.snapshot().map(({ value }) => value),
    [2],
  )
  assert.equal(metrics.registry.counts.callback_errors, 2)
  assert.equal(metrics.logged.length, 1)
})

test('a source that fails is shown as nothing, told once, and shown again', async (t) => {
  const metrics = fresh(t)
  let isBroken = false
  metrics.include({
    read: () => {
      if (isBroken) throw new Error('away')
      return [{ name: 'jobs', kind: 'gauge', value: 1 }]
    },
  })
  assert.match(metrics.text(), /^jobs 1$/m)
  isBroken = true
  assert.doesNotMatch(metrics.text(), /jobs/)
  metrics.text()
  assert.equal(metrics.logged.filter((line) => line.includes('away')).length, 1)
  assert.equal(metrics.registry.counts.failed_sources, 2)
  isBroken = false
  assert.match(metrics.text(), /^jobs 1$/m)
})
