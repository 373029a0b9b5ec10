/** The way from a client to its server: what UDP and TCP have in common. */
import type { Clock } from '../../../time/clock.ts'

export interface Link {
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

export interface LinkOptions {
  readonly host: string
  readonly port: number
  readonly clock: Pick<Clock, 'after'>
  /** Called whenever the link has become ready. */
  readonly onReady: () => void
  /** Called when the link fails; it tries again by itself. */
  readonly onError: (error: Error) => void
}

/** Waiting times between attempts: doubling from the first to the last. */
const RETRY_FIRST_MS = 100
const RETRY_LAST_MS = 10_000

/** Attempts at a connection, further and further apart until one holds. */
export class Retry {
  readonly #clock: Pick<Clock, 'after'>
  readonly #attempt: () => void
  #delayMs = RETRY_FIRST_MS
  #cancel: (() => void) | undefined

  constructor(clock: Pick<Clock, 'after'>, attempt: () => void) {
    this.#clock = clock
    this.#attempt = attempt
  }

  /** Another attempt after the next delay. */
  later(): void {
    this.#cancel?.()
    this.#cancel = this.#clock.after(this.#delayMs, this.#attempt)
    this.#delayMs = Math.min(this.#delayMs * 2, RETRY_LAST_MS)
  }

  succeeded(): void {
    this.#delayMs = RETRY_FIRST_MS
  }

  stop(): void {
    this.#cancel?.()
  }
}
