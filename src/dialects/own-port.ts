/** A dialect's server in a program of its own: binds a port, as the hub does for those it holds. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { Transport } from './decoder.ts'
import type { DialectServer, Reports } from './endpoints.ts'

interface OwnPortOptions {
  readonly host: string
  /** 0 = any free one. */
  readonly port: number
  readonly transports: readonly Transport[]
  readonly reports: Reports
}

/** Connections at once; further ones are closed. A hub's ports have limits of time as well. */
const CONNECTIONS_LIMIT = 1000
const NOTHING = new Uint8Array(0)

export class OwnPort {
  readonly #server: DialectServer
  readonly #options: OwnPortOptions
  #tcp: Server | undefined
  #udp: UdpSocket | undefined
  #port = 0

  constructor(server: DialectServer, options: OwnPortOptions) {
    this.#server = server
    this.#options = options
  }

  /** Port that is bound; 0 before `start`. */
  get port(): number {
    return this.#port
  }

  /** Binds; rejects with the system's error where that is not possible. */
  async start(): Promise<void> {
    const { transports, port } = this.#options
    this.#port = port
    if (transports.includes('tcp')) await this.#listen()
    if (transports.includes('udp')) await this.#bind()
  }

  #listen(): Promise<void> {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
      this.#server.accept?.(socket, NOTHING)
    })
    this.#tcp = server
    server.maxConnections = CONNECTIONS_LIMIT
    server.on('drop', () => this.#options.reports.count('accepts_failed', 'connections_limit'))
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(this.#port, this.#options.host, () => {
        server.off('error', reject)
        // a failed accept (no file descriptors left) costs that connection, not the listener
        server.on('error', (error: NodeJS.ErrnoException) => {
          this.#options.reports.count('accepts_failed', error.code ?? 'unknown')
        })
        this.#port = (server.address() as AddressInfo).port
        resolve()
      })
    })
  }

  #bind(): Promise<void> {
    const { host } = this.#options
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
    this.#udp = socket
    // also for an answer "port unreachable" to no datagram of ours: the socket goes on
    socket.on('error', () => this.#options.reports.count('accepts_failed', 'udp'))
    socket.on('message', (bytes, { address, port }) => {
      this.#server.datagram?.(bytes, { transport: 'udp', address, port })
    })
    return new Promise((resolve, reject) => {
      socket.once('error', reject)
      socket.bind(this.#port, host, () => {
        socket.off('error', reject)
        this.#port = socket.address().port
        resolve()
      })
    })
  }

  /** Takes nothing more, and ends every connection; resolves when all are gone. */
  async close(): Promise<void> {
    const tcp = this.#tcp
    const udp = this.#udp
    this.#tcp = undefined
    this.#udp = undefined
    const released = [
      new Promise<void>((resolve) => (tcp === undefined ? resolve() : tcp.close(() => resolve()))),
      new Promise<void>((resolve) => (udp === undefined ? resolve() : udp.close(() => resolve()))),
    ]
    await this.#server.stop()
    await Promise.all(released)
  }
}
