/**
 * Dialect Wallaroo under generated and mutated streams: nothing throws, every byte belongs to a
 * message, a reject or the note of a cut, the same is read wherever the stream is cut and whether
 * or not its series are known, nothing grows, what the grammar meant is what is read, and what was
 * read can be written and read again. By both paths, it comes to the same (fuzz/paths.ts).
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { forEachPiece } from '../../../../test/fuzz/engine/bytes.ts'
import type { Random } from '../../../../test/fuzz/engine/random.ts'
import type { FuzzTarget } from '../../../../test/fuzz/target.ts'
import { respell } from '../../../../test/support/codes.ts'
import { encodeConnect, encodeJoin } from '../codec/encode.ts'
import { FrameScanner } from '../codec/frame-scan.ts'
import type { MetricsFrame } from '../codec/metrics-frame.ts'
import { createDecoder, type Message } from '../codec.ts'
import { LatencyTotals } from '../rollup/latency-totals.ts'
import { SeriesIndex } from '../rollup/series-index.ts'
import { encodeMessage } from './frames.ts'
import { LIMIT, WorkerStream } from './fuzz/grammar.ts'
import { pathsTarget } from './fuzz/paths.ts'
import { Recorder } from './fuzz/recorder.ts'

interface Vectors {
  readonly cases: readonly { readonly hex?: string; readonly writes?: readonly string[] }[]
}

const FILE = new URL('../vectors/wallaroo.json', import.meta.url)
const RULES = { maxFrameBytes: LIMIT }
/** Messages are made, written and added up for one input in so many: objects cost the most. */
const DEARER_ONCE_IN = 16

const stream = new WorkerStream()
const [whole, pieces] = [new Recorder(), new Recorder()]

const target: FuzzTarget = {
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

  generate(random) {
    const isMeant = stream.make(random)
    const { bytes } = stream.out
    return isMeant ? { bytes, check: () => checkMeaning(bytes) } : { bytes }
  },

  run(bytes, random) {
    checkCuts(bytes, random)
    if (!random.isOnceIn(DEARER_ONCE_IN)) return
    checkWriting(bytes, encodeMessage)
    checkTotals(bytes)
  },

  canary: {
    fault: 'counts above 2^32 lose their upper half',
    run(bytes) {
      checkWriting(bytes, (message, profile) => encodeMessage(forgetUpper(message), profile))
    },
  },
}

export const targets: readonly FuzzTarget[] = [target, pathsTarget(target.seeds)]

function readWhole(bytes: Uint8Array): void {
  whole.reset()
  const scanner = new FrameScanner(RULES, whole)
  scanner.push(bytes)
  scanner.end()
}

function checkMeaning(bytes: Uint8Array): void {
  readWhole(bytes)
  whole.said.mustEqual(stream.meaning, 'read and meant')
}

/** Compares a reading in pieces with one in whole, and accounts for every frame. */
function checkCuts(bytes: Uint8Array, random: Random): void {
  readWhole(bytes)
  pieces.reset(new SeriesIndex())
  const scanner = new FrameScanner(RULES, pieces)
  forEachPiece(random, bytes, (piece) => {
    scanner.push(piece)
    assert.ok(scanner.bytesHeld <= LIMIT + 4, `${scanner.bytesHeld} bytes held`)
  })
  scanner.end()
  pieces.said.mustEqual(whole.said, 'read in pieces and in whole')
  assert.equal(pieces.visited, scanner.frames)
  if (bytes.length > 0) assert.ok(pieces.visited + pieces.truncated > 0 || pieces.isTooLarge)
}

function messagesOf(bytes: Uint8Array): readonly Message[] {
  const decoder = createDecoder({ maxFrameBytes: LIMIT })
  decoder.push(bytes)
  decoder.end()
  return decoder.messages as readonly Message[]
}

/** What frames say of their connection is not theirs; sizes and order are the writer's. */
function checkWriting(bytes: Uint8Array, write: typeof encodeMessage): void {
  for (const message of messagesOf(bytes)) {
    if (message.type === 'join' && message.worker === null) continue
    for (const profile of ['peer', 'document'] as const) {
      const [again] = messagesOf(write(message, profile))
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
function checkTotals(bytes: Uint8Array): void {
  const totals = new LatencyTotals()
  let expected = 0n
  const metrics = (frame: MetricsFrame): void => {
    totals.add(frame)
    expected += frame.total()
    assert.ok(!(frame.isMinKnown && frame.isMaxKnown) || frame.min() <= frame.max())
  }
  const visitor = { connect() {}, join() {}, reject() {}, note() {}, metrics }
  new FrameScanner(RULES, visitor).push(bytes)
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
