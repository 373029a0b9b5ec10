/**
 * Accepted connections of one port: counted against the limit, held until their first bytes name
 * the dialect, then given to that dialect's server. A dialect whose server speaks first gets a
 * silent connection after a short wait, or at once when it has the port to itself.
 */
import type { Socket } from 'node:net'
import type { Dialect } from '../../dialects/dialect.ts'
import type { ConnectionProgress, Peer } from '../../dialects/endpoints.ts'
import { noteArrival } from '../tasks/loop-budget.ts'
import { ConnectionWatch } from './connection-watch.ts'
import { chooseDialect } from './dispatch.ts'
import type { PortContext, PortOptions, ServedDialect } from './port-options.ts'
import type { Tap } from './tap/tap.ts'
import { ReadBudget } from './turns/read-budget.ts'

const NOTHING = new Uint8Array(0)

export class Connections {
  readonly #watch: ConnectionWatch
  readonly #context: PortContext
  readonly #greetAfterMs: number
  readonly #served: readonly ServedDialect[]
  readonly #dialects: readonly Dialect[]
  readonly #onUnclaimed: (first: Uint8Array, peer: Peer) => void
  readonly #undecided = new Set<Socket>()
  readonly #reads: ReadBudget
  /** Sockets of a known dialect, until its server has them. */
  readonly #given = new Set<Socket>()

  constructor(
    options: PortOptions,
    served: readonly ServedDialect[],
    context: PortContext,
    onUnclaimed: (first: Uint8Array, peer: Peer) => void,
  ) {
    this.#watch = new ConnectionWatch(options, context)
    this.#served = served
    this.#dialects = served.map(({ dialect }) => dialect)
    this.#context = context
    this.#greetAfterMs = options.limits.greetAfterMs
    this.#onUnclaimed = onUnclaimed
    this.#reads = new ReadBudget(context.clock, (socket) => this.#watch.measure(socket))
  }

  get size(): number {
    return this.#watch.size
  }

  /** Connections closed at once because of the limit. */
  get refused(): number {
    return this.#watch.refused
  }

  /** Shows a tap the connections that there are. */
  show(tap: Tap): void {
    this.#watch.show(tap)
  }

