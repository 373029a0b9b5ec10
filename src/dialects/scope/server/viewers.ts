/**
 * The viewers of one server, each with its own interval, time base and framing; what they see is
 * read and rendered once for all of them. Connections are accepted elsewhere; their places here are
 * shared out by address (shares.ts).
 */
import type { Socket } from 'node:net'
import { MinuteLog } from '../../../peers/minute-log.ts'
import { networkOf } from '../../../peers/network.ts'
import { Idleness, Shares } from '../../../peers/shares.ts'
import type { ConnectionProgress, DialectServer, PeerConnection } from '../../endpoints.ts'
import { ByteBudget } from './byte-budget.ts'
import type { SharedStreams, StreamContext } from './snapshot-stream.ts'
import { Turns } from './turns.ts'
import { type HandBack, Viewer } from './viewer.ts'

/** A viewer that is behind for so long, ms, is idle, and may be closed when all hold too much. */
const BEHIND_MS = 1000
/** A viewer so young, ms, has had no time to send its settings. */
const FRESH_MS = 250
const NOTHING = new Uint8Array(0)

export class Viewers implements DialectServer {
  readonly #context: SharedStreams
  readonly #viewers = new Shares<Viewer>({
    idleness: idlenessOf,
    silence: ({ isStreaming, behindMs, ageMs }) => (isStreaming ? behindMs : ageMs),
  })
  readonly #closing = new Set<Promise<void>>()
  readonly #log: MinuteLog
  #valuesOfPast = 0
  /** The one that was closed last so that others have room. */
  #leaving: Viewer | undefined
  /** Iteration of the event loop with the last look for one to close. */
  #relievedIn = -1

  constructor(context: StreamContext) {
    const { clock, reports, options } = context
    const total = options.maxTotalBytesPerSecond
    this.#context = {
      ...context,
      turns: new Turns(clock),
      bytes: new ByteBudget(total),
      bytesPerSecondOf: (address) => {
        return total / (this.#viewers.addressCount * this.#viewers.count(address))
      },
      relieve: () => this.#relieve(),
    }
    this.#log = new MinuteLog(clock, (message, facts) => reports.log('warn', message, facts))
  }

  /**
   * Closes, of the address that holds most of those with a viewer that has been behind for long,
   * the one that has been so for the longest time.
   */
  #relieve(): void {
    const { iterations } = this.#context.turns
    if (this.#relievedIn === iterations) return
    this.#relievedIn = iterations
    // what the last one held is free once it is gone
    if (this.#leaving !== undefined && this.#viewers.has(this.#leaving)) return
    const held = new Map<string, number>()
    for (const viewer of this.#viewers.members()) {
      const address = networkOf(viewer.peer.address)
      held.set(address, (held.get(address) ?? 0) + viewer.bytesWaiting)
    }
    const heldBy = (viewer: Viewer): number => held.get(networkOf(viewer.peer.address))!
    let found: Viewer | undefined
    for (const viewer of this.#viewers.members()) {
      if (viewer.behindMs < BEHIND_MS) continue
      const more = found === undefined ? 1 : heldBy(viewer) - heldBy(found)
      if (more > 0 || (more === 0 && viewer.behindMs > found!.behindMs)) found = viewer
    }
    this.#leaving = found
    found?.giveUp('held_bytes')
  }

  accept(
    socket: Socket,
    first: Uint8Array = NOTHING,
    handBack?: HandBack,
  ): ConnectionProgress | undefined {
    const { options, reports } = this.#context
    const address = networkOf(socket.remoteAddress ?? '')
    if (this.#viewers.size >= options.maxClients && !this.#makeRoom(address)) {
      reports.count('handshake_refused', 'max_clients')
      const facts = { address: socket.remoteAddress, maxClients: options.maxClients }
      this.#log.note('viewers refused: too many clients', facts)
      socket.on('error', () => {})
      socket.destroy()
      return undefined
    }
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    const viewer = new Viewer(socket, this.#context, handBack, () => {
      this.#viewers.delete(viewer)
      this.#valuesOfPast += viewer.valuesSent
      resolve()
    })
    this.#viewers.add(viewer, address)
    this.#closing.add(gone)
    void gone.then(() => this.#closing.delete(gone))
    viewer.start(first)
    return viewer
  }

  #makeRoom(address: string): boolean {
    const found = this.#viewers.yielding(address)
    if (found === undefined) return false
    this.#log.note('viewers closed to make room for others', { address: found.peer.address })
    // its place is free at once, before the socket has said that it is closed
    this.#viewers.delete(found)
    found.close('made_room')
    return true
  }

  /** Values in all snapshots so far. */
  get valuesSent(): number {
    let sum = this.#valuesOfPast
    for (const viewer of this.#viewers.members()) sum += viewer.valuesSent
    return sum
  }

  connections(): readonly PeerConnection[] {
    return [...this.#viewers.members()].map((viewer) => viewer.status())
  }

  async stop(): Promise<void> {
    for (const viewer of this.#viewers.members()) viewer.close('stopped')
    await Promise.all(this.#closing)
  }
}

function idlenessOf({ isStreaming, behindMs, ageMs }: Viewer): Idleness {
  if (isStreaming) return behindMs >= BEHIND_MS ? Idleness.idle : Idleness.working
  return ageMs >= FRESH_MS ? Idleness.unproven : Idleness.working
}
