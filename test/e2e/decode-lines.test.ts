/**
 * `decode --lines` finds out by itself what a line of hex is: the golden cases of every dialect, as
 * payloads, frames and streams, without any flag but the profile and the strict reading.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { decodeHexLine } from '../../src/cli/codec.ts'
import { dialect as eventcounters } from '../../src/dialects/eventcounters/dialect.ts'
import { dialect as scope } from '../../src/dialects/scope/dialect.ts'
import { dialect as statshero } from '../../src/dialects/statshero/dialect.ts'
import { dialect as wallaroo } from '../../src/dialects/wallaroo/dialect.ts'
import { respell } from '../support/codes.ts'

interface ScopeCase {
  readonly name: string
  readonly for?: string
  readonly payload_hex: string
  readonly result?: unknown
  readonly error?: string
  readonly lenient?: unknown
  readonly server_stream_hex: string
  readonly packets: unknown
}

interface PacketCase {
  readonly id: string
  readonly bytes_b64: string
  readonly expect: { items?: { error?: string }[]; packetError?: string }
}

interface EventCountersCase {
  readonly id: string
  readonly category: string
  readonly input: { readonly line: string }
  readonly expect: { readonly error?: string; readonly ignored?: true }
}

interface WallarooCase {
  readonly id: string
  readonly category: string
  readonly hex: string
  readonly writes: readonly string[]
  readonly decode: Noted
  readonly expect: {
    readonly reason?: string
    readonly notes?: readonly string[] & Readonly<Record<string, number>>
    readonly messages: readonly string[]
    readonly rejected: Readonly<Record<string, number>>
  }
}

interface Noted {
  readonly notes?: readonly string[]
}

function read<T>(path: string): Record<string, T[]> {
  const url = new URL(`../../src/dialects/${path}`, import.meta.url)
  return respell(JSON.parse(readFileSync(url, 'utf8')))
}

function framed(payload: string): string {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(payload.length / 2)
  return `${length.toString('hex')}${payload}`
}

suite('decode --lines', () => {
  const cases = read<ScopeCase>('scope/vectors/scope.json')

  test('takes scope messages bare and framed, of either side', () => {
    for (const { name, payload_hex: payload, result } of cases.accepted_variants!) {
      for (const hex of [payload, framed(payload)]) {
        const { messages, errors } = decodeHexLine(scope, hex, { strict: true })
        assert.deepEqual([messages, errors], [[result], []], `${name}: ${hex}`)
      }
    }
  })

  test('names the class of what it refuses, and salvages only when not strict', () => {
    for (const { name, payload_hex: payload, error, lenient } of cases.rejected!) {
      const role = name.startsWith('settings') ? 'server' : 'client'
      for (const hex of [payload, framed(payload)]) {
        const strict = decodeHexLine(scope, hex, { strict: true, role })
        assert.deepEqual(strict.messages, [], name)
        assert.deepEqual(
          strict.errors.map(({ code }) => code),
          [error],
          `${name}: ${hex}`,
        )
        const { messages, errors } = decodeHexLine(scope, hex, { role })
        assert.equal(messages.length, lenient === null ? 0 : 1, `${name}: ${hex}`)
        assert.equal(errors.length, lenient === null ? 1 : 0, `${name}: ${hex}`)
      }
    }
  })

  test('reads recorded scope streams with their version', () => {
    for (const { name, server_stream_hex: stream, packets } of cases.streams!) {
      const { messages, errors } = decodeHexLine(scope, stream, {})
      assert.deepEqual([messages, errors], [packets, []], name)
    }
  })

  test('reads Stats Hero packets as datagrams', () => {
    const { decode } = read<PacketCase>('statshero/vectors/statshero.json')
    for (const { id, bytes_b64: bytes, expect } of decode!) {
      const items = expect.items ?? [{ error: expect.packetError }]
      const answer = decodeHexLine(statshero, Buffer.from(bytes, 'base64').toString('hex'), {})
      assert.deepEqual(
        answer.messages,
        items.filter(({ error }) => error === undefined),
        id,
      )
      const codes = items.flatMap(({ error }) => error ?? [])
      assert.deepEqual(
        answer.errors.map(({ code }) => code),
        codes,
        id,
      )
    }
  })

  test('reads lines of EventCounters with and without their ends', () => {
    const { cases: all } = read<EventCountersCase>('eventcounters/vectors/eventcounters.json')
    for (const { id, input, expect } of all!.filter(isPayloadRead)) {
      for (const end of ['', '\n', '\r\n']) {
        const hex = Buffer.from(input.line + end).toString('hex')
        const { messages, errors } = decodeHexLine(eventcounters, hex, {})
        const isGood = expect.error === undefined && expect.ignored === undefined
        assert.deepEqual(messages, isGood ? [expect] : [], id)
        const codes = errors.map(({ code }) => code)
        assert.deepEqual(codes, expect.error === undefined ? [] : [expect.error], id)
      }
    }
  })

  test('reads a frame of Wallaroo for itself, and several as a conversation', () => {
    const { cases: all } = read<WallarooCase>('wallaroo/vectors/wallaroo.json')
    const of = (category: string) => all!.filter((each) => each.category === category)
    for (const { id, hex, decode } of of('frame')) {
      const { messages, errors } = decodeHexLine(wallaroo, hex, {})
      assert.deepEqual([messages.map(sorted), errors], [[sorted(decode)], []], id)
    }
    for (const { id, hex, expect } of of('malformed')) {
      const { messages, errors } = decodeHexLine(wallaroo, hex, {})
      const codes = errors.map(({ code }) => code)
      assert.deepEqual(codes, expect.reason === undefined ? [] : [expect.reason], id)
      const notes = messages.flatMap((message) => (message as Noted).notes ?? [])
      assert.deepEqual(notes, expect.notes ?? [], id)
    }
    for (const { id, writes, expect } of of('stream')) {
      const { messages, errors, notes } = decodeHexLine(wallaroo, writes.join(''), {})
      assert.equal(messages.length, expect.messages.length, id)
      const rejected = Object.entries(expect.rejected).flatMap(([code, count]) => {
        return Array.from({ length: count }, () => code)
      })
      assert.deepEqual(errors.map(({ code }) => code).sort(), rejected.sort(), id)
      assert.deepEqual([...new Set(notes)].sort(), Object.keys(expect.notes ?? {}).sort(), id)
    }
  })
})

function sorted(message: unknown): unknown {
  const { notes = [], ...fields } = message as Noted
  return { ...fields, notes: [...notes].sort() }
}

function isPayloadRead({ category }: EventCountersCase): boolean {
  return category === 'payload-read'
}
