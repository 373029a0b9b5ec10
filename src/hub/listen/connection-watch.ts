/**
 * Time and memory that the connections of one port may take: a first message, a message as a whole
 * and unfinished bytes have limits, and places are shared out by address (shares.ts). One timer for
 * the whole port looks at all connections; a read costs one comparison.
 *
 * What counts is whole messages: a peer that drips bytes has sent none. A peer that has sent one
 * may then be silent for as long as it likes (workers whose pipeline has nothing to do say
 * nothing for hours), and is closed only when another one needs its place.
 */
import type { Socket } from 'node:net'
import type { ConnectionProgress } from '../../dialects/endpoints.ts'
import { Idleness, Shares } from '../../peers/shares.ts'
import type { OwnCounter } from '../status/self-metrics.ts'
import { ConnectionPlaces } from './connection-places.ts'
import { CLOSE_REASONS, type CloseReason, PeerCounts } from './peer-counts.ts'
import type { ConnectionLimits, PortContext, PortOptions } from './port-options.ts'
import type { Tap } from './tap/tap.ts'

/** Longest pause between two looks; what is late is closed at most two of them after its time. */
const SWEEP_MS_MAX = 1000
/** Number of looks per limit where that is short. */
const SWEEPS = 8
/** A connection so young has had no time to speak: it is not idle. */
const FRESH_MS = 250
/**
 * Part of the limit of unfinished bytes by which these may be beyond it, for a second at most,
 * where the address that holds most has none of its connections in this thread.
 */
const BEYOND_PART = 4

/** Progress of a connection whose dialect is not known yet. */
const STRANGER: ConnectionProgress = {
  ...{ messages: 0, isInsideMessage: false, bytesHeld: 0, isTimed: false },
}
/** Progress of a connection whose server tells nothing of it: it has limits of its own. */
const UNWATCHED: ConnectionProgress = { ...STRANGER, messages: 1, isTimed: true }

const WORDS: Readonly<Record<CloseReason, string>> = {
  first_message_timeout: 'connections closed that sent no whole message in time',
  message_timeout: 'connections closed in the middle of a message that took too long',
  unfinished_bytes: 'connections closed: unfinished messages of all held too much memory',
  unfinished_bytes_per_address:
    'connections closed: unfinished messages of one address held too much memory',
  connections_limit: 'connections refused: all places are taken',
  connections_per_address: 'connections refused: their address has too many',
  made_room: 'connections closed to make room: idle ones, or of the address that had most',
  overloaded: 'connections refused: the hub is short of memory',
}

interface Watched {
  readonly socket: Socket
  /** Place of its address among the counts. */
  readonly place: number
  readonly sinceNs: bigint
  progress: ConnectionProgress
  /** Dialect whose server has it; undefined while none has. */
  dialect: string | undefined
  /** Number of messages as of the last look. */
  messages: number
  wasInside: boolean
  /** Whether it awaits its first look: its silence is not known to a whole sweep. */
  isNew: boolean
  /** Time without a further whole message. */
  silentMs: number
  /** Time in the same message. */
  insideMs: number
  pages: number
  isMeasured: boolean
}

export class ConnectionWatch {
  readonly #places: ConnectionPlaces
  readonly #counts: PeerCounts
  readonly #limits: ConnectionLimits
  readonly #context: PortContext
  readonly #listener: string
  readonly #refused: OwnCounter
  readonly #sweepMs: number
  readonly #watched = new Map<Socket, Watched>()
  readonly #shares: Shares<Watched, number>
  #cancelSweep: (() => void) | undefined
  #lastSweepNs = 0n
  #isStopped = false

