/**
 * Federation under generated and mutated streams: the same is read wherever it is cut, what was
 * read is written and read again, histograms that pass the check are read without harm, and what a
 * grammar made whole is whole.
 */
import assert from 'node:assert/strict'
import { forEachPiece } from '../../../../test/fuzz/engine/bytes.ts'
import type { Random } from '../../../../test/fuzz/engine/random.ts'
import { anyText, double } from '../../../../test/fuzz/engine/values.ts'
import type { FuzzTarget } from '../../../../test/fuzz/target.ts'
import { fromHex, Histogram, toHex } from '../../../model/index.ts'
import { packHistogram, unpackHistogram } from '../../../model/packed/packed-histogram.ts'
import { createDecoder, encodeFederation, type FederationMessage } from '../codec.ts'
import { ERROR_CODES } from '../spec.ts'
import { MESSAGES } from './samples.ts'

const CODES: ReadonlySet<string> = new Set(ERROR_CODES)

const target: FuzzTarget = {
  name: 'federation',
  seeds: () => [Buffer.concat(encodeFederation(MESSAGES)), ...encodeFederation(MESSAGES)],

  generate(random) {
    const messages = makeMessages(random)
    const bytes = Buffer.concat(encodeFederation(messages))
    return { bytes, check: () => assert.deepEqual(readAll([bytes]), [messages, []]) }
  },

  run(bytes, random) {
    const pieces: Uint8Array[] = []
    forEachPiece(random, bytes, (piece) => pieces.push(piece.slice()))
    const [messages, codes] = readAll([bytes])
    assert.deepEqual(readAll(pieces), [messages, codes])
    for (const code of codes) assert.ok(CODES.has(code), code)
    for (const message of messages) {
      checkHistograms(message)
      if (isSaid(message)) assert.deepEqual(readAll(encodeFederation([message])), [[message], []])
    }
  },

  canary: {
    fault: 'the last byte is lost',
    run: (bytes) => assert.deepEqual(readAll([bytes.subarray(0, -1)]), readAll([bytes])),
  },
}

export const targets: readonly FuzzTarget[] = [target]

function readAll(pieces: readonly Uint8Array[]): [FederationMessage[], string[]] {
  const decoder = createDecoder()
  for (const piece of pieces) decoder.push(piece)
  decoder.end()
  return [decoder.messages as FederationMessage[], decoder.errors.map(({ code }) => code)]
}

/** Tells whether a message is written as it was read: -0 and a key twice in JSON are not. */
function isSaid({ type, version }: FederationMessage): boolean {
  return type !== 'hello' || version === 1
}

/** Merges what passed the check: it must be a histogram that can be merged and asked. */
function checkHistograms({ type, cells }: FederationMessage): void {
  if (type !== 'histograms') return
  const sum = new Histogram()
  for (const cell of cells as readonly string[]) {
    const histogram = unpackHistogram(fromHex(cell))
    if (histogram.bounds !== undefined) continue
    sum.mergeFrom(histogram)
    assert.ok(sum.count > 0n && !Number.isNaN(sum.scale))
    assert.ok(sum.positive.counts.length <= 4096)
  }
}

function makeMessages(random: Random): FederationMessage[] {
  return Array.from({ length: 1 + random.below(5) }, (): FederationMessage => {
    const refs = Array.from({ length: random.below(4) }, () => random.below(2 ** 32))
    switch (random.pick(['gone', 'counters', 'gauges', 'histograms', 'series', 'end'] as const)) {
      case 'gone':
        return { type: 'gone', refs }
      case 'counters':
        return { type: 'counters', refs, cells: refs.map(() => random.below(1e6) / 4) }
      case 'gauges': {
        const cells = refs.map(() => random.below(1e6) - 5e5)
        return { type: 'gauges', refs, cells, spreads: [] }
      }
      case 'histograms':
        return { type: 'histograms', refs, cells: refs.map(() => histogramOf(random)) }
      case 'series':
        return { type: 'series', series: refs.map((ref) => seriesOf(ref, random)) }
      default: {
        const [sequence, endMs] = [random.below(1e9), random.below(1e12)]
        return { type: 'end', sequence, endMs, seconds: 1 + random.below(9), nowMs: endMs + 3 }
      }
    }
  })
}

function histogramOf(random: Random): string {
  const histogram = new Histogram()
  histogram.record(1)
  for (let left = random.below(5); left > 0; left--) histogram.record(double(random))
  return toHex(packHistogram(histogram))
}

function seriesOf(ref: number, random: Random): unknown {
  const name = anyText(random).toWellFormed()
  const labels = random.isOnceIn(2) ? [[name, anyText(random).toWellFormed()]] : []
  const identity = { name, kind: random.pick(['counter', 'gauge'] as const), labels }
  return { ref, form: random.below(64), identity, metadata: { dialect: 'scope' } }
}
