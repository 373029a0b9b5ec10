/**
 * Bodies of requests, read from Node's own stream: announced by length, chunked or neither. What
 * is too long is never held; what has come by then is dropped.
 */
import type { IncomingMessage } from 'node:http'
import { Refusal } from './answers.ts'

/**
 * The value of a JSON body.
 * @throws {Refusal} 413 for more than `limit` bytes, 400 for what is no JSON
 */
export async function readJson(incoming: IncomingMessage, limit: number): Promise<unknown> {
  const bytes = await readBody(incoming, limit)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    const message = bytes.length === 0 ? 'the request has no body' : 'the body is no JSON'
    throw new Refusal(400, 'invalid_request', message, 'docs/http.md shows the body of every POST')
  }
}

function readBody(incoming: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLong(limit))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const take = (chunk: Buffer): void => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else {
        // The listener goes, the stream flows on, so that the client can read the answer.
        incoming.off('data', take)
        reject(tooLong(limit))
      }
    }
    incoming.on('data', take)
    incoming.once('end', () => resolve(Buffer.concat(chunks)))
    incoming.once('error', () => reject(new Refusal(400, 'body_aborted', 'the body broke off')))
    incoming.once('close', () => reject(new Refusal(400, 'body_aborted', 'the body broke off')))
  })
}

function tooLong(limit: number): Refusal {
  const message = `body is longer than the limit of ${limit} bytes`
  return new Refusal(413, 'body_limit', message, 'docs/http.md lists what fits, under Limits')
}
