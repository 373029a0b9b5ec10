/** What attacks are made of: crowds of connections, and the bytes that they send. */
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { Listeners } from '../support/hub/hub-process.ts'

/** Hub under attack. */
export interface Target {
  readonly listeners: Listeners
  /** Sets its wall clock ahead, or back. */
  stepClock(ms: number): void
}

export interface Attack {
  readonly name: string
  /** Whether it holds all places of a kind: latecomers are sent, and must be served. */
  readonly takesPlaces?: boolean
  /** Goes on until the signal; resolves when its sockets are gone. */
  run(target: Target, signal: AbortSignal): Promise<void>
}

export const PAUSE_MS = 20
export const MEBIBYTE = 1_048_576
const OPENED_AT_ONCE = 50

/** Connections from one address that never throw; all are destroyed at the end. */
export class Crowd {
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

  forEach(visit: (socket: Socket) => void): void {
    this.#sockets.forEach(visit)
  }

  /** Keeps so many connections open until the signal. */
  async hold(count: number, signal: AbortSignal, openOne: (index: number) => void): Promise<void> {
    for (let index = 0; !signal.aborted; ) {
      for (let i = 0; i < OPENED_AT_ONCE && this.size < count; i++) openOne(index++)
      await setTimeout(PAUSE_MS)
    }
    this.end()
  }

  /** Sends without pause as fast as the hub reads; what is closed comes again. */
  async pour(
    port: number,
    signal: AbortSignal,
    next: () => Uint8Array | string,
    hello?: Uint8Array,
  ): Promise<void> {
    let socket: Socket | undefined
    while (!signal.aborted) {
      if (socket === undefined || socket.destroyed) socket = this.open(port, hello)
      if (socket.writableLength < MEBIBYTE) socket.write(next())
      await setTimeout(socket.writableLength < MEBIBYTE ? 0 : PAUSE_MS)
    }
    this.end()
  }

  end(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** Spells a packet of Stats Hero. */
export function text(lines: string): string {
  return `1|${Buffer.byteLength(lines)}\n${lines}`
}

export function get(path: string, ...headers: readonly string[]): string {
  return request('GET', path, headers)
}

export function request(method: string, path: string, headers: readonly string[] = []): string {
  const lines = ['Host: localhost', ...headers].map((line) => `${line}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** Makes the head of a Wallaroo frame, which announces so many bytes. */
export function frameOf(announced: number, sent: number): Buffer {
  const bytes = Buffer.alloc(4 + sent)
  bytes.writeUInt32BE(announced)
  return bytes
}
