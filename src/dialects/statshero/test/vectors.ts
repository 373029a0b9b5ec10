/** Runs the vectors of Stats Hero: decode, tcp, dispatch, encode; the rest in further files. */

import { Mismatch, same } from '../../../../test/vectors/expect.ts'
import type { Runners } from '../../../../test/vectors/run.ts'
import type { VectorCase } from '../../../../test/vectors/vector-file.ts'
import type { CodecOptions, Decoder } from '../../decoder.ts'
import { dialect as statshero } from '../dialect.ts'
import { checkAggregation } from './vectors/aggregation.ts'
import { checkNaming, checkSemantics } from './vectors/model.ts'

/** A decoded line, or a line that was refused. */
type Item = Readonly<Record<string, unknown>>
/** What one packet became. */
type Packet = { readonly items: readonly Item[] } | { readonly packetError: string }
type Frame = Packet & { readonly dialect?: string }

export const runners: Runners = {
  decode: checkDecode,
  tcp: checkTcp,
  dispatch: checkDispatch,
  encode: checkEncode,
  semantics: checkSemantics,
  naming: checkNaming,
  aggregation: checkAggregation,
}

/** Within the document's grammar, and refused by the digit limit under both. */
const BEYOND_THE_GRAMMAR = new Set(['value-101-digits'])

function checkDecode(testCase: VectorCase): undefined {
  const bytes = fromBase64(testCase.bytes_b64)
  const expect = testCase.expect as Packet
  same('decoded', decode([bytes], { transport: 'udp' }), flat([expect]))
  const strict = decode([bytes], { transport: 'udp', profile: 'document' })
  const verdict = strict.errors.length === 0 ? 'ok' : 'reject'
  if (BEYOND_THE_GRAMMAR.has(String(testCase.id))) return
  same('verdict of the strict grammar', verdict, testCase.document)
}

const NOT_BUILT = 'statsd is not built: that Stats Hero leaves the bytes alone is what was checked'
/** Streams up to this size are cut everywhere twice. */
const DOUBLE_CUTS_LIMIT = 200

function checkTcp(testCase: VectorCase): string | undefined {
  const chunks = (testCase.chunks_b64 as string[]).map(fromBase64)
  const whole = Buffer.concat(chunks)
  const { frames, end } = testCase.expect as { frames: Frame[]; end: string }
  if (frames.some((frame) => frame.dialect === 'statsd')) {
    same('claimed by Stats Hero', claimed(whole), false)
    return NOT_BUILT
  }
  if (whole.length > 0) same('claimed by Stats Hero', claimed(whole), true)
  const expected = { ...flat(frames), end }
  const check = (pieces: readonly Uint8Array[], how: string): void => {
    same(`frames, ${how}`, connection(pieces), expected)
  }
  check(chunks, 'in chunks')
  check([whole], 'whole')
  check(
    [...whole].map((byte) => Uint8Array.of(byte)),
    'byte by byte',
  )
  for (let i = 1; i < whole.length; i++) {
    check([whole.subarray(0, i), whole.subarray(i)], `cut at ${i}`)
    if (whole.length > DOUBLE_CUTS_LIMIT) continue
    for (let j = i + 1; j < whole.length; j++) {
      const pieces = [whole.subarray(0, i), whole.subarray(i, j), whole.subarray(j)]
      check(pieces, `cut at ${i} and ${j}`)
    }
  }
  return undefined
}

/** The end of a stream is the last frame's error in the decoder, and its own field in a vector. */
function connection(pieces: readonly Uint8Array[]): Decoded & { readonly end: string } {
  const { messages, errors } = read(pieces, { transport: 'tcp' })
  const codes = errors.map((error) => error.code)
  if (codes.at(-1) === 'truncated') {
    return { messages: [...messages], errors: codes.slice(0, -1), end: 'truncated' }
  }
  const end = errors.every((error) => error.resync) ? 'clean' : 'closed'
  return { messages: [...messages], errors: codes, end }
}

function checkDispatch(testCase: VectorCase): string | undefined {
  const bytes = fromBase64(testCase.bytes_b64)
  const isOurs = testCase.dialect === 'statshero'
  // An undecided datagram is at its end: what is not claimed by then goes to statsd.
  same('claimed by Stats Hero', claimed(bytes) === true, isOurs)
  if (!isOurs) return NOT_BUILT
  same('decoded', decode([bytes], { transport: 'udp' }), flat([testCase.expect as Packet]))
  return undefined
}

function checkEncode(testCase: VectorCase): undefined {
  const lines = (testCase.lines as Record<string, unknown>[]).map(withKey)
  const expect = testCase.expect as { packets?: string[]; packets_b64?: string[]; error?: string }
  const options = (testCase.options ?? {}) as CodecOptions
  if (expect.error !== undefined) {
    same('error', codeOf(lines, options), expect.error)
    return
  }
  const expected =
    expect.packets_b64?.map(fromBase64) ?? expect.packets?.map((text) => Buffer.from(text)) ?? []
  const packets = statshero.encode(lines, options).map((bytes) => latin1(bytes))
  same('packets', packets, expected.map(latin1))
}

/** `key_repeat: [c, n]` stands for a key of n times c. */
function withKey({ key_repeat, ...line }: Record<string, unknown>): Record<string, unknown> {
  if (key_repeat === undefined) return line
  const [text, count] = key_repeat as [string, number]
  return { ...line, key: text.repeat(count) }
}

function codeOf(lines: readonly unknown[], options: CodecOptions): unknown {
  try {
    const packets = statshero.encode(lines, options)
    throw new Mismatch('refused', 'an error', packets.map(latin1))
  } catch (error) {
    if (error instanceof Mismatch) throw error
    return (error as { code?: unknown }).code
  }
}

interface Decoded {
  readonly messages: readonly unknown[]
  /** Codes in order. */
  readonly errors: readonly string[]
}

function decode(pieces: readonly Uint8Array[], options: CodecOptions): Decoded {
  const { messages, errors } = read(pieces, options)
  return { messages: [...messages], errors: errors.map((error) => error.code) }
}

function read(pieces: readonly Uint8Array[], options: CodecOptions): Decoder {
  const decoder = statshero.createDecoder(options)
  for (const piece of pieces) decoder.push(piece)
  decoder.end()
  return decoder
}

function flat(packets: readonly Packet[]): Decoded {
  const messages: unknown[] = []
  const errors: string[] = []
  for (const packet of packets) {
    if ('packetError' in packet) errors.push(packet.packetError)
    else {
      for (const item of packet.items) {
        if (typeof item.error === 'string') errors.push(item.error)
        else messages.push(item)
      }
    }
  }
  return { messages, errors }
}

/** Asked with one byte more each time, as a listener does. */
function claimed(bytes: Uint8Array): boolean | undefined {
  for (let length = 0; length <= bytes.length; length++) {
    const verdict = statshero.claims(bytes.subarray(0, length))
    if (verdict !== undefined) return verdict
  }
  return false
}

function fromBase64(text: unknown): Uint8Array {
  return Buffer.from(text as string, 'base64')
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}
