/**
 * Dialect Wallaroo under mutated frames and streams: nothing throws, every byte belongs to a
 * message, a reject or the note of a cut, the same is read wherever the stream is cut, nothing
 * grows, and what was read can be written and read again.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { FuzzTarget } from '../../../../test/fuzz/target.ts'
import { respell } from '../../../../test/support/codes.ts'
import { encodeConnect, encodeJoin } from '../codec/encode.ts'
import { FrameScanner } from '../codec/frame-scan.ts'
import type { FrameVisitor } from '../codec/frame-visitor.ts'
import type { MetricsFrame } from '../codec/metrics-frame.ts'
import { createDecoder, type Message } from '../codec.ts'
import { LatencyTotals } from '../rollup/latency-totals.ts'
import { ERROR_CODES, NOTES } from '../spec.ts'
import { encodeMessage } from './frames.ts'

interface Vectors {
  readonly cases: readonly { readonly hex?: string; readonly writes?: readonly string[] }[]
}

const FILE = new URL('../vectors/wallaroo.json', import.meta.url)
const LIMIT = 8192

export const target: FuzzTarget = {
  name: 'wallaroo',

  seeds() {
    const { cases } = respell(JSON.parse(readFileSync(FILE, 'utf8')) as Vectors)
    const texts = cases.flatMap(({ hex, writes }) => [hex, writes?.join('')])
    const known = texts.filter((text) => text !== undefined && text.length < 2 * LIMIT)
    return [
      ...known.map((text) => Buffer.from(text!, 'hex')),
      encodeJoin('a', 'w'),
      encodeConnect(),
    ]
  },

  run(bytes) {
    checkAccount(bytes)
    checkCuts(bytes)
    checkWriting(bytes, encodeMessage)
    checkMeaning(bytes)
  },

  canary: {
    fault: 'counts above 2^32 lose their upper half',
    run(bytes) {
      checkWriting(bytes, (message, profile) => encodeMessage(forgetUpper(message), profile))
    },
  },
}

/** Adds up the sizes of everything that was visited. */
function checkAccount(bytes: Uint8Array): void {
  const scanner = new FrameScanner({ maxFrameBytes: LIMIT }, new Counter())
  scanner.push(bytes)
  assert.ok(scanner.bytesHeld <= LIMIT + 4)
  const counter = new Counter()
  const again = new FrameScanner({ maxFrameBytes: LIMIT }, counter)
  for (const byte of bytes) {
    again.push(Uint8Array.of(byte))
    assert.ok(again.bytesHeld <= LIMIT + 4)
  }
  again.end()
  const { visited, isTooLarge, truncated } = counter
  assert.equal(visited, again.frames)
  if (bytes.length > 0) assert.ok(visited + truncated > 0 || isTooLarge)
}

class Counter implements FrameVisitor {
  visited = 0
  truncated = 0
  isTooLarge = false

  connect(): void {
    this.visited++
  }

  join(): void {
    this.visited++
  }

  metrics(): void {
    this.visited++
  }

  reject(code: string): void {
    assert.ok((ERROR_CODES as readonly string[]).includes(code), code)
    assert.ok(!this.isTooLarge, 'nothing comes after a length that is too large')
    if (code === 'frame_too_large') this.isTooLarge = true
    else this.visited++
  }

  note(note: string): void {
    assert.ok((NOTES as readonly string[]).includes(note), note)
    if (note === 'truncated_at_close') this.truncated++
  }
}

/** Pieces of a size that the bytes themselves decide, so that a failure repeats. */
function checkCuts(bytes: Uint8Array): void {
  const size = 1 + ((bytes[4] ?? 0) % 9)
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size))
  assert.deepEqual(read(pieces), read([bytes]), `pieces of ${size}`)
}

function read(pieces: readonly Uint8Array[]): unknown {
  const decoder = createDecoder({ maxFrameBytes: LIMIT } as object)
  for (const piece of pieces) decoder.push(piece)
  decoder.end()
  return { messages: decoder.messages, errors: decoder.errors, notes: decoder.notes }
}

/** What frames say of their connection is not theirs; sizes and order are the writer's. */
function checkWriting(bytes: Uint8Array, write: typeof encodeMessage): void {
  const { messages } = read([bytes]) as { messages: readonly Message[] }
  for (const message of messages) {
    if (message.type === 'join' && message.worker === null) continue
    for (const profile of ['peer', 'document'] as const) {
      const [again] = (read([write(message, profile)]) as { messages: readonly Message[] }).messages
      assert.deepEqual(essence(again!), essence(message))
    }
  }
}

/** Without what min and max may lose: of those that are not believed nothing is written. */
function essence(message: Message): object {
  if (message.type !== 'metrics') return { ...message, notes: [] }
  const { notes: _, order: __, payload_size: ___, payload_header: ____, ...fields } = message
  return fields
}

/** Feeds every frame into totals and looks at every number in them. */
function checkMeaning(bytes: Uint8Array): void {
  const totals = new LatencyTotals()
  let expected = 0n
  const metrics = (frame: MetricsFrame): void => {
    totals.add(frame)
    expected += frame.total()
    assert.ok(!(frame.isMinKnown && frame.isMaxKnown) || frame.min() <= frame.max())
  }
  const visitor = { connect() {}, join() {}, reject() {}, note() {}, metrics }
  new FrameScanner({ maxFrameBytes: LIMIT }, visitor).push(bytes)
  assert.equal(totals.counts.total(), expected)
  assert.ok(Number.isFinite(totals.sumNs) && totals.sumNs >= 0)
  for (const q of [0, 0.5, 0.99, 1]) {
    const value = totals.quantile(q)
    assert.equal(value === undefined, totals.counts.latencies() === 0n)
    assert.ok(value === undefined || (value >= 0 && value <= 2 ** 63))
  }
}

/** The planted bug. */
function forgetUpper(message: unknown): unknown {
  const { bins } = message as { bins?: Readonly<Record<string, string>> }
  if (bins === undefined) return message
  const entries = Object.entries(bins).map(([bin, count]) => [bin, `${BigInt(count) % 2n ** 32n}`])
  return { ...(message as object), bins: Object.fromEntries(entries) }
}
