/**
 * The one suite that every dialect passes, as functions of the contract (src/dialects/dialect.ts)
 * and of samples (`test/samples.ts` in the dialect's folder). What a dialect cannot do is listed
 * there as data, with reasons.
 */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { misspeltFields } from '../../src/cli/messages/misspelt-fields.ts'
import type { CodecOptions, Decoder } from '../../src/dialects/decoder.ts'
import type { Dialect } from '../../src/dialects/dialect.ts'
import { HTTP_PORT } from '../../src/dialects/options.ts'
import type { DecodeErrorFields } from '../../src/wire/decode-error.ts'
import { mutate } from '../fuzz/engine/mutate.ts'
import { Random } from '../fuzz/engine/random.ts'
import { retainedBytes } from '../support/memory.ts'

/** Bytes with the options under which they are read. */
export interface Sample {
  readonly name: string
  readonly bytes: Uint8Array
  readonly options: CodecOptions
}

/** Messages that survive encoding and decoding unchanged. */
export interface Spoken {
  readonly name: string
  readonly messages: readonly unknown[]
  readonly encodeOptions?: CodecOptions
  readonly decodeOptions: CodecOptions
  /** Bytes that precede the messages in a stream (scope's version). */
  readonly opening?: Uint8Array
}

export type Law = 'round-trip' | 'claims' | 'empty-message'

export interface DialectSamples {
  /** Several messages in a row, as one connection carries them, good and bad ones. */
  readonly streams: readonly Sample[]
  /** One message per datagram; empty for a dialect without UDP. */
  readonly datagrams: readonly Sample[]
  readonly spoken: readonly Spoken[]
  /** A message with a fault, from the first byte a decoder sees, and a good one to follow it. */
  readonly faulty: readonly (Sample & { readonly next: Uint8Array })[]
  /** A header that announces far more than any limit, and the code that refuses it. */
  readonly huge: readonly (Sample & { readonly code: string })[]
  /** Laws that do not apply, each with its reason. */
  readonly exceptions: readonly { readonly law: Law; readonly reason: string }[]
}

/** What a decoder made of its input. */
interface Reading {
  readonly messages: readonly unknown[]
  readonly errors: readonly DecodeErrorFields[]
}

const DOUBLE_CUTS_LIMIT = 64
const MUTATIONS = 2000
const SEED = 20260711

export function dialectSuite(dialect: Dialect, samples: DialectSamples): void {
  suite(dialect.name, () => {
    segmentation(dialect, samples)
    roundTrip(dialect, samples)
    faults(dialect, samples)
    limits(dialect, samples)
    claims(dialect, samples)
    contract(dialect)
  })
}

function segmentation(dialect: Dialect, { streams }: DialectSamples): void {
  const check = (sample: Sample, cuts: readonly number[], expected: Reading): void => {
    const pieces = cutAt(sample.bytes, cuts)
    assert.deepEqual(read(dialect, sample.options, pieces), expected, `cut at ${cuts}`)
  }

  test('a stream read byte by byte gives the messages and errors of the whole', () => {
    for (const sample of streams) {
      const everywhere = Array.from({ length: sample.bytes.length }, (_, i) => i)
      check(sample, everywhere, read(dialect, sample.options, [sample.bytes]))
    }
  })

  test('a stream cut at any one place gives the same', () => {
    for (const sample of streams) {
      const whole = read(dialect, sample.options, [sample.bytes])
      for (let i = 0; i <= sample.bytes.length; i++) check(sample, [i], whole)
    }
  })

  test(`a stream of up to ${DOUBLE_CUTS_LIMIT} bytes cut at any two places gives the same`, () => {
    for (const sample of streams.filter(({ bytes }) => bytes.length <= DOUBLE_CUTS_LIMIT)) {
      const whole = read(dialect, sample.options, [sample.bytes])
      for (let i = 0; i <= sample.bytes.length; i++) {
        for (let j = i; j <= sample.bytes.length; j++) check(sample, [i, j], whole)
      }
    }
  })

  test('a decoder keeps none of the bytes it was given', () => {
    for (const sample of streams) {
      const buffer = new Uint8Array(1)
      const decoder = dialect.createDecoder(sample.options)
      for (const byte of sample.bytes) {
        buffer[0] = byte
        decoder.push(buffer)
        buffer[0] = 0xee
      }
      decoder.end()
      assert.deepEqual(seen(decoder), read(dialect, sample.options, [sample.bytes]))
    }
  })
}

