/**
 * What hostile peers do to a hub, each for as long as it is told to. Every attack comes from an
 * address of its own on loopback, so that limits by address are seen to hold for it alone.
 */
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { ScopeClient } from '../../src/dialects/scope/client.ts'
import type { Listeners } from '../support/hub/hub-process.ts'

export interface Attack {
  readonly name: string
  /** Goes on until the signal; resolves when its sockets are gone. */
  run(target: Listeners, signal: AbortSignal): Promise<void>
}

const PAUSE_MS = 20
const MEBIBYTE = 1_048_576

/** Connections from one address that never throw; all are destroyed at the end. */
class Crowd {
  readonly #sockets = new Set<Socket>()
  readonly #localAddress: string

  constructor(localAddress: string) {
    this.#localAddress = localAddress
  }

  get size(): number {
    return this.#sockets.size
  }

  /** Opens a connection, says something, and keeps it open. */
  open(port: number, first?: Uint8Array | string): Socket {
    const socket = connect({ port, host: '127.0.0.1', localAddress: this.#localAddress })
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
    socket.resume()
    if (first !== undefined) socket.write(first)
    return socket
  }

  /** Keeps so many connections open until the signal. */
  async hold(count: number, signal: AbortSignal, openOne: (index: number) => void): Promise<void> {
    for (let index = 0; !signal.aborted; ) {
      for (let i = 0; i < 50 && this.size < count; i++) openOne(index++)
      await setTimeout(PAUSE_MS)
    }
    this.end()
  }

  end(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** A peer that sends without pause as fast as the hub reads, or is closed and comes again. */
async function pour(
  crowd: Crowd,
  port: number,
  signal: AbortSignal,
  next: () => Uint8Array | string,
): Promise<void> {
  let socket: Socket | undefined
  while (!signal.aborted) {
    if (socket === undefined || socket.destroyed) socket = crowd.open(port)
    if (socket.writableLength < MEBIBYTE) socket.write(next())
    await setTimeout(socket.writableLength < MEBIBYTE ? 0 : PAUSE_MS)
  }
  crowd.end()
}

function text(lines: string): string {
  return `1|${Buffer.byteLength(lines)}\n${lines}`
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
}

/** A Wallaroo frame's head: so many bytes follow, it says. */
function frameOf(announced: number, sent: number): Buffer {
  const bytes = Buffer.alloc(4 + sent)
  bytes.writeUInt32BE(announced)
  return bytes
}

/** What comes later meets as many series as the first one could bring. */
export const ATTACKS: readonly Attack[] = [
  {
    name: 'new names without end',
    async run({ text: { port } }, signal) {
      let next = 0
      await pour(new Crowd('127.0.0.15'), port, signal, () =>
        text(Array.from({ length: 200 }, () => `flood.${next++}:1|m\n`).join('')),
      )
    },
  },
  {
    name: 'pipelined heavy answers',
    async run({ http }, signal) {
      const crowd = new Crowd('127.0.0.11')
      const requests = get('/api/v1/series?limit=5000').repeat(30)
      await crowd.hold(20, signal, () => crowd.open(http.port, requests))
    },
  },
  {
    name: 'parallel scrapes that read nothing',
    async run({ http }, signal) {
      const crowd = new Crowd('127.0.0.12')
      await crowd.hold(100, signal, () => crowd.open(http.port, get('/metrics')).pause())
    },
  },
  {
    name: 'silent connections on every port',
    async run(listeners, signal) {
      const crowd = new Crowd('127.0.0.13')
      const ports = [listeners.text.port, listeners.stream.port, listeners.http.port]
      await crowd.hold(600, signal, (i) => crowd.open(ports[i % ports.length]!))
    },
  },
  {
    name: 'unfinished frames of 1 MiB',
    async run({ stream }, signal) {
      const crowd = new Crowd('127.0.0.14')
      const begun = frameOf(MEBIBYTE, MEBIBYTE - 1)
      await crowd.hold(200, signal, () => crowd.open(stream.port, begun))
    },
  },
  {
    name: 'names of 60 kB',
    async run({ text: { port } }, signal) {
      let next = 0
      await pour(new Crowd('127.0.0.16'), port, signal, () =>
        text(`${'k'.repeat(60_000)}${next++}:1|m\n`),
      )
    },
  },
  {
    name: 'noise and lying lengths by TCP',
    async run(listeners, signal) {
      const crowd = new Crowd('127.0.0.17')
      const ports = [listeners.text.port, listeners.stream.port, listeners.http.port]
      await crowd.hold(100, signal, (i) => {
        const lie = i % 2 === 0 ? randomBytes(4096) : `1|${i}00000\n${'x'.repeat(100)}`
        crowd.open(ports[i % ports.length]!, lie).end()
      })
    },
  },
  {
    name: 'noise by UDP',
    async run({ text: { port } }, signal) {
      const socket = createSocket('udp4')
      while (!signal.aborted) {
        for (let i = 0; i < 200; i++) socket.send(randomBytes(1 + (i % 900)), port, '127.0.0.1')
        await setTimeout(PAUSE_MS)
      }
      socket.close()
    },
  },
  {
    name: 'counter sessions that ask for all',
    async run({ http }, signal) {
      const crowd = new Crowd('127.0.0.18')
      const path = '/api/v1/eventcounters?EventCounterIntervalSec=1'
      await crowd.hold(30, signal, () => crowd.open(http.port, get(path)))
    },
  },
  {
    name: 'scope viewers at 1 ms',
    async run({ stream: { host, port } }, signal) {
      const viewers = Array.from({ length: 10 }, () => {
        return new ScopeClient({ host, port, samplingIntervalMs: 1 })
      })
      await Promise.all(viewers.map((viewer) => viewer.start()))
      if (!signal.aborted) await once(signal, 'abort')
      await Promise.all(viewers.map((viewer) => viewer.close()))
    },
  },
]
