import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type TestContext, test } from 'node:test'
import { serve } from '../../../test/support/http-client.ts'
import { FakeHubView } from '../../../test/support/hub/fake-hub-view.ts'
import { until } from '../../../test/support/hub/hub.ts'
import { RawPeer } from '../../../test/support/raw-peer.ts'

const POST =
  'POST /api/v1/live/none HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n'
/** A kibibyte: as much as is parsed at once. */
const PROBE = padded('GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Rest: ', '\r\n\r\n', 1024)

function padded(begin: string, end: string, size: number): string {
  return begin + 'x'.repeat(size - begin.length - end.length) + end
}

/** Spells a body in chunks of a byte each. */
function crumbs(body: string): string {
  return [...body].map((byte) => `1\r\n${byte}\r\n`).join('')
}

/** Counts answers to health checks. */
function alive(received: Buffer): number {
  return received.toString().split('"isAlive":true').length - 1
}

async function start(test: TestContext) {
  const hub = new FakeHubView()
  const counted: string[] = []
  const server = await serve(test, {
    view: hub,
    reports: { count: (name, reason) => void counted.push(`${name} ${reason}`) },
  })
  const say = async (text: string, from?: string): Promise<RawPeer> => {
    const peer = await RawPeer.connect(server.port, '127.0.0.1', from)
    test.after(() => peer.close())
    peer.write(Buffer.from(text))
    return peer
  }
  return { hub, counted, say }
}

/** Counts requests that Node's parser has made objects of. */
function countParsed(test: TestContext, onParsed: () => void = () => {}): () => number {
  let count = 0
  const note = (): void => {
    count++
    onParsed()
  }
  subscribe('http.server.request.start', note)
  test.after(() => unsubscribe('http.server.request.start', note))
  return () => count
}

