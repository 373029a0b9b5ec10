/**
 * Places for connections: when all are taken, or all that one address may have, the oldest one to
 * which no answer is under way makes room. So connections that are held for nothing keep neither a
 * browser nor a health check out.
 */
import type { Socket } from 'node:net'
import { networkOf } from '../../peers/network.ts'
import type { HttpLimits, HttpReports } from '../limits.ts'

interface ConnectionsParts {
  readonly limits: Pick<HttpLimits, 'connections' | 'connectionsPerAddress'>
  readonly reports: HttpReports
  readonly isAnswering: (socket: Socket) => boolean
}

export class Connections {
  readonly #parts: ConnectionsParts
  /** Networks of the connections, in the order in which those came. */
  readonly #open = new Map<Socket, string>()
  readonly #byNetwork = new Map<string, number>()

  constructor(parts: ConnectionsParts) {
    this.#parts = parts
  }

  /** Gives a new connection a place, or closes it. */
  admit(socket: Socket): void {
    const { limits, reports } = this.#parts
    const network = networkOf(socket.remoteAddress ?? '')
    const own = this.#byNetwork.get(network) ?? 0
    const hasRoom =
      (own < limits.connectionsPerAddress || this.#makeRoom(network)) &&
      (this.#open.size < limits.connections || this.#makeRoom())
    if (!hasRoom) {
      reports.count('refused', 'connections_limit')
      socket.destroy()
      return
    }
    this.#open.set(socket, network)
    this.#byNetwork.set(network, (this.#byNetwork.get(network) ?? 0) + 1)
    socket.once('close', () => this.#leave(socket))
  }

  /** @param network of which one has to go; any unless given */
  #makeRoom(network?: string): boolean {
    for (const [socket, own] of this.#open) {
      if ((network ?? own) !== own || this.#parts.isAnswering(socket)) continue
      this.#parts.reports.count('refused', 'made_room')
      this.#leave(socket)
      socket.destroy()
      return true
    }
    return false
  }

  #leave(socket: Socket): void {
    const network = this.#open.get(socket)
    if (network === undefined) return
    this.#open.delete(socket)
    const left = this.#byNetwork.get(network)! - 1
    if (left > 0) this.#byNetwork.set(network, left)
    else this.#byNetwork.delete(network)
  }
}
