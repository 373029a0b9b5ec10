/**
 * A real Prometheus takes the windows of a worker from a real hub: as classic histograms from text,
 * and from protobuf as native ones; both must count what was sent, less bin 64, which this hub is
 * told to be clock skew (wallaroo.md §7).
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { metricsBytes } from '../../src/dialects/wallaroo/test/frames.ts'
import { serve } from '../support/http-client.ts'
import { startHub, until } from '../support/hub/hub.ts'
import { Prometheus, promtoolComplaints, whyNoPrometheus } from '../support/outputs/prometheus.ts'

const LATENCY = 'wallaroo_computation_latency'
/** Bins 0, 10 and 20, twice; three messages of the second window are skewed. */
const WINDOWS = [
  { bins: { 0: '2', 10: '7', 20: '1' }, min_ns: '0', max_ns: '1000000' },
  { bins: { 0: '2', 10: '7', 20: '1', 64: '3' }, min_ns: '0', max_ns: `${2n ** 64n - 5n}` },
]
const LATENCIES = '20'
const MESSAGES = '23'

/** Bounds are labels, in the text in which they were exposed. */
const CLASSIC: readonly (readonly [query: string, value: string])[] = [
  [`${LATENCY}_seconds_count`, LATENCIES],
  [`${LATENCY}_seconds_bucket{le="0.000000001"}`, '4'],
  [`${LATENCY}_seconds_bucket{le="0.000000512"}`, '4'],
  [`${LATENCY}_seconds_bucket{le="0.000001024"}`, '18'],
  [`${LATENCY}_seconds_bucket{le="+Inf"}`, LATENCIES],
  ['wallaroo_computation_messages_total', MESSAGES],
  ['wallaroo_clock_skew_samples_total', '3'],
  [
    `wallaroo_computation_messages_total - on (computation) wallaroo_clock_skew_samples_total
      - on (computation) ${LATENCY}_seconds_count`,
    '0',
  ],
]
const NATIVE: typeof CLASSIC = [
  [`histogram_count(${LATENCY}_nanoseconds)`, LATENCIES],
  [`histogram_fraction(0, 1024, ${LATENCY}_nanoseconds)`, '0.9'],
  [`histogram_fraction(524288, 1048576, ${LATENCY}_nanoseconds)`, '0.1'],
  ['histogram_count(shop_times_hist)', '4'],
  ['histogram_sum(shop_times_hist)', '106'],
  [`${LATENCY}_seconds_count`, LATENCIES],
  ['wallaroo_computation_messages_total', MESSAGES],
]

test('prometheus counts the windows of a worker in classic and in native histograms', {
  skip: whyNoPrometheus ?? false,
  timeout: 90_000,
}, async (t) => {
  const started = await startHub({ wallaroo: { includeSkew: false } })
  const { hub, streamPort, textPort } = started
  t.after(() => hub.stop())
  const socket = connect({ port: streamPort, host: '127.0.0.1' })
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  for (const window of WINDOWS) socket.write(metricsBytes(window))
  const text = connect({ port: textPort, host: '127.0.0.1' })
  const lines = ['1', '2', '3', '100'].map((value) => `shop.times:${value}|h\n`).join('')
  text.end(`1|${lines.length}\n${lines}`)
  await until(() => hub.measurements('wallaroo') === 2 && hub.measurements('statshero') === 4)
  started.clock.advance(1000)
  const server = await serve(t, { view: hub, prometheus: { nativeHistograms: true } })
  const { text: exposed } = await server.ask('/metrics')
  assert.equal(promtoolComplaints(exposed), '')
  assert.match(exposed, /^# HELP wallaroo_computation_latency_seconds .*estimated/m)
  const target = [{ job: 'hub', port: server.port }]
  for (const [flags, expected] of [
    [[], CLASSIC],
    [['--enable-feature=native-histograms'], NATIVE],
  ] as const) {
    const prometheus = await Prometheus.start(target, { flags })
    t.after(() => prometheus.stop())
    for (const [query, value] of expected) {
      const [result] = await prometheus.queryUntil(query, (results) => results.length === 1)
      assert.equal(result!.value, value, query)
    }
    assert.doesNotMatch(prometheus.warnings, /duplicate|out of order|error/i)
  }
})
