/**
 * What one connection has said of itself so far: Connect, and the applications it has joined
 * (§4.1). Neither is needed for anything; what is odd about them is noted.
 */
import { JOINED_BYTES_LIMIT, noteBit } from '../spec.ts'

const BEFORE_CONNECT = noteBit('before_connect')
const REPEATED_CONNECT = noteBit('repeated_connect')
const REPEATED_JOIN = noteBit('repeated_join')
const TOPIC_NOT_JOINED = noteBit('topic_not_joined')

export class Conversation {
  #hasConnected = false
  /** Names of applications as bytes, by their texts in Latin-1; bounded by JOINED_BYTES_LIMIT. */
  readonly #joined = new Map<string, Uint8Array>()
  #joinedBytes = 0
  /** The one that Metrics came for last: nearly always that of the next ones too. */
  #latest: Uint8Array | undefined

  /** @returns notes on a Connect */
  connect(): number {
    const notes = this.#hasConnected ? REPEATED_CONNECT : 0
    this.#hasConnected = true
    return notes
  }

  /** @returns notes on a Join of the application in bytes[start, end) */
  join(bytes: Uint8Array, start: number, end: number): number {
    const notes = this.#hasConnected ? 0 : BEFORE_CONNECT
    const key = latin1(bytes, start, end)
    if (this.#joined.has(key)) return notes | REPEATED_JOIN
    // an entry has a price of its own, so that names without bytes are bounded too
    const price = end - start + 64
    if (this.#joinedBytes + price <= JOINED_BYTES_LIMIT) {
      this.#joined.set(key, bytes.slice(start, end))
      this.#joinedBytes += price
    }
    return notes
  }

  /** @returns notes on Metrics of the application in bytes[start, end) */
  metrics(bytes: Uint8Array, start: number, end: number): number {
    const notes = this.#hasConnected ? 0 : BEFORE_CONNECT
    return this.#isJoined(bytes, start, end) ? notes : notes | TOPIC_NOT_JOINED
  }

  #isJoined(bytes: Uint8Array, start: number, end: number): boolean {
    const latest = this.#latest
    if (latest !== undefined && isSame(latest, bytes, start, end)) return true
    if (this.#joined.size === 0) return false
    const found = this.#joined.get(latin1(bytes, start, end))
    if (found !== undefined) this.#latest = found
    return found !== undefined
  }
}

function isSame(name: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (name.length !== end - start) return false
  for (let i = 0; i < name.length; i++) if (name[i] !== bytes[start + i]) return false
  return true
}

/** Decodes one character per byte. Longer names than can be joined have no key of their own. */
function latin1(bytes: Uint8Array, start: number, end: number): string {
  let text = ''
  const limit = Math.min(end, start + JOINED_BYTES_LIMIT)
  for (let at = start; at < limit; at++) text += String.fromCharCode(bytes[at]!)
  return text
}
