import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve } from '../../../../test/support/http-client.ts'
import { FakeHubView, NO_WORKERS, START_MS } from '../../../../test/support/hub/fake-hub-view.ts'
import type { ApplicationAnswer, RowJson } from '../hub/answers.ts'
import { BusyError, type WallarooViews } from '../hub/resident.ts'

const API = '/api/v1/wallaroo'

test('a view that can not be made now is refused with when to ask again', async (context) => {
  const view = new FakeHubView()
  view.residents.set('wallaroo', {
    ...NO_WORKERS,
    view: () => Promise.reject(new BusyError()),
    application: () => Promise.reject(new BusyError()),
  } satisfies WallarooViews)
  const http = await serve(context, { view })
  for (const path of ['view?application=a&category=b', 'application?application=a']) {
    const answer = await http.ask(`${API}/${path}`)
    assert.equal(answer.status, 503)
    assert.equal(answer.headers['retry-after'], '2')
    assert.equal(answer.json<{ error: { code: string } }>().error.code, 'busy')
  }
})

test('a large answer comes in pieces, the same to all who ask at once', async (context) => {
  const view = new FakeHubView()
  const rows = Array.from({ length: 5000 }, (_, i) => rowOf(`"é${i}`))
  const times = { nowMs: START_MS, fromMs: START_MS - 300_000, toMs: START_MS }
  const others = { pipelines: [], workers: [], computationsByWorker: [], others: [] }
  const answer: ApplicationAnswer = { application: 'a', ...times, ...others, computations: rows }
  const wallaroo: WallarooViews = { ...NO_WORKERS, application: async () => answer }
  view.residents.set('wallaroo', wallaroo)
  const http = await serve(context, { view })
  const asked = [1, 2, 3].map(() => http.ask(`${API}/application?application=a`))
  for (const each of await Promise.all(asked)) {
    assert.equal(each.status, 200)
    assert.deepEqual(each.json(), answer)
  }
})

function rowOf(name: string): RowJson {
  const extremes = { minNs: null, maxNs: null, meanNsEstimated: null }
  const quantiles = { p50Ns: null, p95Ns: null, p99Ns: null, p999Ns: null, p9999Ns: null }
  return {
    key: { category: 'computation', name },
    latency: { count: 0, skewed: 0, ...extremes, ...quantiles },
    throughput: { min: null, median: null, max: null },
    messages: 0,
    lastWindowMs: null,
    ageMs: null,
  }
}
