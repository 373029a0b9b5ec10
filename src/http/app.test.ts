import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve } from '../../test/support/http-client.ts'
import { FakeHubView } from '../../test/support/hub/fake-hub-view.ts'
import { createHttpServer } from './server.ts'

const FAILED = {
  name: 'text',
  host: '127.0.0.1',
  port: 8125,
  transports: ['udp'],
  dialects: ['statshero'],
  state: 'failed',
  message: 'port is taken by another process',
  connections: 0,
} as const

test('the process is alive, whatever its listeners do', async (t) => {
  const hub = new FakeHubView()
  hub.isReady = false
  const server = await serve(t, { view: hub })
  assert.equal((await server.ask('/healthz')).status, 200)
})

test('the hub is ready when the view says so, and otherwise says why not', async (t) => {
  const hub = new FakeHubView()
  const server = await serve(t, { view: hub })
  assert.equal((await server.ask('/readyz')).status, 200)
  hub.isReady = false
  const early = await server.ask('/readyz')
  assert.equal(early.status, 503)
  assert.match(early.text, /not all been tried/)
  hub.status = { ...hub.status, listeners: [FAILED] }
  const { reasons } = (await server.ask('/readyz')).json<{ reasons: string[] }>()
  assert.deepEqual(reasons, [
    'listener text on 127.0.0.1:8125 is failed: port is taken by another process',
  ])
})

test('a taken port rejects the start, and the server can be stopped all the same', async (t) => {
  const { port } = await serve(t, { view: new FakeHubView() })
  const options = { view: new FakeHubView(), webRoot: '/none', host: '127.0.0.1', port }
  const second = createHttpServer(options)
  await assert.rejects(second.start(), { code: 'EADDRINUSE' })
  await second.stop()
})

test('overload refuses what is large, and gives what is small or says why', async (t) => {
  const hub = new FakeHubView()
  hub.refusesAnswers = true
  const server = await serve(t, { view: hub })
  const status = async (path: string): Promise<number> => (await server.ask(path)).status
  const refused = await server.ask('/metrics')
  assert.equal(refused.status, 503)
  assert.match(refused.text, /GET \/api\/v1\/sources says why/)
  assert.equal(refused.headers['retry-after'], '10')
  assert.equal(await status('/api/v1/series?limit=5000'), 503)
  assert.equal(await status('/api/v1/range?series=1'), 503)
  assert.equal(await status('/api/v1/series?limit=1000'), 200)
  assert.equal(await status('/api/v1/sources'), 200)
  assert.equal(await status('/healthz'), 200)
})
