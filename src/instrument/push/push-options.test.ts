/** Where pushes go, by what the call says and by the variables of OpenTelemetry. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pushPlan } from './push-options.ts'

test('a hub is named by its host, anything else by its address', () => {
  const urlOf = (to?: string) => pushPlan(to, {}, {}).url
  assert.equal(urlOf(), 'http://127.0.0.1:4000/v1/metrics')
  assert.equal(urlOf('pentameter://hub.example'), 'http://hub.example:4000/v1/metrics')
  assert.equal(urlOf('pentameter://[::1]:4001'), 'http://[::1]:4001/v1/metrics')
  assert.equal(urlOf('pentameter://hub.example:80'), 'http://hub.example/v1/metrics')
  assert.equal(urlOf('pentameters://hub.example:8443'), 'https://hub.example:8443/v1/metrics')
  assert.equal(urlOf('http://collector:4318'), 'http://collector:4318/v1/metrics')
  assert.equal(urlOf('https://backend/otlp/v1/metrics'), 'https://backend/otlp/v1/metrics')
  assert.deepEqual(
    ['pentameter://h', 'http://h'].map((to) => pushPlan(to, {}, {}).intervalMs),
    [1000, 60_000],
  )
})

test('what is no address or no protocol is an error that says what is', () => {
  assert.throws(() => pushPlan('hub:4000', {}, {}), /^TypeError: nothing is spoken over hub:/)
  assert.throws(() => pushPlan('hub', {}, {}), /no address: "hub"; want pentameter:\/\/HOST/)
  assert.throws(() => pushPlan('grpc://hub', {}, {}), /nothing is spoken over grpc:/)
  const grpc = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
  assert.throws(() => pushPlan('http://h', {}, grpc), /"grpc"; spoken are http\/protobuf and/)
  for (const intervalMs of [0, Number.NaN, -1, 2 ** 31]) {
    assert.throws(() => pushPlan(undefined, { intervalMs }, {}), /^RangeError: intervalMs is/)
  }
})

test('a time of the environment that is none is left out, and said', () => {
  const environment = { OTEL_METRIC_EXPORT_INTERVAL: 'soon', OTEL_EXPORTER_OTLP_TIMEOUT: '-1' }
  const said: string[] = []
  const log = (message: string) => void said.push(message)
  const { intervalMs, timeoutMs } = pushPlan('http://h', { log }, environment)
  assert.deepEqual([intervalMs, timeoutMs], [60_000, 10_000])
  const want = 'which is left out: want 1 to 2147483647 milliseconds'
  assert.deepEqual(said, [
    `OTEL_METRIC_EXPORT_INTERVAL is "soon", ${want}`,
    `OTEL_EXPORTER_OTLP_TIMEOUT is "-1", ${want}`,
  ])
  pushPlan('pentameter://h', { log, timeoutMs: 5 }, environment)
  assert.equal(said.length, 2, 'what is not asked for is not read')
})

test('the variables of OpenTelemetry hold where the call says nothing', () => {
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/base/',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_EXPORTER_OTLP_TIMEOUT: '2500',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b, tenant = one,none',
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'tenant=two',
    OTEL_METRIC_EXPORT_INTERVAL: '5000',
    OTEL_SERVICE_NAME: 'shop',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=test%2C1',
  }
  const { resource, ...plan } = pushPlan(undefined, { instance: 'a' }, environment)
  assert.deepEqual(plan, {
    url: 'http://collector:4318/base/v1/metrics',
    isHub: false,
    isOn: true,
    intervalMs: 5000,
    timeoutMs: 2500,
    encoding: 'json',
    compression: 'gzip',
    headers: { 'api-key': 'a b', tenant: 'two' },
  })
  assert.deepEqual(resource, {
    'service.name': 'shop',
    'service.instance.id': 'a',
    'deployment.environment.name': 'test,1',
  })
  const ofMetrics = {
    ...environment,
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://metrics:9/own',
    OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/protobuf',
  }
  const own = pushPlan(undefined, { intervalMs: 10, service: 'mine' }, ofMetrics)
  assert.deepEqual(
    [own.url, own.encoding, own.intervalMs, own.resource['service.name']],
    ['http://metrics:9/own', 'protobuf', 10, 'mine'],
  )
  assert.equal(pushPlan(undefined, {}, { OTEL_SERVICE_NAME: ' ' }).url.includes('127.0.0.1'), true)
})

test('the environment can switch it off', () => {
  for (const environment of [{ OTEL_SDK_DISABLED: 'TRUE' }, { OTEL_METRICS_EXPORTER: 'none' }]) {
    assert.equal(pushPlan(undefined, {}, environment).isOn, false)
  }
})
