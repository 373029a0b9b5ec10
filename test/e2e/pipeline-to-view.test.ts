/**
 * The life of a latency (wallaroo.md): recorded by a reporter, sent as a window over a real socket,
 * added to the views and to the series that exports show; the clock is in the test's hand.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  ApplicationAnswer,
  ApplicationsAnswer,
  ConnectionsAnswer,
  ViewAnswer,
} from '../../src/dialects/wallaroo/http/api.ts'
import { wallarooOf } from '../../src/dialects/wallaroo/hub/resident.ts'
import {
  ComputationStage,
  SinkStage,
  SourceStage,
} from '../../src/dialects/wallaroo/reporter/stages.ts'
import { startPipelineHub } from '../../src/dialects/wallaroo/test/pipelines.ts'
import { serve } from '../support/http-client.ts'
import { until } from '../support/hub/hub.ts'

const API = '/api/v1/wallaroo'

test('what three workers measure is found by pipeline, worker and computation', async (context) => {
  const started = await startPipelineHub(context)
  const { hub, clock } = started
  const http = await serve(context, { view: hub })
  for (const name of ['w1', 'w2', 'w3']) {
    const client = await started.worker(name)
    const reporter = client.reporter()
    const source = new SourceStage(reporter, 'Orders')
    const slow = new ComputationStage(reporter, 'Orders', 'Check Limit', 2)
    const sink = new SinkStage(reporter, 'Orders', 3)
    for (let i = 0; i < 10; i++) {
      source.ingested(100)
      slow.computed(name === 'w2' ? 1_000_000 : 1000)
      sink.completed(50, 2_000_000, 1_900_000)
    }
  }
  clock.advance(2000)
  // three computations, ingestion, pipeline and worker, of each
  await started.taken(3 * 6)
  clock.advance(1000)

  const { applications } = await http.json<ApplicationsAnswer>(`${API}/applications`)
  const [shop] = applications
  assert.equal(applications.length, 1)
  assert.deepEqual(
    [shop?.application, shop?.pipelines, shop?.workers, shop?.computations],
    ['shop', 1, 3, 3],
  )
  assert.equal(shop?.workersConnected, 3)
  assert.equal(shop?.lastWindowMs, clock.startMs + 2000)

  const app = await http.json<ApplicationAnswer>(`${API}/application?application=shop`)
  const [orders] = app.pipelines
  assert.equal(orders?.messages, 30)
  assert.deepEqual(orders?.ingested, { min: 15, median: 15, max: 15 })
  assert.deepEqual(orders?.throughput, { min: 15, median: 15, max: 15 })
  assert.deepEqual(
    app.computations.map(({ key }) => key.name),
    ['Check Limit', 'Decode Time in TCP Source', 'Sink encoding time'],
  )
  assert.deepEqual(
    app.workers.map(({ worker, messages }) => [worker.worker, worker.isConnected, messages]),
    [
      ['w1', true, 10],
      ['w2', true, 10],
      ['w3', true, 10],
    ],
  )

  const key = 'category=computation&pipeline=Orders&name=Check%20Limit'
  const view = await http.json<ViewAnswer>(`${API}/view?application=shop&${key}`)
  assert.deepEqual(view.ids, [2])
  assert.deepEqual(
    view.bins.filter(({ count }) => count !== 0).map(({ bin, count }) => [bin, count]),
    [
      [10, 20],
      [20, 10],
    ],
  )
  assert.deepEqual([view.total.latency.minNs, view.total.latency.maxNs], [1000, 1_000_000])
  const [table] = view.tables
  assert.equal(table?.name, 'by_worker')
  const slowest = table!.rows.toSorted((a, b) => b.latency.p50Ns! - a.latency.p50Ns!)[0]
  assert.equal(slowest?.key.worker, 'w2')
  const column = (clock.startMs + 2000 - view.fromMs) / 1000 - 1
  assert.equal(view.charts.throughput[column], 15)
  assert.equal(view.charts.throughput[column + 1], null)
  assert.deepEqual(view.charts.bins[column], [
    [10, 20],
    [20, 10],
  ])

  const metrics = (await http.ask('/metrics')).text
  const labels = 'application="shop",computation="Check Limit",pipeline="Orders",worker="w2"'
  const family = 'wallaroo_computation_latency_seconds'
  assert.ok(metrics.includes(`wallaroo_computation_messages_total{${labels}} 10\n`))
  assert.ok(metrics.includes(`wallaroo_computation_id{${labels}} 2\n`))
  assert.ok(metrics.includes(`# HELP ${family} Latencies by powers of two; the sum is estimated`))
  const lines = metrics.split('\n').filter((line) => line.startsWith(`${family}`))
  assert.deepEqual(
    lines.filter((line) => line.includes('worker="w2"') && line.includes('Check')),
    [
      `${family}_bucket{${labels},le="0.000524288"} 0`,
      `${family}_bucket{${labels},le="0.001048576"} 10`,
      `${family}_bucket{${labels},le="+Inf"} 10`,
      `${family}_sum{${labels}} 0.01`,
      `${family}_count{${labels}} 10`,
    ],
  )
})

test('a worker that leaves is shown as disconnected, with its data', async (context) => {
  const started = await startPipelineHub(context)
  const { hub, clock } = started
  const http = await serve(context, { view: hub })
  const client = await started.worker('w1')
  client.reporter().startToEnd('P').record(7)
  await until(() => wallarooOf(hub)!.workerConnections('shop').workers.length === 1)
  const answer = await http.json<ConnectionsAnswer>(`${API}/connections?application=shop`)
  const [connection] = answer.connections
  assert.deepEqual(connection?.workers, [{ application: 'shop', worker: 'w1' }])
  assert.deepEqual(connection?.frames, { connect: 1, join: 1, metrics: 0, rejected: 0 })
  assert.equal(connection?.lengths, 'exclusive')
  await client.close()
  await until(() => wallarooOf(hub)!.workerConnections('shop').connections.length === 0)
  const [worker] = wallarooOf(hub)!.workerConnections('shop').workers
  assert.deepEqual([worker?.worker, worker?.isConnected], ['w1', false])
  // the open window was sent with its regular end, which the clock has still to reach
  clock.advance(2000)
  const request = { application: 'shop', key: { category: 'start-to-end' }, seconds: 300 }
  assert.equal((await wallarooOf(hub)!.view(request))?.total.latency.count, 1)
  clock.advance(3_700_000)
  assert.equal(await wallarooOf(hub)!.view(request), undefined)
  assert.deepEqual((await wallarooOf(hub)!.applications())?.applications, [])
  assert.equal([...hub.series].filter(({ metadata }) => metadata.dialect === 'wallaroo').length, 0)
})

test('addresses of nothing are answered with what there is', async (context) => {
  const { hub } = await startPipelineHub(context)
  const http = await serve(context, { view: hub })
  for (const [path, status, code] of [
    ['application?application=none', 404, 'unknown_application'],
    ['application', 400, 'invalid_request'],
    ['view?application=none&category=computation', 404, 'unknown_view'],
    ['view?application=none&category=computation&mode=compatible', 404, 'unknown_view'],
    ['view?application=a&category=b&seconds=5', 400, 'invalid_request'],
    ['view?application=a&category=b&mode=other', 400, 'invalid_request'],
    ['connections?limit=1', 400, 'invalid_request'],
  ] as const) {
    const answer = await http.ask(`${API}/${path}`)
    assert.equal(answer.status, status, path)
    assert.equal(answer.json<{ error: { code: string } }>().error.code, code, path)
  }
})

for (const profile of ['peer', 'document']) {
  test(`a relay says the same windows again, profile ${profile}`, async (context) => {
    const far = await startPipelineHub(context)
    const target = `wallaroo://127.0.0.1:${far.streamPort}`
    const near = await startPipelineHub(context, {
      relay: [target],
      wallaroo: { emit: { profile } },
    })
    const peer = await near.peer()
    const bins = { 0: '1', 12: '3', 64: '2' }
    await near.send(peer, [{ bins, id: 41, end_ns: `${near.clock.startMs}000000` }])
    near.clock.advance(1000)
    // latencies and skewed samples are two windows of one series
    await far.taken(2)
    const key = { category: 'computation', worker: 'initializer', name: 'Check' }
    const request = { application: 'golden-app', key, seconds: 300 }
    far.clock.advance(2000)
    const { total, bins: found, series, ids } = (await wallarooOf(far.hub)!.view(request))!
    assert.deepEqual([series, total.messages, total.latency.skewed], [1, 6, 2])
    assert.deepEqual(ids, [41])
    assert.deepEqual(
      found.filter(({ count }) => count !== 0).map(({ bin, count }) => [bin, count]),
      [
        [0, 1],
        [12, 3],
        [64, 2],
      ],
    )
    assert.equal(wallarooOf(far.hub)!.workerConnections('golden-app').workers[0]?.isConnected, true)
  })
}
