/**
 * Response of server-sent events to one client: its heartbeat, how it ends, and the rule for one
 * that has stopped reading. Its owner bounds what waits, by `hasRoomFor`.
 */
import type { ServerResponse } from 'node:http'
import { type Clock, nsOfMs } from '../../time/clock.ts'
import type { HttpLimits } from '../limits.ts'
import { SECURITY_HEADERS } from '../security.ts'

/** Reason that an end is counted as. */
export type EndReason = 'disconnected' | 'stalled' | 'error' | 'stopped' | 'made_room'

interface EventResponseParts {
  readonly clock: Clock
  readonly limits: HttpLimits
  /** Reason for an error of the connection. */
  readonly errorReason: EndReason
}

export class EventResponse {
  endReason: EndReason = 'disconnected'
  readonly #outgoing: ServerResponse
  readonly #clock: Clock
  readonly #limits: HttpLimits
  /** Bytes handed over, and of those the most that have ever left the buffer. */
  #writtenBytes = 0
  #deliveredBytes = 0
  /** Monotonic time of the last of them. */
  #progressNs: bigint

  /** Takes over a response that nothing has been written to. */
  constructor(outgoing: ServerResponse, { clock, limits, errorReason }: EventResponseParts) {
    this.#outgoing = outgoing
    this.#clock = clock
    this.#limits = limits
    this.#progressNs = clock.monotonicNs()
    outgoing.writeHead(200, {
      ...SECURITY_HEADERS,
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    })
    // It may be silent for long; it has its own rule for clients that stopped reading.
    outgoing.socket?.setTimeout(0)
    outgoing.on('error', () => this.close(errorReason))
  }

  get waitingBytes(): number {
    return this.#outgoing.writableLength
  }

  /** Whether nothing can be written any more: it ends behind what waits. */
  get isEnded(): boolean {
    return this.#outgoing.writableEnded
  }

  get isClosed(): boolean {
    return this.#outgoing.destroyed
  }

  /** Time for which the client has taken nothing of what waits for it, by the last look. */
  get silentNs(): bigint {
    return this.waitingBytes > 0 ? this.#clock.monotonicNs() - this.#progressNs : 0n
  }

  write(bytes: string | Buffer): void {
    this.#writtenBytes += Buffer.byteLength(bytes)
    this.#outgoing.write(bytes)
  }

  /** Tells whether the buffer has room for so many bytes; an empty one takes any size. */
  hasRoomFor(bytes: number): boolean {
    const waiting = this.waitingBytes
    return waiting === 0 || waiting + bytes <= this.#limits.streamBufferBytes
  }

  /** Sends a comment that keeps the connection alive; pointless while other bytes wait. */
  heartbeat(): void {
    this.closeIfStalled()
    if (this.waitingBytes === 0 && !this.isClosed && !this.isEnded) this.write(':\n\n')
  }

  /**
   * Closes the connection of a client that has taken nothing of what waits for it: it is gone, or
   * as good as gone.
   */
  closeIfStalled(): void {
    const delivered = this.#writtenBytes - this.waitingBytes
    if (this.waitingBytes === 0 || delivered > this.#deliveredBytes) {
      this.#deliveredBytes = delivered
      this.#progressNs = this.#clock.monotonicNs()
    } else if (this.silentNs > nsOfMs(this.#limits.streamStallMs)) this.close('stalled')
  }

  /** Ends at once; what waits is lost. */
  close(reason: EndReason): void {
    if (this.isClosed) return
    this.endReason = reason
    this.#outgoing.destroy()
  }

  /** Ends behind what waits. */
  end(): void {
    this.endReason = 'stopped'
    this.#outgoing.end()
  }
}
