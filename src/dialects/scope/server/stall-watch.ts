/** Notices that a socket takes nothing any more, though there is something for it to take. */
import type { Socket } from 'node:net'
import { hasTaken, type Taken, takenOf } from '../../../peers/taking.ts'
import { type Clock, nsOfMs } from '../../../time/clock.ts'

/** Number of checks per timeout: a stall is noticed at most this much late. */
const CHECKS = 8

export class StallWatch {
  readonly #socket: Socket
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #onStalled: () => void
  #taken: Taken
  #sinceNs = 0n
  #cancel: (() => void) | undefined

  constructor(socket: Socket, clock: Clock, timeoutMs: number, onStalled: () => void) {
    this.#socket = socket
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    this.#onStalled = onStalled
    this.#taken = takenOf(socket)
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
    if (hasTaken(this.#taken, takenOf(this.#socket))) this.#progress()
    const silentNs = this.#clock.monotonicNs() - this.#sinceNs
    if (silentNs >= nsOfMs(this.#timeoutMs)) this.#onStalled()
    else this.#arm()
  }

  #progress(): void {
    this.#taken = takenOf(this.#socket)
    this.#sinceNs = this.#clock.monotonicNs()
  }
}
