/**
 * Bytes of HTTP on their way to Node's parser. Node parses a read of 64 KiB at once, and makes
 * objects of all that it holds: 2,500 requests, or 10,000 chunks of a body of one byte each, for
 * every connection that has something to read. So each read is handed to the parser in slices, in
 * turns that addresses share (docs/decisions/0015-slices.md), and no further than its connection
 * may be ahead of its answers. What is behind that waits as bytes, or never reaches the parser.
 */
import type { Socket } from 'node:net'
import type { PartedReading } from '../../dialects/endpoints.ts'
import { ReadBudget } from '../../hub/listen/turns/read-budget.ts'
import { nextShare } from '../../hub/tasks/loop-budget.ts'
import type { Clock } from '../../time/clock.ts'
import type { HttpReports } from '../limits.ts'
import { type BodyLimits, contentOf, refuseBody } from './body.ts'
import type { Requests } from './requests.ts'

/** Bytes that are parsed at once: 57 requests at most, or 170 chunks; half a millisecond. */
const SLICE_BYTES = 1024
/** Bytes of requests that are parsed while others wait in front of them. */
const AHEAD_BYTES = 4096
/** Bytes that wait for answers to those; as many as Node reads at once. */
const HELD_BYTES_LIMIT = 65_536
/**
 * Bytes that a body may have besides what is held of its content: the sizes of its chunks,
 * trailers, the beginning of what is too long.
 */
const FRAMING_BYTES = 16_384
/**
 * Time in which what still comes of a request that was refused is thrown away, ms: if the
 * connection were closed at once, its client might lose the answer (RFC 9112 §9.6).
 */
const LINGER_MS = 500

interface ReadsParts {
  readonly clock: Clock
  readonly requests: Pick<Requests, 'waitingIn' | 'newestIn'>
  readonly bodies: BodyLimits
  readonly reports: HttpReports
}

export class RequestReads {
  readonly #parts: ReadsParts
  readonly #budget: ReadBudget
  readonly #feeds = new WeakMap<Socket, Feed>()

  constructor(parts: ReadsParts) {
    this.#parts = parts
    // a health check may come behind hundreds of connections: for them turns wait as long work does
    this.#budget = new ReadBudget(parts.clock, undefined, (turn) => nextShare(setImmediate, turn))
  }

  /**
   * Takes over the reads of a connection from Node, right after it has begun to listen to it (as
   * first listener to `connection` of its server).
   */
  accept(socket: Socket): void {
    const feed = new Feed(socket, this.#parts, this.#budget, () => this.goOn(socket))
    this.#feeds.set(socket, feed)
    socket.pause()
    this.#budget.admit(socket, () => {
      socket.resume()
      return feed
    })
  }

  /** Goes on with what waits for answers, once one has ended. */
  goOn(socket: Socket): void {
    const feed = this.#feeds.get(socket)
    if (feed?.isBlocked !== true || socket.destroyed) return
    this.#budget.admit(socket, () => {
      feed.goOn()
      return feed
    })
  }
}

type Listener = (bytes?: Buffer) => void

const NOTHING = Buffer.alloc(0)

/** One connection's bytes. */
class Feed implements PartedReading {
  readonly #socket: Socket
  readonly #parts: ReadsParts
  readonly #budget: ReadBudget
  readonly #onRoom: () => void
  readonly #parse: Listener
  readonly #endParser: Listener
  #held: Buffer = NOTHING
  #isBlocked = false
  /** Bytes parsed since one request waits behind another. */
  #aheadBytes = 0
  /** Bytes parsed of the request whose body is coming. */
  #bodyBytes = 0
  #isEnded = false
  #isRefused = false
  #cancelLinger: (() => void) | undefined

