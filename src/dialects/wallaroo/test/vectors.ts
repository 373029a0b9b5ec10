/**
 * Runs the vectors of Wallaroo: frames, faults and streams through the decoder and back, bins; the
 * windows of reporters, roll-ups and exports in the files beside.
 */

import { same } from '../../../../test/vectors/expect.ts'
import type { Runners } from '../../../../test/vectors/run.ts'
import type { VectorCase } from '../../../../test/vectors/vector-file.ts'
import { binOf, wholeLatency } from '../codec/binning.ts'
import { createDecoder } from '../codec.ts'
import { LatencyWindow } from '../reporter/latency-window.ts'
import type { Binning } from '../spec.ts'
import { encodeMessage } from './frames.ts'
import { checkMapping } from './vectors/mapping.ts'
import { checkFormat, checkRollup } from './vectors/rollup.ts'
import { checkWindow } from './vectors/windows.ts'

export const runners: Runners = {
  frame: checkFrame,
  malformed: checkMalformed,
  stream: checkStream,
  binning: checkBinning,
  rollup: checkRollup,
  window: checkWindow,
  mapping: checkMapping,
  format: checkFormat,
}

type Fields = Readonly<Record<string, unknown>>
type Profile = 'peer' | 'document'

const RULES: readonly Binning[] = ['document', 'peer']

function checkFrame({ hex, decode, encode, profiles, message }: VectorCase): undefined {
  const decoder = createDecoder({ transport: 'udp' })
  decoder.push(fromHex(hex as string))
  same('errors', decoder.errors, [])
  same('decoded', decoder.messages.map(withSortedNotes), [withSortedNotes(decode as Fields)])
  if (encode !== true) return
  const fields = message as Fields
  for (const profile of profiles as Profile[]) {
    same(`encoded, ${profile}`, toHex(encodeMessage(fields, profile)), hex)
  }
  if (fields.latencies_ns !== undefined) checkRecording(fields)
}

function withSortedNotes(message: unknown): Fields {
  const { notes, ...fields } = message as { notes?: readonly string[] }
  return { ...fields, notes: (notes ?? []).toSorted() }
}

/** The latencies of a message, recorded, give its bins and extremes. */
function checkRecording({ latencies_ns, binning, bins, min_ns, max_ns }: Fields): void {
  const window = new LatencyWindow(binning as Binning)
  for (const latency of latencies_ns as string[]) window.record(BigInt(latency))
  same(
    'recorded',
    [sparse(window.bins), `${window.minNs}`, `${window.maxNs}`],
    [...[bins, min_ns, max_ns]],
  )
}

function sparse(bins: ArrayLike<number>): Fields {
  const filled = Array.from(bins, (count, bin) => [`${bin}`, `${count}`] as const)
  return Object.fromEntries(filled.filter(([, count]) => count !== '0'))
}

const GOOD_FRAME = encodeMessage(
  {
    ...{ type: 'metrics', application: 'golden-app', category: 'computation', name: 'good' },
    ...{ worker: 'initializer', pipeline: 'Orders', id: 1, bins: { 3: '1' } },
    ...{ min_ns: '7', max_ns: '7', period_ns: '2000000000', end_ns: '1700000002000000000' },
  },
  'peer',
)
const OPENING = Buffer.concat([
  encodeMessage({ type: 'connect' }, 'peer'),
  encodeMessage({ type: 'join', application: 'golden-app', worker: 'initializer' }, 'peer'),
])

function checkMalformed({ hex, expect }: VectorCase): undefined {
  const decoder = createDecoder()
  for (const bytes of [OPENING, fromHex(hex as string), GOOD_FRAME]) decoder.push(bytes)
  decoder.end()
  const { accepted, reason, notes, stream_continues: _, ...fields } = expect as Fields
  const arrived = decoder.messages.slice(2) as Fields[]
  same('the good frame', arrived.at(-1)?.name, 'good')
  same('accepted', arrived.length === 2, accepted)
  same(
    'reasons',
    decoder.errors.map(({ code }) => code),
    accepted === true ? [] : [reason],
  )
  if (accepted !== true) return
  const [message] = arrived
  for (const [field, value] of Object.entries(fields)) same(field, message![field], value)
  same('notes', (message!.notes as string[]).toSorted(), (notes as string[]).toSorted())
}

/** However the bytes are cut: as the case says, at every single place, into single bytes. */
function checkStream({ writes, split, expect }: VectorCase): undefined {
  const pieces = (writes as string[]).map(fromHex)
  const size = split as number | undefined
  same('as written', read(size === undefined ? pieces : pieces.flatMap(cutBy(size))), {
    ...outcomeOf(expect as Fields),
  })
  const whole = Buffer.concat(pieces)
  const expected = outcomeOf(expect as Fields)
  same('in one piece', read([whole]), expected)
  same('byte by byte', read(cutBy(1)(whole)), expected)
  for (let at = 1; at < whole.length; at++) {
    same(`cut at ${at}`, read([whole.subarray(0, at), whole.subarray(at)]), expected)
  }
}

function outcomeOf({ messages, rejected, notes, hub_closes }: Fields): Fields {
  return { messages, rejected, notes, isClosed: hub_closes }
}

function read(pieces: readonly Uint8Array[]): Fields {
  const decoder = createDecoder()
  for (const piece of pieces) decoder.push(piece)
  decoder.end()
  return {
    messages: decoder.messages.map((message) => lineOf(message as Fields)),
    rejected: countsOf(decoder.errors.map(({ code }) => code)),
    notes: countsOf(decoder.notes),
    isClosed: decoder.errors.some(({ resync }) => !resync),
  }
}

function lineOf(message: Fields): string {
  const { type, application, category, pipeline, worker, name, total } = message
  if (type === 'connect') return 'connect'
  if (type === 'join') return `join ${application}|${worker ?? ''}`
  return `metrics ${[application, category, pipeline, worker, name, total].join('|')}`
}

function countsOf(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}

function cutBy(size: number): (bytes: Uint8Array) => Uint8Array[] {
  return (bytes) =>
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.subarray(i * size, (i + 1) * size),
    )
}

function checkBinning({ values, expect }: VectorCase): undefined {
  const latencies = (values as string[]).map((text) =>
    /^-?\d+$/.test(text) ? BigInt(text) : Number(text),
  )
  for (const rule of RULES) {
    const expected = (expect as Readonly<Record<Binning, unknown>>)[rule]
    if (expected === undefined) continue
    const bins = latencies.map((latency) => {
      const whole = wholeLatency(latency, rule)
      return whole === undefined ? 'invalid_latency' : binOf(whole, rule)
    })
    same(rule, bins, expected)
    checkCounted(latencies, bins, rule)
  }
}

/** A recorder counts each value in the same bin, and each refused one apart. */
function checkCounted(
  latencies: readonly (number | bigint)[],
  bins: readonly (number | string)[],
  rule: Binning,
): void {
  for (const [i, latency] of latencies.entries()) {
    const window = new LatencyWindow(rule)
    const bin = bins[i]!
    same('recorded', window.record(latency), typeof bin === 'number')
    same('window', sparse(window.bins), typeof bin === 'number' ? { [bin]: '1' } : {})
  }
}

function fromHex(text: string): Uint8Array {
  return Buffer.from(text, 'hex')
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
