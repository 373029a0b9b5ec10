/** Runs the vectors of whole synthetic streams, good and cut or broken. */
import { readFileSync } from 'node:fs'
import { same } from '../../../../../test/vectors/expect.ts'
import type { VectorCase } from '../../../../../test/vectors/vector-file.ts'
import { fromHex } from '../../../../model/index.ts'
import type { NetTraceEvent } from '../../codec/event.ts'
import { countersOf } from '../../codec/message.ts'
import { NetTraceReader } from '../../codec/stream/reader.ts'

interface StreamCase {
  readonly id: string
  readonly input: { readonly hex: string }
  readonly expect: {
    readonly version: number
    readonly trace: Readonly<Record<string, unknown>>
    readonly blocks: Readonly<Record<string, number>>
    readonly events: readonly Readonly<Record<string, unknown>>[]
    readonly timeOrder: readonly number[]
    readonly sequencePoints: readonly unknown[]
    readonly lostEvents?: number
    readonly ended: boolean
  }
}

const file = new URL('../../vectors/nettrace.json', import.meta.url)
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly cases: readonly (StreamCase & { readonly category: string })[]
}
export const STREAMS: ReadonlyMap<string, Uint8Array> = new Map(
  cases
    .filter(({ category }) => category === 'nettrace-stream')
    .map(({ id, input }) => [id, fromHex(input.hex)]),
)

/** Names of blocks in version 4, where the vectors have them by these. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ MetadataBlock: 'metadata', EventBlock: 'event', SPBlock: 'sequencePoint' },
}

interface Found {
  readonly reader: NetTraceReader
  readonly events: readonly NetTraceEvent[]
  readonly points: readonly unknown[]
  readonly codes: readonly string[]
}

function read(bytes: Uint8Array, order: 'time' | 'stream', size: number): Found {
  const events: NetTraceEvent[] = []
  const points: unknown[] = []
  const codes: string[] = []
  const reader = new NetTraceReader({
    order,
    onEvent: (event) => events.push(event),
    onError: ({ code }) => codes.push(code),
    onSequencePoint(ticks, threads) {
      const named = threads.map(([thread, sequence]) => [String(thread), sequence])
      points.push([String(reader.trace!.syncTicks + BigInt(ticks)), named])
    },
  })
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size))
  reader.end()
  return { reader, events, points, codes }
}

export function checkStream(testCase: VectorCase): undefined {
  const { input, expect } = testCase as unknown as StreamCase
  const bytes = fromHex(input.hex)
  for (const size of [bytes.length, 1, 7]) {
    const { reader, events, points, codes } = read(bytes, 'stream', size)
    same('errors', codes, [])
    same('end mark, bytes behind it', [reader.isEnded, reader.bytesBehind], [expect.ended, 0])
    checkTrace(reader, expect)
    same(
      'events',
      events.map((event) => plain(event, reader)),
      expect.events,
    )
    same('sequence points', points, expect.sequencePoints)
    same('lost', reader.lost, expect.lostEvents ?? 0)
    const inTime = read(bytes, 'time', size).events
    const wanted = expect.timeOrder.map((index) => events[index])
    same('in time', inTime, wanted)
  }
}

function checkTrace({ trace, blocks }: NetTraceReader, expect: StreamCase['expect']): void {
  const { version, syncTimeMs, syncTicks, frequency, ...facts } = trace!
  const syncTimeUtc = new Date(syncTimeMs).toISOString()
  const found = {
    ...{ syncTimeUtc, syncTimeQpc: String(syncTicks), frequency: String(frequency) },
    ...facts,
  }
  const names = Object.keys(expect.trace)
  same('version', version, expect.version)
  same('trace', pick(found, names), expect.trace)
  for (const [name, count] of Object.entries(expect.blocks)) {
    same(name, blocks[(NAMES[name] ?? name) as 'event'], count)
  }
}

function pick(from: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)))
}

function plain(event: NetTraceEvent, { trace }: NetTraceReader): object {
  const { metadata, ticks, sequence, captureThread, thread, stackId, isSorted } = event
  return {
    ...{ provider: metadata.provider, event: metadata.name },
    timestamp: String(trace!.syncTicks + BigInt(ticks)),
    sequence,
    captureThread: String(captureThread),
    thread: String(thread),
    ...{ stackId, sorted: isSorted, payload: countersOf(event) },
  }
}

interface BadCase {
  readonly base: string
  readonly truncateAt?: number
  readonly setByte?: readonly [offset: number, value: number]
}

export function checkBad(testCase: VectorCase): undefined {
  const { base, truncateAt, setByte } = testCase.input as BadCase
  const bytes = STREAMS.get(base)!.slice(0, truncateAt)
  if (setByte !== undefined) bytes[setByte[0]] = setByte[1]
  for (const size of [bytes.length, 1, 7]) {
    const { reader, events, codes } = read(bytes, 'time', size)
    const [error, ...more] = codes
    same('more errors', more, [])
    same('found', { events: events.length, ended: reader.isEnded, error }, testCase.expect)
  }
}
