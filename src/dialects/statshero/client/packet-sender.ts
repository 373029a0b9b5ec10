/**
 * Packets on their way to a server: a bounded queue before a link that comes back by itself. What
 * became of their lines is counted.
 */
import type { Clock } from '../../../time/clock.ts'
import type { Transport } from '../../decoder.ts'
import type { Link, LinkOptions } from './link.ts'
import { PacketQueue } from './packet-queue.ts'
import { TcpLink } from './tcp-link.ts'
import { UdpLink } from './udp-link.ts'

/** Lines by what became of them. */
export interface SentCounts {
  /** Handed over to the network. */
  sent: number
  /** Lines that left the full queue, or were still waiting at the end. */
  dropped: number
  /** Handed over to a link that failed. */
  lost: number
}

interface PacketSenderOptions extends Omit<LinkOptions, 'onReady'> {
  readonly transport: Transport
  readonly queueLinesLimit: number
  readonly queueBytesLimit: number
  /** Clock that keeps the process running while a close waits. */
  readonly closeClock: Pick<Clock, 'after'>
}

/**
 * Packets that waited and are handed over in one turn of the event loop: a link that has become
 * ready may take all of them.
 */
const PACKETS_A_TURN = 64
/** Time that `close` waits for lines to leave, ms. */
const CLOSE_WAIT_MS = 1000

export class PacketSender {
  readonly #options: PacketSenderOptions
  readonly #counts: SentCounts
  readonly #queue = new PacketQueue()
  readonly #link: Link
  #isStarted = false
  #onIdle: (() => void) | undefined
  /** Whether packets that waited go on in the next turn. */
  #isPaused = false

  /** @param counts kept up to date */
  constructor(options: PacketSenderOptions, counts: SentCounts) {
    this.#options = options
    this.#counts = counts
    const link = { ...options, onReady: () => this.#goOn() }
    this.#link = options.transport === 'tcp' ? new TcpLink(link) : new UdpLink(link)
  }

  get isConnected(): boolean {
    return this.#link.isConnected
  }

  /** Begins to connect; once. */
  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    this.#link.open()
  }

  /** Sends a packet as soon as the link takes it. */
  push(packet: Uint8Array, lines: number): void {
    this.#queue.push({ packet, lines })
    if (!this.#isPaused) this.#pump()
  }

  /**
   * Drops the oldest packets while more waits than may.
   * @param further lines that are not yet a packet, but count
   */
  limit(further = 0): void {
    const { queueLinesLimit, queueBytesLimit } = this.#options
    const queue = this.#queue
    while (!queue.isEmpty) {
      if (queue.lines + further <= queueLinesLimit && queue.bytes <= queueBytesLimit) return
      this.#counts.dropped += queue.shift()!.lines
    }
  }

  /** Waits at most a second for what is there to leave, and closes; the rest is dropped. */
  async close(): Promise<void> {
    // without a link nothing would ever leave
    if (this.#isStarted && !this.#isIdle) await this.#waitUntilIdle()
    for (let entry = this.#queue.shift(); entry !== undefined; entry = this.#queue.shift()) {
      this.#counts.dropped += entry.lines
    }
    this.#link.close()
  }

  get #isIdle(): boolean {
    return this.#queue.isEmpty && this.#link.inFlight === 0
  }

  #waitUntilIdle(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.closeClock.after(CLOSE_WAIT_MS, resolve)
      this.#onIdle = () => {
        cancel()
        resolve()
      }
    })
  }

  #goOn(): void {
    if (this.#isPaused) return
    this.#pump(PACKETS_A_TURN)
    this.#isPaused = this.#link.isReady && !this.#queue.isEmpty
    if (!this.#isPaused) return
    setImmediate(() => {
      this.#isPaused = false
      this.#goOn()
    })
  }

  #pump(limit = Number.POSITIVE_INFINITY): void {
    for (let count = 0; count < limit && this.#link.isReady; count++) {
      const entry = this.#queue.shift()
      if (entry === undefined) return
      this.#link.send(entry.packet, (error) => {
        this.#counts[error === undefined ? 'sent' : 'lost'] += entry.lines
        if (this.#isIdle) this.#onIdle?.()
      })
    }
  }
}
