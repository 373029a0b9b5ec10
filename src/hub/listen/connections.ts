/**
 * Accepted connections of one port: counted against the limit, held until their first bytes name
 * the dialect, then given to that dialect's server. A dialect whose server speaks first gets a
 * silent connection after a short wait, or at once when it has the port to itself.
 */
import type { Socket } from 'node:net'
import type { Dialect } from '../../dialects/dialect.ts'
import type { OwnCounter } from '../status/self-metrics.ts'
import { ConnectionPlaces } from './connection-places.ts'
import { chooseDialect } from './dispatch.ts'
import type { PortContext, PortOptions, Speaker } from './port-options.ts'

/** How long a connection may be silent before the server that speaks first is let speak. */
const QUIET_MS = 50

export class Connections {
  readonly #places: ConnectionPlaces
  readonly #context: PortContext
  readonly #speakers: readonly Speaker[]
  readonly #dialects: readonly Dialect[]
  readonly #onUnclaimed: (first: Uint8Array) => void
  readonly #undecided = new Set<Socket>()
  readonly #refused: OwnCounter

  constructor(
    options: PortOptions,
    speakers: readonly Speaker[],
    context: PortContext,
    onUnclaimed: (first: Uint8Array) => void,
  ) {
    this.#places = context.places ?? ConnectionPlaces.alone(options.connectionsLimit)
    this.#speakers = speakers
    this.#dialects = speakers.map(({ dialect }) => dialect)
    this.#context = context
    this.#onUnclaimed = onUnclaimed
    this.#refused = context.metrics.counter('pentameter.connections.refused', {
      listener: options.name,
    })
  }

  get size(): number {
    return this.#places.used
  }

  /** Connections closed at once because of the limit. */
  get refused(): number {
    return this.#places.refused
  }

  accept(socket: Socket): void {
    if (!this.#places.take()) {
      this.#refused.add()
      socket.destroy()
      return
    }
    socket.on('close', () => this.#places.give())
    socket.on('error', ignoreReset)
    const only = this.#speakers.length === 1 ? this.#speakers[0]! : undefined
    if (only?.dialect.speaksFirst) only.server.accept?.(socket, new Uint8Array(0))
    else this.#readFirst(socket)
  }

  /** Reads until the dialect is known; at most as many bytes as any dialect needs. */
  #readFirst(socket: Socket): void {
    let first = new Uint8Array(0)
    const speaker = this.#speakers.find(({ dialect }) => dialect.speaksFirst)
    const cancelQuiet =
      speaker && this.#context.clock.after(QUIET_MS, () => settle(speaker.dialect))
    const settle = (dialect: Dialect | null): void => {
      cancelQuiet?.()
      this.#undecided.delete(socket)
      socket.removeListener('data', onData)
      socket.removeListener('end', onEnd)
      socket.pause()
      const found = this.#speakers.find((each) => each.dialect === dialect)
      if (found?.server.accept !== undefined) found.server.accept(socket, first)
      else this.#refuse(socket, first)
    }
    const onData = (chunk: Uint8Array): void => {
      first = first.length === 0 ? new Uint8Array(chunk) : new Uint8Array([...first, ...chunk])
      const dialect = chooseDialect(this.#dialects, first, false)
      if (dialect !== undefined) settle(dialect)
    }
    const onEnd = (): void => {
      if (first.length === 0) socket.destroy()
      else settle(chooseDialect(this.#dialects, first, true) ?? null)
    }
    this.#undecided.add(socket)
    socket.on('data', onData)
    socket.on('end', onEnd)
    socket.on('close', () => cancelQuiet?.())
  }

  #refuse(socket: Socket, first: Uint8Array): void {
    if (first.length > 0) this.#onUnclaimed(first)
    socket.destroy()
  }

  /** Closes what no server has taken over yet. */
  stop(): void {
    for (const socket of this.#undecided) socket.destroy()
  }
}

/** A peer that goes away is its own business; every socket needs a listener or the process dies. */
function ignoreReset(): void {}
