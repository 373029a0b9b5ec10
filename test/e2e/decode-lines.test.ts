/**
 * `decode --lines` finds out by itself what a line of hex is: the golden cases of every dialect, as
 * payloads, frames and streams, without any flag but the profile and the strict reading.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
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

const PROGRAM = fileURLToPath(new URL('../../bin/pentameter.js', import.meta.url))

interface Answer {
  readonly messages: readonly unknown[]
  readonly errors: readonly { readonly code: string }[]
  readonly notes: readonly string[]
}

/** What the command answers to each line, in their order. */
function decodeLines(dialect: string, lines: readonly string[], ...flags: string[]): Answer[] {
  const args = [PROGRAM, 'decode', dialect, '--lines', ...flags]
  const input = lines.map((line) => `${line}\n`).join('')
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    ...{ input, encoding: 'utf8', maxBuffer: 2 ** 26 },
  })
  assert.equal(stderr, '')
  const answers = stdout.split('\n').slice(0, -1)
  assert.equal(answers.length, lines.length)
  return answers.map((answer) => JSON.parse(answer))
}

function codesOf({ errors }: Answer): string[] {
  return errors.map(({ code }) => code)
}

suite('decode --lines', () => {
  const cases = read<ScopeCase>('scope/vectors/scope.json')

  test('takes scope messages bare and framed, of either side', () => {
    const lines = cases.accepted_variants!.flatMap(({ name, payload_hex: payload, result }) =>
      [payload, framed(payload)].map((hex) => ({ name, hex, result })),
    )
    const hex = lines.map((line) => line.hex)
    for (const [i, { messages, errors }] of decodeLines('scope', hex, '--strict').entries()) {
      assert.deepEqual([messages, errors], [[lines[i]!.result], []], lines[i]!.name)
    }
  })

  for (const role of ['server', 'client']) {
    test(`names the class of what a ${role} refuses, and salvages only when not strict`, () => {
      const rejected = cases.rejected!.filter(
        ({ name }) => name.startsWith('settings') === (role === 'server'),
      )
      const lines = rejected.flatMap((each) =>
        [each.payload_hex, framed(each.payload_hex)].map((hex) => ({ ...each, hex })),
      )
      const hex = lines.map((line) => line.hex)
      const strict = decodeLines('scope', hex, '--role', role, '--strict')
      const lenient = decodeLines('scope', hex, '--role', role)
      for (const [i, { name, error, lenient: salvaged }] of lines.entries()) {
        assert.deepEqual(strict[i]!.messages, [], name)
        assert.deepEqual(codesOf(strict[i]!), [error], `${name}: ${hex[i]}`)
        const { messages, errors } = lenient[i]!
        assert.equal(messages.length, salvaged === null ? 0 : 1, `${name}: ${hex[i]}`)
        assert.equal(errors.length, salvaged === null ? 1 : 0, `${name}: ${hex[i]}`)
      }
    })
  }

  test('reads recorded scope streams with their version', () => {
    const streams = cases.streams!
    const hex = streams.map((stream) => stream.server_stream_hex)
    for (const [i, { messages, errors }] of decodeLines('scope', hex).entries()) {
      assert.deepEqual([messages, errors], [streams[i]!.packets, []], streams[i]!.name)
    }
  })

  test('reads Stats Hero packets as datagrams', () => {
    const { decode } = read<PacketCase>('statshero/vectors/statshero.json')
    const hex = decode!.map(({ bytes_b64: bytes }) => Buffer.from(bytes, 'base64').toString('hex'))
    for (const [i, answer] of decodeLines('statshero', hex).entries()) {
      const { id, expect } = decode![i]!
      const items = expect.items ?? [{ error: expect.packetError }]
      const good = items.filter(({ error }) => error === undefined)
      assert.deepEqual(answer.messages, good, id)
      const codes = items.flatMap(({ error }) => error ?? [])
      assert.deepEqual(codesOf(answer), codes, id)
    }
  })

  test('reads lines of EventCounters with and without their ends', () => {
    const { cases: all } = read<EventCountersCase>('eventcounters/vectors/eventcounters.json')
    const lines = all!
      .filter(isPayloadRead)
      .flatMap((each) => ['', '\n', '\r\n'].map((end) => ({ ...each, end })))
    const hex = lines.map(({ input, end }) => Buffer.from(input.line + end).toString('hex'))
    for (const [i, answer] of decodeLines('eventcounters', hex).entries()) {
      const { id, expect } = lines[i]!
      const isGood = expect.error === undefined && expect.ignored === undefined
      assert.deepEqual(answer.messages, isGood ? [expect] : [], id)
      assert.deepEqual(codesOf(answer), expect.error === undefined ? [] : [expect.error], id)
    }
  })

  test('reads a frame of Wallaroo for itself, and several as a conversation', () => {
    const { cases: all } = read<WallarooCase>('wallaroo/vectors/wallaroo.json')
    const of = (category: string) => all!.filter((each) => each.category === category)
    const [frames, malformed, streams] = [of('frame'), of('malformed'), of('stream')]
    const answers = decodeLines('wallaroo', [
      ...[...frames, ...malformed].map(({ hex }) => hex),
      ...streams.map(({ writes }) => writes.join('')),
    ])
    for (const { id, decode } of frames) {
      const { messages, errors } = answers.shift()!
      assert.deepEqual([messages.map(sorted), errors], [[sorted(decode)], []], id)
    }
    for (const { id, expect } of malformed) {
      const answer = answers.shift()!
      assert.deepEqual(codesOf(answer), expect.reason === undefined ? [] : [expect.reason], id)
      const notes = answer.messages.flatMap((message) => (message as Noted).notes ?? [])
      assert.deepEqual(notes, expect.notes ?? [], id)
    }
    for (const { id, expect } of streams) {
      const answer = answers.shift()!
      assert.equal(answer.messages.length, expect.messages.length, id)
      const rejected = Object.entries(expect.rejected).flatMap(([code, count]) => {
        return Array.from({ length: count }, () => code)
      })
      assert.deepEqual(codesOf(answer).sort(), rejected.sort(), id)
      const notes = Object.keys(expect.notes ?? {}).sort()
      assert.deepEqual([...new Set(answer.notes)].sort(), notes, id)
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
