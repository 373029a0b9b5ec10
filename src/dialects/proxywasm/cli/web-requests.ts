/** Real HTTP requests through a filter: a small server whose upstream says no more than "ok". */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CommandError } from '../../../terminal/exit.ts'
import type { FilterOutcome, FilterRequest } from '../host/stream/exchange.ts'

/** Bytes of a request's body; a longer one is answered with 413. */
const BODY_BYTES_LIMIT = 1_048_576
/** Requests that wait for the filter; further ones are answered with 503. */
const WAITING_LIMIT = 256
/** Headers that Node itself writes. */
const HOP_BY_HOP = new Set(['connection', 'content-length', 'transfer-encoding', 'keep-alive'])
/** Status codes that end an exchange. */
const FINAL_MIN = 200
const FINAL_MAX = 599

const UPSTREAM = {
  headers: [
    [':status', '200'],
    ['content-type', 'text/plain'],
  ],
  body: 'ok\n',
} as const

interface WebRequests {
  readonly port: number
  close(): Promise<void>
}

/**
 * Listens on 127.0.0.1.
 * @throws {CommandError} when the port is taken
 */
export async function listenForRequests(
  port: number,
  send: (request: FilterRequest) => Promise<FilterOutcome>,
): Promise<WebRequests> {
  let waiting = 0
  const server = createServer((incoming, response) => {
    if (waiting >= WAITING_LIMIT) {
      response.writeHead(503).end('too many requests wait for the filter\n')
      return
    }
    waiting++
    void answer(incoming, response, send)
      .catch(() => response.destroy())
      .finally(() => waiting--)
  })
  await listening(server, port)
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const reason = code === 'EADDRINUSE' ? 'it is taken by another process' : message
      reject(new CommandError(`port ${port}: ${reason}`))
    })
    server.listen(port, '127.0.0.1', resolve)
  })
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  send: (request: FilterRequest) => Promise<FilterOutcome>,
): Promise<void> {
  const body = await readBody(incoming)
  if (body === undefined) {
    response.writeHead(413).end(`body of more than ${BODY_BYTES_LIMIT} bytes\n`)
    return
  }
  const outcome = await send({ headers: headersOf(incoming), body, response: UPSTREAM })
  if (outcome.verdict === 'failed' || outcome.verdict === 'paused') {
    response.writeHead(outcome.status).end(`${outcome.reason}\n`)
    return
  }
  if (outcome.status < FINAL_MIN || outcome.status > FINAL_MAX) {
    response.writeHead(502).end(`the filter answered with status ${outcome.status}\n`)
    return
  }
  for (const [name, value] of outcome.response.headers) {
    const isOwn = name.startsWith(':') || HOP_BY_HOP.has(name.toLowerCase())
    if (!isOwn) appendHeader(response, name, value)
  }
  response.writeHead(outcome.status).end(outcome.response.body)
}

/** Appends a header, but for one that a filter made unsayable in HTTP. */
function appendHeader(response: ServerResponse, name: string, value: string): void {
  try {
    response.appendHeader(name, value)
  } catch {
    // ERR_INVALID_CHAR or ERR_INVALID_HTTP_TOKEN: HTTP can't say it
  }
}

function headersOf({ method, url, headers, rawHeaders }: IncomingMessage): [string, string][] {
  const list: [string, string][] = [
    [':method', method ?? 'GET'],
    [':path', url ?? '/'],
    [':authority', headers.host ?? ''],
    [':scheme', 'http'],
  ]
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    if (name !== 'host' && !HOP_BY_HOP.has(name)) list.push([name, rawHeaders[i + 1]!])
  }
  return list
}

/** Reads a body; undefined for one above the limit. */
async function readBody(incoming: IncomingMessage): Promise<Uint8Array | undefined> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of incoming as AsyncIterable<Buffer>) {
    size += part.length
    if (size > BODY_BYTES_LIMIT) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}
