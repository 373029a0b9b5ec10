import assert from 'node:assert/strict'
import { get } from 'node:http'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { serve } from '../../../../test/support/http-client.ts'
import { FakeHubView, NO_WORKERS, START_MS } from '../../../../test/support/hub/fake-hub-view.ts'
import type { WallarooViews } from '../hub/resident.ts'
import type { Asker } from '../hub/views/shared-answers.ts'
import type { ApplicationAnswer, RowJson } from './api.ts'

const API = '/api/v1/wallaroo'
const VIEW = `${API}/view?application=a&category=b`

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setTimeout(5)
}

test('a view is made at a place, no longer than its client is there', async (t) => {
  const view = new FakeHubView()
  const making: Asker[] = []
  view.residents.set('wallaroo', {
    ...NO_WORKERS,
    view: (_, asker) => new Promise(() => making.push(asker!)),
  } satisfies WallarooViews)
  const http = await serve(t, { view, limits: { answersLimit: 2, answersWaitingLimit: 0 } })
  const clients = [1, 2].map((seconds) => {
    const path = `${VIEW}&seconds=${10 + seconds}`
    return get({ host: '127.0.0.1', port: http.port, path }).on('error', () => {})
  })
  await until(() => making.length === 2)
  const refused = await http.ask(`${VIEW}&seconds=20`)
  assert.equal(refused.status, 503)
  assert.equal(making.length, 2)
  clients[0]!.destroy()
  await until(() => making[0]!.isGone)
  assert.equal(making[1]!.isGone, false)
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