  constructor({ name, connectionsLimit, limits }: PortOptions, context: PortContext) {
    this.#places = context.places ?? ConnectionPlaces.alone(connectionsLimit)
    this.#counts = context.peers ?? PeerCounts.create(1)
    this.#limits = limits
    this.#context = context
    this.#listener = name
    this.#refused = context.metrics.counter('pentameter.connections.refused', { listener: name })
    const shortest = Math.min(limits.firstMessageTimeoutMs, limits.messageTimeoutMs)
    this.#sweepMs = Math.min(SWEEP_MS_MAX, Math.ceil(shortest / SWEEPS))
    const counts = this.#counts
    this.#shares = new Shares({
      idleness: (watched) => this.#idleness(watched),
      silence: (watched) => this.#silentMs(watched),
      ...(counts.isSpread && { count: (place: number) => counts.connectionsOfPort(place) }),
    })
  }

  get size(): number {
    return this.#places.used
  }

  /** Connections closed at once because all places were taken. */
  get refused(): number {
    return this.#places.refused
  }

  /** Gives a new connection a place, or closes and counts it. */
  admit(socket: Socket): boolean {
    if (this.#counts.isOverloaded) {
      this.#count('overloaded')
      socket.destroy()
      return false
    }
    const place = this.#counts.placeOf(socket.remoteAddress ?? '')
    if (!this.#takePlace(place)) {
      socket.destroy()
      return false
    }
    this.#counts.addConnection(place, 1)
    const sinceNs = this.#context.clock.monotonicNs()
    const watched: Watched = {
      ...{ socket, place, sinceNs, progress: STRANGER, dialect: undefined },
      ...{ messages: 0, wasInside: false },
      ...{ isNew: true, silentMs: 0, insideMs: 0, pages: 0, isMeasured: false },
    }
    this.#watched.set(socket, watched)
    this.#shares.add(watched, place)
    socket.once('close', () => this.#leave(watched))
    this.#arm()
    return true
  }

  /** Takes a place for a connection of an address, if need be that of another one. */
  #takePlace(place: number): boolean {
    const { connectionsLimitPerAddress } = this.#limits
    if (this.#counts.connections(place) >= connectionsLimitPerAddress) {
      if (!this.#makeRoom(this.#shares.idleOf(place))) {
        this.#count('connections_per_address')
        return false
      }
    }
    if (this.#places.take()) return true
    if (this.#makeRoom(this.#shares.yielding(place)) && this.#places.take()) return true
    this.#places.refuse()
    this.#refused.add()
    this.#counts.addClosed('connections_limit')
    this.#arm()
    return false
  }

  #makeRoom(watched: Watched | undefined): boolean {
    if (watched !== undefined) this.#close(watched, 'made_room')
    return watched !== undefined
  }

  #idleness({ progress, messages, silentMs, sinceNs }: Watched): Idleness {
    if (progress.messages === 0) {
      return this.#ageMs(sinceNs) > FRESH_MS ? Idleness.unproven : Idleness.working
    }
    // what came since the last look counts, too
    const isSilent = messages === progress.messages && !progress.isInsideMessage
    const isIdle = isSilent && !progress.isTimed && silentMs >= this.#limits.idleAfterMs
    return isIdle ? Idleness.idle : Idleness.working
  }

  /** Measures the time without a whole message, as far as silence is a peer's fault. */
  #silentMs({ progress, messages, silentMs, sinceNs }: Watched): number {
    if (progress.messages === 0) return this.#ageMs(sinceNs)
    return progress.isTimed || progress.messages !== messages ? 0 : silentMs
  }

  #ageMs(sinceNs: bigint): number {
    return Number(this.#context.clock.monotonicNs() - sinceNs) / 1e6
  }

  /** Follows what a server, or none any more, knows of a connection that it has taken over. */
  follow(socket: Socket, dialect: string, progress: ConnectionProgress | undefined): void {
    const watched = this.#watched.get(socket)
    if (watched === undefined) return
    watched.dialect = dialect
    watched.progress = progress ?? UNWATCHED
    this.#measure(watched)
    if (progress === undefined || watched.isMeasured) return
    watched.isMeasured = true
    // behind the server's own listener: the read has been taken in by then
    socket.on('data', () => this.#measure(watched))
  }

  /** Forgets a connection, which belongs to no server any more. */
  unfollow(socket: Socket): void {
    const watched = this.#watched.get(socket)
    if (watched === undefined) return
    watched.dialect = undefined
    watched.progress = STRANGER
    this.#measure(watched)
  }

  /** Shows a tap the connections that servers have. */
  show(tap: Tap): void {
    for (const { socket, dialect, progress } of this.#watched.values()) {
      if (dialect === undefined) continue
      tap.follow(socket, dialect, progress === UNWATCHED ? undefined : progress)
    }
  }

  /** Looks at what a connection holds, which has changed otherwise than by a read. */
  measure(socket: Socket): void {
    const watched = this.#watched.get(socket)
    if (watched !== undefined) this.#measure(watched)
  }

  /** Counts what it holds of a message that is not complete. */
  #measure(watched: Watched): void {
    const pages = PeerCounts.pagesOf(watched.progress.bytesHeld)
    if (pages === watched.pages || !this.#watched.has(watched.socket)) return
    const counts = this.#counts
    const { place } = watched
    const isMore = pages > watched.pages
    counts.addPages(place, pages - watched.pages)
    watched.pages = pages
    if (!isMore) return
    const limit = PeerCounts.pagesOf(this.#limits.unfinishedBytesLimitPerAddress)
    if (counts.pagesAt(place) > limit) {
      this.#close(this.#largestOf(place)!, 'unfinished_bytes_per_address')
    } else this.#relieve(place)
  }

  /**
   * Takes unfinished bytes, where all hold too much, from the address that holds most of them in
   * all, wherever its connections are: one with fewer has none to lose, however large its messages.
   * @param place of an address that is preferred among those that hold as much
   * @returns whether a connection of this thread was closed
   */
  #relieve(place: number): boolean {
    const limit = PeerCounts.pagesOf(this.#limits.unfinishedBytesLimit)
    const counts = this.#counts
    if (counts.pages <= limit) return false
    let largest = this.#largestOf(counts.placeOfMostPages(place))
    // its connections are in other threads, which look once a second
    if (counts.pages > limit + limit / BEYOND_PART) largest ??= this.#largestHere()
    if (largest !== undefined) this.#close(largest, 'unfinished_bytes')
    return largest !== undefined
  }

  /** Finds the connection of an address that holds most; undefined where none here holds any. */
  #largestOf(place: number): Watched | undefined {
    let largest: Watched | undefined
    for (const each of this.#shares.membersOf(place)) {
      if (each.pages > (largest?.pages ?? 0)) largest = each
    }
    return largest
  }

  /** Does the same of the address that holds most in all of those that hold any in this thread. */
  #largestHere(): Watched | undefined {
    const pagesAt = (watched: Watched): number => this.#counts.pagesAt(watched.place)
    let largest: Watched | undefined
    for (const each of this.#watched.values()) {
      if (each.pages === 0) continue
      const more = largest === undefined ? 1 : pagesAt(each) - pagesAt(largest)
      if (more > 0 || (more === 0 && each.pages > largest!.pages)) largest = each
    }
    return largest
  }

  #arm(): void {
    if (this.#cancelSweep !== undefined || this.#isStopped) return
    this.#lastSweepNs = this.#context.clock.monotonicNs()
    this.#cancelSweep = this.#context.clock.after(this.#sweepMs, () => {
      this.#cancelSweep = undefined
      this.#sweep()
      const isNeeded =
        this.#watched.size > 0 || CLOSE_REASONS.some((it) => this.#counts.isUntold(it))
      if (isNeeded) this.#arm()
    })
  }

  #sweep(): void {
    // a loop that stood still has read nothing: that is no silence of the peers
    const passedMs = Number(this.#context.clock.monotonicNs() - this.#lastSweepNs) / 1e6
    const elapsedMs = Math.min(passedMs, 2 * this.#sweepMs)
    for (const each of this.#watched.values()) {
      // one that the hub holds back can't go on
      if (each.socket.isPaused()) continue
      look(each, elapsedMs)
      const reason = overdue(each, this.#limits)
      if (reason !== undefined) this.#close(each, reason)
    }
    while (this.#relieve(0)) {
      // each time the one that holds most of those that are left
    }
    this.#tell()
  }

  #close(watched: Watched, reason: CloseReason): void {
    this.#count(reason)
    // its place is free at once, before the socket has said that it is closed
    this.#leave(watched)
    watched.socket.destroy()
  }

  #leave(watched: Watched): void {
    if (!this.#watched.delete(watched.socket)) return
    this.#shares.delete(watched)
    this.#counts.addPages(watched.place, -watched.pages)
    this.#counts.addConnection(watched.place, -1)
    this.#places.give()
  }

  #count(reason: CloseReason): void {
    const labels = { listener: this.#listener, reason }
    this.#context.metrics.counter('pentameter.connections.closed', labels).add()
    this.#counts.addClosed(reason)
    this.#arm()
  }

  /**
   * Logs one line a minute for each reason, of all ports and threads, in whichever of them looks.
   */
  #tell(): void {
    const nowNs = this.#context.clock.monotonicNs()
    for (const reason of CLOSE_REASONS) {
      const count = this.#counts.takeUntold(reason, nowNs)
      if (count > 0) this.#context.log('warn', WORDS[reason], { reason, count })
    }
  }

  /** Looks no more; what has ended is still taken off the counts. */
  stop(): void {
    this.#isStopped = true
    this.#cancelSweep?.()
    this.#cancelSweep = undefined
  }
}

function look(watched: Watched, elapsedMs: number): void {
  const { messages, isInsideMessage } = watched.progress
  const isFurther = messages !== watched.messages
  watched.silentMs = isFurther || watched.isNew ? 0 : watched.silentMs + elapsedMs
  const wasInside = isInsideMessage && watched.wasInside && !isFurther
  watched.insideMs = wasInside ? watched.insideMs + elapsedMs : 0
  watched.messages = messages
  watched.wasInside = isInsideMessage
  watched.isNew = false
}

function overdue(watched: Watched, limits: ConnectionLimits): CloseReason | undefined {
  const { messages, isTimed } = watched.progress
  if (isTimed) return undefined
  if (watched.insideMs >= limits.messageTimeoutMs) return 'message_timeout'
  const isLate = messages === 0 && watched.silentMs >= limits.firstMessageTimeoutMs
  return isLate ? 'first_message_timeout' : undefined
}
