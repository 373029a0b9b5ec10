/** The way from a client to its server: what UDP and TCP have in common. */
import { Backoff, type BackoffOptions } from '../../../time/backoff.ts'
import type { Clock } from '../../../time/clock.ts'

export interface Link {
  /** Begins to connect; once. */
  open(): void
  /** Whether the way to the server is open; by UDP, that it has a name and a route. */
  readonly isConnected: boolean
  /** Whether a packet can be handed over now. */
  readonly isReady: boolean
  /** Packets handed over whose fate is not known yet. */
  readonly inFlight: number
  /**
   * Hands a packet over; only while `isReady`.
   * @param done called once, with the reason where the packet is lost
   */
  send(packet: Uint8Array, done: (error?: Error) => void): void
  close(): void
}

export interface LinkOptions extends BackoffOptions {
  readonly host: string
  readonly port: number
  readonly clock: Pick<Clock, 'after'>
  /** Called whenever the link has become ready. */
  readonly onReady: () => void
  /** Called when the way to the server is open. */
  readonly onConnect: () => void
  /**
   * Called when the link fails; it tries again by itself.
   * @param retryMs pause until then; undefined where the link goes on as it is
   */
  readonly onError: (error: Error, retryMs?: number) => void
}

/** Attempts at a connection, further and further apart until one holds. */
export class Retry {
  readonly #clock: Pick<Clock, 'after'>
  readonly #attempt: () => void
  readonly #backoff: Backoff
  #cancel: (() => void) | undefined

  constructor(options: LinkOptions, attempt: () => void) {
    this.#clock = options.clock
    this.#attempt = attempt
    this.#backoff = new Backoff(options, Math.random)
  }

  /**
   * Starts another attempt after the next pause.
   * @returns the pause, ms
   */
  later(): number {
    this.#cancel?.()
    const pauseMs = this.#backoff.nextMs()
    this.#cancel = this.#clock.after(pauseMs, this.#attempt)
    return pauseMs
  }

  succeeded(): void {
    this.#backoff.reset()
  }

  stop(): void {
    this.#cancel?.()
  }
}
