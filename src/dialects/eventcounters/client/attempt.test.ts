/** How sessions end or never begin, and what a client does then (eventcounters.md §6). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import {
  FakeCounterSource,
  startEndpoint,
  startServer,
  sum,
  until,
  watch,
  windowOf,
} from '../test/counter-wire.ts'

const NDJSON = { 'Content-Type': 'application/x-ndjson; charset=utf-8' }

async function portOf(t: TestContext, listener: RequestListener): Promise<number> {
  return ((await startServer(t, listener)).address() as AddressInfo).port
}

/** A server that need not speak HTTP; its connections end with the test. */
async function rawPort(t: TestContext, onSocket: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => onSocket(socket))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** The error of a client's first attempt at this port. */
async function firstError(t: TestContext, port: number) {
  const clock = new FakeClock()
  const { errors, client } = watch(t, { url: `http://127.0.0.1:${port}` }, clock)
  await until(() => errors.length === 1, 'error')
  const { state, lastError, retryMs } = client.status
  const { retryInMs, ...error } = errors[0]!
  assert.deepEqual([state, lastError, retryMs, retryInMs], ['offline', error, 250, 250])
  assert.equal(clock.pending, 1, 'the next attempt and nothing else is waited for')
  return error
}

suite('a client says what is wrong', () => {
  test('when nobody listens', async (t) => {
    const closed = createTcpServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as AddressInfo
    closed.close()
    await once(closed, 'close')
    assert.deepEqual(await firstError(t, port), {
      reason: 'connect',
      message: `no connection to 127.0.0.1:${port}: ECONNREFUSED`,
    })
  })

  test('when the path or a parameter is refused, in the words of the server', async (t) => {
    const { port } = await startEndpoint(t, { source: new FakeCounterSource(0) })
    assert.deepEqual(await firstError(t, port), {
      reason: 'status',
      status: 503,
      message: 'status 503: too many sessions are open',
    })
    const { errors } = watch(t, { url: `http://127.0.0.1:${port}`, counters: 'a[' })
    await until(() => errors.length === 1, 'error')
    const text = "Expected to find closing ']' in counter_provider"
    assert.equal(errors[0]!.message, `status 400: ${text}`)
  })

  for (const [what, body, message] of [
    ['an error of the hub', '{"error":{"code":"x","message":"no such route"}}', 'no such route'],
    ['a page', '<p>\u001b[31mNot\n Found\u0000</p>', '<p> [31mNot Found </p>'],
    ['no words', '', undefined],
    ['JSON of another form', '{"error":null}', '{"error":null}'],
    ['very many words', 'w'.repeat(100_000), `${'w'.repeat(400)}…`],
  ] as const) {
    test(`when the answer is 404 with ${what}`, async (t) => {
      const port = await portOf(t, (_, outgoing) => outgoing.writeHead(404).end(body))
      assert.deepEqual(await firstError(t, port), {
        reason: 'status',
        status: 404,
        message: message === undefined ? 'status 404' : `status 404: ${message}`,
      })
    })
  }

  for (const [what, status, headers, error] of [
    [
      'redirects',
      307,
      { Location: '/elsewhere' },
      { reason: 'redirect', status: 307, message: 'status 307: redirects to "/elsewhere"' },
    ],
    [
      'is of another type',
      200,
      { 'Content-Type': 'text/event-stream' },
      {
        reason: 'content_type',
        message: 'content type "text/event-stream", want application/x-ndjson',
      },
    ],
    [
      'has no type',
      200,
      {},
      { reason: 'content_type', message: 'content type "none", want application/x-ndjson' },
    ],
    [
      'is compressed though nobody asked for it',
      200,
      { ...NDJSON, 'Content-Encoding': 'gzip' },
      { reason: 'content_type', message: 'content encoding "gzip", want none' },
    ],
    ['is empty', 204, {}, { reason: 'status', status: 204, message: 'status 204' }],
  ] as const) {
    test(`when the answer ${what}`, async (t) => {
      const port = await portOf(t, (incoming, outgoing) => {
        assert.equal(incoming.headers['accept-encoding'], 'identity')
        outgoing.writeHead(status, headers).end(status === 204 ? undefined : gzipSync('x'))
      })
      assert.deepEqual(await firstError(t, port), error)
    })
  }

  test('when the answer is no HTTP, or its headers never end', async (t) => {
    const noHttp = await rawPort(t, (socket) => socket.end('SSH-2.0-x\r\n'))
    const first = await firstError(t, noHttp)
    assert.equal(first.reason, 'bad_answer')
    assert.match(first.message, /^the answer of 127\.0\.0\.1:\d+ is no HTTP: HPE_/)
    const endless = await rawPort(t, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const more = () => {
        while (!socket.destroyed && socket.write('x-header: '.padEnd(1000, 'x').concat('\r\n')));
      }
      socket.on('drain', more)
      more()
    })
    const second = await firstError(t, endless)
    assert.deepEqual(
      [second.reason, second.message.split(' ').at(-1)],
      ['bad_answer', 'HPE_HEADER_OVERFLOW'],
    )
  })

  test('when the server wants to speak another protocol', async (t) => {
    const port = await rawPort(t, (socket) => {
      socket.write('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n')
    })
    assert.equal((await firstError(t, port)).reason, 'bad_answer')
  })

  for (const [what, says] of [
    ['nothing', ''],
    ['half of its headers', 'HTTP/1.1 200 OK\r\nContent-'],
    ['early hints only', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)],
    ['a refusal that never ends', 'HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\nabc'],
  ] as const) {
    test(`when the server says ${what} for 10 s`, async (t) => {
      const clock = new FakeClock()
      let isAsked = false
      const port = await rawPort(t, (socket) => {
        socket.write(says, () => {
          isAsked = true
        })
      })
      const { errors } = watch(t, { url: `http://127.0.0.1:${port}` }, clock)
      await until(() => isAsked, 'request')
      clock.advance(9_999)
      assert.equal(errors.length, 0)
      clock.advance(1)
      assert.equal(errors[0]!.reason, 'timeout')
      assert.equal(errors[0]!.message, 'no answer within 10000 ms')
    })
  }
})

