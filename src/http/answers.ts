/**
 * How the API answers: errors with a hint, JSON text, gzip where it pays. What may be large is made
 * in pieces, so that nothing waits for the whole, and once for all who are given the same object.
 */
import type { Context } from 'hono'
import { acceptsGzip } from '../exposition/negotiation.ts'
import type { ApiError } from './api.ts'
import { compress, GZIP_FROM_BYTES, gzipped } from './compression.ts'
import type { HubContext } from './guest-routes.ts'
import type { HttpError } from './http-error.ts'
import type { Place } from './load/heavy-answers.ts'
import { chunksOf, jsonPieces, type Piece, type Pieces, rejoined } from './pieces.ts'
import { jsonText } from './query/cell-json.ts'

/** Size of pieces kept together, so that readers go through few of them. */
const PIECE_CHARS = 32_768

export function errorAnswer(context: Context, refusal: HttpError): Response {
  const { status, code, message, hint, headers } = refusal
  const body: ApiError = { error: { code, message, ...(hint === undefined ? {} : { hint }) } }
  return context.json(body, status, headers)
}

/** Answers with bytes of one type, compressed where they are many and the client accepts it. */
async function bytesAnswer(
  context: Context,
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
): Promise<Response> {
  context.header('Content-Type', contentType)
  context.header('Vary', 'Accept-Encoding', { append: true })
  if (bytes.length < GZIP_FROM_BYTES || !acceptsGzip(context.req.header('Accept-Encoding'))) {
    return context.body(bytes)
  }
  context.header('Content-Encoding', 'gzip')
  return context.body(await compress(bytes))
}

/** Answers JSON that is never large. */
export function jsonAnswer(context: Context, value: unknown): Promise<Response> {
  return bytesAnswer(context, Buffer.from(jsonText(value)), 'application/json')
}

/**
 * Answers what is made in slices, at a place among the large answers. One of a single chunk has its
 * length; a longer one is sent as it is made, no faster than the client takes it, and no further
 * once the client is gone.
 * @param isNeeded whether it is given in overload, too: it is small, or says why
 */
export async function piecesAnswer(
  context: HubContext,
  pieces: Iterable<Piece | undefined>,
  contentType: string,
  isNeeded = false,
): Promise<Response> {
  // its client wants none of it
  if (context.env.incoming.method === 'HEAD') return streamAnswer(context, null, contentType)
  const place = await context.get('answers').enter(context.env.outgoing, isNeeded)
  return placedAnswer(context, place, pieces, contentType)
}

/**
 * Answers what is asked for elsewhere first, as of a history, and then made in slices: it is asked
 * for when there is a place for the answer.
 */
export async function askedAnswer(
  context: HubContext,
  ask: () => Promise<Iterable<Piece | undefined>>,
): Promise<Response> {
  const { incoming, outgoing } = context.env
  if (incoming.method === 'HEAD') return streamAnswer(context, null, 'application/json')
  const place = await context.get('answers').enter(outgoing)
  return placedAnswer(context, place, await ask(), 'application/json')
}

/** Answers what is made in slices at its place. */
async function placedAnswer(
  context: HubContext,
  place: Place,
  pieces: Iterable<Piece | undefined>,
  contentType: string,
): Promise<Response> {
  const { outgoing } = context.env
  const chunks = chunksOf(pieces, place)
  // whatever has been taken of it by then, and whether the stream around it was ever begun
  outgoing.once('close', () => void chunks.return(undefined))
  const first = await chunks.next()
  const second = first.done ? first : await chunks.next()
  if (second.done) {
    return bytesAnswer(context, new Uint8Array(first.value ?? []), contentType)
  }
  return streamAnswer(context, rejoined([first.value!, second.value], chunks), contentType)
}

/**
 * Answers JSON that may be large; its value is made when there is a place for the answer.
 * @param isNeeded whether it is given in overload, too
 */
export function largeJsonAnswer(
  context: HubContext,
  make: () => unknown,
  isNeeded = false,
): Promise<Response> {
  return piecesAnswer(context, made(make), 'application/json', isNeeded)
}

function* made(make: () => unknown): Pieces<string> {
  yield* joined(jsonPieces(make()))
}

function streamAnswer(
  context: Context,
  chunks: AsyncIterable<Uint8Array> | null,
  contentType: string,
): Response {
  context.header('Content-Type', contentType)
  context.header('Vary', 'Accept-Encoding', { append: true })
  const isPacked = acceptsGzip(context.req.header('Accept-Encoding'))
  if (isPacked) context.header('Content-Encoding', 'gzip')
  if (chunks === null) return context.body(null)
  const bytes = ReadableStream.from(isPacked ? gzipped(chunks) : chunks)
  return context.body(bytes as ReadableStream<Uint8Array<ArrayBuffer>>)
}

/** Pieces of answers that are held, and so shared. */
const sharedPieces = new WeakMap<object, SharedPieces>()

/**
 * Answers JSON that is long in the making and may be large: it is made when there is a place for
 * it, and a value that was answered before and not changed is written once.
 * @param make makes the value, as long as the place's client is there
 * @param missing error for a value that is undefined
 */
export async function largeAnswer(
  context: HubContext,
  make: (place: Place) => Promise<object | undefined>,
  missing: () => HttpError,
): Promise<Response> {
  const { incoming, outgoing } = context.env
  const place = await context.get('answers').enter(outgoing)
  const value = await make(place)
  if (value === undefined) throw missing()
  if (incoming.method === 'HEAD') return streamAnswer(context, null, 'application/json')
  let pieces = sharedPieces.get(value)
  if (pieces === undefined) {
    pieces = new SharedPieces(value)
    sharedPieces.set(value, pieces)
  }
  return placedAnswer(context, place, pieces, 'application/json')
}

/** The pieces of one answer, each made when the first reader comes to it. */
class SharedPieces implements Iterable<string> {
  readonly #rest: Iterator<string, void>
  readonly #made: string[] = []

  constructor(value: object) {
    this.#rest = joined(jsonPieces(value))
  }

  *[Symbol.iterator](): Generator<string, void> {
    for (let i = 0; ; i++) {
      if (i === this.#made.length) {
        const next = this.#rest.next()
        if (next.done === true) return
        this.#made.push(next.value)
      }
      yield this.#made[i]!
    }
  }
}

function* joined(pieces: Iterable<string>): Generator<string, void> {
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < PIECE_CHARS) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}