function roundTrip(dialect: Dialect, { spoken, exceptions }: DialectSamples): void {
  const options = skipFor('round-trip', exceptions)
  for (const { name, messages, encodeOptions, decodeOptions, opening } of spoken) {
    test(`${name}: decoding what was encoded gives the messages back`, options, () => {
      const packets = dialect.encode(messages, encodeOptions)
      const isDatagram = decodeOptions.transport === 'udp'
      const parts = opening === undefined ? packets : [opening, ...packets]
      const readings = isDatagram
        ? packets.map((packet) => read(dialect, decodeOptions, [packet]))
        : [read(dialect, decodeOptions, parts)]
      assert.deepEqual(
        readings.flatMap((each) => each.errors),
        [],
      )
      assert.deepEqual(
        readings.flatMap((each) => each.messages),
        messages,
      )
    })
  }

  test('no field of a message that it takes passes for a misspelt one', () => {
    for (const { name, messages, encodeOptions } of spoken) {
      const encode = (each: readonly unknown[]) => dialect.encode(each, encodeOptions)
      assert.deepEqual(misspeltFields(messages, encode), [], name)
    }
  })

  test('what the dialect cannot say is refused at the call, with a code', () => {
    const hasEmpty = exceptions.some(({ law }) => law === 'empty-message')
    const empty = hasEmpty ? [] : [{}]
    for (const nonsense of [...empty, { kind: 'nothing' }, { key: 5, t: 'x', value: {} }]) {
      assert.throws(
        () => dialect.encode([nonsense]),
        (error: Error & { code?: unknown }) => typeof error.code === 'string',
        `encode([${JSON.stringify(nonsense)}])`,
      )
    }
    for (const nonsense of [null, 1, 'text']) assert.throws(() => dialect.encode([nonsense]), Error)
  })
}

function faults(dialect: Dialect, samples: DialectSamples): void {
  for (const { name, bytes, options, next } of samples.faulty) {
    test(`${name}: the next message counts exactly when the error says so`, () => {
      const alone = read(dialect, options, [bytes], false)
      assert.ok(alone.errors.length > 0, 'the sample is faulty')
      const isResync = alone.errors.every((error) => error.resync)
      const after = read(dialect, options, [bytes, next])
      const good = read(dialect, options, [next])
      assert.deepEqual(good.errors, [], 'the next message is good')
      const expected = isResync ? [...alone.messages, ...good.messages] : alone.messages
      assert.deepEqual(after.messages, expected)
    })
  }

  test(`no mutation throws, and every error is in the closed set (seed ${SEED})`, () => {
    const all = [...samples.streams, ...samples.datagrams]
    const corpus = all.map(({ bytes }) => bytes)
    for (let i = 0; i < MUTATIONS; i++) {
      const random = new Random(SEED, i)
      const bytes = mutate(random, corpus)
      const { options } = random.pick(all)
      const at = random.below(bytes.length + 1)
      const isDatagram = options.transport === 'udp'
      const reading = read(dialect, options, isDatagram ? [bytes] : cutAt(bytes, [at]))
      for (const error of reading.errors) checkError(dialect, error, bytes)
    }
  })
}

function checkError(dialect: Dialect, error: DecodeErrorFields, bytes: Uint8Array): void {
  const hex = Buffer.from(bytes).toString('hex')
  assert.equal(error.dialect, dialect.name, hex)
  assert.ok(dialect.errorCodes.includes(error.code), `${error.code} for ${hex}`)
  assert.ok(Number.isSafeInteger(error.offset) && error.offset >= 0, `${error.offset} for ${hex}`)
  assert.equal(typeof error.resync, 'boolean', hex)
}

/** A flood of this size follows the header. */
const FLOOD_PUSHES = 256
const FLOOD_BYTES = 65_536
const RETAINED_LIMIT = 2 * 1024 * 1024