suite('a client whose session ends', () => {
  test('opens a fresh one after 0.25 s, and goes on', async (t) => {
    const clock = new FakeClock()
    const source = new FakeCounterSource()
    const { url, served, server } = await startEndpoint(t, { source })
    const watched = watch(t, { url }, clock)
    const { windows, errors, client } = watched
    await until(() => watched.opened === 1, 'session')
    source.emit([windowOf('a', sum(1))])
    await until(() => windows.length === 1, 'window')
    for (const session of served) session.end()
    await until(() => errors.length === 1, 'end')
    assert.deepEqual(errors[0], {
      reason: 'closed',
      message: 'the server ended the session',
      retryInMs: 250,
    })
    clock.advance(249)
    assert.equal(client.status.state, 'offline')
    clock.advance(1)
    await until(() => watched.opened === 2, 'second session')
    source.emit([windowOf('a', sum(2))])
    await until(() => windows.length === 2, 'second window')
    server.closeAllConnections()
    await until(() => errors.length === 2, 'break')
    assert.deepEqual(errors[1], {
      reason: 'broken',
      message: 'the connection broke',
      retryInMs: 250,
    })
    assert.deepEqual(
      windows.map(({ statistics }) => statistics),
      [sum(1), sum(2)],
    )
    const {
      counts,
      status: { state },
    } = client
    assert.deepEqual([counts.reconnects, counts.windows, state], [2, 2, 'offline'])
  })

  test('waits longer and longer, up to 10 s, until a line has come', async (t) => {
    const clock = new FakeClock()
    let answers = 0
    const port = await portOf(t, (_, outgoing) => {
      answers++
      // A server that opens and closes at once is no success; one that says a line is.
      outgoing.writeHead(200, NDJSON).end(answers === 9 ? '\n' : 'no json')
    })
    const { errors, client, reports } = watch(t, { url: `http://127.0.0.1:${port}` }, clock)
    for (let i = 1; i <= 10; i++) {
      await until(() => errors.length === i, `end ${i}`)
      clock.advance(errors.at(-1)!.retryInMs)
    }
    assert.deepEqual(
      errors.map(({ retryInMs }) => retryInMs),
      [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000, 250, 500],
    )
    assert.equal(client.counts.reconnects, 10)
    assert.equal(reports.counts['reconnects closed'], 10)
    client.close()
    assert.equal(clock.pending, 0)
  })

  test('gives up a server that was silent for three keep-alives', async (t) => {
    const clock = new FakeClock()
    let outgoing: { write(text: string): unknown } | undefined
    const port = await portOf(t, (_, answer) => {
      outgoing = answer.writeHead(200, NDJSON)
      answer.flushHeaders()
    })
    const url = `http://127.0.0.1:${port}`
    const watched = watch(t, { url, intervalMs: 20_000 }, clock)
    const { client, errors } = watched
    await until(() => watched.opened === 1, 'session')
    for (let i = 1; i <= 3; i++) {
      clock.advance(59_999)
      outgoing!.write('\n')
      await until(() => client.counts.keepAlives === i, 'keep-alive')
    }
    assert.equal(errors.length, 0)
    clock.advance(59_999)
    assert.equal(errors.length, 0)
    clock.advance(1)
    assert.deepEqual(errors[0], {
      reason: 'silent',
      message: 'no line for 60000 ms',
      retryInMs: 250,
    })
  })

  test('gives up a server whose line never ends, however many bytes it sends', async (t) => {
    const clock = new FakeClock()
    let outgoing: { write(text: string): unknown } | undefined
    const port = await portOf(t, (_, answer) => {
      outgoing = answer.writeHead(200, NDJSON)
      answer.flushHeaders()
    })
    const watched = watch(t, { url: `http://127.0.0.1:${port}` }, clock)
    await until(() => watched.opened === 1, 'session')
    clock.advance(44_999)
    outgoing!.write('x'.repeat(70_000))
    await until(() => watched.client.counts.linesTooLong === 1, 'line')
    clock.advance(1)
    assert.equal(watched.errors[0]?.reason, 'silent')
  })

  test('keeps a server that lives by keep-alives alone, whatever the interval', async (t) => {
    const clock = new FakeClock()
    const source = new FakeCounterSource()
    const { url } = await startEndpoint(t, { source, clock })
    const watched = watch(t, { url, intervalMs: 3_600_000 }, clock)
    const { client } = watched
    await until(() => watched.opened === 1, 'session')
    for (let i = 1; i <= 20; i++) {
      clock.advance(15_000)
      await until(() => client.counts.keepAlives === i, 'keep-alive')
    }
    assert.equal(client.status.state, 'online')
  })

  test('says so when its server turns to nonsense in the middle', async (t) => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n'
    const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n1\r\n\n\r\n`
    const port = await rawPort(t, (socket) => socket.write(`${chunked}nonsense\r\n`))
    const watched = watch(t, { url: `http://127.0.0.1:${port}` })
    const { errors, client } = watched
    await until(() => errors.length === 1, 'error')
    assert.equal(watched.opened, 1)
    assert.match(errors[0]!.message, /HPE_INVALID_CHUNK_SIZE|the connection broke/)
    const {
      counts,
      status: { state },
    } = client
    assert.deepEqual([counts.reconnects, state], [1, 'offline'])
  })

  test('begins each session with nothing left of the last one', async (t) => {
    const clock = new FakeClock()
    const line =
      '{"event":"EventCounters","provider":"App","Payload":{"Name":"a","Increment":1,' +
      '"Series":"Interval=1","CounterType":"Sum","MetaData":""}}\n'
    let answers = 0
    const port = await portOf(t, (_, outgoing) => {
      outgoing.writeHead(200, NDJSON)
      outgoing.end(answers++ === 0 ? line.slice(0, 40) : line)
    })
    const { windows, errors, reports } = watch(t, { url: `http://127.0.0.1:${port}` }, clock)
    await until(() => errors.length === 1, 'first end')
    clock.advance(250)
    await until(() => windows.length === 1, 'window')
    assert.equal(reports.counts['lines_cut connection'], 1)
    assert.equal(reports.errors.length, 0)
  })

  test('may be stopped while it waits, and while it connects', async (t) => {
    const clock = new FakeClock()
    let asked = 0
    const port = await rawPort(t, () => {
      asked++
    })
    const { client, errors } = watch(t, { url: `http://127.0.0.1:${port}` }, clock)
    await until(() => asked === 1, 'request')
    clock.advance(10_000)
    assert.equal(errors.length, 1)
    assert.equal(client.status.state, 'offline')
    clock.advance(250)
    assert.equal(client.status.state, 'connecting')
    client.close()
    assert.deepEqual([client.status.state, clock.pending], ['stopped', 0])
  })
})
