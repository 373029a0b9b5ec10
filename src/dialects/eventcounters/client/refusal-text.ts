/** The words of a server that refuses: `{"error": text}`, or whatever else it says, in one line. */
import type { IncomingMessage } from 'node:http'

/** Size of a body that is read, bytes; more is not. */
const BODY_LIMIT = 4096
/** UTF-16 units of a text that goes into a message. */
const TEXT_LIMIT = 400

/** Calls back once, when the body has ended, broke, or is longer than anyone reads. */
export function refusalText(incoming: IncomingMessage, callback: (text: string) => void): void {
  const chunks: Uint8Array[] = []
  let size = 0
  let isDone = false
  const finish = (): void => {
    if (isDone) return
    isDone = true
    callback(readText(Buffer.concat(chunks).subarray(0, BODY_LIMIT).toString()))
  }
  incoming.on('data', (chunk: Uint8Array) => {
    if (isDone) return
    size += chunk.length
    chunks.push(chunk)
    if (size >= BODY_LIMIT) finish()
  })
  incoming.on('end', finish)
  incoming.on('close', finish)
}

/**
 * Reads the reason of a refusal: our endpoints give `error` as a text, the hub's other routes as an
 * object with a message.
 */
function readText(body: string): string {
  let text = body
  try {
    const { error } = JSON.parse(body) as { error?: unknown }
    const message = typeof error === 'object' ? (error as { message?: unknown } | null) : undefined
    if (typeof error === 'string') text = error
    else if (typeof message?.message === 'string') text = message.message
  } catch {
    // Not ours: shown as it is.
  }
  // One line, without what could steer a terminal.
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return line.length <= TEXT_LIMIT ? line : `${line.slice(0, TEXT_LIMIT)}…`
}
