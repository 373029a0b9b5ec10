/**
 * Names of a series wherever it leaves the hub: each is found there, letter by letter, where it is
 * said to be.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { GUESTS } from '../../src/dialects/registry.ts'
import { ScopeClient } from '../../src/dialects/scope/client.ts'
import type { NamesAnswer } from '../../src/http/api.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { packet, sendUdp, seriesNamed, startHub } from '../support/hub/hub.ts'

async function served(context: TestContext, prometheus = {}) {
  const started = await startHub()
  const { hub } = started
  context.after(() => hub.stop())
  const http = createHttpServer({
    ...{ view: hub, webRoot: '/nonexistent', host: '127.0.0.1', port: 0 },
    guests: GUESTS,
    prometheus,
  })
  context.after(() => http.stop())
  const { port } = await http.start()
  const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`)
  const names = async (name: string, kind?: string) => {
    const { id } = seriesNamed(hub, name, kind)
    const answer = (await (await get(`/api/v1/series/${id}/names`)).json()) as NamesAnswer
    return new Map(answer.names.map((each) => [each.where, each]))
  }
  return { started, get, names, port }
}

test('names of Prometheus and OTLP are those of their exports', async (context) => {
  const { started, get, names } = await served(context)
  const lines = 'cart.items:4|m\ncheckout.latency:118|h\nodd-näme:1|g\n'
  await sendUdp(started, [packet(lines)])
  started.clock.advance(1000)
  const metrics = await (await get('/metrics')).text()
  const otlp = await (await get('/api/v1/otlp')).text()
  for (const name of ['cart.items', 'checkout.latency', 'odd-näme']) {
    const known = await names(name)
    const sample = known.get('Prometheus')!.text
    const start = sample.replace(/\}$/, '')
    assert.ok(metrics.includes(`\n${start}`), `${sample} is on /metrics`)
    assert.ok(otlp.includes(`"name":${JSON.stringify(known.get('OTLP')!.text)}`), name)
  }
})

test('a name that two series want is the one that each got', async (context) => {
  const { started, get, names } = await served(context)
  await sendUdp(started, [packet('a.b:3|m\na-b:4|m\n')])
  started.clock.advance(1000)
  const metrics = await (await get('/metrics')).text()
  const texts = await Promise.all(
    ['a.b', 'a-b'].map(async (name) => (await names(name)).get('Prometheus')!.text),
  )
  assert.notEqual(texts[0], texts[1])
  for (const [i, text] of texts.entries()) assert.ok(metrics.includes(`\n${text} ${3 + i}\n`), text)
})

test('a line of PromQL asks for a rate, a quantile or the value', async (context) => {
  const { started, names } = await served(context)
  await sendUdp(started, [packet('hits:3|m\ndepth:3|g\nrequestTime:118|h\n')])
  const promql = async (name: string) => (await names(name)).get('PromQL')!.text
  assert.equal(await promql('hits'), 'rate(hits_total{shp_type="m"}[5m])')
  assert.equal(await promql('depth'), 'depth')
  assert.equal(
    await promql('requestTime'),
    'histogram_quantile(0.99, sum by (le) (rate(requestTime_hist_seconds_bucket[5m])))',
  )
})

test('with quantiles on /metrics the line of PromQL asks for one', async (context) => {
  const { started, names } = await served(context, { observer: 'summary' })
  await sendUdp(started, [packet('requestTime:118|h\n')])
  const { text } = (await names('requestTime')).get('PromQL')!
  assert.equal(text, 'requestTime_hist_seconds{quantile="0.99"}')
})

test('viewers of scope get a series under the name that is said', async (context) => {
  const { started, names } = await served(context)
  await sendUdp(started, [packet('hits.{x}:3|m\ndepth:7|g\n')])
  started.clock.advance(1000)
  const { host, port } = started.hub.addresses().stream!
  const seen = new Set<string>()
  const client = new ScopeClient({
    ...{ host, port, samplingIntervalMs: 10 },
    onSeries: (added) => {
      for (const { wireName } of added) seen.add(wireName)
    },
  })
  context.after(() => client.close())
  void client.start()
  for (let i = 0; i < 200 && seen.size < 2; i += 1) {
    started.clock.advance(20)
    await new Promise((resolve) => setImmediate(resolve))
  }
  for (const name of ['hits.{x}', 'depth']) {
    const { text } = (await names(name)).get('Scope')!
    assert.ok(seen.has(text), `${text} of ${[...seen].filter((it) => !it.includes('pent'))}`)
  }
})

test('an EventCounter is asked for by the filter that is said', async (context) => {
  const { started, get, names } = await served(context)
  await sendUdp(started, [packet('hits:3|m\nother:1|m\n')])
  const { text } = (await names('hits')).get('EventCounters')!
  assert.equal(text, 'statshero[hits]')
  const query = `EventCounterIntervalSec=1&counters=${encodeURIComponent(text)}`
  const answer = await get(`/api/v1/eventcounters?${query}`)
  for (let i = 0; i < 4; i += 1) started.clock.advance(1000)
  const reader = answer.body!.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  const payload = JSON.parse(new TextDecoder().decode(value).split('\n')[0]!)
  assert.equal(payload.provider, 'statshero')
  assert.equal(payload.Payload.Name, 'hits')
})

test('the line of Stats Hero makes the same series where it is sent', async (context) => {
  const { started, names } = await served(context)
  await sendUdp(started, [packet('hits:3|m\nrequestTime:118|h\n')])
  for (const [name, type] of [
    ['hits', 'm'],
    ['requestTime', 'h'],
  ] as const) {
    const { text } = (await names(name)).get('Stats Hero')!
    assert.equal(text, `${name}:1|${type}`)
    const before = started.hub.series.size
    await sendUdp(started, [packet(`${text}\n`)])
    assert.equal(started.hub.series.size, before)
  }
})

test('a series that is not there has no names', async (context) => {
  const { get } = await served(context)
  const answer = await get('/api/v1/series/4711/names')
  assert.equal(answer.status, 404)
  assert.match(await answer.text(), /unknown_series/)
})
