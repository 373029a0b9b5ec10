/**
 * Datagrams to one address. A server that is not there costs only what was sent; one that has no
 * name or no route yet is looked up again, further and further apart.
 */
import { createSocket, type Socket } from 'node:dgram'
import { lookup } from 'node:dns'
import { type Link, type LinkOptions, Retry } from './link.ts'

/**
 * Limit of sends at a time, so that the bounded queue and not the socket holds what can't leave
 * yet.
 */
const IN_FLIGHT_LIMIT = 64

export class UdpLink implements Link {
  inFlight = 0
  isConnected = false
  readonly #options: LinkOptions
  readonly #retry: Retry
  #socket: Socket | undefined
  #isClosed = false

  constructor(options: LinkOptions) {
    this.#options = options
    this.#retry = new Retry(options, () => this.open())
  }

  get isReady(): boolean {
    return this.isConnected && this.inFlight < IN_FLIGHT_LIMIT
  }

  send(packet: Uint8Array, done: (error?: Error) => void): void {
    this.inFlight++
    this.#socket!.send(packet, (error) => {
      const wasFull = !this.isReady
      this.inFlight--
      done(error ?? undefined)
      if (wasFull && this.isReady) this.#options.onReady()
    })
  }

  close(): void {
    this.#isClosed = true
    this.isConnected = false
    this.#retry.stop()
    this.#socket?.close()
    this.#socket = undefined
  }

  open(): void {
    lookup(this.#options.host, (error, address, family) => {
      if (this.#isClosed) return
      if (error === null) this.#connect(address, family === 6 ? 'udp6' : 'udp4')
      else this.#fail(error)
    })
  }

  #connect(address: string, type: 'udp4' | 'udp6'): void {
    const socket = createSocket(type)
    this.#socket = socket
    socket.unref()
    // also the answer "port unreachable" to an earlier datagram; the socket goes on
    socket.on('error', (error) => this.#options.onError(error))
    // called with an error where there is no route, too: its type leaves that out
    socket.connect(this.#options.port, address, (error?: Error) => {
      if (this.#isClosed) return
      if (error !== undefined) {
        socket.close()
        this.#socket = undefined
        this.#fail(error)
        return
      }
      this.#retry.succeeded()
      this.isConnected = true
      this.#options.onConnect()
      this.#options.onReady()
    })
  }

  #fail(error: Error): void {
    this.#options.onError(error, this.#retry.later())
  }
}
