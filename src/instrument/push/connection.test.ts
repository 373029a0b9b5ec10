/** Pushes to a receiver that notes what it gets. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { decodeOpenTelemetry, type ResourceMetrics } from '../../dialects/opentelemetry/codec.ts'
import { EventCounter, IncrementingEventCounter } from '../counters/event-counters.ts'
import { Counter } from '../plain/counter.ts'
import { Gauge } from '../plain/gauge.ts'
import { Histogram } from '../plain/histogram.ts'
import { RegistryReadings } from '../readings/metrics-readings.ts'
import { CounterRegistry, EventSource } from '../registry.ts'
import { OtlpPush } from './connection.ts'
import { pushPlan } from './push-options.ts'

interface Answer {
  readonly status?: number
  readonly body?: string
}

/** A receiver that answers as it is told, at last with 200; its address. */
async function receiver(t: TestContext, answers: Answer[] = []) {
  const requests: { readonly messages: ResourceMetrics[]; readonly type: string }[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts)
    const { messages, errors } = decodeOpenTelemetry(body)
    assert.deepEqual(errors, [])
    requests.push({ messages: [...messages], type: request.headers['content-type'] ?? '' })
    const { status = 200, body: said = '{}' } = answers.shift() ?? {}
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(said)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { requests, host: `127.0.0.1:${(server.address() as AddressInfo).port}` }
}

function pushTo(
  t: TestContext,
  to: string,
  registry: CounterRegistry,
  environment: Readonly<Record<string, string>> = {},
) {
  const clock = new FakeClock()
  const told: string[] = []
  const log = (message: string) => told.push(message)
  const plan = pushPlan(to, { service: 'shop', instance: 'a' }, environment)
  const readings = new RegistryReadings(registry)
  const push = new OtlpPush(plan, { readings, clock, log, startMs: 1000 })
  t.after(() => push.close())
  return { push, clock, told }
}

/** As much of a metric as is looked at. */
interface SentMetric {
  readonly name: string
  readonly unit: string
  readonly description: string
  readonly sum: { readonly isMonotonic: boolean; readonly dataPoints: readonly SentPoint[] }
  readonly gauge: { readonly dataPoints: readonly SentPoint[] }
  readonly exponentialHistogram: { readonly dataPoints: readonly SentPoint[] }
  readonly summary: { readonly dataPoints: readonly SentPoint[] }
}

interface SentPoint extends Readonly<Record<string, unknown>> {
  readonly asInt: string
  readonly positive: { readonly bucketCounts: readonly string[] }
  readonly negative: { readonly bucketCounts: readonly string[] }
}

interface Sent {
  readonly messages: readonly ResourceMetrics[]
}

function metricsOf({ messages }: Sent): SentMetric[] {
  type Scopes = readonly { readonly metrics: readonly SentMetric[] }[]
  return messages.flatMap(({ scopeMetrics }) => (scopeMetrics as Scopes)[0]!.metrics)
}

for (const environment of [{}, { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }]) {
  const form = Object.values(environment)[0] ?? 'http/protobuf'
  test(`every kind is sent whole, with its unit and description, as ${form}`, async (t) => {
    const { requests, host } = await receiver(t)
    const registry = new CounterRegistry()
    const source = new EventSource('shop.cart', { registry })
    const described = { unit: 'B', description: 'Sizes of carts', labels: ['kind'] as const }
    new Counter('orders', source).add(2n ** 60n + 1n)
    new Gauge('open', source).set(-0.5)
    new Gauge('never-set', source)
    const sizes = new Histogram('sizes', source, { ...described, labels: ['kind'] })
    for (const value of [0, 1, 1, 1000.5, -3]) sizes.with({ kind: 'new' }).record(value)
    const { push } = pushTo(t, `http://${host}`, registry, environment)
    const samples = new EventCounter('wait', source)
    const sums = new IncrementingEventCounter('sent', source)
    samples.writeMetric(1.5)
    samples.writeMetric(2)
    sums.increment(0.25)
    assert.equal(await push.flush(), true)
    assert.equal(push.status.points, 5)
    const [orders, open, histogram, wait, sent] = metricsOf(requests[0]!)
    const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } })
    assert.deepEqual(requests[0]!.messages[0]!.resource, {
      attributes: [attribute('service.name', 'shop'), attribute('service.instance.id', 'a')],
    })
    assert.equal(orders!.name, 'shop.cart.orders')
    assert.equal(orders!.sum.isMonotonic, true)
    assert.equal(orders!.sum.dataPoints[0]!.asInt, `${2n ** 60n + 1n}`)
    assert.equal(orders!.sum.dataPoints[0]!.startTimeUnixNano, '1000000000')
    assert.equal(open!.gauge.dataPoints[0]!.asDouble, -0.5)
    const point = histogram!.exponentialHistogram.dataPoints[0]!
    assert.deepEqual([histogram!.unit, histogram!.description], ['By', 'Sizes of carts'])
    assert.deepEqual(
      [point.count, point.sum, point.min, point.max, point.zeroCount],
      ['5', 999.5, -3, 1000.5, '1'],
    )
    assert.deepEqual(point.attributes, [{ key: 'kind', value: { stringValue: 'new' } }])
    const counts = [...point.positive.bucketCounts, ...point.negative.bucketCounts].map(Number)
    assert.equal(
      counts.reduce((sum: number, count: number) => sum + count, 0),
      4,
    )
    assert.deepEqual(
      [wait!.summary.dataPoints[0]!.count, wait!.summary.dataPoints[0]!.sum],
      ['2', 3.5],
    )
    assert.equal(sent!.sum.dataPoints[0]!.asDouble, 0.25)
  })
}

