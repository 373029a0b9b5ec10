import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, test } from 'node:test'
import { TestRegistry } from '../../test/support/counter-sessions.ts'
import { parseExposition, sampleTexts } from '../../test/support/outputs/exposition-parser.ts'
import { readFamilies } from '../../test/support/outputs/metric-families.ts'
import type { TextFormat } from '../exposition/negotiation.ts'
import {
  Counter,
  CounterRegistry,
  EventCounter,
  Gauge,
  Histogram,
  IncrementingEventCounter,
  IncrementingPollingCounter,
  metricsHandler,
  metricsResponse,
  metricsText,
  nodeRuntime,
  PollingCounter,
} from './index.ts'

/** Samples by name and labels, without the provider that all of them have. */
function scrape({ registry }: TestRegistry, format: TextFormat = 'text'): Record<string, string> {
  const families = parseExposition(metricsText(registry, format), format)
  return Object.fromEntries(
    [...sampleTexts(families)].map(([key, value]) => [
      key.replace(/,provider="Source"|provider="Source",?/, '').replace('{}', ''),
      value,
    ]),
  )
}

suite('metrics of a registry', () => {
  test('event counters count from the first call on, statistics since the last scrape', () => {
    const bed = new TestRegistry()
    const latency = new EventCounter('latency', bed.source, { displayUnits: 'ms' })
    const hits = new IncrementingEventCounter('hits', bed.source)
    latency.writeMetric(1)
    hits.increment()
    assert.deepEqual(scrape(bed), {
      source_hits_total: '0',
      source_latency_seconds_samples_sum: '0',
      source_latency_seconds_samples_count: '0',
    })
    for (const sample of [10, 30]) latency.writeMetric(sample)
    hits.increment(2.5)
    bed.pass(1)
    assert.deepEqual(scrape(bed), {
      source_hits_total: '2.5',
      source_latency_seconds: '0.02',
      source_latency_seconds_max: '0.03',
      source_latency_seconds_min: '0.01',
      source_latency_seconds_samples_sum: '0.04',
      source_latency_seconds_samples_count: '2',
      source_latency_seconds_stddev: '0.01',
    })
    hits.increment()
    hits.increment(-1)
    bed.pass(1)
    hits.increment(-5)
    assert.deepEqual(scrape(bed).source_hits_total, '2.5', 'a total never falls')
    latency.writeMetric(50)
    bed.pass(1)
    assert.equal(scrape(bed).source_latency_seconds, '0.05')
  })

  test('polled values are asked for by the scrape, growth adds up', () => {
    const bed = new TestRegistry()
    let value = 1
    new PollingCounter('level', bed.source, () => value)
    new IncrementingPollingCounter('grown', bed.source, () => value, { displayUnits: 'MB' })
    metricsText(bed.registry)
    for (value of [4, 9]) {
      bed.pass(1)
      assert.equal(scrape(bed).source_level, String(value))
    }
    assert.equal(scrape(bed).source_grown_bytes_total, '8000000')
    value = Number.NaN
    bed.pass(1)
    assert.equal(scrape(bed).source_level, '9', 'a failed call keeps the last value')
  })

  test('plain instruments show all since they were made, with the labels as given', () => {
    const bed = new TestRegistry()
    const orders = new Counter('orders', bed.source, { labels: ['route'] })
    orders.with({ route: '/a,b=\\"x"\n' }).add(9_007_199_254_740_993n)
    new Gauge('depth', bed.source, { unit: 'KB' }).set(1.5)
    const sizes = new Histogram('size', bed.source, { unit: 'B' })
    for (const size of [0, 1, 3, 4, 100]) sizes.record(size)
    metricsText(bed.registry)
    bed.pass(1)
    for (const format of ['text', 'openmetrics'] as const) {
      assert.deepEqual(scrape(bed, format), {
        'source_orders_total{route="/a,b=\\\\\\"x\\"\\n"}': '9007199254740993',
        source_depth_bytes: '1500',
        ...{ 'source_size_bytes_bucket{le="0"}': '1', 'source_size_bytes_bucket{le="1"}': '2' },
        ...{ 'source_size_bytes_bucket{le="4"}': '4', 'source_size_bytes_bucket{le="128"}': '5' },
        ...{ 'source_size_bytes_bucket{le="+Inf"}': '5', source_size_bytes_sum: '108' },
        source_size_bytes_count: '5',
      })
    }
  })

  test('an event counter with a histogram is one, in seconds where its unit is of time', () => {
    const bed = new TestRegistry()
    const latency = new EventCounter('t', bed.source, { displayUnits: 'ms', histogram: true })
    latency.writeMetric(3)
    assert.deepEqual(scrape(bed), {
      ...{ 'source_t_seconds_bucket{le="0.004"}': '1', 'source_t_seconds_bucket{le="+Inf"}': '1' },
      ...{ source_t_seconds_sum: '0.003', source_t_seconds_count: '1' },
    })
  })

  test('names that would clash are told apart, and nothing is left out', () => {
    const bed = new TestRegistry()
    new Counter('a', bed.source).add(1)
    new Gauge('a', bed.source).set(2)
    for (const name of ['b.c', 'b-c']) new Gauge(name, bed.source).set(3)
    for (let i = 0; i < 2; i++) new PollingCounter('twin', bed.source, () => i)
    metricsText(bed.registry)
    bed.pass(1)
    assert.deepEqual(scrape(bed, 'openmetrics'), {
      ...{ source_a_total: '1', source_a_gauge: '2' },
      ...{ 'source_b_c{metric="b-c"}': '3', 'source_b_c{metric="b.c"}': '3' },
      'source_twin{metric="twin",series="1"}': '0',
      'source_twin{metric="twin",series="2"}': '1',
    })
  })

  test('Node itself is in it with one line', () => {
    const registry = new CounterRegistry()
    nodeRuntime(registry)
    metricsText(registry)
    const names = parseExposition(metricsText(registry), 'text').map(({ name }) => name)
    for (const name of ['working_set_bytes', 'gc_major_count_total', 'active_handles']) {
      assert.ok(names.includes(`node_runtime_${name}`), name)
    }
    registry.closeSessions()
  })

  test('goes on after the registry has closed its sessions; a limit and a thread refuse it', () => {
    const bed = new TestRegistry({ limits: { sessions: 1 } })
    const hits = new IncrementingEventCounter('hits', bed.source)
    metricsText(bed.registry)
    bed.registry.closeSessions()
    metricsText(bed.registry)
    hits.increment()
    bed.pass(1)
    assert.equal(scrape(bed).source_hits_total, '1')
    assert.equal(bed.registry.sessionCount, 1)
    const full = new TestRegistry({ limits: { sessions: 0 } })
    assert.throws(() => metricsHandler(full.registry), /^RangeError: limit of sessions/)
    const joined = CounterRegistry.open(bed.registry.share())
    assert.throws(() => metricsText(joined), /^TypeError: sessions belong to the thread/)
  })
})

