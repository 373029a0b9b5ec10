/**
 * A connection that comes back after it was lost. A packet belongs to one connection only: what was
 * written when it broke may have arrived, and is never sent again, for it would count twice.
 */
import { connect, type Socket } from 'node:net'
import { type Link, type LinkOptions, Retry } from './link.ts'

export class TcpLink implements Link {
  inFlight = 0
  isConnected = false
  readonly #options: LinkOptions
  readonly #retry: Retry
  #socket: Socket | undefined
  #isWritable = false
  #isClosed = false

  constructor(options: LinkOptions) {
    this.#options = options
    this.#retry = new Retry(options, () => this.open())
  }

  get isReady(): boolean {
    return this.#isWritable
  }

  send(packet: Uint8Array, done: (error?: Error) => void): void {
    this.inFlight++
    this.#isWritable = this.#socket!.write(packet, (error) => {
      this.inFlight--
      done(error ?? undefined)
    })
  }

  close(): void {
    this.#isClosed = true
    this.#isWritable = false
    this.#retry.stop()
    // the client has waited for what was in flight; a peer that reads no more gets no longer
    this.#socket?.destroy()
  }

  open(): void {
    const socket = connect(this.#options.port, this.#options.host)
    this.#socket = socket
    socket.unref()
    socket.on('connect', () => {
      this.isConnected = true
      this.#retry.succeeded()
      this.#options.onConnect()
      this.#becomeReady()
    })
    socket.on('drain', () => this.#becomeReady())
    let failure: Error | undefined
    socket.on('error', (error) => {
      failure = error
    })
    socket.on('close', () => {
      this.isConnected = false
      this.#isWritable = false
      if (this.#isClosed) return
      const retryMs = this.#retry.later()
      this.#options.onError(failure ?? new Error('the server has closed the connection'), retryMs)
    })
    // a server never answers; reading notices that it has gone
    socket.resume()
  }

  #becomeReady(): void {
    if (this.#isClosed) return
    this.#isWritable = true
    this.#options.onReady()
  }
}
