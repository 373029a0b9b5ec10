import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type RunningServer, serve } from '../../test/support/http-client.ts'
import { FakeHubView } from '../../test/support/hub/fake-hub-view.ts'
import { hostCheck } from '../host-check.ts'
import type { ApiError, HelloEvent } from './api.ts'
import { HTTP_LIMITS } from './limits.ts'

const JSON_HEADERS = { 'content-type': 'application/json' }

function start(context: TestContext): Promise<RunningServer> {
  return serve(context, { view: new FakeHubView() })
}

test('a hub on loopback answers to loopback names, its own and configured ones', () => {
  const isAllowed = hostCheck('127.0.0.1', ['metrics.lan'])
  const good = [
    'localhost',
    'LOCALHOST:4000',
    'a.localhost',
    '127.0.0.1:1',
    '127.9.9.9',
    '[::1]:80',
  ]
  for (const host of [...good, 'metrics.lan:4000', 'Metrics.LAN.']) {
    assert.equal(isAllowed(host), true, host)
  }
  const bad = ['evil.example', 'localhost.evil.example', '10.0.0.1', '', '127.0.0.1.evil.example']
  for (const host of [
    ...bad,
    '[::2]',
    'evil.example:4000',
    '127.evil.example',
    '.localhost',
    'a\n.localhost',
  ]) {
    assert.equal(isAllowed(host), false, host)
  }
})

test('a hub on every address answers to numbers, but not to unknown names', () => {
  for (const bound of ['0.0.0.0', '::']) {
    const isAllowed = hostCheck(bound, [])
    assert.equal(isAllowed('10.0.0.1:4000'), true)
    assert.equal(isAllowed('[fe80::1]:4000'), true)
    assert.equal(isAllowed('evil.example'), false)
  }
})

test('a request under a foreign name gets 421 with a hint, on every route', async (t) => {
  const server = await start(t)
  for (const path of ['/', '/metrics', '/api/v1/series', '/healthz']) {
    const answer = await server.ask(path, { headers: { host: 'evil.example' } })
    assert.equal(answer.status, 421, path)
    assert.match(answer.json<ApiError>().error.hint!, /allowedHosts/)
  }
})

test('a target that names a foreign host gets 421, whatever the header says', async (t) => {
  const server = await start(t)
  const headers = { host: 'localhost' }
  for (const host of ['evil.example', 'localhost@evil.example', 'EVIL', '10.0.0.1:4000']) {
    const answer = await server.ask(`http://${host}/api/v1/series`, { headers })
    assert.equal(answer.status, 421, host)
    assert.equal(answer.json<ApiError>().error.code, 'unknown_host')
  }
  const own = await server.ask('http://localhost:4000/api/v1/series', { headers })
  assert.equal(own.status, 200)
})

test('every answer carries the strict headers, errors included', async (t) => {
  const server = await start(t)
  const paths = [
    '/',
    '/metrics',
    '/api/v1/series',
    '/api/none',
    '/healthz',
    '/api/v1/series?limit=0',
  ]
  for (const path of paths) {
    const { headers } = await server.ask(path)
    const policy = headers['content-security-policy']
    assert.match(String(policy), /^default-src 'none'; script-src 'self'; style-src 'self'/, path)
    assert.match(String(policy), /frame-ancestors 'none'/, path)
    assert.equal(headers['x-content-type-options'], 'nosniff', path)
    assert.equal(headers['referrer-policy'], 'no-referrer', path)
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin', path)
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin', path)
    assert.ok(headers['permissions-policy'], path)
    assert.equal(headers['access-control-allow-origin'], undefined, path)
  }
  const stream = await server.stream('/api/v1/live')
  assert.ok(stream.incoming.headers['content-security-policy'])
  stream.close()
})

test('pages of other origins get no data, but people may follow a link', async (t) => {
  const server = await start(t)
  const from = (site: string, mode: string) => ({
    headers: { 'sec-fetch-site': site, 'sec-fetch-mode': mode },
  })
  assert.equal((await server.ask('/api/v1/series', from('cross-site', 'no-cors'))).status, 403)
  assert.equal((await server.ask('/api/v1/live', from('same-site', 'cors'))).status, 403)
  assert.equal((await server.ask('/metrics', from('cross-site', 'no-cors'))).status, 403)
  assert.equal((await server.ask('/metrics', from('cross-site', 'navigate'))).status, 200)
  assert.equal((await server.ask('/api/v1/series', from('same-origin', 'cors'))).status, 200)
  // browsers that do not say more than this
  for (const origin of ['http://evil.example', 'null']) {
    assert.equal((await server.ask('/api/v1/series', { headers: { origin } })).status, 403)
    assert.equal((await server.ask('/metrics', { headers: { origin } })).status, 403)
    assert.equal((await server.ask('/healthz', { headers: { origin } })).status, 200)
  }
  const origin = `http://127.0.0.1:${server.port}`
  assert.equal((await server.ask('/api/v1/series', { headers: { origin } })).status, 200)
})

test('a post needs JSON and this origin', async (t) => {
  const server = await start(t)
  const post = async (headers: Record<string, string>) => {
    const path = '/api/v1/live/unknown'
    return (await server.ask(path, { method: 'POST', headers, body: '{"series":[]}' })).status
  }
  const own = `http://127.0.0.1:${server.port}`
  assert.equal(await post({}), 415)
  assert.equal(await post({ 'content-type': 'text/plain' }), 415)
  assert.equal(await post({ ...JSON_HEADERS, origin: 'http://evil.example' }), 403)
  assert.equal(await post({ ...JSON_HEADERS, origin: 'null' }), 403)
  assert.equal(await post({ ...JSON_HEADERS, origin: own, 'sec-fetch-site': 'cross-site' }), 403)
  // Past the guards: there is no such stream.
  assert.equal(await post(JSON_HEADERS), 404)
  assert.equal(await post({ 'content-type': 'application/json; charset=utf-8', origin: own }), 404)
})