  /** @param onRoom called when Node's own reason to wait is gone */
  constructor(socket: Socket, parts: ReadsParts, budget: ReadBudget, onRoom: () => void) {
    this.#socket = socket
    this.#parts = parts
    this.#budget = budget
    this.#onRoom = onRoom
    // with a listener of ours Node's parser no longer reads from the handle, past all streams
    this.#parse = replaceLast(socket, 'data', (bytes) => this.#take(bytes!))
    this.#endParser = replaceLast(socket, 'end', () => this.#end())
    socket.once('close', () => this.#cancelLinger?.())
  }

  /** Whether the turn is over before all was parsed that may be. */
  get hasRest(): boolean {
    return this.#held.length > 0 && !this.#isBlocked
  }

  /** Whether something waits for an answer to end. */
  get isBlocked(): boolean {
    return this.#isBlocked
  }

  #take(bytes: Buffer): void {
    if (this.#isDone) this.#throwAway()
    else {
      this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
      this.goOn()
    }
  }

  goOn(): void {
    this.#isBlocked = false
    if (this.#parts.requests.waitingIn(this.#socket) === 0) this.#aheadBytes = 0
    while (this.#held.length > 0 && !this.#isDone) {
      this.#isBlocked = this.#mustWait
      if (this.#isBlocked || !this.#budget.mayTake(this.#socket)) break
      this.#parseSlice()
    }
    if (this.#held.length > 0) this.#keep()
    if (this.#isEnded) this.#end()
  }

  #parseSlice(): void {
    const held = this.#held
    const isLast = held.length <= SLICE_BYTES
    const slice = isLast ? held : held.subarray(0, SLICE_BYTES)
    this.#held = isLast ? NOTHING : held.subarray(SLICE_BYTES)
    this.#parse.call(this.#socket, slice)
    const { requests, bodies, reports } = this.#parts
    if (requests.waitingIn(this.#socket) > 0) this.#aheadBytes += slice.length
    const newest = requests.newestIn(this.#socket)
    if (newest === undefined || newest.complete) {
      this.#bodyBytes = 0
      return
    }
    this.#bodyBytes += slice.length
    const content = Math.min(contentOf(newest), bodies.of(newest))
    if (this.#bodyBytes - content <= FRAMING_BYTES) return
    reports.count('refused', 'overlong_body')
    refuseBody(newest)
    this.#isRefused = true
  }

  /** Whether nothing more is parsed: the connection is closed, about to be, or refused. */
  get #isDone(): boolean {
    return this.#isRefused || !this.#socket.writable
  }

  get #mustWait(): boolean {
    if (this.#aheadBytes >= AHEAD_BYTES) return true
    if (!isStopped(this.#socket)) return false
    this.#socket.once('drain', this.#onRoom)
    return true
  }

  /** Keeps what could not be parsed, where it may be later. */
  #keep(): void {
    if (this.#isDone) this.#throwAway()
    else if (this.#isBlocked && this.#held.length > HELD_BYTES_LIMIT) {
      this.#parts.reports.count('refused', 'pipelined_limit')
      this.#held = NOTHING
      this.#socket.destroy()
    }
  }

  #throwAway(): void {
    this.#held = NOTHING
    if (this.#socket.destroyed) return
    this.#cancelLinger ??= this.#parts.clock.after(LINGER_MS, () => this.#socket.destroy())
  }

  /** Ends the parser behind all that it has to parse. */
  #end(): void {
    this.#isEnded = this.hasRest
    if (!this.#isEnded && !this.#socket.destroyed) this.#endParser.call(this.#socket)
  }
}

/** Puts a listener in the place of the one that was added last, which it returns. */
function replaceLast(socket: Socket, event: 'data' | 'end', listener: Listener): Listener {
  const last = socket.listeners(event).at(-1) as Listener
  socket.removeListener(event, last)
  socket.on(event, listener)
  return last
}

/**
 * Tells whether Node has stopped its parser, as it does for a request that comes while the client
 * doesn't take the answer before it: it must be given nothing then. There is no other sign of it.
 */
function isStopped(socket: Socket & { readonly _paused?: boolean }): boolean {
  return socket._paused === true
}
