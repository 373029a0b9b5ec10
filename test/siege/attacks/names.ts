/** Attacks by what is sent in lines: names without end, without measure, of one hash. */
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import {
  encodeConnect,
  encodeJoin,
  encodeMetrics,
} from '../../../src/dialects/wallaroo/codec/encode.ts'
import { collidingNames } from '../collisions.ts'
import { type Attack, Crowd, MEBIBYTE, PAUSE_MS, text } from '../crowd.ts'

const LINES = 200
/** Datagrams of one burst. */
const DATAGRAMS = 40
/** Addresses that together reach the limit of series in all, each its own. */
const FILLERS = 12
const COLLIDING = 5000
/** Addresses whose series all change, and series of each, within its limit. */
const CHANGERS = 9
const CHANGING = 9000
const BINS = 65

/**
 * Sends datagrams in bursts until the signal: 2,000 a second, which a hub can take whatever is in
 * them. More of them would only show that the system drops what there is no time to read.
 */
async function sendTo(
  port: number,
  signal: AbortSignal,
  next: (index: number) => Uint8Array | string,
  address = '127.0.0.1',
): Promise<void> {
  const socket = createSocket('udp4')
  socket.bind(0, address)
  for (let index = 0; !signal.aborted; ) {
    for (let i = 0; i < DATAGRAMS; i++) socket.send(next(index++), port, '127.0.0.1')
    await setTimeout(PAUSE_MS)
  }
  socket.close()
}

/** Spells lines with names in one of the types, which take turns. */
function linesOf(prefix: string, from: number, types: string): string {
  return Array.from({ length: LINES }, (_, i) => {
    const type = types[(from + i) % types.length]!
    return `${prefix}.${from + i}:${1 + (i % 100)}|${type}\n`
  }).join('')
}

function wallarooWindow(index: number): Uint8Array {
  const message = {
    application: `app${index % 100}`,
    category: 'computation',
    name: `${index}`.padStart(255, 'n'),
    worker: `w${index % 1000}`,
    pipeline: `p${index % 7}`,
    id: index & 0xffff,
    bins: new Array(BINS).fill(1),
    ...{
      minNs: 1,
      maxNs: 1_000_000,
      periodNs: 2_000_000_000,
      endNs: BigInt(Date.now()) * 1_000_000n,
    },
  }
  return encodeMetrics(message, 'peer')
}

export const NAME_ATTACKS: readonly Attack[] = [
  {
    name: 'new names without end',
    async run({ listeners: { text: port } }, signal) {
      const all = Array.from({ length: FILLERS }, (_, address) => {
        let next = 0
        return new Crowd(`127.0.1.${1 + address}`).pour(port.port, signal, () => {
          next += LINES
          return text(linesOf(`flood.${address}`, next, 'mmmmgh'))
        })
      })
      await Promise.all(all)
    },
  },
  {
    name: 'names of 60 kB',
    async run({ listeners }, signal) {
      let next = 0
      await new Crowd('127.0.0.16').pour(listeners.text.port, signal, () =>
        text(`${'k'.repeat(60_000)}${next++}:1|m\n`),
      )
    },
  },
  {
    name: 'names of 4 kB',
    async run({ listeners }, signal) {
      let next = 0
      await new Crowd('127.0.0.19').pour(listeners.text.port, signal, () =>
        text(`${'ab'.repeat(2000)}${next++ % 20_000}:1|m\n`.repeat(10)),
      )
    },
  },
  {
    name: 'names of one hash by TCP and UDP',
    async run({ listeners: { text: port } }, signal) {
      const names = collidingNames(COLLIDING)
      let next = 0
      const some = (count: number): string =>
        Array.from({ length: count }, () => `${names[next++ % COLLIDING]}:1|m\n`).join('')
      await Promise.all([
        new Crowd('127.0.0.20').pour(port.port, signal, () => text(some(LINES))),
        sendTo(port.port, signal, () => text(some(50))),
      ])
    },
  },
  {
    name: 'names of equal beginnings and lengths',
    async run({ listeners: { text: port } }, signal) {
      let next = 0
      const some = (): string => text(`${'a'.repeat(1000)}${(next++ % 9000) + 1000}:1|g\n`)
      await Promise.all([
        new Crowd('127.0.0.21').pour(port.port, signal, () => some().repeat(20)),
        sendTo(port.port, signal, some),
      ])
    },
  },
  {
    name: 'noise by UDP',
    async run({ listeners }, signal) {
      await sendTo(listeners.text.port, signal, (i) => randomBytes(1 + (i % 900)))
    },
  },
  {
    name: 'gzip that swells',
    async run({ listeners }, signal) {
      const bomb = gzipSync(Buffer.alloc(64 * MEBIBYTE, 'a:1|m\n'), { level: 9 })
      const packet = Buffer.concat([Buffer.from(`1|${bomb.length}\n`), bomb])
      await Promise.all([
        new Crowd('127.0.0.22').pour(listeners.text.port, signal, () => packet),
        sendTo(listeners.text.port, signal, () => packet.subarray(0, 8000)),
      ])
    },
  },
  {
    name: 'gzip of bad lines',
    async run({ listeners: { text: port } }, signal) {
      const bodies = ['x\n', 'abc:1|zz\n', 'a:1|m\n']
      const packets = bodies.map((line) => {
        const body = gzipSync(line.repeat(Math.floor(MEBIBYTE / line.length)), { level: 9 })
        return Buffer.concat([Buffer.from(`1|${body.length}\n`), body])
      })
      const many = Buffer.concat(Array.from({ length: 60 }, (_, i) => packets[i % 3]!))
      const crowd = new Crowd('127.0.0.28')
      await Promise.all([
        crowd.hold(20, signal, () => crowd.open(port.port, many)),
        crowd.pour(port.port, signal, () => many),
        sendTo(port.port, signal, (i) => packets[i % 3]!, '127.0.0.29'),
      ])
    },
  },
  {
    name: 'series that all change each second',
    async run({ listeners: { text: port } }, signal) {
      const all = Array.from({ length: CHANGERS }, (_, address) => {
        const type = address % 2 === 0 ? 'h' : 'm'
        let next = 0
        return new Crowd(`127.0.2.${1 + address}`).pour(port.port, signal, () => {
          next = (next + LINES) % CHANGING
          return text(linesOf(`changing.${address}`, next, type))
        })
      })
      await Promise.all(all)
    },
  },
  {
    name: 'pipelines and workers without end',
    async run({ listeners }, signal) {
      let next = 0
      const some = (): Uint8Array =>
        Buffer.concat(Array.from({ length: 100 }, () => wallarooWindow(next++)))
      const hello = Buffer.concat([encodeConnect(), encodeJoin('app', 'worker')])
      await new Crowd('127.0.0.23').pour(listeners.stream.port, signal, some, hello)
    },
  },
]
