/**
 * Body of a request, taken as it comes, for whatever route the request is: what is not read yet
 * would wait as one object for each of its chunks, which may have a byte each. It is held as bytes
 * in one piece, up to a limit; what is longer is not held at all.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { HttpError } from '../http-error.ts'

const FIRST_BYTES = 1024
/** Time after which a client may try again, s, where bodies take too much memory together. */
const CROWDED_RETRY_S = 1

const bodies = new WeakMap<IncomingMessage, Body>()

interface BodyLimitsParts {
  /** Bytes of a body, unless its path is listed. */
  readonly usual: number
  /** Bytes by the path of a request that is to carry more. */
  readonly byPath: Readonly<Record<string, number>>
  /** Bytes of all bodies together that are longer than usual; a further one gets 503. */
  readonly together: number
}

/** Limits of bodies, each by the path of its request, and all of the long ones together. */
export class BodyLimits {
  readonly #parts: BodyLimitsParts
  #held = 0

  constructor(parts: BodyLimitsParts) {
    this.#parts = parts
  }

  of({ url = '' }: Pick<IncomingMessage, 'url'>): number {
    const { usual, byPath } = this.#parts
    const end = url.indexOf('?')
    const path = end < 0 ? url : url.slice(0, end)
    return Object.hasOwn(byPath, path) ? byPath[path]! : usual
  }

  /** Holds so many bytes more for a body; false where all together would be too many. */
  hold(size: number, held: number): boolean {
    const { usual, together } = this.#parts
    const more = Math.max(0, size - usual) - Math.max(0, held - usual)
    if (this.#held + more > together) return false
    this.#held += more
    return true
  }

  /** Lets go of a body. */
  release(held: number): void {
    this.#held -= Math.max(0, held - this.#parts.usual)
  }
}

/** Begins to take the body of a request, if it has one. */
export function takeBody(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  limits: BodyLimits,
): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers
  if (length === undefined && encoding === undefined) return
  const body = new Body(incoming, limits)
  bodies.set(incoming, body)
  outgoing.once('close', () => body.abandon())
}

/**
 * Reads the body of a request: announced by length, chunked or neither.
 * @throws {HttpError} 413 for more than `limit` bytes, 400 where it breaks off
 */
export function readBody(incoming: IncomingMessage, limit: number): Promise<Buffer> {
  return bodies.get(incoming)?.read(limit) ?? Promise.resolve(Buffer.alloc(0))
}

/** Takes no more of a body; who reads it is told that it is too long. */
export function refuseBody(incoming: IncomingMessage): void {
  bodies.get(incoming)?.refuse()
}

/** Measures the content that has come of a body, bytes. */
export function contentOf(incoming: IncomingMessage): number {
  // what was parsed in this turn may not have been taken yet
  return (bodies.get(incoming)?.size ?? 0) + incoming.readableLength
}

interface Reader {
  readonly limit: number
  readonly resolve: (bytes: Buffer) => void
  readonly reject: (error: HttpError) => void
}

class Body {
  readonly #announced: number
  readonly #limit: number
  readonly #limits: BodyLimits
  #bytes: Buffer | undefined = Buffer.alloc(0)
  #isCrowded = false
  #size = 0
  #state: 'coming' | 'whole' | 'broken' = 'coming'
  #reader: Reader | undefined

  constructor(incoming: IncomingMessage, limits: BodyLimits) {
    this.#limit = limits.of(incoming)
    this.#limits = limits
    this.#announced = Number(incoming.headers['content-length'] ?? 0)
    if (this.#announced > this.#limit) this.refuse()
    incoming.on('data', (chunk: Buffer) => this.#take(chunk))
    incoming.once('end', () => this.#settle('whole'))
    incoming.once('error', () => this.#settle('broken'))
    incoming.once('close', () => this.#settle('broken'))
  }

  /** Bytes taken, those that are not held included. */
  get size(): number {
    return this.#size
  }

  read(limit: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#reader = { limit, resolve, reject }
      this.#tell()
    })
  }

  refuse(): void {
    this.#release()
    this.#tell()
  }

  /** Lets go of it: the request is over. */
  abandon(): void {
    this.#settle('broken')
    this.#release()
  }

  #release(): void {
    this.#limits.release(this.#bytes?.length ?? 0)
    this.#bytes = undefined
  }

  #take(chunk: Buffer): void {
    const end = this.#size + chunk.length
    if (end > this.#limit) this.#release()
    if (this.#bytes !== undefined && end > this.#bytes.length) this.#grow(end)
    if (this.#bytes !== undefined) chunk.copy(this.#bytes, this.#size)
    this.#size = end
    this.#tell()
  }

  #grow(size: number): void {
    const held = this.#bytes!
    const wanted = Math.min(this.#limit, Math.max(size, 2 * this.#size, FIRST_BYTES))
    if (!this.#limits.hold(wanted, held.length)) {
      this.#isCrowded = true
      this.#release()
      return
    }
    this.#bytes = Buffer.alloc(wanted)
    held.copy(this.#bytes, 0, 0, this.#size)
  }

  #settle(state: 'whole' | 'broken'): void {
    if (this.#state === 'coming') this.#state = state
    this.#tell()
  }

  /** Tells the reader, once there is something to tell. */
  #tell(): void {
    if (this.#reader === undefined) return
    const { limit, resolve, reject } = this.#reader
    if (this.#isCrowded) reject(crowded())
    else if (this.#bytes === undefined || Math.max(this.#announced, this.#size) > limit) {
      reject(tooLong(limit))
    } else if (this.#state === 'whole') resolve(this.#bytes.subarray(0, this.#size))
    else if (this.#state === 'broken') {
      reject(new HttpError(400, 'body_aborted', 'the body broke off'))
    } else return
    this.#reader = undefined
  }
}

function crowded(): HttpError {
  const message = 'long bodies of other requests take all the memory there is for them'
  const headers = { 'Retry-After': `${CROWDED_RETRY_S}` }
  return new HttpError(503, 'bodies_limit', message, 'send it again in a second', headers)
}

function tooLong(limit: number): HttpError {
  const message = `body is longer than the limit of ${limit} bytes`
  return new HttpError(413, 'body_limit', message, 'docs/http.md lists what fits, under Limits')
}
