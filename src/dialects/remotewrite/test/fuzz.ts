/**
 * Remote write under generated and mutated requests: the scan of samples reads what the table of
 * messages reads, decoding is the same wherever the bytes are cut, what was read is written and
 * read again, and whatever comes leaves no NaN and no fall of a counter in the model.
 */
import assert from 'node:assert/strict'
import { forEachPiece } from '../../../../test/fuzz/engine/bytes.ts'
import type { Random } from '../../../../test/fuzz/engine/random.ts'
import { anyText, double } from '../../../../test/fuzz/engine/values.ts'
import type { FuzzTarget } from '../../../../test/fuzz/target.ts'
import { ModelIngest } from '../../../../test/support/model-ingest.ts'
import { runNow } from '../../../hub/tasks/task.ts'
import { NO_REPORTS } from '../../endpoints.ts'
import { openingRequest } from '../codec/request-scan.ts'
import { readLabels, SeriesScan } from '../codec/series-scan.ts'
import { packSnappy, unpackSnappy } from '../codec/snappy.ts'
import { createDecoder, encodeRemoteWrite } from '../codec.ts'
import { Families } from '../hub/families.ts'
import { Receiver, type Taken } from '../hub/receiver.ts'
import { Streams } from '../hub/streams.ts'
import { ERROR_CODES, UNPACKED_BYTES_LIMIT, type Version } from '../spec.ts'
import {
  type Json,
  KINDS,
  labels,
  METADATA,
  NATIVE,
  request2Of,
  requestOf,
  spelledOut,
  TIME_MS,
} from './requests.ts'

const CODES: ReadonlySet<string> = new Set(ERROR_CODES)
const PEER = { transport: 'tcp', address: '127.0.0.1', port: 4000 } as const
const MODEL_ONCE_IN = 8

/** Requests as they are sent. */
const packed: FuzzTarget = {
  name: 'remotewrite',
  seeds: () => encodeRemoteWrite([requestOf(KINDS, METADATA), request2Of(KINDS)]),

  generate(random) {
    const [bytes] = encodeRemoteWrite([requestOf(makeSeries(random), METADATA)])
    return { bytes: bytes!, check: () => assert.deepEqual(decode([bytes!]).codes, []) }
  },

  run(bytes, random) {
    const whole = decode([bytes])
    for (const code of whole.codes) assert.ok(CODES.has(code), code)
    const pieces: Uint8Array[] = []
    forEachPiece(random, bytes, (piece) => pieces.push(piece.slice()))
    assert.deepEqual(decode(pieces), whole)
    const unpacked = unpackSnappy(bytes, UNPACKED_BYTES_LIMIT)
    if (typeof unpacked === 'string') assert.ok(whole.codes.length > 0 || bytes.length === 0)
    else
      assert.deepEqual(unpackSnappy(packSnappy(unpacked.bytes), 2 ** 24), repacked(unpacked.bytes))
  },

  canary: {
    fault: 'the last byte of a block is lost',
    run: (bytes) => {
      const unpacked = unpackSnappy(bytes, UNPACKED_BYTES_LIMIT)
      if (typeof unpacked === 'string' || unpacked.bytes.length === 0) return
      const cut = unpacked.bytes.slice(0, -1)
      assert.deepEqual(unpackSnappy(packSnappy(cut), 2 ** 24), repacked(unpacked.bytes))
    },
  },
}

function repacked(bytes: Uint8Array): unknown {
  return { bytes, end: packSnappy(bytes).length }
}

/** Requests of one version, once unpacked. */
function unpackedTarget(
  version: Version,
  name: string,
  requestOfSeries: (timeseries: readonly Json[]) => Json,
): FuzzTarget {
  const bytesOf = (timeseries: readonly Json[]): Uint8Array => {
    return unpack(encodeRemoteWrite([requestOfSeries(timeseries)])[0]!)
  }
  return {
    name,
    seeds: () => [bytesOf(KINDS)],

    generate(random) {
      const bytes = bytesOf(makeSeries(random))
      return { bytes, check: () => assert.deepEqual(decode([packSnappy(bytes)]).codes, []) }
    },

    run(bytes, random) {
      const { messages } = decode([packSnappy(bytes)])
      const spoken = messages.filter(({ timeseries, metadata, symbols }) => {
        return timeseries ?? metadata ?? symbols
      })
      assert.deepEqual(decode(encodeRemoteWrite(spoken)).messages, spoken)
      checkScan(bytes, version, scanned(bytes, version))
      if (random.isOnceIn(MODEL_ONCE_IN)) checkModel(bytes, version)
    },

    canary: {
      fault: 'the last sample is left out',
      run: (bytes) => checkScan(bytes, version, scanned(bytes, version)?.slice(0, -1)),
    },
  }
}

