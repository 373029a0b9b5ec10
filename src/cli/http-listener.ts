/** The HTTP server as one listener among others: where its port is taken, it is tried again. */
import type { HttpServer } from '../http/index.ts'
import type { Clock, Log } from '../hub/index.ts'
import type { Address } from './start-report.ts'

const RETRY_MS = 15_000

export class HttpListener {
  readonly #server: HttpServer
  readonly #wished: Address
  readonly #clock: Clock
  readonly #log: Log
  #isStopped = false
  #cancelRetry: (() => void) | undefined

  constructor(server: HttpServer, wished: Address, clock: Clock, log: Log) {
    this.#server = server
    this.#wished = wished
    this.#clock = clock
    this.#log = log
  }

  /** The address as bound, or the wished one with the reason why it is not. */
  async start(): Promise<Address> {
    try {
      const { host, port } = await this.#server.start()
      return { host, port }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      const reason = code === 'EADDRINUSE' ? 'port is taken by another process' : message
      const retryS = RETRY_MS / 1000
      this.#log('error', `listener http did not start: ${reason}`, { ...this.#wished, retryS })
      if (!this.#isStopped) this.#cancelRetry = this.#clock.after(RETRY_MS, () => this.#retry())
      return { ...this.#wished, error: reason }
    }
  }

  async #retry(): Promise<void> {
    const address = await this.start()
    if (address.error === undefined) this.#log('info', 'listener http is up', { ...address })
    if (this.#isStopped) await this.#server.stop()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancelRetry?.()
    await this.#server.stop()
  }
}
