import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, request as requestOf } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { Labels } from '../../model/index.ts'
import { Histogram as Buckets } from '../../model/index.ts'
import { Metrics } from '../front/metrics.ts'
import { CounterRegistry } from '../index.ts'
import { nameRoute } from './server-requests.ts'

interface Row {
  readonly [label: string]: string | number
}

/** Rows of an instrument: its labels that are not empty, and counts. */
function rows(metrics: Metrics, name: string): Row[] {
  const plain = (labels: Labels) => Object.fromEntries(labels.filter(([, value]) => value !== ''))
  return metrics
    .snapshot()
    .filter((row) => row.name === name)
    .map(({ labels, value }) => {
      const number = value instanceof Buckets ? Number(value.count) : Number(value)
      return { ...plain(labels), n: number }
    })
}

/** Asks until it is so: a server hears of a closed connection some turns later. */
async function eventually(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 1000 && !isSo(); i++) await new Promise((resolve) => setTimeout(resolve, 5))
  assert.ok(isSo())
}

async function bench(t: TestContext, listener: RequestListener, options = {}) {
  const metrics = new Metrics(new CounterRegistry({ log: () => {} }))
  const measuring = metrics.http(options)
  const server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  t.after(() => {
    measuring.close()
    server.closeAllConnections()
    server.close()
  })
  return { metrics, measuring, port, url: `http://127.0.0.1:${port}` }
}

const DURATION = 'http.server.request.duration'
const ACTIVE = 'http.server.active_requests'

const active = (metrics: Metrics): number =>
  rows(metrics, ACTIVE).reduce((sum, { n }) => sum + (Number(n) || 0), 0)

test('answers are timed by method, route and status; sizes are those stated', async (t) => {
  const { metrics, url } = await bench(t, (request, response) => {
    if (request.url!.startsWith('/cart/')) nameRoute(request, '/cart/:id')
    response.statusCode = request.url === '/cart/9' ? 503 : 200
    request.resume().once('end', () => response.setHeader('content-length', 5).end('hello'))
  })
  for (const id of [1, 2, 9]) await (await fetch(`${url}/cart/${id}`)).text()
  await (await fetch(url, { method: 'POST', body: 'x'.repeat(300) })).text()
  await eventually(() => active(metrics) === 0 && rows(metrics, DURATION).length === 3)
  const method = 'http.request.method'
  const status = 'http.response.status_code'
  assert.deepEqual(rows(metrics, DURATION), [
    { [method]: 'GET', [status]: '200', 'http.route': '/cart/:id', n: 2 },
    {
      ...{ 'error.type': '503', [method]: 'GET', [status]: '503', 'http.route': '/cart/:id' },
      n: 1,
    },
    { [method]: 'POST', [status]: '200', n: 1 },
  ])
  const sizes = metrics.histogram('http.server.request.body.size').values()
  assert.deepEqual(
    sizes.map(({ value }) => Number(value.sum)),
    [0, 0, 300],
  )
  const answers = metrics.histogram('http.server.response.body.size').values()
  assert.deepEqual(
    answers.map(({ value }) => Number(value.sum)),
    [10, 5, 5],
  )
  const text = metrics.text()
  assert.match(
    text,
    /^http_server_request_duration_seconds_count\{.*http_route="\/cart\/:id".*\} 2$/m,
  )
})

test('a client that does not wait is an aborted request, and no longer an open one', async (t) => {
  const arrived = Promise.withResolvers<void>()
  const { metrics, port } = await bench(t, () => arrived.resolve())
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
  await arrived.promise
  assert.equal(active(metrics), 1)
  socket.destroy()
  await eventually(() => active(metrics) === 0)
  assert.deepEqual(rows(metrics, DURATION), [
    { 'http.request.method': 'GET', 'error.type': 'aborted', n: 1 },
  ])
})

