/**
 * Peers that lie and peers that stall, each kind from an address of its own. What of them is
 * counted (bad lines, lines of names beyond a limit) they count, too.
 */
import { createSocket } from 'node:dgram'
import type { Socket } from 'node:net'
import { encodeScope } from '../../../src/dialects/scope/codec.ts'
import { encodeJoin } from '../../../src/dialects/wallaroo/codec/encode.ts'
import type { Random } from '../../fuzz/engine/random.ts'
import type { Address } from '../../support/hub/hub-process.ts'
import type { Target } from '../target.ts'
import { type Client, packetOf, pause } from './client.ts'
import { end, open, write } from './connection.ts'

const LIAR = '127.0.0.41'
const FLOODER = '127.0.0.42'
const STALLER = '127.0.0.43'
/** Most that a lie waits for its end, ms. */
const LIE_MS = 5000
/** Most that a stalled peer stays before it is gone, ms. */
const STALL_MS = 15_000
const STALLED = 20

interface Say {
  readonly to: Address
  readonly bytes: string | Uint8Array
}

/** Lies and noise on every port; none of it is a line that counts. */
export const liar: Client = async ({ target, random }, signal) => {
  const udp = createSocket('udp4')
  while (!signal.aborted) {
    const { to, bytes } = lieOf(target, random)
    const socket = await open(to, LIAR)
    await write(socket, bytes)
    // by chance noise is the settings of a viewer, which stays: it may close its own side alone
    if (random.below(2) === 0) await Promise.race([end(socket), pause(LIE_MS, signal)])
    socket.resetAndDestroy()
    for (let i = 0; i < 5; i++)
      udp.send(noise(random, 1 + random.below(600)), target.text.port, '127.0.0.1')
    await pause(50 + random.below(100), signal)
  }
  udp.close()
}

function lieOf({ text, stream, http }: Target, random: Random): Say {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(random.next())
  return random.pick<Say>([
    { to: text, bytes: '1|99999999999999999999\nx' },
    { to: text, bytes: `1|${random.below(1_000_000)}\n${'x'.repeat(100)}` },
    { to: text, bytes: packetOf([`${'k'.repeat(60_000)}:1|m`]) },
    { to: text, bytes: noise(random, 4096) },
    { to: stream, bytes: Buffer.concat([size, noise(random, 500)]) },
    {
      to: stream,
      bytes: Buffer.concat([encodeJoin('lie', 'w').subarray(0, -2), noise(random, 600)]),
    },
    { to: stream, bytes: noise(random, 4096) },
    { to: http, bytes: 'GET /metrics HTTP/1.1\r\nContent-Length: 9\r\nContent-Length: 7\r\n\r\n' },
    { to: http, bytes: `GET /${'a'.repeat(70_000)} HTTP/1.1\r\n` },
    { to: http, bytes: noise(random, 1000) },
  ])
}

function noise(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)))
}

/** Sends lines with bad values and names without end: all of them counted, one way or another. */
export const flooder: Client = async ({ target, ledger, gate, random }, signal) => {
  while (!signal.aborted) {
    await gate.through(async () => {
      const socket = await open(target.text, FLOODER)
      const lines = Array.from({ length: 40 }, () => `flood-${random.next()}:1|m`)
      const bad = Array.from({ length: 1 + random.below(5) }, () => 'soak.lie:x|m')
      await write(socket, packetOf([...lines, ...bad]))
      ledger.add('flood', lines.length)
      ledger.add('lie', bad.length)
      await end(socket)
    })
    await pause(200 + random.below(200), signal)
  }
}

/** Peers that begin and do not go on, and viewers that read nothing; all gone after a while. */
export const staller: Client = async ({ target, random }, signal) => {
  const stalled = new Set<Socket>()
  while (!signal.aborted) {
    if (stalled.size < STALLED) {
      const { to, bytes } = beginningOf(target, random)
      const socket = await open(to, STALLER)
      stalled.add(socket)
      socket.pause()
      socket.write(bytes)
      const timer = setTimeout(() => socket.resetAndDestroy(), random.below(STALL_MS))
      socket.on('close', () => {
        clearTimeout(timer)
        stalled.delete(socket)
      })
    }
    await pause(100, signal)
  }
  for (const socket of stalled) socket.resetAndDestroy()
}

function beginningOf({ text, stream, http }: Target, random: Random): Say {
  const interval = { $u64: '10000000' }
  const get = (path: string): Say => {
    return { to: http, bytes: `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n` }
  }
  return random.pick<Say>([
    { to: text, bytes: '' },
    { to: text, bytes: '1|5000\nsoak.unfinished:1|m\nsoak.unf' },
    { to: stream, bytes: Buffer.of(0, 0, 16, 0, 3) },
    { to: stream, bytes: encodeScope([{ kind: 'settings', sampling_interval: interval }])[0]! },
    { to: http, bytes: 'GET /metrics HTTP/1.1\r\nHo' },
    get('/metrics'),
    get('/api/v1/live?interval=1'),
    get('/api/v1/eventcounters?EventCounterIntervalSec=1'),
  ])
}