test('requests behind the limit never reach the parser, however many one read holds', async (t) => {
  const { counted, say } = await start(t)
  const parsed = countParsed(t)
  const peer = await say('GET / HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(2500))
  await peer.ended()
  assert.ok(parsed() <= 60, `${parsed()} requests parsed`)
  assert.deepEqual(
    counted.filter((each) => each.startsWith('refused')),
    ['refused pipelined_limit'],
  )
})

test('large requests behind others wait as bytes, and are answered in order', async (t) => {
  const { say, counted } = await start(t)
  let aheadMost = 0
  const parsed = countParsed(t, () => {
    const answered = counted.filter((each) => each.startsWith('requests')).length
    aheadMost = Math.max(aheadMost, parsed() - answered)
  })
  const requests = Array.from({ length: 50 }, (_, i) =>
    padded(
      `GET /api/v1/series?filter=${i} HTTP/1.1\r\nHost: localhost\r\nX-Rest: `,
      '\r\n\r\n',
      1e3,
    ),
  )
  const peer = await say(requests.join(''))
  await until(() => peer.received.toString().split('"series":').length === requests.length + 1)
  assert.ok(aheadMost <= 7, `${aheadMost} requests parsed before their answers`)
})

test('a connection that sends too much behind requests that wait is closed', async (t) => {
  const { say, counted } = await start(t)
  const stream = 'GET /api/v1/live HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const peer = await say(stream + PROBE.repeat(60))
  await until(() => peer.received.includes('event: hello'))
  assert.equal(peer.isEnded, false)
  peer.write(Buffer.from(PROBE.repeat(20)))
  await peer.ended()
  assert.ok(counted.includes('refused pipelined_limit'))
})

test('requests behind an answer that is not taken wait until it is', async (t) => {
  let steps = 0
  let isLetGo = false
  const otlp = {
    metricsOf: () => [],
    *json() {
      for (; !isLetGo; steps++) yield 'text '.repeat(10_000)
      yield 'the end'
    },
  }
  const server = await serve(t, { view: new FakeHubView(), otlp: async () => otlp })
  const peer = await RawPeer.connect(server.port)
  t.after(() => peer.close())
  peer.write(Buffer.from('GET /api/v1/otlp HTTP/1.1\r\nHost: localhost\r\n\r\n'))
  await until(() => peer.received.length > 0)
  peer.socket.pause()
  // until the system takes no more of it
  for (let before = -1; before !== steps; ) {
    before = steps
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  peer.write(Buffer.from(PROBE.repeat(10)))
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  isLetGo = true
  peer.socket.resume()
  await until(() => alive(peer.received) === 10)
})

test('past a budget of reads the rest of a read waits for the next turn', async (t) => {
  const hub = new FakeHubView()
  /** Probes answered in each iteration of the loop. */
  const perLoop: number[] = []
  let isCounting = false
  const reports = {
    count(name: string) {
      if (name !== 'requests') return
      hub.clock.pass(5)
      if (!isCounting) {
        perLoop.push(0)
        isCounting = true
        setImmediate(() => {
          isCounting = false
        })
      }
      perLoop[perLoop.length - 1]!++
    },
  }
  const server = await serve(t, { view: hub, reports })
  const peers = await Promise.all(
    Array.from({ length: 10 }, async (_, i) => {
      return RawPeer.connect(server.port, '127.0.0.1', `127.0.0.${2 + (i % 3)}`)
    }),
  )
  t.after(() => {
    for (const peer of peers) peer.close()
  })
  for (let round = 1; round <= 2; round++) {
    // the first shows that all of them have been accepted
    perLoop.length = 0
    for (const peer of peers) peer.write(Buffer.from(PROBE))
    await until(() => peers.every(({ received }) => alive(received) === round))
  }
  // two turns of two probes each: the next one begins a little before the end of one is seen
  assert.ok(Math.max(...perLoop) <= 4, `in one iteration: ${perLoop}`)
})

test('a body in chunks of a byte is read', async (t) => {
  const { say } = await start(t)
  const peer = await say(`${POST}${CHUNKED}${crumbs('{"series":[1]}')}0\r\n\r\n`)
  await until(() => peer.received.includes('HTTP/1.1 404'))
  const broken = await say(`${POST}${CHUNKED}${crumbs('{"series":[1'.repeat(200))}0\r\n\r\n`)
  await until(() => broken.received.includes('the body is no JSON'))
})

test('a body of all that may be held is read, in chunks as clients make them', async (t) => {
  const { say } = await start(t)
  const body = JSON.stringify({ series: [] }).padEnd(65_536)
  const peer = await say(`${POST}Content-Length: ${body.length}\r\n\r\n${body}`)
  await until(() => peer.received.includes('HTTP/1.1 404'))
  const chunks = body.match(/.{64}/gs)!.map((chunk) => `40\r\n${chunk}\r\n`)
  const chunked = await say(`${POST}${CHUNKED}${chunks.join('')}0\r\n\r\n`)
  await until(() => chunked.received.includes('HTTP/1.1 404'))
})

test('a body with more frames than content is refused, and its connection closed', async (t) => {
  const { say, hub, counted } = await start(t)
  const peer = await say(`${POST}${CHUNKED}${crumbs(' '.repeat(30_000))}`)
  await until(() => peer.received.includes('HTTP/1.1 413'))
  assert.equal(peer.isEnded, false)
  hub.clock.advance(500)
  await peer.ended()
  assert.ok(counted.includes('refused overlong_body'))
})

for (const [name, request] of Object.entries({
  'a health check': `GET /healthz HTTP/1.1\r\nHost: localhost\r\n${CHUNKED}`,
  'a live stream': `GET /api/v1/live HTTP/1.1\r\nHost: localhost\r\n${CHUNKED}`,
  'a deletion': `DELETE /api/v1/series?name=zz HTTP/1.1\r\nHost: localhost\r\n${CHUNKED}`,
  'no route': `PUT /nothing HTTP/1.1\r\nHost: localhost\r\n${CHUNKED}`,
})) {
  test(`a body without end is read by no route: ${name}`, async (t) => {
    const { say, hub, counted } = await start(t)
    const peer = await say(request + crumbs(' '.repeat(30_000)))
    await until(() => counted.includes('refused overlong_body'))
    await until(() => peer.received.includes('HTTP/1.1 '))
    assert.equal(peer.isEnded, false)
    hub.clock.advance(500)
    await peer.ended()
  })
}

test('CONNECT and an upgrade take no more than their own request', async (t) => {
  const { say } = await start(t)
  const parsed = countParsed(t)
  const connect = await say(`CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n${PROBE.repeat(40)}`)
  await connect.ended()
  assert.equal(parsed(), 0)
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
  const peer = await say(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n${upgrade}`)
  await until(() => peer.received.includes('"isAlive":true'))
})

test('a request that ends with its client is answered all the same', async (t) => {
  const { say } = await start(t)
  const peer = await say(PROBE)
  peer.socket.end()
  await peer.ended()
  assert.ok(peer.received.includes('"isAlive":true'))
})
