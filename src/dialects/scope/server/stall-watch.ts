/** Notices that a socket takes nothing any more, though there is something for it to take. */
import type { Socket } from 'node:net'
import { type Clock, nsOfMs } from '../../../time/clock.ts'

/** Number of checks per timeout: a stall is noticed at most this much late. */
const CHECKS = 8

export class StallWatch {
  readonly #socket: Socket
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #onStalled: () => void
  #waiting = 0
  #waitingInKernelCall = 0
  #sinceNs = 0n
  #cancel: (() => void) | undefined

  constructor(socket: Socket, clock: Clock, timeoutMs: number, onStalled: () => void) {
    this.#socket = socket
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    this.#onStalled = onStalled
  }

  /** Watches what is not yet taken, if anything is; to be called after each write. */
  onWrite(): void {
    if (this.#cancel !== undefined || this.#socket.writableLength === 0) return
    this.#progress()
    this.#arm()
  }

  end(): void {
    this.#cancel?.()
  }

  #arm(): void {
    this.#cancel = this.#clock.after(this.#timeoutMs / CHECKS, () => this.#check())
  }

  #check(): void {
    this.#cancel = undefined
    if (this.#socket.writableLength === 0) return
    if (this.#hasMoved()) this.#progress()
    const silentNs = this.#clock.monotonicNs() - this.#sinceNs
    if (silentNs >= nsOfMs(this.#timeoutMs)) this.#onStalled()
    else this.#arm()
  }

  #progress(): void {
    this.#waiting = untaken(this.#socket)
    this.#waitingInKernelCall = inKernelCall(this.#socket)
    this.#sinceNs = this.#clock.monotonicNs()
  }

  #hasMoved(): boolean {
    const isTaken = untaken(this.#socket) !== this.#waiting
    return isTaken || inKernelCall(this.#socket) !== this.#waitingInKernelCall
  }
}

/**
 * Measures the bytes of all completed writes, with the sign turned: changes only when one more
 * completes.
 */
function untaken(socket: Socket): number {
  return socket.writableLength - socket.bytesWritten
}

/**
 * Counts the bytes that the write under way has not yet handed to the kernel. All that piled up
 * during one write leaves as one, so a slow reader may take minutes for a single completion; the
 * handle knows better. It is no documented property (Node's own socket timeout reads it); without
 * it writes still count.
 */
function inKernelCall(socket: Socket): number {
  const { _handle } = socket as unknown as { _handle?: { writeQueueSize?: number } | null }
  return _handle?.writeQueueSize ?? 0
}
