/**
 * A client's first bytes, in any segmentation, up to its settings: finds the framing and reads one
 * message. Holds at most the settings cap and one chunk.
 */
import { ByteQueue } from '../../../wire/byte-queue.ts'
import { MessagePackScanner } from '../../../wire/messagepack-scan.ts'
import type { Framing, FramingChoice, Settings } from '../spec.ts'
import { detectFraming, LENGTH_SIZE, readLength } from './framing.ts'
import { decodeSettings, settingsError } from './settings.ts'

export interface Handshake {
  readonly framing: Framing
  readonly settings: Settings
  /** Bytes that came behind the settings; they mean nothing. */
  readonly extraBytes: number
}

export class SettingsStream {
  readonly #choice: FramingChoice
  readonly #cap: number
  readonly #queue = new ByteQueue()
  readonly #scanner = new MessagePackScanner()
  #framing: Framing | undefined

  constructor(choice: FramingChoice, capBytes: number) {
    this.#choice = choice
    this.#cap = capBytes
  }

  /** Framing; undefined while the bytes do not show it. */
  get framing(): Framing | undefined {
    return this.#framing
  }

  /** Bytes so far, for the log. */
  get bytes(): Uint8Array {
    return this.#queue.peek()
  }

  /**
   * Takes bytes; the handshake once it is complete.
   * @throws {DecodeError} with a code of SETTINGS_ERROR_CODES: the connection is to be closed
   */
  push(bytes: Uint8Array): Handshake | undefined {
    this.#queue.append(bytes)
    return this.#advance(false)
  }

  /** Ends the grace time, in which no byte came: decides what only silence can decide. */
  idle(): Handshake | undefined {
    return this.#framing === undefined ? this.#advance(true) : undefined
  }

  /**
   * Ends the stream: the client will send no more.
   * @throws {DecodeError} `settings_malformed` when bytes came that are no whole message
   */
  end(): Handshake | undefined {
    const handshake = this.idle()
    if (handshake === undefined && this.#queue.size > 0) {
      throw settingsError('settings_malformed', this.#queue.size, 'settings are cut off')
    }
    return handshake
  }

  #advance(isIdle: boolean): Handshake | undefined {
    this.#framing ??= this.#detect(isIdle)
    if (this.#framing === undefined) return undefined
    return this.#framing === 'framed' ? this.#readFramed() : this.#readBare()
  }

  #detect(isIdle: boolean): Framing | undefined {
    const verdict = detectFraming('server', this.bytes, this.#cap, isIdle)
    switch (verdict) {
      case 'wait':
        return undefined
      case 'refuse-empty':
        throw settingsError('settings_empty', 0, 'settings frame of 0 bytes')
      case 'refuse-too-large':
        throw settingsError('settings_too_large', 0, this.#describeOversize())
      default:
        if (this.#choice === 'auto' || this.#choice === verdict) return verdict
        throw settingsError('framing', 0, `settings are ${verdict}, only ${this.#choice} is taken`)
    }
  }

  #describeOversize(): string {
    const guess = guessProtocol(this.bytes)
    const size = `settings frame of ${readLength(this.bytes)} bytes, limit ${this.#cap}`
    return guess === undefined ? size : `${size}; this looks like ${guess}`
  }

  #readFramed(): Handshake | undefined {
    const bytes = this.bytes
    const end = LENGTH_SIZE + readLength(bytes)
    return bytes.length < end ? undefined : this.#finish(LENGTH_SIZE, end)
  }

  #readBare(): Handshake | undefined {
    const bytes = this.bytes
    const verdict = this.#scanner.scan(bytes, 0, bytes.length, this.#cap)
    const { size } = this.#scanner
    if (verdict === 'incomplete') return undefined
    if (verdict === 'complete') return this.#finish(0, size)
    if (verdict === 'too_large') {
      throw settingsError('settings_too_large', size, `bare settings beyond ${this.#cap} bytes`)
    }
    throw settingsError('settings_malformed', size, `settings are ${verdict}`)
  }

  #finish(start: number, end: number): Handshake {
    const bytes = this.bytes
    const settings = decodeSettings(bytes.subarray(start, end))
    return { framing: this.#framing!, settings, extraBytes: bytes.length - end }
  }
}

/** First bytes of a TLS record that carries a handshake (RFC 8446, 5.1). */
const TLS_HANDSHAKE = [0x16, 0x03] as const

/** Names a protocol that is often sent to the wrong port. */
function guessProtocol(bytes: Uint8Array): string | undefined {
  if (bytes[0] === TLS_HANDSHAKE[0] && bytes[1] === TLS_HANDSHAKE[1]) return 'TLS'
  const text = String.fromCharCode(...bytes.subarray(0, 4))
  return /^(GET |HEAD|POST|PUT |OPTI|PRI |DELE|PATC|CONN)/.test(text) ? 'HTTP' : undefined
}
