/** A server's first two bytes: `[version:u16le]`. */
import { DecodeError } from '../../../wire/decode-error.ts'
import { isContainer } from '../../../wire/messagepack.ts'
import { NAME, VERSION } from '../spec.ts'

/** Reads the version in the first two bytes. */
export function readVersion(bytes: Uint8Array): number {
  return bytes[0]! | (bytes[1]! << 8)
}

/** Says why these first bytes of a server end the connection. */
export function versionError(bytes: Uint8Array): DecodeError {
  const isCut = bytes.length < 2
  return new DecodeError(
    { dialect: NAME, code: isCut ? 'closed_early' : 'version', offset: 0, resync: false },
    isCut
      ? `closed after ${bytes.length} bytes, before the version`
      : `version ${readVersion(bytes)}, only ${VERSION} is known`,
  )
}

type VersionVerdict = 'wait' | 'accepted' | 'refused' | 'none'

/**
 * Tells whether a recording begins with a version. `01 00` always is one: a frame of one byte holds
 * no message. Two other bytes are a version that is refused when a message begins behind them and
 * none begins where it would without them. Seven bytes settle it.
 */
export function sniffVersion(first: Uint8Array, isEnd: boolean): VersionVerdict {
  if (first.length === 0) return 'wait'
  if (isContainer(first[0]!)) return 'none'
  if (first.length < 2) return isEnd ? 'refused' : 'wait'
  if (readVersion(first) === VERSION) return 'accepted'
  if (first.length < 7 && !isEnd) return 'wait'
  if (first.length === 2) return 'refused'
  if (startsContainer(first, 4)) return 'none'
  return startsContainer(first, 2) || startsContainer(first, 6) ? 'refused' : 'none'
}

function startsContainer(bytes: Uint8Array, at: number): boolean {
  return at < bytes.length && isContainer(bytes[at]!)
}