test('many series take several requests, none of them above the limit', async (t) => {
  const { requests, host } = await receiver(t)
  const registry = new CounterRegistry({ limits: { labelSets: 5000 } })
  const visits = new Counter('visits', new EventSource('web', { registry }), { labels: ['page'] })
  for (let i = 0; i < 4500; i++) visits.with({ page: `${i}` }).add(i)
  const { push } = pushTo(t, `pentameter://${host}`, registry)
  assert.equal(await push.flush(), true)
  const pages = requests.flatMap((request) =>
    metricsOf(request).flatMap(({ sum }) => sum.dataPoints),
  )
  assert.deepEqual([requests.length, pages.length, push.status.points], [3, 4500, 4500])
  assert.equal(new Set(pages.map(({ asInt }) => asInt)).size, 4500)
})

test('a hub that was away is told where it stood, then where it stands', async (t) => {
  const answers: Answer[] = [{}, { status: 503 }]
  const { requests, host } = await receiver(t, answers)
  const registry = new CounterRegistry()
  const visits = new Counter('visits', new EventSource('web', { registry }))
  const { push, clock, told } = pushTo(t, `pentameter://${host}`, registry)
  const values = () => requests.map((request) => metricsOf(request)[0]!.sum.dataPoints[0]!.asInt)
  visits.add(1)
  assert.equal(await push.flush(), true)
  visits.add(1)
  clock.advance(1)
  assert.equal(await push.flush(), false)
  assert.equal(push.status.state, 'failing')
  assert.match(push.status.problem ?? '', /^status 503; the receiver asks for less/)
  visits.add(1)
  assert.equal(await push.flush(), true)
  assert.deepEqual(values(), ['1', '2', '1', '3'])
  assert.deepEqual(requests[2]!.messages, requests[0]!.messages)
  assert.equal(push.status.state, 'sending')
  assert.equal(told.length, 2)
  assert.match(told[0]!, /^metrics don't reach http:.*: status 503/)
  assert.match(told[1]!, /^metrics reach http:.* again$/)
})

test('points that a receiver leaves out are counted, and said once', async (t) => {
  const partialSuccess = { rejectedDataPoints: '1', errorMessage: 'too old' }
  const said = { body: JSON.stringify({ partialSuccess }) }
  const { host } = await receiver(t, [said, said])
  const registry = new CounterRegistry()
  const source = new EventSource('web', { registry })
  new Counter('visits', source).add()
  new Counter('orders', source).add()
  const { push, told } = pushTo(t, `http://${host}`, registry)
  assert.equal(await push.flush(), true)
  assert.equal(await push.flush(), true)
  assert.deepEqual([push.status.points, push.status.pointsLost], [2, 2])
  assert.deepEqual(told, ['1 points were not taken: too old'])
})

test('what is refused is not sent again, and says what to do', async (t) => {
  const { requests, host } = await receiver(t, [{ status: 401 }])
  const registry = new CounterRegistry()
  new Counter('visits', new EventSource('web', { registry })).add()
  const { push } = pushTo(t, `http://${host}`, registry)
  assert.equal(await push.flush(), false)
  assert.deepEqual([requests.length, push.status.pointsLost], [1, 1])
  assert.equal(push.status.problem, 'status 401; give it "headers" with an authorization')
})

test('pushes are on a grid of the wall clock; closing sends the rest, then nothing', async (t) => {
  const { requests, host } = await receiver(t)
  const registry = new CounterRegistry()
  const visits = new Counter('visits', new EventSource('web', { registry }))
  const { push, clock } = pushTo(t, `pentameter://${host}`, registry)
  visits.add()
  clock.advance(1000 - (clock.wallMs() % 1000) - 1)
  await push.flush()
  assert.equal(requests.length, 1)
  clock.advance(1)
  await push.flush() // behind the one of the grid
  assert.equal(requests.length, 3)
  visits.add()
  await push.close()
  clock.advance(5000)
  assert.equal(await push.flush(), false)
  assert.deepEqual([requests.length, push.status.state], [4, 'off'])
})

test('the environment can switch it off: nothing is sent', async (t) => {
  const { requests, host } = await receiver(t)
  const registry = new CounterRegistry()
  new Counter('visits', new EventSource('web', { registry })).add()
  const off = { OTEL_SDK_DISABLED: 'true' }
  const { push, clock } = pushTo(t, `pentameter://${host}`, registry, off)
  clock.advance(5000)
  assert.equal(await push.flush(), false)
  assert.deepEqual([requests.length, push.status.state], [0, 'off'])
})