test('routes beyond the limit are one, and counted; a made-up method is no series', async (t) => {
  const listener: RequestListener = (request, response) => {
    nameRoute(request, request.url!)
    response.end()
  }
  const { metrics, url, port } = await bench(t, listener, { routesLimit: 2, client: false })
  for (const path of ['a', 'b', 'c', 'd', 'a']) await (await fetch(`${url}/${path}`)).text()
  const purge = requestOf({ port, host: '127.0.0.1', method: 'PURGE', path: '/a' }).end()
  const [response] = await once(purge, 'response')
  await once(response.resume(), 'end')
  await eventually(() => active(metrics) === 0 && rows(metrics, DURATION).length === 4)
  const seen = rows(metrics, DURATION).map((row) => [
    row['http.request.method'],
    row['http.route'],
    row.n,
  ])
  assert.deepEqual(seen, [
    ['GET', '/a', 2],
    ['GET', '/b', 1],
    ['GET', '_OTHER', 2],
    ['_OTHER', '/a', 1],
  ])
  assert.deepEqual(rows(metrics, 'http.server.request.other_routes'), [{ n: 2 }])
})

test('what is asked of others is timed by server and status, in both ways', async (t) => {
  const { metrics, url, port } = await bench(
    t,
    (request, response) => {
      response.statusCode = request.url === '/no' ? 404 : 200
      response.end()
    },
    { server: false },
  )
  await (await fetch(`${url}/yes`)).text()
  await (await fetch(`${url}/no`)).text()
  const made = requestOf({ port, host: '127.0.0.1', path: '/yes' }).end()
  const [response] = await once(made, 'response')
  await once(response.resume(), 'end')
  const closed = createTcpServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const free = (closed.address() as AddressInfo).port
  await new Promise((resolve) => closed.close(resolve))
  await assert.rejects(fetch(`http://127.0.0.1:${free}`))
  const [error] = await once(requestOf({ port: free, host: '127.0.0.1' }).end(), 'error')
  assert.equal(error.code, 'ECONNREFUSED')
  const head = { 'http.request.method': 'GET', 'server.address': '127.0.0.1' }
  const to = (number: number) => ({ ...head, 'server.port': String(number) })
  assert.deepEqual(rows(metrics, 'http.client.request.duration'), [
    { ...to(port), 'http.response.status_code': '200', n: 2 },
    { ...to(port), 'http.response.status_code': '404', 'error.type': '404', n: 1 },
    { ...to(free), 'error.type': 'ECONNREFUSED', n: 2 },
  ])
  assert.deepEqual(rows(metrics, DURATION), [])
})

test('servers beyond the limit are one', async (t) => {
  const { metrics, port } = await bench(t, (_, response) => response.end(), {
    ...{ server: false, peersLimit: 1 },
  })
  for (const host of ['127.0.0.1', 'localhost']) {
    const made = requestOf({ port, host: '127.0.0.1', headers: { host: `${host}:${port}` } }).end()
    const [response] = await once(made, 'response')
    await once(response.resume(), 'end')
  }
  const seen = rows(metrics, 'http.client.request.duration').map((row) => row['server.address'])
  assert.deepEqual(seen, ['127.0.0.1', '_OTHER'])
})

test('measuring ends with close, begins anew, and is asked for once at a time', async (t) => {
  const { metrics, measuring, url } = await bench(t, (_, response) => response.end())
  assert.throws(() => metrics.http(), TypeError)
  await (await fetch(url)).text()
  await eventually(() => rows(metrics, DURATION).length === 1)
  measuring.close()
  measuring.close()
  await (await fetch(url)).text()
  const again = metrics.http()
  await (await fetch(url)).text()
  await eventually(() => rows(metrics, DURATION)[0]?.n === 2)
  again.close()
  for (const limit of [0, 1.5, Number.NaN]) {
    assert.throws(() => metrics.http({ routesLimit: limit }), RangeError)
  }
  metrics.http().close()
})