export const targets: readonly FuzzTarget[] = [
  packed,
  unpackedTarget(1, 'remotewrite-request', (series) => requestOf(series, METADATA)),
  unpackedTarget(2, 'remotewrite-request-2', request2Of),
]

function unpack(bytes: Uint8Array): Uint8Array {
  const unpacked = unpackSnappy(bytes, UNPACKED_BYTES_LIMIT)
  assert.ok(typeof unpacked !== 'string')
  return unpacked.bytes
}

function decode(pieces: readonly Uint8Array[]): { messages: Json[]; codes: string[] } {
  const decoder = createDecoder()
  for (const piece of pieces) decoder.push(piece)
  decoder.end()
  return { messages: decoder.messages as Json[], codes: decoder.errors.map(({ code }) => code) }
}

function makeSeries(random: Random): Json[] {
  return Array.from({ length: 1 + random.below(4) }, () => {
    const samples = Array.from({ length: random.below(3) }, () => {
      const value = double(random)
      const timestamp = String(TIME_MS + random.below(1000))
      return { value: Number.isFinite(value) ? value : String(value), timestamp }
    })
    const histograms = random.isOnceIn(3) ? [NATIVE] : []
    return { labels: labels(anyText(random), { [anyText(random)]: 'v' }), samples, histograms }
  })
}

type Seen = readonly unknown[]

/** Lists the samples that the scan finds; undefined where the request is broken. */
function scanned(bytes: Uint8Array, version: Version): Seen[] | undefined {
  const opened = runNow(openingRequest(bytes, version, () => {}))
  if (typeof opened === 'string') return undefined
  const scan = new SeriesScan(opened)
  const seen: Seen[] = []
  while (scan.next()) {
    const pairs = scan.problem ?? readLabels(scan)
    assert.ok(scan.said() === undefined || version === 2)
    const histograms: Seen[] = []
    let count = 0
    while (scan.nextPoint()) {
      count++
      if (scan.isHistogram) histograms.push([pairs, 'histogram'])
      else if (scan.readSample()) seen.push([pairs, String(scan.value), scan.timeMs])
      else seen.push([pairs, 'bad_sample'])
    }
    assert.equal(count, scan.pointCount)
    seen.push(...histograms)
  }
  return seen
}

// biome-ignore lint/suspicious/noExplicitAny: messages of a table have any shape
type Loose = Record<string, any>

/** Holds the scan against the table of messages, where that can read the request, too. */
function checkScan(bytes: Uint8Array, version: Version, seen: readonly Seen[] | undefined): void {
  const { messages, codes } = decode([packSnappy(bytes)])
  if (codes.length > 0 || seen === undefined) return
  // the first field decides what the table reads
  if (messages.some(({ symbols }) => (symbols !== undefined) !== (version === 2))) return
  const wanted = messages.flatMap((message) => spelledOut(message).flatMap(tableSamples))
  assert.equal(seen.length, wanted.length)
  for (const [i, [pairs, ...values]] of seen.entries()) {
    const [wantedPairs, ...wantedValues] = wanted[i]!
    if (typeof pairs !== 'string') assert.deepEqual(pairs, wantedPairs)
    if (values[0] !== 'bad_sample') assert.deepEqual(values, wantedValues)
  }
}

function tableSamples({ labels: all = [], samples = [], histograms = [] }: Loose): Seen[] {
  const pairs = (all as Loose[]).map(({ name = '', value = '' }) => [name, value])
  const rows = (samples as Loose[]).map(({ value = 0, timestamp = '0' }): Seen => {
    return [pairs, String(Number(value)), Number(timestamp)]
  })
  return [...rows, ...(histograms as Loose[]).map((): Seen => [pairs, 'histogram'])]
}

/** Feeds a request twice: nothing of it may be counted twice, and no total may be odd. */
function checkModel(bytes: Uint8Array, version: Version): void {
  const ingest = new ModelIngest()
  const families = new Families()
  const opened = runNow(openingRequest(bytes, version, (said) => void families.take(said)))
  if (typeof opened === 'string') return
  const streams = new Streams(64, families, 0)
  const parts = { ingest, families, streams, reports: NO_REPORTS }
  const receiver = new Receiver({ ...parts, nowMs: () => TIME_MS })
  for (let i = 0; i < 2; i++) {
    const { accepted, rejected }: Taken = runNow(receiver.take(opened, PEER))
    assert.ok(accepted >= 0 && rejected >= 0)
  }
  for (const series of ingest.series) {
    if (series.identity.kind === 'counter') assert.ok(series.total >= 0, String(series.total))
  }
}
