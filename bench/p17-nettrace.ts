/** P17: a recording of 30 MB, by the processor time of one core, against a pass over its bytes. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { EventMessage } from '../src/dialects/nettrace/codec/message.ts'
import { NetTraceReader } from '../src/dialects/nettrace/codec/stream/reader.ts'
import { StreamWriter } from '../src/dialects/nettrace/codec/stream/writer.ts'
import { createDecoder, encodeNetTrace } from '../src/dialects/nettrace/codec.ts'
import { processorSeconds } from './measure/own-cpu.ts'
import {
  atMost,
  type Contender,
  figureOf,
  interleave,
  limitOf,
  ratioOf,
} from './measure/question.ts'
import { ask } from './measure/run.ts'

const WARM_UPS = 2
const ROUNDS = 7
const WANTED_BYTES = 30_000_000
/** What a read of a socket brings at most. */
const PIECE_BYTES = 65_536
const EVENTS = 175_000
const PAYLOAD = new Uint8Array(40)
/** Events in one run of a thread, of which the first is sorted, and in one block. */
const RUN = 100
const BLOCK = 1000

const vectors = new URL(
  '../src/dialects/nettrace/vectors/nettrace-recordings.json',
  import.meta.url,
)
const { recording } = JSON.parse(readFileSync(vectors, 'utf8')) as {
  readonly recording: readonly { readonly name: string; readonly events: EventMessage[] }[]
}

const managed = recordedAgain()
const native = nativeEvents()

/** Counters and meters as the usual tool asks for them, over and over, a millisecond apart. */
function recordedAgain(): Uint8Array {
  const { events } = recording.find(({ name }) => name === 'as-dotnet-counters')!
  const start = Date.UTC(2026, 0, 2)
  const many = Array.from({ length: EVENTS }, (_, i): EventMessage => {
    const time = new Date(start + i).toISOString().replace('Z', '0000Z')
    return { ...events[i % events.length]!, time, relMs: i }
  })
  return encodeNetTrace(many)[0]!
}

/** Small events without fields, as the runtime itself sends them, of ten threads in turn. */
function nativeEvents(): Uint8Array {
  const clock = { syncTimeMs: 0, syncTicks: 0n, frequency: 1_000_000_000n, samplingRate: 0 }
  const writer = new StreamWriter({ ...clock, pointerSize: 8, pid: 1, cpus: 2 })
  const facts = { version: 0, level: 4, opcode: 0, keywords: 1n, fields: [] }
  const metadata = writer.define('Runtime', { name: '', eventId: 9, ...facts })
  const parts: Uint8Array[] = []
  for (let size = 0, count = 0; size < WANTED_BYTES; ) {
    const events = Array.from({ length: BLOCK }, (_, i) => {
      const sequence = Math.floor(count / BLOCK) * RUN + (i % RUN) + 1
      const thread = Math.floor(i / RUN)
      // each thread's run begins behind the one before, and reaches back no further
      return {
        metadata,
        ticks: count + i,
        thread,
        sequence,
        isSorted: i % RUN === 0,
        payload: PAYLOAD,
      }
    })
    count += BLOCK
    writer.events(events)
    parts.push(writer.take())
    size += parts.at(-1)!.length
  }
  writer.end()
  parts.push(writer.take())
  return Buffer.concat(parts)
}

function readEvents(bytes: Uint8Array): number {
  const reader = new NetTraceReader({ onEvent() {} })
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    reader.push(bytes.subarray(at, at + PIECE_BYTES))
  }
  reader.end()
  assert.deepEqual([reader.isEnded, reader.lost, reader.errors], [true, 0, {}])
  return reader.events
}

function printEvents(bytes: Uint8Array): number {
  const decoder = createDecoder()
  decoder.push(bytes)
  decoder.end()
  let size = 0
  for (const message of decoder.messages) size += JSON.stringify(message).length
  return size
}

function pass(bytes: Uint8Array): number {
  let sum = 0
  for (let i = 0; i < bytes.length; i++) sum = (sum + bytes[i]!) | 0
  return sum
}

assert.equal(readEvents(managed), EVENTS)

await ask({
  name: 'P17',
  asks: 'How long does one core read a recording of 30 MB of a .NET process?',
  data:
    `counters and meters of a recording of .NET 10 again and again, ${managed.length} bytes, ` +
    `${EVENTS} events; events of 40 bytes without fields, ${native.length} bytes`,
  method: [
    `processor time in one process, in pieces of ${PIECE_BYTES} bytes, in the order of times`,
    'every event is decoded by its description, every text made; a pass adds up all bytes',
  ],
  unit: 'processor seconds',
  remarks: ['as lines: each event as a line of JSON as well, as `pentameter decode` prints it'],

  async measure() {
    const rounds = await interleave(
      [
        contender('counters and meters', () => readEvents(managed)),
        contender('counters and meters, a pass', () => pass(managed)),
        contender('events without fields', () => readEvents(native)),
        contender('events without fields, a pass', () => pass(native)),
        contender('counters and meters, as lines', () => printEvents(managed)),
      ],
      WARM_UPS,
      ROUNDS,
    )
    const [counters, countersPass, small, smallPass, lines] = rounds
    return {
      warmUps: WARM_UPS,
      rounds: ROUNDS,
      figures: [countersPass!, smallPass!, lines!].map(figureOf),
      verdicts: [
        limitOf(counters!, atMost(1)),
        limitOf(small!, atMost(1)),
        ratioOf(counters!, countersPass!, atMost(20)),
        ratioOf(small!, smallPass!, atMost(20)),
      ],
      skipped: [],
    }
  },
})

function contender(title: string, act: () => number): Contender {
  return {
    title,
    round() {
      return processorSeconds(() => assert.ok(act() > 0))
    },
  }
}
