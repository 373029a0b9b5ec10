/** What every dialect's decoder offers to tools and tests; pure. */
import type { DecodeErrorFields } from '../wire/decode-error.ts'

export type Profile = 'document' | 'peer'
export type Role = 'server' | 'client'
export type Transport = 'udp' | 'tcp'

export interface CodecOptions {
  readonly profile?: Profile
  /** Side that decodes, where the two directions differ. */
  readonly role?: Role
  /** The strict reading, where the dialect has a strict and a lenient one. */
  readonly strict?: boolean
  /** A datagram (one whole message per push) or a stream (any cut). */
  readonly transport?: Transport
  /** Bytes that a packed body may have once unpacked, where the dialect has such bodies. */
  readonly unpackedBytesLimit?: number
}

/**
 * Messages are plain objects in the shapes of the golden vectors. Who has taken what is in its
 * lists may empty them.
 */
export interface Decoder {
  /** Takes bytes; they are read before it returns and not kept. */
  push(bytes: Uint8Array): void
  /** Ends the stream or datagram; an unfinished message becomes an error. */
  end(): void
  readonly messages: unknown[]
  readonly errors: DecodeErrorFields[]
  /** Remarks that are no errors, for example which framing was found. */
  readonly notes: string[]
}

/** Result of decoding: messages, what could not be read, and remarks. */
export interface Decoded<M> {
  readonly messages: readonly M[]
  readonly errors: readonly DecodeErrorFields[]
  readonly notes: readonly string[]
}

/** Reads bytes that are whole, and ends the decoder. */
export function decodeWhole<M>(decoder: Decoder, bytes: Uint8Array): Decoded<M> {
  decoder.push(bytes)
  decoder.end()
  const { messages, errors, notes } = decoder
  return { messages: messages as readonly M[], errors, notes }
}
