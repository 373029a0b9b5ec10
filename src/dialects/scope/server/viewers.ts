/**
 * The viewers of one server: any number, each with its own interval, time base and framing; what
 * they see is read and rendered once for all of them. Connections are accepted elsewhere.
 */
import type { Socket } from 'node:net'
import type { ConnectionProgress, DialectServer, PeerConnection } from '../../endpoints.ts'
import type { StreamContext } from './snapshot-stream.ts'
import { type HandBack, Viewer } from './viewer.ts'

/** A viewer that is behind for so long, ms, may be closed when all hold too much. */
const BEHIND_MS = 1000
const NOTHING = new Uint8Array(0)

export class Viewers implements DialectServer {
  readonly #context: StreamContext
  readonly #viewers = new Set<Viewer>()
  readonly #closing = new Set<Promise<void>>()
  #valuesOfPast = 0
  /** The one that was closed last so that others have room. */
  #leaving: Viewer | undefined
  /** True while connections are being refused, so that only the first is logged. */
  #isFull = false

  constructor(context: StreamContext) {
    this.#context = { ...context, relieve: () => this.#relieve() }
  }

  /** Closes the viewer that has been behind for the longest time, if one has been for long. */
  #relieve(): void {
    // what the last one held is free once it is gone
    if (this.#leaving !== undefined && this.#viewers.has(this.#leaving)) return
    let longest: Viewer | undefined
    for (const viewer of this.#viewers) {
      if (viewer.behindMs >= Math.max(BEHIND_MS, longest?.behindMs ?? 0)) longest = viewer
    }
    this.#leaving = longest
    longest?.giveUp('held_bytes')
  }

  accept(
    socket: Socket,
    first: Uint8Array = NOTHING,
    handBack?: HandBack,
  ): ConnectionProgress | undefined {
    const { options, reports } = this.#context
    if (this.#viewers.size >= options.maxClients) {
      reports.count('handshake_refused', 'max_clients')
      if (!this.#isFull) {
        const facts = { address: socket.remoteAddress, maxClients: options.maxClients }
        reports.log('warn', 'viewer refused: too many clients', facts)
      }
      this.#isFull = true
      socket.on('error', () => {})
      socket.destroy()
      return undefined
    }
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    const viewer = new Viewer(socket, this.#context, handBack, () => {
      this.#viewers.delete(viewer)
      this.#isFull = false
      this.#valuesOfPast += viewer.valuesSent
      resolve()
    })
    this.#viewers.add(viewer)
    this.#closing.add(gone)
    void gone.then(() => this.#closing.delete(gone))
    viewer.start(first)
    return viewer
  }

  /** Values in all snapshots so far. */
  get valuesSent(): number {
    let sum = this.#valuesOfPast
    for (const viewer of this.#viewers) sum += viewer.valuesSent
    return sum
  }

  connections(): readonly PeerConnection[] {
    return [...this.#viewers].map((viewer) => viewer.status())
  }

  async stop(): Promise<void> {
    for (const viewer of this.#viewers) viewer.close('stopped')
    await Promise.all(this.#closing)
  }
}
