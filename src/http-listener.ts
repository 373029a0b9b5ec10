/** A port of the HTTP server as one listener of the hub: where it is taken, it is tried again. */
import type { BoundAddress } from './dialects/endpoints.ts'
import { HTTP_PORT } from './dialects/options.ts'
import type { HttpPort } from './http/server.ts'
import type { Log } from './hub/log.ts'
import type { Clock } from './time/clock.ts'

/** Pause between two attempts to bind the HTTP port, ms. */
const RETRY_MS = 15_000

/** The HTTP server as one listener among others: where its port is taken, it is tried again. */
export class HttpListener {
  readonly #name: string
  readonly #server: HttpPort
  readonly #wished: BoundAddress
  readonly #clock: Clock
  readonly #log: Log
  #address: BoundAddress
  #isStopped = false
  #cancelRetry: (() => void) | undefined

  constructor(
    server: HttpPort,
    wished: BoundAddress,
    clock: Clock,
    log: Log,
    name: string = HTTP_PORT.name,
  ) {
    this.#name = name
    this.#server = server
    this.#wished = wished
    this.#address = wished
    this.#clock = clock
    this.#log = log
  }

  /** Address as bound, or as wished with the reason why it is not. */
  get address(): BoundAddress {
    return this.#address
  }

  async start(): Promise<void> {
    try {
      const { host, port } = await this.#server.start()
      this.#address = { host, port }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      const reason = code === 'EADDRINUSE' ? 'port is taken by another process' : message
      const retryS = RETRY_MS / 1000
      const facts = { ...this.#wished, retryS }
      this.#log('error', `listener ${this.#name} did not start: ${reason}`, facts)
      if (!this.#isStopped) this.#cancelRetry = this.#clock.after(RETRY_MS, () => this.#retry())
      this.#address = { ...this.#wished, error: reason }
    }
  }

  async #retry(): Promise<void> {
    await this.start()
    const { error, ...address } = this.#address
    if (error === undefined) this.#log('info', `listener ${this.#name} is up`, address)
    if (this.#isStopped) await this.#server.stop()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancelRetry?.()
    await this.#server.stop()
  }
}
