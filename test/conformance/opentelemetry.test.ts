/**
 * The real OpenTelemetry SDK for JavaScript, with its own exporters, and the stock exporter of .NET
 * push into a hub: every value is there to the unit, with names, units and descriptions.
 */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { suite, type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { metrics } from '@opentelemetry/api'
import {
  AggregationTemporality,
  AggregationType,
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics'
import { DotnetPeer, whyNoDotnet } from '../../src/dialects/nettrace/test/dotnet-peer.ts'
import { type HubSeries, type RunningHub, startHub } from '../../src/start-hub.ts'
import { until } from '../support/hub/hub.ts'
import { FREE_PORTS } from '../support/ports.ts'

const EXPORTERS = ['proto', 'http'] as const
type ExporterName = (typeof EXPORTERS)[number]
interface ExporterOptions {
  readonly url: string
  readonly temporalityPreference: AggregationTemporality
}
type ExporterClass = new (options: ExporterOptions) => PushMetricExporter

/** Pushes of a provider. */
const ROUNDS = 2
const { resolve } = createRequire(import.meta.url)
const packageOf = (name: ExporterName): string => `@opentelemetry/exporter-metrics-otlp-${name}`
const missing = EXPORTERS.map(packageOf).filter((name) => !isInstalled(name))
const skip = missing.length > 0 && `not installed: ${missing.join(', ')}; npm ci`

function isInstalled(name: string): boolean {
  try {
    return resolve(name) !== ''
  } catch {
    return false
  }
}

async function load(name: ExporterName): Promise<ExporterClass> {
  const module = (await import(packageOf(name))) as { OTLPMetricExporter: ExporterClass }
  return module.OTLPMetricExporter
}

/** A provider that pushes when it is told to. */
async function provide(
  { addresses }: RunningHub,
  name: ExporterName,
  temporality: AggregationTemporality,
): Promise<MeterProvider> {
  const Exporter = await load(name)
  const url = `http://127.0.0.1:${addresses.http!.port}/v1/metrics`
  const exporter = new Exporter({ url, temporalityPreference: temporality })
  const provider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
    views: [
      {
        instrumentName: 'payload.size',
        aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM },
      },
    ],
  })
  return provider
}

async function start(context: TestContext): Promise<RunningHub> {
  const hub = await startHub({ config: FREE_PORTS })
  context.after(() => hub.close())
  return hub
}

function seriesOf(hub: RunningHub, name: string): HubSeries[] {
  return [...hub.series()].filter(({ identity, metadata }) => {
    return identity.name === name && metadata.dialect === 'opentelemetry'
  })
}

/** Total of the one series of that name, as text; those of histograms as count and sum. */
function totalOf(hub: RunningHub, name: string): string {
  const [series] = seriesOf(hub, name)
  if (series === undefined) return 'none'
  const { total } = series
  switch (total.kind) {
    case 'counter':
      return String(total.total)
    case 'gauge':
      return String(total.value)
    case 'histogram':
      return `${total.histogram.count} ${total.histogram.sum}`
    default:
      return total.kind
  }
}

