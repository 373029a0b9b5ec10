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

/** Time that `close` waits for lines to leave, ms. */
const CLOSE_WAIT_MS = 1000

export class PacketSender {
  readonly #options: PacketSenderOptions
  readonly #counts: SentCounts
  readonly #queue = new PacketQueue()
  readonly #link: Link
  #isStarted = false
  #onIdle: (() => void) | undefined

  /** @param counts kept up to date */
  constructor(options: PacketSenderOptions, counts: SentCounts) {
    this.#options = options
    this.#counts = counts
    const link = { ...options, onReady: () => this.#pump() }
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
    this.#pump()
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

  #pump(): void {
    while (this.#link.isReady) {
      const entry = this.#queue.shift()
      if (entry === undefined) return
      this.#link.send(entry.packet, (error) => {
        this.#counts[error === undefined ? 'sent' : 'lost'] += entry.lines
        if (this.#isIdle) this.#onIdle?.()
      })
    }
  }
}