  accept(socket: Socket): void {
    noteArrival()
    socket.on('error', ignoreReset)
    if (!this.#watch.admit(socket)) return
    socket.on('close', () => this.#given.delete(socket))
    const only = this.#served.length === 1 ? this.#served[0]! : undefined
    if (only?.dialect.speaksFirst) {
      const handBack = (bytes: Uint8Array): boolean => this.#takeBack(socket, bytes, only.dialect)
      this.#give(socket, only.dialect, NOTHING, () => {
        return only.server.accept!(socket, NOTHING, handBack, this.#reads)
      })
    } else this.#readFirst(socket, NOTHING, this.#dialects)
  }

  /** Reads on until the dialect is known; at most as many bytes as any dialect needs. */
  #readFirst(socket: Socket, begun: Uint8Array, dialects: readonly Dialect[]): void {
    let first = begun
    const each =
      begun.length === 0 ? this.#served.find(({ dialect }) => dialect.speaksFirst) : undefined
    // a hub that was busy reads first what has come meanwhile: a turn of sockets, then the answer
    const cancelQuiet =
      each && this.#context.clock.after(this.#greetAfterMs, () => setImmediate(() => greet(each)))
    const isSilent = (): boolean => first.length === 0 && this.#undecided.has(socket)
    const greet = (silent: ServedDialect): void => {
      if (!isSilent()) return
      // it is listened to until its turn comes: nothing is written to a peer that has said a byte
      this.#give(socket, silent.dialect, NOTHING, () => {
        if (!isSilent()) return null
        release()
        return silent.server.accept!(socket, NOTHING, handBackOf(silent), this.#reads)
      })
    }
    const handBackOf =
      ({ dialect }: ServedDialect) =>
      (bytes: Uint8Array): boolean =>
        this.#takeBack(socket, bytes, dialect)
    const settle = (dialect: Dialect | null): void => {
      release()
      const found = this.#served.find((each) => each.dialect === dialect)
      const bytes = first
      // listeners that stay with the socket must not keep up to 64 KiB with it
      first = NOTHING
      if (found?.server.accept === undefined) this.#refuse(socket, bytes)
      else {
        const { server, dialect } = found
        this.#give(socket, dialect, bytes, () => {
          return server.accept!(socket, bytes, handBackOf(found), this.#reads)
        })
      }
    }
    const release = (): void => {
      cancelQuiet?.()
      this.#undecided.delete(socket)
      socket.removeListener('data', onData)
      socket.removeListener('end', onEnd)
      socket.pause()
    }
    const onData = (chunk: Uint8Array): void => {
      // a peer that has begun to speak is no silent viewer, however slowly it goes on
      cancelQuiet?.()
      first = first.length === 0 ? new Uint8Array(chunk) : new Uint8Array([...first, ...chunk])
      const dialect = chooseDialect(dialects, first, false)
      if (dialect !== undefined) settle(dialect)
    }
    const onEnd = (): void => {
      if (first.length === 0) socket.destroy()
      else settle(chooseDialect(dialects, first, true) ?? null)
    }
    const peer = peerOf(socket)
    this.#undecided.add(socket)
    socket.on('data', onData)
    socket.on('end', onEnd)
    socket.on('close', () => {
      cancelQuiet?.()
      // by its peer, or for a limit, before it had said enough
      if (this.#undecided.delete(socket) && first.length > 0) this.#onUnclaimed(first, peer)
    })
    const known =
      begun.length > 0 ? chooseDialect(dialects, begun, socket.readableEnded) : undefined
    if (known !== undefined) settle(known)
  }

  /**
   * Takes a connection back: a peer that was slow to speak may have been taken for one that waits.
   * @param of whose server has it
   * @returns false where the bytes are that dialect's own: the error is one of its peer's
   */
  #takeBack(socket: Socket, bytes: Uint8Array, of: Dialect): boolean {
    const others = this.#dialects.filter(({ speaksFirst }) => !speaksFirst)
    const isEnd = socket.readableEnded
    const other = chooseDialect(others, bytes, isEnd)
    if (other === null && chooseDialect([of], bytes, isEnd) !== null) return false
    this.#watch.unfollow(socket)
    this.#context.tapPoint?.tap?.unfollow(socket)
    this.#readFirst(socket, bytes, others)
    return true
  }

  /**
   * @param first bytes that its server is given
   * @param take gives null where the socket is another one's by then
   */
  #give(
    socket: Socket,
    { name }: Dialect,
    first: Uint8Array,
    take: () => ConnectionProgress | undefined | null,
  ): void {
    this.#given.add(socket)
    this.#reads.admit(socket, () => {
      this.#given.delete(socket)
      const progress = take()
      if (progress === null) {
        // it may wait for its turn a second time
        this.#given.add(socket)
        return null
      }
      this.#watch.follow(socket, name, progress)
      this.#context.tapPoint?.tap?.follow(socket, name, progress, first)
      return progress
    })
  }

  #refuse(socket: Socket, first: Uint8Array): void {
    if (first.length > 0) this.#onUnclaimed(first, peerOf(socket))
    socket.destroy()
  }

  /** Closes what no server has taken over yet. */
  stop(): void {
    this.#watch.stop()
    const sockets = [...this.#undecided, ...this.#given]
    this.#undecided.clear()
    for (const socket of sockets) socket.destroy()
  }
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): Peer {
  return { transport: 'tcp', address: remoteAddress, port: remotePort }
}

/** Ignores a reset: a peer may go away; every socket needs a listener or the process dies. */
function ignoreReset(): void {}
