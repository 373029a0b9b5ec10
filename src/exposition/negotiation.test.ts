import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { serve } from '../../test/support/http-client.ts'
import { FakeHubView } from '../../test/support/hub/fake-hub-view.ts'
import { parseExposition } from '../../test/support/outputs/exposition-parser.ts'
import { negotiate } from './negotiation.ts'

const TEXT = 'text/plain; version=0.0.4; charset=utf-8'
const OPENMETRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8'
/** What Prometheus 2.42 and 3.0 send. */
const PROMETHEUS_2 =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,' +
  'text/plain;version=0.0.4;q=0.5,*/*;q=0.1'
const PROMETHEUS_3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,' +
  'application/openmetrics-text;version=0.0.1;q=0.5,' +
  'text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2'

const CASES: readonly (readonly [accept: string | undefined, contentType: string])[] = [
  [undefined, TEXT],
  ['', TEXT],
  ['*/*', TEXT],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', TEXT],
  [PROMETHEUS_2, OPENMETRICS],
  [PROMETHEUS_3, OPENMETRICS],
  ['application/openmetrics-text', OPENMETRICS],
  ['Application/OpenMetrics-Text; Version="1.0.0"', OPENMETRICS],
  ['application/openmetrics-text;q=0.4,text/plain;q=0.5', TEXT],
  ['application/openmetrics-text;q=0.5,text/plain;q=0.4', OPENMETRICS],
  ['text/plain,application/openmetrics-text', TEXT],
  ['application/openmetrics-text,*/*', OPENMETRICS],
  ['application/openmetrics-text;version=0.0.1', TEXT],
  ['application/openmetrics-text;version=2.0.0', TEXT],
  ['application/*,text/plain;q=0.5', OPENMETRICS],
  ['text/plain;q=0,*/*', OPENMETRICS],
  ['application/openmetrics-text;q=0,*/*;q=0.1', TEXT],
  ['application/json', TEXT],
  ['application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily', TEXT],
]

for (const [accept, contentType] of CASES) {
  test(`Accept ${accept ?? 'absent'} gets ${contentType}`, () => {
    assert.equal(negotiate(accept, 'legacy').contentType, contentType)
  })
}

test('names in UTF-8 need the consent of both sides', () => {
  assert.equal(negotiate(PROMETHEUS_2, 'utf8').style, 'legacy')
  assert.equal(negotiate(PROMETHEUS_3, 'legacy').style, 'legacy')
  const both = negotiate(PROMETHEUS_3, 'utf8')
  assert.equal(both.style, 'utf8')
  assert.equal(both.contentType, `${OPENMETRICS}; escaping=allow-utf-8`)
  const text = negotiate('text/plain;version=1.0.0;escaping=allow-utf-8', 'utf8')
  assert.equal(text.contentType, 'text/plain; version=1.0.0; charset=utf-8; escaping=allow-utf-8')
})

test('a scrape is served in the negotiated format, compressed when it is large', async (t) => {
  const hub = new FakeHubView()
  for (let i = 0; i < 200; i++) hub.set(hub.add({ name: `gauge.${i}`, kind: 'gauge' }), i)
  const server = await serve(t, { view: hub })
  const text = await server.ask('/metrics')
  assert.equal(text.headers['content-type'], TEXT)
  assert.equal(parseExposition(text.text, 'text').length, 200)
  const headers = { accept: PROMETHEUS_2, 'accept-encoding': 'gzip' }
  const open = await server.ask('/metrics', { headers })
  assert.equal(open.headers['content-type'], OPENMETRICS)
  assert.equal(open.headers.vary, 'Accept, Accept-Encoding')
  const unpacked = gunzipSync(open.bytes).toString()
  assert.equal(parseExposition(unpacked, 'openmetrics').length, 200)
})
