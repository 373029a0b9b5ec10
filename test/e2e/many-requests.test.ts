/** More requests than a small hub can answer: it lives, and says so in time. */
import assert from 'node:assert/strict'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type Address, startHubProcessWith } from '../support/hub/hub-process.ts'
import { RawPeer } from '../support/raw-peer.ts'

/** Half of what one source may bring unless told otherwise. */
const SERIES = 5000
const OK = 'HTTP/1.1 200 OK'
const HEAP_FLAG = '--max-old-space-size=512'

async function start(test: TestContext) {
  const hub = await startHubProcessWith({ execArgv: [HEAP_FLAG] }, 'serve')
  let isStopped = false
  const stop = async () => {
    isStopped = true
    return hub.stop()
  }
  test.after(() => (isStopped ? undefined : hub.stop()))
  const { http, text } = hub.listeners
  await fill(text)
  const count = async (): Promise<number> => {
    const answer = await fetch(`http://${http.host}:${http.port}/api/v1/series?limit=1&filter=many`)
    return ((await answer.json()) as { total: number }).total
  }
  while ((await count()) < SERIES) await new Promise((resolve) => setTimeout(resolve, 100))
  return { http, stop }
}

/** Sends all series in groups of the text grammar, and waits until they are taken. */
function fill({ host, port }: Address): Promise<void> {
  const socket = connect({ host, port })
  socket.resume()
  for (let from = 0; from < SERIES; from += 100) {
    const lines = Array.from({ length: 100 }, (_, i) => `many.s${from + i}:1|m\n`).join('')
    socket.write(`1|${lines.length + 1}\n${lines}\n`)
  }
  return new Promise((resolve) => socket.end(() => resolve()))
}

function pipelined(count: number, path: string): Buffer {
  const head = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n`
  return Buffer.from(`${`${head}\r\n`.repeat(count - 1)}${head}Connection: close\r\n\r\n`)
}

/** Counts the answers of status 200 in a connection; their texts are not held. */
function answers({ host, port }: Address, requests: Buffer): Promise<number> {
  const socket = connect({ host, port }, () => socket.write(requests))
  let count = 0
  // the end of what came before, where a status line may have begun
  let rest = ''
  socket.on('data', (bytes) => {
    const text = rest + bytes.toString('latin1')
    count += text.split(OK).length - 1
    rest = text.slice(-(OK.length - 1))
  })
  return new Promise((resolve) => socket.on('close', () => resolve(count)))
}

/** Status of an answer that is read to its end; 0 where the connection was closed. */
function statusOf({ host, port }: Address, path: string): Promise<number> {
  return new Promise((resolve) => {
    const outgoing: ClientRequest = request({ host, port, path, agent: false }, (incoming) => {
      const { statusCode = 0 }: IncomingMessage = incoming
      incoming.resume().on('close', () => resolve(statusCode))
    })
    outgoing.on('error', () => resolve(0)).end()
  })
}

test('requests without number end no hub with a small heap', async (t) => {
  const { http, stop } = await start(t)
  const flood = await RawPeer.connect(http.port)
  flood.write(pipelined(1000, '/api/v1/series?limit=5000'))
  await flood.ended()
  const line = answers(http, pipelined(30, '/metrics'))
  const unread = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const peer = await RawPeer.connect(http.port)
      peer.socket.pause()
      peer.write(pipelined(10, '/api/v1/series?limit=5000'))
      return peer
    }),
  )
  const gone = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const peer = await RawPeer.connect(http.port)
      peer.write(pipelined(2, '/api/v1/otlp'))
      return peer
    }),
  )
  for (const peer of gone) peer.close()
  const asked = await Promise.all(Array.from({ length: 30 }, () => statusOf(http, '/metrics')))
  for (const status of asked) assert.ok([200, 503].includes(status), `${status}`)
  assert.equal(await statusOf(http, '/healthz'), 200)
  assert.equal(await line, 30)
  for (const peer of unread) peer.close()
  assert.equal((await stop()).code, 0)
})

test('scrapes over one connection leave nothing in the log', async (context) => {
  const { http, stop } = await start(context)
  for (const encoding of ['identity', 'gzip']) {
    const headers = { 'accept-encoding': encoding }
    for (let i = 0; i < 3; i++) {
      const answer = await fetch(`http://${http.host}:${http.port}/metrics`, { headers })
      assert.match(await answer.text(), /many_s4999_total/)
    }
  }
  const { log } = await stop()
  assert.doesNotMatch(log, /warning/i)
})
