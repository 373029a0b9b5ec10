/**
 * Expositions under generated and mutated answers: decoding is the same wherever the bytes are cut,
 * what was read is written and read again, and whatever comes, once or twice in a row, leaves no
 * total that is odd, and is all or nothing.
 */
import assert from 'node:assert/strict'
import { forEachPiece } from '../../../../test/fuzz/engine/bytes.ts'
import type { Random } from '../../../../test/fuzz/engine/random.ts'
import { anyText, double } from '../../../../test/fuzz/engine/values.ts'
import type { FuzzTarget } from '../../../../test/fuzz/target.ts'
import { ModelIngest } from '../../../../test/support/model-ingest.ts'
import { fromHex } from '../../../model/index.ts'
import { runNow } from '../../../time/task.ts'
import { NO_REPORTS } from '../../endpoints.ts'
import { defaultsOf } from '../../options.ts'
import { scrapeTarget } from '../client/address.ts'
import { Receiver } from '../client/receiver.ts'
import { formatOfBytes } from '../codec/formats.ts'
import { createDecoder, encodeScraping, type MetricFamily, type ReadSample } from '../codec.ts'
import { OPTIONS } from '../options.ts'
import { ERROR_CODES } from '../spec.ts'
import { KINDS, PROTOBUF } from './samples.ts'

const CODES: ReadonlySet<string> = new Set(ERROR_CODES)
const PEER = { transport: 'tcp', address: '127.0.0.1', port: 9100 } as const
const MODEL_ONCE_IN = 4
const NOW_MS = 1_700_000_060_000
/** Native histogram of schema 0 with a zero bucket and buckets of both signs. */
const NATIVE = fromHex(
  '3c0a016e1200180422333a310809110000000000003440280031fca9f1d24d62503f38014a040800' +
    '10015201046204080210016204080210016a020208',
)

const textTarget: FuzzTarget = {
  name: 'scraping',
  seeds: () => [
    ...encodeScraping(KINDS),
    new TextEncoder().encode('# TYPE a gauge\na{b="c"} 1 5\n'),
  ],

  generate(random) {
    const [bytes] = encodeScraping(makeFamilies(random))
    return { bytes: bytes!, check: () => assert.deepEqual(decode([bytes!]).codes, []) }
  },

  run(bytes, random) {
    const whole = decode([bytes])
    for (const code of whole.codes) assert.ok(CODES.has(code), code)
    const pieces: Uint8Array[] = []
    forEachPiece(random, bytes, (piece) => pieces.push(piece.slice()))
    assert.deepEqual(decode(pieces), whole)
    checkWritten(whole.messages, whole.messages)
    if (random.isOnceIn(MODEL_ONCE_IN)) checkModel(bytes)
  },

  canary: {
    fault: 'the last sample of an answer is left out',
    run(bytes) {
      const { messages } = decode([bytes])
      const last = messages.at(-1)
      if (last === undefined) return
      checkWritten(
        [...messages.slice(0, -1), { ...last, samples: last.samples.slice(0, -1) }],
        messages,
      )
    },
  },
}

const protobufTarget: FuzzTarget = {
  name: 'scraping-protobuf',
  seeds: () => [PROTOBUF, NATIVE],

  generate(random) {
    const bytes = Buffer.concat(Array.from({ length: 1 + random.below(3) }, () => PROTOBUF))
    return { bytes, check: () => assert.deepEqual(decode([bytes]).codes, []) }
  },

  run(bytes, random) {
    const whole = decode([bytes])
    for (const code of whole.codes) assert.ok(CODES.has(code), code)
    if (random.isOnceIn(MODEL_ONCE_IN)) checkModel(bytes)
  },

  canary: {
    fault: 'the last byte of an answer is lost',
    run: (bytes) => {
      const { messages } = decode([bytes])
      assert.deepEqual(decode([bytes.subarray(0, -1)]).messages, messages)
    },
  },
}

export const targets: readonly FuzzTarget[] = [textTarget, protobufTarget]

function decode(pieces: readonly Uint8Array[]): { messages: MetricFamily[]; codes: string[] } {
  const decoder = createDecoder()
  for (const piece of pieces) decoder.push(piece)
  decoder.end()
  const messages = decoder.messages as MetricFamily[]
  return { messages, codes: decoder.errors.map(({ code }) => code) }
}

/** Holds what was read against what is read of it once written, as far as text can say it. */
function checkWritten(messages: readonly MetricFamily[], wanted: readonly MetricFamily[]): void {
  const isText = wanted.every(({ samples }) => {
    return samples.every(
      ({ histogram, createdMs }) => histogram === undefined && createdMs === undefined,
    )
  })
  if (!isText) return
  const written = decode(encodeScraping(messages))
  assert.deepEqual(samplesOf(written.messages), samplesOf(wanted))
}

function samplesOf(messages: readonly MetricFamily[]): readonly ReadSample[] {
  return messages.flatMap(({ samples }) => samples)
}

function makeFamilies(random: Random): MetricFamily[] {
  return Array.from({ length: 1 + random.below(4) }, (_, i) => {
    const name = `m${i}${anyText(random).replaceAll('\0', '')}`.toWellFormed()
    const samples = Array.from({ length: random.below(4) }, (): ReadSample => {
      const value = double(random)
      const label = `l${anyText(random)}`.toWellFormed()
      return {
        name,
        labels: random.isOnceIn(2) ? {} : { [label]: `v${anyText(random)}`.toWellFormed() },
        value: Number.isFinite(value) ? value + 0 : Number.isNaN(value) ? 'NaN' : '+Inf',
        ...(random.isOnceIn(3) ? { timeMs: NOW_MS + random.below(1000) } : {}),
      }
    })
    return { name, type: random.isOnceIn(2) ? 'counter' : 'gauge', samples }
  })
}

/** Feeds an answer three times: nothing may be counted of what did not grow. */
function checkModel(bytes: Uint8Array): void {
  const ingest = new ModelIngest()
  const options = defaultsOf(OPTIONS)
  const url = 'prometheus+http://127.0.0.1:9100'
  const target = scrapeTarget({ transport: 'tcp', host: '127.0.0.1', port: 9100, url }, options)!
  const limits = { bytesLimit: 2 ** 20, samplesLimit: 10_000, labelsLimit: 64 }
  const parts = { target, ingest, reports: NO_REPORTS, peer: PEER, sinceMs: NOW_MS, ...limits }
  const receiver = new Receiver(parts)
  const format = formatOfBytes(bytes)
  const totals: unknown[] = []
  for (let i = 0; i < 3; i++) {
    const { failure } = runNow(receiver.take(bytes, format, NOW_MS + 1000 * i))
    if (failure !== undefined) assert.equal(ingest.series.length, 0)
    totals.push(
      ingest.series.map(({ total, histogram, summary }) => {
        return [total, histogram.count, summary.count]
      }),
    )
  }
  assert.deepEqual(totals[2], totals[1])
  receiver.lose()
  for (const { identity, total } of ingest.series) {
    if (identity.kind === 'counter') assert.ok(total >= 0, String(total))
  }
}
