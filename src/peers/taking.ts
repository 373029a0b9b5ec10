/** Progress of what a socket sends: whether its peer takes anything of what waits for it. */
import type { Socket } from 'node:net'
import type { Clock } from '../time/clock.ts'

/** Both numbers stay the same as long as the peer takes nothing. */
export interface Taken {
  /** Bytes of all completed writes, with the sign turned. */
  readonly untaken: number
  readonly inKernelCall: number
}

export function takenOf(socket: Socket): Taken {
  return {
    untaken: socket.writableLength - socket.bytesWritten,
    inKernelCall: inKernelCall(socket),
  }
}

/** Tells whether the peer has taken something between two readings. */
export function hasTaken(before: Taken, after: Taken): boolean {
  return before.untaken !== after.untaken || before.inKernelCall !== after.inKernelCall
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

interface Seen {
  readonly taken: Taken
  readonly sinceNs: bigint
}

/** Stalls of sockets as far as looks at them tell: between two of them there is no timer. */
export class StallLooks {
  readonly #clock: Pick<Clock, 'monotonicNs'>
  readonly #seen = new WeakMap<Socket, Seen>()

  constructor(clock: Pick<Clock, 'monotonicNs'>) {
    this.#clock = clock
  }

  /**
   * Measures for how long the peer has taken nothing of what waits for it, ms: since the first look
   * of those that found the same; 0 when nothing waits.
   */
  stalledMs(socket: Socket): number {
    if (socket.writableLength === 0) {
      this.#seen.delete(socket)
      return 0
    }
    const taken = takenOf(socket)
    const nowNs = this.#clock.monotonicNs()
    const seen = this.#seen.get(socket)
    if (seen !== undefined && !hasTaken(seen.taken, taken))
      return Number(nowNs - seen.sinceNs) / 1e6
    this.#seen.set(socket, { taken, sinceNs: nowNs })
    return 0
  }
}