function limits(dialect: Dialect, { huge }: DialectSamples): void {
  for (const { name, bytes, options, code } of huge) {
    test(`${name}: refused as ${code} before anything is buffered`, () => {
      const decoder = dialect.createDecoder(options)
      decoder.push(bytes)
      assert.deepEqual(
        decoder.errors.map((error) => error.code),
        [code],
      )
      const flood = new Uint8Array(FLOOD_BYTES).fill(0x78)
      const before = retainedBytes()
      for (let i = 0; i < FLOOD_PUSHES; i++) decoder.push(flood)
      const grown = retainedBytes() - before
      assert.ok(grown < RETAINED_LIMIT, `${grown} bytes kept of ${FLOOD_PUSHES * FLOOD_BYTES}`)
      decoder.end()
    })
  }
}

function claims(dialect: Dialect, { streams, datagrams, exceptions }: DialectSamples): void {
  test('a claim once made is never revised by further bytes', () => {
    const corpus = [...streams, ...datagrams].map(({ bytes }) => bytes)
    for (let i = 0; i < MUTATIONS / 4; i++) {
      const bytes = mutate(new Random(SEED, i), corpus).subarray(0, 64)
      let verdict: boolean | undefined
      for (let length = 0; length <= bytes.length; length++) {
        const next = dialect.claims(bytes.subarray(0, length))
        if (verdict !== undefined) assert.equal(next, verdict, Buffer.from(bytes).toString('hex'))
        verdict = next
      }
    }
  })

  const options = skipFor('claims', exceptions)
  test('what it sends to a listener, it claims there', options, () => {
    const arriving = [...streams, ...datagrams].filter(({ options }) => options.role !== 'client')
    assert.ok(arriving.length > 0)
    for (const { name, bytes } of arriving) {
      if (bytes.length > 0) assert.equal(dialect.claims(bytes), true, name)
    }
  })
}

function contract(dialect: Dialect): void {
  test('error codes are distinct, and the registry name is a lower-case word', () => {
    assert.equal(new Set(dialect.errorCodes).size, dialect.errorCodes.length)
    assert.match(dialect.name, /^[a-z][a-z0-9]*$/)
    assert.ok(dialect.title.length > 0 && dialect.document.length > 0)
  })

  test('error codes are snake_case', () => {
    for (const code of dialect.errorCodes) assert.match(code, /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/)
  })

  test('a port comes with a server, and the command to try one names the address', () => {
    const hasListener = dialect.port !== undefined && dialect.port !== HTTP_PORT
    assert.equal(dialect.createServer !== undefined, hasListener)
    assert.ok(dialect.port === undefined || dialect.roles.server !== undefined)
    assert.equal(dialect.tryIt !== undefined, dialect.roles.server !== undefined)
    if (dialect.tryIt === undefined) return
    const command = dialect.tryIt('192.0.2.7', 40123)
    assert.match(command, /192\.0\.2\.7/)
    assert.match(command, /40123/)
  })
}

/** Feeds the pieces to a new decoder; without `end` an unfinished message is left open. */
function read(
  dialect: Dialect,
  options: CodecOptions,
  pieces: readonly Uint8Array[],
  isEnded = true,
): Reading {
  const decoder = dialect.createDecoder(options)
  for (const piece of pieces) decoder.push(piece)
  if (isEnded) decoder.end()
  return seen(decoder)
}

/** A copy: messages as they are now, errors as their fields. */
function seen(decoder: Decoder): Reading {
  const errors = decoder.errors.map(({ dialect, code, offset, resync }) => {
    return { dialect, code, offset, resync }
  })
  return { messages: structuredClone(decoder.messages), errors }
}

/** Cuts before each position; positions ascend. Empty pieces are kept: a read may be empty. */
function cutAt(bytes: Uint8Array, positions: readonly number[]): Uint8Array[] {
  const bounds = [0, ...positions, bytes.length]
  return bounds.slice(1).map((end, i) => bytes.subarray(bounds[i], end))
}

function skipFor(law: Law, exceptions: DialectSamples['exceptions']): { skip?: string } {
  const exception = exceptions.find((each) => each.law === law)
  return exception === undefined ? {} : { skip: exception.reason }
}
