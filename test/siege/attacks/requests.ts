/** Attacks by bytes of HTTP of which a parser makes many objects: all of them at one moment. */
import { setTimeout } from 'node:timers/promises'
import { type Attack, Crowd, get, request } from '../crowd.ts'

/** Time until all connections have been accepted, and until what they say has been read. */
const WAIT_MS = 500
const READ_MS = 1500
const SMALLEST = 'GET / HTTP/1.1\r\nHost:a\r\n\r\n'
const CHUNKED = 'Transfer-Encoding: chunked'
/** Chunks of a byte each, without an end. */
const CRUMBS = '1\r\n \r\n'.repeat(68_000)
/** A request with as many headers as its head has room for. */
const LINES = `GET / HTTP/1.1\r\nHost:a\r\n${'a:\r\n'.repeat(3000)}\r\n`

/** Has connections that said something before speak all at once, again and again. */
function speaking(
  name: string,
  address: string,
  connections: number,
  first: string,
  rest: string,
): Attack {
  return {
    name,
    async run({ listeners: { http } }, signal) {
      while (!signal.aborted) {
        const crowd = new Crowd(address)
        for (let i = 0; i < connections; i++) crowd.open(http.port, first || undefined)
        await setTimeout(WAIT_MS)
        crowd.forEach((socket) => void socket.write(rest))
        await setTimeout(READ_MS)
        crowd.end()
      }
    },
  }
}

const JSON_CHUNKS = ['Content-Type: application/json', CHUNKED]

export const REQUEST_ATTACKS: readonly Attack[] = [
  speaking('smallest requests, pipelined', '127.0.0.50', 400, '', SMALLEST.repeat(2500)),
  speaking('health checks, pipelined', '127.0.0.51', 200, '', get('/healthz').repeat(1500)),
  speaking('header lines of three bytes, pipelined', '127.0.0.52', 400, '', LINES.repeat(4)),
  speaking(
    'bodies in chunks of a byte',
    '127.0.0.53',
    100,
    request('POST', '/api/v1/live/x', JSON_CHUNKS),
    CRUMBS,
  ),
  speaking('bodies that no route reads', '127.0.0.54', 100, get('/healthz', CHUNKED), CRUMBS),
]