test('a body beyond the limit is refused, announced or not', async (t) => {
  const server = await start(t)
  const body = JSON.stringify({ series: [], x: 'x'.repeat(65_536) })
  const path = '/api/v1/live/abc'
  const announced = { ...JSON_HEADERS, 'content-length': String(body.length) }
  for (const headers of [announced, { ...JSON_HEADERS, 'transfer-encoding': 'chunked' }]) {
    const answer = await server.ask(path, { method: 'POST', headers, body })
    assert.equal(answer.status, 413)
    assert.equal(answer.json<ApiError>().error.code, 'body_limit')
  }
})

test('a body in chunks, or none at all, is read like one with a length', async (t) => {
  const server = await start(t)
  const stream = await server.stream('/api/v1/live')
  const { data } = await stream.next<HelloEvent>('hello')
  const post = (headers: Record<string, string>, body?: string) =>
    server.ask(`/api/v1/live/${data.stream}`, {
      method: 'POST',
      headers: { ...JSON_HEADERS, ...headers },
      ...(body === undefined ? {} : { body }),
    })
  const body = '{"series":[1]}'
  assert.equal((await post({ 'transfer-encoding': 'chunked' }, body)).status, 204)
  assert.equal((await post({ 'content-length': String(body.length) }, body)).status, 204)
  const none = await post({ 'content-length': '0' })
  assert.equal(none.status, 400)
  assert.match(none.json<ApiError>().error.message, /no body/)
  stream.close()
})

test('as many series as a stream may carry fit into one post', async (t) => {
  const server = await start(t)
  const stream = await server.stream('/api/v1/live')
  const { data } = await stream.next<HelloEvent>('hello')
  const series = Array.from({ length: HTTP_LIMITS.streamSeries }, (_, i) => 4_000_000_000 + i)
  const body = JSON.stringify({ series })
  const ask = { method: 'POST', headers: JSON_HEADERS, body }
  assert.equal((await server.ask(`/api/v1/live/${data.stream}`, ask)).status, 204)
  stream.close()
})

test('a body that is no JSON, or not the right one, is refused by name', async (t) => {
  const server = await start(t)
  const post = async (body: string) => {
    const ask = { method: 'POST', headers: JSON_HEADERS, body }
    const answer = await server.ask('/api/v1/live/abc', ask)
    assert.equal(answer.status, 400, body)
    return answer.json<ApiError>().error.message
  }
  assert.match(await post('{'), /no JSON/)
  assert.match(await post('{"series":["1"]}'), /^series\.0: /)
  assert.match(await post('{"series":[-1]}'), /^series\.0: /)
  assert.match(await post('[]'), /expected object/)
})

test('other methods are refused with those there are, before their bodies', async (t) => {
  const server = await start(t)
  for (const path of ['/api/v1/sources', '/api/v1/series/7', '/metrics', '/healthz', '/sources']) {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const headers = { 'content-length': '3', 'content-type': 'text/plain' }
      const answer = await server.ask(path, { method, headers, body: 'a=1' })
      assert.deepEqual([answer.status, answer.headers.allow], [405, 'GET, HEAD'], method + path)
    }
  }
  const put = await server.ask('/api/v1/live/abc', { method: 'PUT' })
  assert.deepEqual([put.status, put.headers.allow], [405, 'POST'])
  const { headers } = await server.ask('/api/v1/series', { method: 'PUT' })
  assert.equal(headers.allow, 'GET, HEAD, DELETE')
  const head = await server.ask('/api/v1/series', { method: 'HEAD' })
  assert.deepEqual([head.status, head.text], [200, ''])
  assert.equal((await server.ask('/api/v1/live', { method: 'HEAD' })).status, 200)
})

test('a connection beyond the limit is closed and counted', async (t) => {
  const server = await serve(t, { view: new FakeHubView(), limits: { connections: 1 } })
  const stream = await server.stream('/api/v1/live')
  await assert.rejects(server.ask('/healthz'))
  stream.close()
  assert.deepEqual(
    server.counted.filter((each) => each.startsWith('refused')),
    ['refused connections_limit'],
  )
})

for (const [what, request, status] of [
  ['no HTTP', '1|26\nhello:1|m\n\n', /^HTTP\/1\.1 400 Bad Request\r\n/],
  ['HTTP/1.1 without Host', 'GET / HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 .*send Host/s],
  [
    'an unknown expectation',
    'GET / HTTP/1.1\r\nHost: localhost\r\nExpect: foo\r\n\r\n',
    /^HTTP\/1\.1 417 .*leave it out/s,
  ],
  [
    'an address that is too long',
    `GET /api/v1/cells?series=${'1234,'.repeat(5000)}1 HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    /^HTTP\/1\.1 431 .*"hint":"an address may name 1000 series/s,
  ],
] as const) {
  test(`${what} is answered under the strict headers, and closed`, async (t) => {
    const server = await start(t)
    const text = await exchange(server.port, request)
    assert.match(text, status)
    assert.match(text, /content-security-policy: default-src 'none'/i)
    assert.match(text, /x-frame-options: DENY/i)
  })
}

/** All that the server says to these bytes, until it closes. */
function exchange(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
  })
}