suite('the OpenTelemetry SDK for JavaScript', () => {
  for (const name of EXPORTERS) {
    for (const temporality of ['CUMULATIVE', 'DELTA'] as const) {
      const title = `pushes by ${packageOf(name)}, ${temporality.toLowerCase()}, to the unit`
      test(title, { skip }, async (context) => {
        const hub = await start(context)
        const provider = await provide(hub, name, AggregationTemporality[temporality])
        const meter = provider.getMeter('shop', '1.0')
        const orders = meter.createCounter('orders', { unit: '{order}', description: 'Paid' })
        const weight = meter.createCounter('weight', { unit: 'kg' })
        const open = meter.createUpDownCounter('carts.open')
        const latency = meter.createHistogram('latency', { unit: 'ms', description: 'Of all' })
        const size = meter.createHistogram('payload.size', { unit: 'By' })
        const depth = meter.createObservableGauge('depth')
        depth.addCallback((result) => result.observe(7.5))
        const largest = new Map([['orders', 0]])
        for (let round = 1; round <= ROUNDS; round++) {
          for (let i = 0; i < 1000; i++) {
            orders.add(i, { lang: 'en' })
            weight.add(0.25)
            open.add(i % 3 === 0 ? 1 : -1)
            latency.record(i)
            size.record(2 ** (i % 20))
          }
          largest.set('orders', round * 499_500)
          // a point whose start is its own time, in ms, would say that its start is not known
          await setTimeout(5)
          await provider.forceFlush()
          await until(() => totalOf(hub, 'orders') === String(largest.get('orders')))
        }
        const totals = ['weight', 'carts.open', 'latency', 'payload.size', 'depth'].map((each) => {
          return [each, totalOf(hub, each)]
        })
        assert.deepEqual(Object.fromEntries(totals), {
          weight: String(ROUNDS * 250),
          'carts.open': String(ROUNDS * (334 - 666)),
          latency: `${ROUNDS * 1000} ${ROUNDS * 499_500}`,
          'payload.size': `${ROUNDS * 1000} ${ROUNDS * 50 * (2 ** 20 - 1)}`,
          depth: '7.5',
        })
        const [series] = seriesOf(hub, 'orders')
        const { unit, description } = series!.metadata
        assert.deepEqual([unit, description], ['{order}', 'Paid'])
        const labels = Object.fromEntries(series!.identity.labels)
        assert.deepEqual([labels.lang, labels['otel.scope.name']], ['en', 'shop'])
        assert.match(labels['service.name'] ?? '', /^unknown_service/)
        const [bounded] = seriesOf(hub, 'latency')
        assert.ok(bounded?.total.kind === 'histogram')
        const bounds = bounded.total.histogram.bounds ?? []
        const counts = bounds.map((bound, i) => {
          const from = i === 0 ? -1 : bounds[i - 1]!
          return ROUNDS * Math.max(0, Math.min(999, bound) - Math.min(999, from))
        })
        const seen = bounds.map((_, i) => Number(countAt(bounded, i)))
        assert.deepEqual(seen, counts)
        const [scaled] = seriesOf(hub, 'payload.size')
        assert.ok(scaled?.total.kind === 'histogram')
        assert.equal(scaled.total.histogram.positive.total(), BigInt(ROUNDS * 1000))
        assert.ok(scaled.total.histogram.scale >= 2, `scale ${scaled.total.histogram.scale}`)
        const { connections, errors } = hub.sources()
        assert.deepEqual(errors, [])
        const sender = connections.find(({ dialect }) => dialect === 'opentelemetry')
        assert.equal(sender?.facts.requests, ROUNDS)
        assert.equal(sender?.facts.rejected, 0)
        assert.equal(sender?.facts['telemetry.sdk.language'], 'nodejs')
        await provider.shutdown()
      })
    }
  }

  test('needs OTEL_EXPORTER_OTLP_ENDPOINT and nothing else', { skip }, async (context) => {
    const hub = await start(context)
    const before = process.env.OTEL_EXPORTER_OTLP_ENDPOINT
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${hub.addresses.http!.port}`
    context.after(() => {
      if (before === undefined) delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT
      else process.env.OTEL_EXPORTER_OTLP_ENDPOINT = before
    })
    const Exporter = (await load('proto')) as unknown as new () => PushMetricExporter
    const reader = new PeriodicExportingMetricReader({
      exporter: new Exporter(),
      exportIntervalMillis: 3_600_000,
    })
    const provider = new MeterProvider({ readers: [reader] })
    metrics.setGlobalMeterProvider(provider)
    metrics.getMeter('app').createCounter('visits').add(3)
    await setTimeout(5)
    await provider.forceFlush()
    await until(() => totalOf(hub, 'visits') === '3')
    metrics.disable()
    await provider.shutdown()
  })
})

suite('the OpenTelemetry exporter of .NET', () => {
  for (const temporality of ['Cumulative', 'Delta']) {
    const title = `pushes ${temporality.toLowerCase()} to the unit`
    test(title, { skip: whyNoDotnet ?? false }, async (context) => {
      const hub = await start(context)
      const endpoint = `http://127.0.0.1:${hub.addresses.http!.port}`
      const folder = tmpdir()
      const peer = await DotnetPeer.start(context, { folder }, 'otlp', endpoint, temporality)
      await peer.line('pid')
      for (let round = 1; round <= ROUNDS; round++) {
        peer.tell('write 1000')
        const pushed = (): number => peer.lines.filter((line) => line.pushed === true).length
        await peer.until(() => pushed() === round)
        await until(() => totalOf(hub, 'orders') === String(round * 499_500))
      }
      const names = ['weight', 'carts.open', 'latency', 'payload.size', 'depth']
      assert.deepEqual(Object.fromEntries(names.map((name) => [name, totalOf(hub, name)])), {
        weight: String(ROUNDS * 250),
        'carts.open': String(ROUNDS * (334 - 666)),
        latency: `${ROUNDS * 1000} ${ROUNDS * 499_500}`,
        'payload.size': `${ROUNDS * 1000} ${ROUNDS * 50 * (2 ** 20 - 1)}`,
        depth: '7.5',
      })
      const { metadata, identity } = seriesOf(hub, 'orders')[0]!
      assert.deepEqual([metadata.unit, metadata.description], ['{order}', 'Paid'])
      assert.equal(Object.fromEntries(identity.labels)['otel.scope.name'], 'Pentameter-Peer')
      assert.deepEqual(hub.sources().errors, [])
    })
  }
})

/** Count of a bucket by the number of its bound. */
function countAt({ total }: HubSeries, index: number): bigint {
  if (total.kind !== 'histogram') return 0n
  const { offset, counts } = total.histogram.positive
  return counts[index - offset] ?? 0n
}
