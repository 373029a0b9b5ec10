/** What an OpenTelemetry SDK pushes, on the page of a real hub. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { encodeOpenTelemetry } from '../../src/dialects/opentelemetry/codec.ts'
import { type Served, skip, textOf, useBrowser } from './browser.ts'
import { serveHub } from './real-hub.ts'

const open = useBrowser()
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PATH = '/v1/metrics'

/** A hub to which the SDK has pushed, and a sender of an exemplar, which that SDK has none of. */
async function serveShop(webRoot: string): Promise<Served> {
  const hub = await serveHub(webRoot)
  const exporter = new OTLPMetricExporter({ url: hub.url + PATH })
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 86_400_000 })
  const resource = resourceFromAttributes({ 'service.name': 'shop', 'host.name': 'web-1' })
  const provider = new MeterProvider({ readers: [reader], resource })
  provider.getMeter('shop').createCounter('orders', { unit: '{order}' }).add(7, { lang: 'en' })
  await provider.shutdown()
  const exemplar = { timeUnixNano: `${BigInt(Date.now()) * 1_000_000n}`, asDouble: 3.5 }
  const point = {
    ...{ startTimeUnixNano: '1', timeUnixNano: `${BigInt(Date.now()) * 1_000_000n}`, count: '1' },
    ...{ sum: 3.5, explicitBounds: [1, 5], bucketCounts: ['0', '1', '0'] },
    exemplars: [{ ...exemplar, traceId: TRACE }],
  }
  const histogram = { aggregationTemporality: 1, dataPoints: [point] }
  const metrics = [{ name: 'latency', unit: 's', histogram }]
  const [body] = encodeOpenTelemetry([{ scopeMetrics: [{ metrics }] }])
  const headers = { 'Content-Type': 'application/x-protobuf' }
  const answer = await fetch(hub.url + PATH, {
    method: 'POST',
    headers,
    body: new Uint8Array(body!),
  })
  assert.equal(answer.status, 200)
  return hub
}

test('what an SDK pushes is on overview, series page and Sources', { skip }, async (t) => {
  const { page } = await open(t, { serve: serveShop, path: '/' })
  await page.locator('main', { hasText: 'orders' }).waitFor()
  await page.goto(new URL('/sources', page.url()).href)
  const row = page.locator('tr', { hasText: 'OpenTelemetry' }).first()
  await row.waitFor()
  await page.getByText('web-1').first().waitFor()
})

test('an exemplar is beside its series with what leads to its trace', { skip }, async (t) => {
  const { page } = await open(t, { serve: serveShop, path: '/series/latency' })
  await page.locator('[aria-label=Exemplars] li').waitFor()
  const words = await textOf(page, '[aria-label=Exemplars]')
  assert.match(words, /newest first/)
  assert.match(words, /3\.5/)
  assert.ok(words.includes(`trace_id=${TRACE}`), words)
  const shot = process.env.SHOT
  if (shot !== undefined) await page.screenshot({ path: shot })
})
