import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { CommandError } from '../exit.ts'
import { type HubAddress, parseHub } from './address.ts'
import { connectHub } from './connect.ts'
import { HttpConnection, type HubError } from './connection.ts'

async function serve(t: TestContext, listener: RequestListener): Promise<HubAddress> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return parseHub(`127.0.0.1:${(server.address() as AddressInfo).port}`)
}

test('an address is a host, with a port, or a URL', () => {
  for (const [text, origin] of [
    ['hub.example', 'http://hub.example:4000'],
    ['127.0.0.1:80', 'http://127.0.0.1'],
    ['::1', 'http://[::1]:4000'],
    ['2001:db8::4711', 'http://[2001:db8::4711]:4000'],
    ['[::1]', 'http://[::1]:4000'],
    ['[::1]:4711', 'http://[::1]:4711'],
    ['https://hub.example', 'https://hub.example'],
    ['http://hub.example:4000/', 'http://hub.example:4000'],
  ] as const) {
    assert.equal(parseHub(text).origin, origin)
  }
  for (const text of ['', 'a b', 'ftp://hub', 'http://me@hub', 'hub/path', 'hub:port']) {
    assert.throws(() => parseHub(text), /want HOST:PORT/)
  }
})

test('a request gives what is answered, whatever its status', async (t) => {
  const address = await serve(t, (incoming, outgoing) => {
    let body = ''
    incoming.on('data', (chunk) => (body += chunk))
    incoming.on('end', () => {
      outgoing.writeHead(incoming.method === 'POST' ? 204 : 503, { 'retry-after': '2' })
      outgoing.end(incoming.method === 'POST' ? undefined : JSON.stringify({ url: incoming.url }))
      posted.push(body)
    })
  })
  const posted: string[] = []
  const connection = new HttpConnection(address)
  const refused = await connection.request('/api/v1/x?y=1')
  assert.deepEqual([refused.ok, refused.status], [false, 503])
  assert.equal(refused.headers.get('Retry-After'), '2')
  assert.deepEqual(await refused.json(), { url: '/api/v1/x?y=1' })
  assert.equal((await connection.request('/', { method: 'POST', body: '{}' })).ok, true)
  assert.deepEqual(posted, ['', '{}'])
})

/** Reads a stream to its end. */
async function eventsOf(address: HubAddress) {
  const events: (readonly [name: string, data: string, id: string])[] = []
  const refusals: HubError[] = []
  const stream = new HttpConnection(address).openStream('/live', {
    onRefused: (error) => refusals.push(error),
  })
  for (const name of ['hello', 'cells']) {
    stream.addEventListener(name, ({ data, lastEventId }) => events.push([name, data, lastEventId]))
  }
  await new Promise<void>((resolve) => {
    stream.onerror = () => resolve()
  })
  return { events, refusals }
}

test('events are read however they are cut, comments and unknown ones left out', async (t) => {
  const text =
    'retry: 1000\n\nevent: hello\nid: 7\ndata: {"a":"é"}\n\n:\n\n' +
    'event: other\ndata: 1\n\nevent: cells\ndata:2\n\nevent: cells\ndata: half'
  const bytes = Buffer.from(text)
  const address = await serve(t, async (_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const byte of bytes) {
      outgoing.write(Buffer.of(byte))
      await new Promise((resolve) => setImmediate(resolve))
    }
    outgoing.end()
  })
  const { events, refusals } = await eventsOf(address)
  assert.deepEqual(events, [
    ['hello', '{"a":"é"}', '7'],
    ['cells', '2', '7'],
  ])
  assert.equal(refusals[0]!.code, 'ended')
})

test('a refused stream says what the hub says', async (t) => {
  const address = await serve(t, (_incoming, outgoing) => {
    outgoing.writeHead(503, { 'content-type': 'application/json' })
    const error = { code: 'streams_limit', message: '256 are open', hint: 'close one' }
    outgoing.end(JSON.stringify({ error }))
  })
  const [refusal] = (await eventsOf(address)).refusals
  assert.deepEqual([refusal!.code, refusal!.status], ['streams_limit', 503])
  assert.equal(refusal!.message, '256 are open\n  close one')
})

test('where no hub is, the error says what to do', async (t) => {
  const page = await serve(t, (_incoming, outgoing) => outgoing.end('<html>'))
  const other = await serve(t, (_incoming, outgoing) => outgoing.end('{"revision":"x"}'))
  const refusing = await serve(t, (_incoming, outgoing) => {
    outgoing.writeHead(421)
    outgoing.end('{"error":{"code":"unknown_host","message":"host is not a name of this hub"}}')
  })
  for (const [address, message] of [
    [
      parseHub('127.0.0.1:1'),
      /^no hub answers at 127.0.0.1:1 \(ECONNREFUSED\)\n {2}start one with/,
    ],
    [page, /that is no hub of Pentameter\n {2}check host and port/],
    [other, /that is no hub of Pentameter/],
    [refusing, /^the hub at 127.0.0.1:\d+ answers 421: host is not a name of this hub$/],
  ] as const) {
    await assert.rejects(connectHub(address), (error: Error) => {
      assert.match(error.message, message)
      return error instanceof CommandError
    })
  }
})
