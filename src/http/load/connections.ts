/**
 * Places for connections, shared out by address (shares.ts), so that connections that are held for
 * nothing keep neither a browser nor a health check out. One that waits for its client, for the
 * rest of its request or for it to take the answer, is as idle as one without a request.
 */
import type { Socket } from 'node:net'
import type { LimitStatus } from '../../hub/status/status.ts'
import { noteArrival } from '../../hub/tasks/loop-budget.ts'
import type { MinuteLog } from '../../peers/minute-log.ts'
import { networkOf } from '../../peers/network.ts'
import { Idleness, Shares } from '../../peers/shares.ts'
import { type Clock, monotonicMs } from '../../time/clock.ts'
import type { HttpLimits, HttpReports } from '../limits.ts'
import type { Requests } from './requests.ts'

interface ConnectionsParts {
  readonly clock: Clock
  readonly limits: Pick<HttpLimits, 'connections' | 'connectionsPerAddress'>
  readonly reports: HttpReports
  readonly log: MinuteLog
  readonly requests: Pick<Requests, 'waitsForClient' | 'sinceMs'>
}

export class Connections {
  readonly #parts: ConnectionsParts
  readonly #shares: Shares<Socket>
  /** Times at which they came, ms. */
  readonly #openedMs = new WeakMap<Socket, number>()
  #refused = 0

  constructor(parts: ConnectionsParts) {
    const { requests } = parts
    this.#parts = parts
    this.#shares = new Shares({
      idleness: (socket) => (requests.waitsForClient(socket) ? Idleness.idle : Idleness.working),
      silence: (socket) =>
        monotonicMs(this.#parts.clock) - (requests.sinceMs(socket) ?? this.#openedMs.get(socket)!),
    })
  }

  /** Tells how full the places are. */
  status(): LimitStatus {
    return {
      name: 'connections of HTTP',
      limit: this.#parts.limits.connections,
      used: this.#shares.size,
      refused: this.#refused,
      behaviour:
        'Idle connections make room, then those of the address with most; or it is refused.',
    }
  }

  /**
   * Gives a new connection a place, or closes it.
   * @returns whether it has one
   */
  admit(socket: Socket): boolean {
    noteArrival()
    const { reports, log } = this.#parts
    const address = networkOf(socket.remoteAddress ?? '')
    if (!this.#hasRoom(address)) {
      this.#refused++
      reports.count('refused', 'connections_limit')
      log.note('connections to HTTP refused: all places are taken', { address })
      socket.destroy()
      return false
    }
    this.#openedMs.set(socket, monotonicMs(this.#parts.clock))
    this.#shares.add(socket, address)
    socket.once('close', () => this.#shares.delete(socket))
    return true
  }

  #hasRoom(address: string): boolean {
    const { connections, connectionsPerAddress } = this.#parts.limits
    const shares = this.#shares
    if (shares.count(address) >= connectionsPerAddress) {
      if (!this.#makeRoom(shares.idleOf(address))) return false
    }
    return shares.size < connections || this.#makeRoom(shares.yielding(address))
  }

  #makeRoom(socket: Socket | undefined): boolean {
    if (socket === undefined) return false
    const { reports, log } = this.#parts
    const address = networkOf(socket.remoteAddress ?? '')
    reports.count('refused', 'made_room')
    log.note('connections to HTTP closed to make room for others', { address })
    this.#shares.delete(socket)
    socket.destroy()
    return true
  }
}
