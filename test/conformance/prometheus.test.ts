/**
 * A real Prometheus scrapes a real hub, in OpenMetrics as it asks for by itself and in text 0.0.4
 * behind a proxy that drops its Accept header, and must then hold exactly what was sent.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { serve } from '../support/http-client.ts'
import { packet, sendTcp, startHub } from '../support/hub/hub.ts'
import {
  Prometheus,
  promtoolComplaints,
  type QueryResult,
  whyNoPrometheus,
} from '../support/outputs/prometheus.ts'

const LINES = [
  'shop.requests:41|m',
  'shop.requests:1|m',
  'shop.requests:-2|m',
  'host.jiffies:100|mr',
  'host.jiffies:107|mr',
  'queue.depth:-7|g',
  'wide:9007199254740993|g',
  ...['0', '1', '2', '3', '3', '100'].map((value) => `shop.basket:${value}|h`),
  ...['-5', '4'].map((value) => `balance:${value}|h`),
  // One key as all four types, two keys that become one name, and a hostile key.
  ...['k:1|m', 'k:2|mr', 'k:3|g', 'k:4|h', 'a.b:1|g', 'a-b:2|g', '9"}\\ é\u0001😀:5|g'],
]

/** Query, and what it must give in either format. */
const EXPECTED: readonly (readonly [query: string, value: string])[] = [
  ['shop_requests_total{shp_type="m"}', '42'],
  ['shop_requests_decrement_total{shp_type="m"}', '2'],
  ['host_jiffies_total{shp_type="mr"}', '7'],
  ['queue_depth', '-7'],
  // Prometheus holds doubles: the nearest even one.
  ['wide', '9007199254740992'],
  ['shop_basket_hist_bucket{le="0"}', '1'],
  ['shop_basket_hist_bucket{le="1"}', '2'],
  ['shop_basket_hist_bucket{le="2"}', '3'],
  ['shop_basket_hist_bucket{le="4"}', '5'],
  ['shop_basket_hist_bucket{le="128"}', '6'],
  ['shop_basket_hist_bucket{le="+Inf"}', '6'],
  ['shop_basket_hist_sum', '109'],
  ['shop_basket_hist_count', '6'],
  ['balance_hist_bucket{le="-5"}', '1'],
  ['balance_hist_bucket{le="4"}', '2'],
  ['k_total{shp_type="m"}', '1'],
  ['k_total{shp_type="mr"}', '0'],
  ['k_gauge', '3'],
  ['k_hist_sum', '4'],
  ['a_b{metric="a.b"}', '1'],
  ['a_b{metric="a-b"}', '2'],
  ['_9"}\\ é\u0001😀'.replace(/[^A-Za-z0-9_]/gu, '_'), '5'],
  ['histogram_quantile(0.5, shop_basket_hist_bucket)', '2'],
]

test('prometheus takes every series as it was sent, in both formats', {
  skip: whyNoPrometheus ?? false,
  timeout: 90_000,
}, async (t) => {
  const started = await startHub()
  t.after(() => started.hub.stop())
  await sendTcp(started, [packet(`${LINES.join('\n')}\n`)])
  const server = await serve(t, { view: started.hub })
  const { text } = await server.ask('/metrics')
  assert.equal(promtoolComplaints(text), '')
  const prometheus = await Prometheus.start([
    { job: 'openmetrics', port: server.port },
    { job: 'text', port: await startProxy(t, server.port) },
  ])
  t.after(() => prometheus.stop())
  await prometheus.queryUntil('up == 1', isBoth)
  for (const [query, value] of EXPECTED) {
    const results = await prometheus.queryUntil(query, isBoth)
    assert.deepEqual(
      results.map((result) => [result.metric.job, result.value]).sort(),
      [
        ['openmetrics', value],
        ['text', value],
      ],
      query,
    )
  }
  // Beside a negative bound OpenMetrics allows no sum; the text format has it.
  const sums = await prometheus.queryUntil('balance_hist_sum', (results) => results.length > 0)
  assert.deepEqual(
    sums.map(({ metric, value }) => [metric.job, value]),
    [['text', '-1']],
  )
  // When a total began is not a part of the text format.
  const began = await prometheus.queryUntil(
    '{__name__=~"(shop_requests|shop_basket_hist)_created"}',
    (results) => results.length > 0,
  )
  const startS = started.clock.startMs / 1000
  assert.deepEqual(
    began.map(({ metric, value }) => [metric.__name__, metric.job, Number(value)]).sort(),
    [
      ['shop_basket_hist_created', 'openmetrics', startS],
      ['shop_requests_created', 'openmetrics', startS],
    ],
  )
  assert.ok(server.counted.includes('requests /metrics 200'))
  assert.doesNotMatch(prometheus.warnings, /duplicate|out of order|error/i)
})

function isBoth(results: readonly QueryResult[]): boolean {
  return results.length === 2
}

/** Passes requests on without their Accept header, so that the default format is scraped. */
async function startProxy(t: TestContext, port: number): Promise<number> {
  const proxy = createServer((incoming, outgoing) => {
    get({ host: '127.0.0.1', port, path: incoming.url, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.after(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return (proxy.address() as AddressInfo).port
}
