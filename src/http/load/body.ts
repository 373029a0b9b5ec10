/**
 * Body of a request, taken as it comes, for whatever route the request is: what is not read yet
 * would wait as one object for each of its chunks, which may have a byte each. It is held as bytes
 * in one piece, up to a limit; what is longer is not held at all.
 */
import type { IncomingMessage } from 'node:http'
import { HttpError } from '../http-error.ts'

const FIRST_BYTES = 1024

const bodies = new WeakMap<IncomingMessage, Body>()

/** Begins to take the body of a request, if it has one. */
export function takeBody(incoming: IncomingMessage, limit: number): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers
  if (length === undefined && encoding === undefined) return
  bodies.set(incoming, new Body(incoming, limit))
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
  #bytes: Buffer | undefined = Buffer.alloc(0)
  #size = 0
  #state: 'coming' | 'whole' | 'broken' = 'coming'
  #reader: Reader | undefined

  constructor(incoming: IncomingMessage, limit: number) {
    this.#limit = limit
    this.#announced = Number(incoming.headers['content-length'] ?? 0)
    if (this.#announced > limit) this.refuse()
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
    this.#bytes = undefined
    this.#tell()
  }

  #take(chunk: Buffer): void {
    const end = this.#size + chunk.length
    if (end > this.#limit) this.#bytes = undefined
    if (this.#bytes !== undefined) {
      if (end > this.#bytes.length) this.#bytes = this.#grown(end)
      chunk.copy(this.#bytes, this.#size)
    }
    this.#size = end
    this.#tell()
  }

  #grown(size: number): Buffer {
    const bytes = Buffer.alloc(Math.min(this.#limit, Math.max(size, 2 * this.#size, FIRST_BYTES)))
    this.#bytes!.copy(bytes, 0, 0, this.#size)
    return bytes
  }

  #settle(state: 'whole' | 'broken'): void {
    if (this.#state === 'coming') this.#state = state
    this.#tell()
  }

  /** Tells the reader, once there is something to tell. */
  #tell(): void {
    if (this.#reader === undefined) return
    const { limit, resolve, reject } = this.#reader
    if (this.#bytes === undefined || Math.max(this.#announced, this.#size) > limit) {
      reject(tooLong(limit))
    } else if (this.#state === 'whole') resolve(this.#bytes.subarray(0, this.#size))
    else if (this.#state === 'broken') {
      reject(new HttpError(400, 'body_aborted', 'the body broke off'))
    } else return
    this.#reader = undefined
  }
}

function tooLong(limit: number): HttpError {
  const message = `body is longer than the limit of ${limit} bytes`
  return new HttpError(413, 'body_limit', message, 'docs/http.md lists what fits, under Limits')
}