suite('metrics over HTTP', () => {
  const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8'
  const TEXT = 'text/plain; version=0.0.4; charset=utf-8'

  test('a handler answers GET and HEAD in the format asked for', async (t) => {
    const bed = new TestRegistry()
    new Counter('é', bed.source).add()
    const server = createServer(metricsHandler(bed.registry))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    t.after(() => server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`
    const ask = async (method: string, accept: string) => {
      const answer = await fetch(url, { method, headers: { accept } })
      const { status, headers } = answer
      return { status, type: headers.get('content-type'), text: await answer.text(), headers }
    }
    const text = await ask('GET', '*/*')
    assert.deepEqual([text.status, text.type], [200, TEXT])
    assert.equal(text.text, metricsText(bed.registry))
    const open = await ask('GET', 'application/openmetrics-text;version=1.0.0')
    assert.deepEqual([open.status, open.type], [200, OPEN_METRICS])
    assert.ok(open.text.endsWith('# EOF\n'))
    const protobuf =
      'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;' +
      'encoding=delimited,application/openmetrics-text;version=1.0.0;q=0.5'
    assert.match(`${(await ask('GET', protobuf)).type}`, /^application\/vnd.google.protobuf/)
    const head = await ask('HEAD', '*/*')
    assert.deepEqual([head.status, head.type, head.text], [200, TEXT, ''])
    assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(text.text)))
    const post = await ask('POST', '*/*')
    assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, HEAD'])
  })

  test('protobuf has the families of the text, and native buckets, too', async () => {
    const bed = new TestRegistry()
    const labels = ['kind'] as const
    new Counter('c', bed.source, { labels }).with({ kind: 'é"' }).add(2n ** 53n - 1n)
    new Gauge('g', bed.source).set(-0.5)
    const sizes = new Histogram('sizes', bed.source, { unit: 'B', description: 'Sizes' })
    const times = new Histogram('times', bed.source, { unit: 'ms' })
    for (const value of [-3, 0, 1, 3, 3]) sizes.record(value)
    for (const value of [1, 1000]) times.record(value)
    metricsText(bed.registry)
    bed.pass(1)
    const accept =
      'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited'
    const answer = await metricsResponse({ headers: new Headers({ accept }) }, bed.registry)
    const families = readFamilies(Buffer.from(await answer.arrayBuffer()))
    const metric = (name: string) => families.get(name)!.metrics[0]!
    const { labels: pairs, value } = metric('source_c_total')
    assert.deepEqual([pairs, value], [{ kind: 'é"', provider: 'Source' }, 2 ** 53 - 1])
    assert.equal(metric('source_g').value, -0.5)
    const { help, type, unit } = families.get('source_sizes_bytes')!
    assert.deepEqual([help, type, unit], ['Sizes', 'histogram', 'bytes'])
    const { count, sum, buckets, native } = metric('source_sizes_bytes')
    assert.deepEqual([count, sum, buckets?.length], ['5', 4, 4])
    assert.deepEqual([native?.zeroCount, native?.negative.spans.length], ['1', 1])
    // bounds that are divided are no powers of two any more
    assert.deepEqual(metric('source_times_seconds').buckets, [
      [0.001, '1'],
      [1.024, '2'],
    ])
    assert.equal(metric('source_times_seconds').native, undefined)
    const { buckets: none, ...whole } = metric('source_times_milliseconds')
    // at schema 4 they would be 161 buckets apart
    assert.deepEqual([none?.length ?? 0, whole.sum, whole.native?.schema], [0, 1001, 3])
  })

  test('a response of the fetch kind, with and without a request', async () => {
    const bed = new TestRegistry()
    new Counter('c', bed.source).add()
    const accept = 'application/openmetrics-text'
    const request = new Request('http://127.0.0.1/metrics', { headers: { accept } })
    const asked = await metricsResponse(request, bed.registry)
    assert.equal(asked.headers.get('content-type'), OPEN_METRICS)
    assert.equal(await asked.text(), metricsText(bed.registry, 'openmetrics'))
    const plain = await metricsResponse(undefined, bed.registry)
    assert.equal(plain.headers.get('content-type'), TEXT)
    assert.equal(await plain.text(), metricsText(bed.registry))
  })
})
