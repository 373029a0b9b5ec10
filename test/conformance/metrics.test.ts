/** Prometheus' own checker reads what an application says of itself without a hub. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  Counter,
  CounterRegistry,
  EventCounter,
  EventSource,
  Histogram,
  metricsText,
  nodeRuntime,
} from '../../src/instrument/index.ts'
import { promtoolComplaints, whyNoPrometheus } from '../support/outputs/prometheus.ts'

test('promtool takes the metrics of an application', { skip: whyNoPrometheus ?? false }, () => {
  const registry = new CounterRegistry()
  const source = new EventSource('Shop.Web', { registry })
  const latency = new EventCounter('latency', source, { displayUnits: 'ms' })
  const orders = new Counter('orders', source, { labels: ['9 route'], description: 'a "b"\\\n' })
  const sizes = new Histogram('size', source, { unit: 'B' })
  nodeRuntime(registry)
  metricsText(registry)
  latency.writeMetric(12.5)
  for (const route of ['/a,b=\\"x"\n', 'é', '']) orders.with({ '9 route': route }).add()
  for (const size of [-3, 0, 1e-9, 7, 1e300]) sizes.record(size)
  const text = metricsText(registry)
  assert.match(text, /^shop_web_latency_seconds\{.*\} 0\.0125$/m)
  assert.equal(promtoolComplaints(text), '')
  registry.closeSessions()
})
