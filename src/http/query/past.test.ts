/** Questions that a history is asked: what is told where it has no answer, and where many ask. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { serve } from '../../../test/support/http-client.ts'
import { FakeHubView, START_MS } from '../../../test/support/hub/fake-hub-view.ts'
import { until } from '../../../test/support/hub/hub.ts'
import { type HistoryCode, HistoryError } from '../../history/store.ts'
import type { FoundRecords } from '../../hub/history/past-list.ts'
import { HTTP_LIMITS } from '../limits.ts'

const NONE: FoundRecords = { series: [], total: 0 }

/** A server of a hub whose history does so with each question. */
async function start(context: TestContext, answer: () => Promise<FoundRecords>, places = 32) {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'c', kind: 'counter' })
  hub.tick()
  Object.assign(hub, { past: { get: () => undefined, find: answer }, history: { read: answer } })
  const limits = { ...HTTP_LIMITS, answersLimit: places, answersWaitingLimit: 0 }
  const server = await serve(context, { view: hub, limits })
  return { server, range: `/api/v1/range?series=${id}&from=${START_MS - 60_000}&to=${START_MS}` }
}

function refuse(code: HistoryCode): () => Promise<never> {
  return async () => {
    throw new HistoryError(code, 'its own words')
  }
}

test('a refusal of the history says why, and when to ask again', async (t) => {
  for (const [code, status, told] of [
    ['in_use', 503, 'no_history'],
    ['busy', 503, 'busy'],
    ['too_large', 400, 'too_large'],
  ] as const) {
    const { server, range } = await start(t, refuse(code))
    for (const path of code === 'in_use' ? ['/api/v1/past'] : ['/api/v1/past', range]) {
      const answer = await server.ask(path)
      const { error } = answer.json<{ error: { code: string; message: string } }>()
      assert.deepEqual([answer.status, error.code, error.message], [status, told, 'its own words'])
      assert.equal(answer.headers['retry-after'], code === 'busy' ? '2' : undefined)
    }
  }
})

test('a hub without a history has no past, and that is no error', async (t) => {
  const server = await serve(t, { view: new FakeHubView() })
  assert.deepEqual(await server.json('/api/v1/past'), NONE)
})

test('a question for the past is asked once it has a place among the large answers', async (t) => {
  let asked = 0
  const end = Promise.withResolvers<FoundRecords>()
  const answer = (): Promise<FoundRecords> => {
    asked++
    return end.promise
  }
  const { server, range } = await start(t, answer, 1)
  const first = server.ask('/api/v1/past')
  await until(() => asked === 1)
  for (const path of ['/api/v1/past', range]) {
    assert.equal((await server.ask(path)).status, 503)
  }
  end.resolve(NONE)
  assert.equal((await first).status, 200)
  assert.equal(asked, 1)
})
