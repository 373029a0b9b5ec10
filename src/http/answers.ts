/** How the API answers: errors with a hint, JSON text, and gzip where it pays. */
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { acceptsGzip } from './accept.ts'
import type { ApiError } from './api.ts'

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

  constructor(status: ContentfulStatusCode, code: string, message: string, hint?: string) {
    super(message)
    this.status = status
    this.code = code
    this.hint = hint
  }
}

export function errorAnswer(context: Context, refusal: Refusal): Response {
  const { status, code, message, hint } = refusal
  const body: ApiError = { error: { code, message, ...(hint === undefined ? {} : { hint }) } }
  return context.json(body, status)
}

/** As the EventCounters endpoint states its errors, wherever it is served (eventcounters.md §6). */
export function plainErrorAnswer(context: Context, { status, message }: Refusal): Response {
  return context.json({ error: message }, status)
}

/** Text of one media type, compressed when it is large and the client accepts it. */
export async function textAnswer(
  context: Context,
  text: string,
  contentType: string,
): Promise<Response> {
  context.header('Content-Type', contentType)
  const bytes = Buffer.from(text)
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

/** JSON text that comes in pieces: one of them is held at a time, and others get their turn. */
export function jsonStreamAnswer(context: Context, pieces: Iterable<string>): Response {
  const text = ReadableStream.from(withPauses(pieces)).pipeThrough(new TextEncoderStream())
  context.header('Content-Type', 'application/json')
  context.header('Vary', 'Accept-Encoding', { append: true })
  if (!acceptsGzip(context.req.header('Accept-Encoding'))) return context.body(text)
  context.header('Content-Encoding', 'gzip')
  return context.body(text.pipeThrough(new CompressionStream('gzip')))
}

async function* withPauses(pieces: Iterable<string>): AsyncGenerator<string> {
  for (const piece of pieces) {
    yield piece
    await setImmediate()
  }
}
