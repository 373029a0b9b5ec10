/**
 * Framed or bare? The document says nothing about framing, the real programs put a length in front
 * of every message; a receiver finds out from the first bytes, once per connection.
 *
 *   framed = [length:u32le][payload]      bare = [payload]
 *
 * A payload starts with a container byte (80..9f, dc..df); the same byte as the low byte of a
 * length is told apart by the other three, and by the payload's own first byte behind them.
 */
import { DecodeError } from '../../../wire/decode-error.ts'
import { isContainer } from '../../../wire/messagepack.ts'
import { MessagePackScanner } from '../../../wire/messagepack-scan.ts'
import type { Framing } from '../spec.ts'
import { decodeSettings } from './settings.ts'

/** Bytes of the length in front of a framed message. */
export const LENGTH_SIZE = 4

type FramingVerdict = Framing | 'wait' | 'refuse-empty' | 'refuse-too-large'

/**
 * @param side which side reads: a server its client's settings, or a client its server's packets
 * @param cap most bytes of one message
 * @param isIdle server only: no byte came for the grace time
 */
export function detectFraming(
  side: 'server' | 'client',
  first: Uint8Array,
  cap: number,
  isIdle = false,
): FramingVerdict {
  const verdict = first.length < LENGTH_SIZE ? 'wait' : detectByLength(side, first, cap)
  if (verdict !== 'wait' || side === 'client' || !isIdle) return verdict
  return isSettings(first) ? 'bare' : 'wait'
}

function detectByLength(side: 'server' | 'client', first: Uint8Array, cap: number): FramingVerdict {
  const length = readLength(first)
  if (!isContainer(first[0]!)) {
    if (length === 0 && side === 'server') return 'refuse-empty'
    return length > cap ? 'refuse-too-large' : 'framed'
  }
  if (length > cap) return 'bare'
  if (first.length === LENGTH_SIZE) return 'wait'
  return isContainer(first[LENGTH_SIZE]!) ? 'framed' : 'bare'
}

/** Reads the length in front of a framed message. */
export function readLength(bytes: Uint8Array, at = 0): number {
  const low = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)
  return low + bytes[at + 3]! * 0x1000000
}

/** Tells whether the bytes are exactly one settings value that a server would take. */
function isSettings(bytes: Uint8Array): boolean {
  const scanner = new MessagePackScanner()
  if (scanner.scan(bytes, 0, bytes.length, bytes.length) !== 'complete') return false
  if (scanner.size !== bytes.length) return false
  try {
    decodeSettings(bytes)
    return true
  } catch (error) {
    if (error instanceof DecodeError) return false
    throw error
  }
}

/** Puts the length in front. */
export function frame(payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(LENGTH_SIZE + payload.length)
  new DataView(bytes.buffer).setUint32(0, payload.length, true)
  bytes.set(payload, LENGTH_SIZE)
  return bytes
}
