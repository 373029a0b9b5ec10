/** Attacks by connections: many, short, silent, slow, unfinished, with lies for a beginning. */
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Listeners } from '../../support/hub/hub-process.ts'
import { type Attack, Crowd, frameOf, get, MEBIBYTE, request } from '../crowd.ts'

function portsOf({ text, stream, http }: Listeners): readonly number[] {
  return [text.port, stream.port, http.port]
}

/** Nested so deeply in MessagePack: maps of one entry whose value is the next. */
function deepMap(depth: number): Buffer {
  return Buffer.alloc(3 * depth, Buffer.from([0x81, 0xa1, 0x61]))
}

/** Sends a byte to every connection of a crowd from time to time. */
async function drip(
  crowd: Crowd,
  signal: AbortSignal,
  bytes: Uint8Array | string = 'a',
): Promise<void> {
  while (!signal.aborted) {
    crowd.forEach((socket) => {
      if (socket.writableLength < MEBIBYTE) socket.write(bytes)
    })
    await setTimeout(200)
  }
}

export const CONNECTION_ATTACKS: readonly Attack[] = [
  {
    name: 'silent connections on every port',
    async run({ listeners }, signal) {
      const crowd = new Crowd('127.0.0.13')
      const ports = portsOf(listeners)
      await crowd.hold(600, signal, (i) => crowd.open(ports[i % ports.length]!))
    },
  },
  {
    name: 'connections that end at once',
    async run({ listeners }, signal) {
      const crowd = new Crowd('127.0.0.24')
      const ports = portsOf(listeners)
      await crowd.hold(200, signal, (i) => {
        const socket = crowd.open(ports[i % ports.length]!, i % 2 === 0 ? 'x' : undefined)
        socket.once('connect', () => (i % 4 < 2 ? socket.resetAndDestroy() : socket.end()))
      })
    },
  },
  {
    name: 'unfinished frames of 1 MiB',
    async run({ listeners: { stream } }, signal) {
      const crowd = new Crowd('127.0.0.14')
      const begun = frameOf(MEBIBYTE, MEBIBYTE - 1)
      await crowd.hold(200, signal, () => crowd.open(stream.port, begun))
    },
  },
  {
    name: 'noise and lying lengths by TCP',
    async run({ listeners }, signal) {
      const crowd = new Crowd('127.0.0.17')
      const ports = portsOf(listeners)
      await crowd.hold(200, signal, (i) => {
        const lie = i % 2 === 0 ? randomBytes(4096) : `1|${i}00000\n${'x'.repeat(100)}`
        crowd.open(ports[i % ports.length]!, lie).end()
      })
    },
  },
  {
    name: 'a byte from time to time',
    async run({ listeners: { text, stream, http } }, signal) {
      const crowd = new Crowd('127.0.0.25')
      const beginnings = [
        [text.port, '1|100000\n'],
        [stream.port, frameOf(MEBIBYTE, 1)],
        [http.port, 'GET / HTTP/1.1\r\nHost: localhost\r\nX: '],
        [http.port, request('POST', '/api/v1/live/x', POST.concat('Content-Length: 60000'))],
      ] as const
      const dripping = drip(crowd, signal)
      await crowd.hold(400, signal, (i) => {
        const [port, first] = beginnings[i % beginnings.length]!
        crowd.open(port, first)
      })
      await dripping
    },
  },
  {
    name: 'requests without end, and odd ones',
    async run({ listeners: { http } }, signal) {
      const crowd = new Crowd('127.0.0.26')
      const chunked = POST.concat('Transfer-Encoding: chunked')
      const chunk = `ffff\r\n${'x'.repeat(65_535)}\r\n`
      const beginnings = [
        `GET / HTTP/1.1\r\nHost: localhost\r\n${'X: y\r\n'.repeat(20_000)}`,
        get(`/api/v1/series?filter=${'a+'.repeat(7000)}`).repeat(20),
        get(`/api/v1/series?${'a=b&'.repeat(3500)}`).repeat(20),
        get('/', 'Upgrade: websocket', 'Connection: Upgrade') + randomBytes(500).toString('hex'),
        `CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n${'x'.repeat(1000)}`,
        get('/', 'Content-Length: 1', 'Content-Length: 2'),
        request('POST', '/api/v1/live/x', [...POST, 'Content-Length: 60000']) + '['.repeat(60_000),
        request('OPTIONS', '*').repeat(30),
        get(`/${'%2e%2e/'.repeat(2000)}`).repeat(20),
        get('/healthz').repeat(30),
      ]
      const pouring = crowd.pour(
        http.port,
        signal,
        () => chunk,
        Buffer.from(request('POST', '/api/v1/live/x', chunked)),
      )
      await crowd.hold(100, signal, (i) =>
        crowd.open(http.port, beginnings[i % beginnings.length]!),
      )
      await pouring
    },
  },
  {
    name: 'deep and endless settings of viewers',
    async run({ listeners: { stream } }, signal) {
      const crowd = new Crowd('127.0.0.27')
      const deep = deepMap(20_000)
      const framed = Buffer.alloc(4)
      framed.writeUInt32LE(deep.length)
      const beginnings = [deep, Buffer.concat([framed, deep]), Buffer.alloc(60_000, 0xdf)]
      await crowd.hold(200, signal, (i) => {
        const socket = crowd.open(stream.port)
        // a viewer hears the version first
        socket.once('data', () => socket.write(beginnings[i % beginnings.length]!))
      })
    },
  },
]

const POST: readonly string[] = ['Content-Type: application/json']
