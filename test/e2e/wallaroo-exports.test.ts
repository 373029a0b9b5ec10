/**
 * What leaves a hub that workers of Wallaroo send to (wallaroo.md §7): pushed to an OTLP receiver,
 * scraped, read by simple viewers; and the options that change it.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventCountersOf } from '../../src/dialects/eventcounters/hub/resident.ts'
import type { CounterWindow } from '../../src/dialects/eventcounters/window.ts'
import { metricsBytes } from '../../src/dialects/wallaroo/test/frames.ts'
import { startPipelineHub } from '../../src/dialects/wallaroo/test/pipelines.ts'
import { serve } from '../support/http-client.ts'
import { until } from '../support/hub/hub.ts'
import { startHubProcess } from '../support/hub/hub-process.ts'
import { startCollector } from '../support/outputs/otlp-collector.ts'
import { metricsOf } from '../support/outputs/otlp-messages.ts'
import { RawPeer } from '../support/raw-peer.ts'

const LATENCY = 'wallaroo_computation_latency'
const SKEWED = {
  bins: { 10: '3', 64: '2' },
  min_ns: '700',
  max_ns: `${2n ** 64n - 1n}`,
}

test('a hub of the config pushes to its receiver, the last second too', async (t) => {
  const collector = await startCollector(t)
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-otlp-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const config = join(folder, 'hub.json')
  const url = new URL(collector.url).origin
  writeFileSync(config, JSON.stringify({ otlp: { url, intervalMs: 3_600_000 } }))
  const hub = await startHubProcess('serve', '--config', config)
  const base = `http://127.0.0.1:${hub.listeners.http.port}`
  const peer = await RawPeer.connect(hub.listeners.stream.port)
  peer.write(Buffer.from(metricsBytes(SKEWED)))
  const shown = async () => {
    const answer = await fetch(`${base}/api/v1/otlp`)
    return metricsOf(await answer.json()).get(LATENCY)?.points[0]?.count
  }
  while ((await shown()) !== '5') await new Promise((resolve) => setTimeout(resolve, 50))
  const sources = (await (await fetch(`${base}/api/v1/sources`)).json()) as {
    exports: readonly { url: string; state: string }[]
  }
  assert.deepEqual(
    sources.exports.map((each) => [each.url, each.state]),
    [[collector.url, 'starting']],
  )
  peer.close()
  assert.equal((await hub.stop()).code, 0)
  const { metrics, path } = collector.taken.at(-1)!
  assert.equal(path, '/v1/metrics')
  const { kind, unit, scope, points } = metrics.get(LATENCY)!
  assert.deepEqual([kind, unit, scope, points[0]!.count], ['histogram', 's', 'pentameter', '5'])
  assert.equal(metrics.get('wallaroo_computation_messages_total')!.points[0]!.asInt, '5')
  assert.equal(metrics.get('wallaroo_clock_skew_samples_total')!.points[0]!.asInt, '2')
})

test('names begin as the config says, and messages of bin 64 count', async (t) => {
  const wallaroo = { namePrefix: 'shop_' }
  const started = await startPipelineHub(t, { wallaroo })
  const peer = await started.peer()
  await started.send(peer, [SKEWED])
  started.clock.advance(1000)
  const server = await serve(t, { view: started.hub })
  const { text } = await server.ask('/metrics')
  assert.doesNotMatch(text, /^wallaroo_/m)
  assert.match(text, /^shop_computation_latency_seconds_count\{.*\} 5$/m)
  assert.match(text, /^shop_computation_latency_seconds_bucket\{.*le="0.000001024"\} 3$/m)
  assert.match(text, /^shop_clock_skew_samples_total\{.*\} 2$/m)
  const bounds = [...text.matchAll(/latency_seconds_bucket\{.*le="([^"]*)"\}/g)].map(([, le]) => le)
  // 2^63 ns stands below the skewed ones, which have no bound of their own
  assert.deepEqual(bounds, ['0.000000512', '0.000001024', '9223372036.854775808', '+Inf'])
})

test('messages of bin 64 are in no histogram where they are told to be clock skew', async (t) => {
  const started = await startPipelineHub(t, { wallaroo: { includeSkew: false } })
  const peer = await started.peer()
  await started.send(peer, [SKEWED])
  started.clock.advance(1000)
  const { text } = await (await serve(t, { view: started.hub })).ask('/metrics')
  assert.match(text, /^wallaroo_computation_messages_total\{.*\} 5$/m)
  assert.match(text, /^wallaroo_computation_latency_seconds_count\{.*\} 3$/m)
  assert.match(text, /^wallaroo_clock_skew_samples_total\{.*\} 2$/m)
})

test('a relay of such a hub says every message once', async (t) => {
  const target = await startPipelineHub(t)
  const started = await startPipelineHub(t, {
    wallaroo: { namePrefix: 'shop_' },
    relay: [`wallaroo://127.0.0.1:${target.streamPort}`],
  })
  const peer = await started.peer()
  await started.send(peer, [SKEWED])
  started.clock.advance(1000)
  await until(() => target.hub.measurements('wallaroo') === 1)
  target.clock.advance(1000)
  const { text } = await (await serve(t, { view: target.hub })).ask('/metrics')
  assert.match(text, /^wallaroo_computation_messages_total\{.*\} 5$/m)
  assert.match(text, /^wallaroo_clock_skew_samples_total\{.*\} 2$/m)
  assert.match(text, /^wallaroo_computation_latency_seconds_count\{.*\} 5$/m)
})

test('scope, Stats Hero and EventCounters have the values of the last second', async (t) => {
  const target = await startPipelineHub(t)
  const started = await startPipelineHub(t, {
    relay: [`statshero+tcp://127.0.0.1:${target.textPort}`],
  })
  const { hub, clock } = started
  let windows: readonly CounterWindow[] = []
  const canonical = hub.openSnapshot([])
  eventCountersOf(hub)!.open({ intervalMs: 1000, deliver: 'own' }, (boundary) => {
    windows = boundary.windows
  })
  clock.advance(1000)
  const peer = await started.peer()
  // its one latency is known exactly: min and max say it
  await started.send(peer, [{ bins: { 10: '1' }, min_ns: '900', max_ns: '900' }])
  clock.advance(1000)
  const names = canonical.list().map(({ identity }) => identity.name)
  const values = new Float64Array(names.length)
  canonical.read(values)
  const canonicalOf = (part: string) => values[names.findIndex((name) => name.includes(part))]
  assert.equal(canonicalOf(LATENCY), 900)
  // a rate per minute
  assert.equal(canonicalOf('wallaroo_computation_messages_total'), 60)
  const latency = windows.find(({ counter }) => counter.name.includes(LATENCY))
  assert.deepEqual([latency?.statistics.kind, mean(latency)], ['mean', 900])
  await until(() => target.hub.measurements('statshero') >= 3)
  target.clock.advance(1000)
  const sent = [...target.hub.series].filter(({ metadata }) => metadata.dialect === 'statshero')
  const kinds = new Map(sent.map(({ identity }) => [identity.name.split('.')[0], identity.kind]))
  assert.equal(kinds.get('wallaroo_computation_messages_total'), 'counter')
  assert.equal(kinds.get(LATENCY), 'histogram')
})

function mean(window: CounterWindow | undefined): number | undefined {
  return window?.statistics.kind === 'mean' ? window.statistics.mean : undefined
}
