/** How the API answers: errors with a hint, JSON text, and gzip where it pays. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { acceptsGzip } from '../exposition/accept.ts'
import type { Clock } from '../time/clock.ts'
import type { ApiError } from './api.ts'
import { chunksOf, type Piece } from './pieces.ts'

const compress = promisify(gzip)
/** Smaller answers fit into few packets anyway. */
const GZIP_FROM_BYTES = 4096
/** Half the time of the default level for a few percent more bytes. */
const GZIP_LEVEL = 4

/** A refusal on its way to the client; `onError` turns it into an ApiError. */
export class Refusal extends Error {
  readonly status: ContentfulStatusCode
  readonly code: string
  readonly hint: string | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: ContentfulStatusCode,
    code: string,
    message: string,
    hint?: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.hint = hint
    this.headers = headers
  }
}

export function errorAnswer(context: Context, refusal: Refusal): Response {
  const { status, code, message, hint, headers } = refusal
  const body: ApiError = { error: { code, message, ...(hint === undefined ? {} : { hint }) } }
  return context.json(body, status, headers)
}

/** As the EventCounters endpoint states its errors, wherever it is served (eventcounters.md §6). */
export function plainErrorAnswer(context: Context, { status, message }: Refusal): Response {
  return context.json({ error: message }, status)
}

/** Text of one media type, compressed when it is large and the client accepts it. */
export function textAnswer(context: Context, text: string, contentType: string): Promise<Response> {
  return bytesAnswer(context, Buffer.from(text), contentType)
}

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
  return context.body(new Uint8Array(await compress(bytes, { level: GZIP_LEVEL })))
}

export function jsonAnswer(context: Context, value: unknown): Promise<Response> {
  return textAnswer(context, JSON.stringify(value), 'application/json')
}

/**
 * What is made in turns. An answer of one chunk has its length; a longer one is sent as it is made,
 * no faster than the client takes it.
 */
export async function piecesAnswer(
  context: Context,
  pieces: Iterable<Piece | undefined>,
  contentType: string,
  clock: Clock,
): Promise<Response> {
  const chunks = chunksOf(pieces, clock)
  const first = await chunks.next()
  const second = first.done ? first : await chunks.next()
  if (second.done) {
    return bytesAnswer(context, new Uint8Array(first.value ?? []), contentType)
  }
  return streamAnswer(context, rejoined([first.value!, second.value], chunks), contentType)
}

async function* rejoined(
  taken: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* taken
  yield* rest
}

function streamAnswer(
  context: Context,
  chunks: AsyncIterable<Uint8Array>,
  contentType: string,
): Response {
  const bytes = ReadableStream.from(chunks) as ReadableStream<Uint8Array<ArrayBuffer>>
  context.header('Content-Type', contentType)
  context.header('Vary', 'Accept-Encoding', { append: true })
  if (!acceptsGzip(context.req.header('Accept-Encoding'))) return context.body(bytes)
  context.header('Content-Encoding', 'gzip')
  return context.body(bytes.pipeThrough(new CompressionStream('gzip')))
}
