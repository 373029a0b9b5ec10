/** What a hub makes of EventCounters, as Prometheus' own tool reads it (eventcounters.md §7.3). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CounterFeed } from '../../src/dialects/eventcounters/test/counter-feed.ts'
import { serve } from '../support/http-client.ts'
import { startHub } from '../support/hub/hub.ts'
import { promtoolComplaints, whyNoPrometheus } from '../support/outputs/prometheus.ts'

const skip = whyNoPrometheus ?? false

test('promtool has nothing to say about eventcounters under the standard names', {
  skip,
}, async (t) => {
  const started = await startHub()
  t.after(() => started.hub.stop())
  const counters = new CounterFeed(started.hub.createIngest('eventcounters'))
  const runtime = { provider: 'System.Runtime' }
  for (let second = 0; second < 3; second++) {
    counters.mean('cpu-usage', [12.5], { ...runtime, units: '%' })
    counters.mean('gc-heap-size', [5], { ...runtime, units: 'MB' })
    counters.sum('alloc-rate', 1731.25, { ...runtime, units: 'B' })
    counters.sum('time-in-jit', 0.5, { ...runtime, units: 'ms' })
    counters.sum('exception-count', second, runtime)
    counters.mean('request-time', [10, 20.5, 30], { units: 'ms', metaData: [['route', '/"\\']] })
    counters.mean('quiet', [], { units: 'items' })
    started.clock.advance(1000)
  }
  const server = await serve(t, { view: started.hub })
  const { text } = await server.ask('/metrics')
  assert.match(text, /^system_runtime_alloc_rate_bytes_total\{.*\} 5193\.75$/m)
  assert.match(text, /^shop_request_time_seconds_samples_count\{.*\} 9$/m)
  assert.equal(promtoolComplaints(text), '')
})

test('promtool reads the timestamps of the dotnet-monitor form', { skip }, async (t) => {
  const started = await startHub()
  t.after(() => started.hub.stop())
  const counters = new CounterFeed(started.hub.createIngest('eventcounters'))
  counters.sum('requests', 3)
  counters.mean('latency', [1, 2], { units: 'MB' })
  started.clock.advance(1000)
  const prometheus = { counterNames: 'dotnet-monitor' } as const
  const server = await serve(t, { view: started.hub, prometheus })
  const { text } = await server.ask('/metrics')
  assert.match(text, /^shop_requests\{.*\} 3 \d{13}$/m)
  assert.equal(promtoolComplaints(text), '')
})
