/**
 * The format as files have it: chunks that were written once are read for ever, and what is written
 * now is what was. A change here is a new version of bundles, with a reader for the old one.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { blockFacts } from '../../../test/support/history-blocks.ts'
import { addToSummary, EMPTY_SUMMARY, Histogram } from '../../model/index.ts'
import { quickCodec } from '../quick/quick-coder.ts'
import { type Block, Bundle, encodeBundle, scriptCodec } from './index.ts'

/** Bytes by the name of their block, in hexadecimal; `bundle` holds the others in their order. */
const golden: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('vectors/history-chunks.json', import.meta.url), 'utf8'),
)

const wide = new Map([[2, 2n ** 63n + 5n]])
const none: ReadonlyMap<number, bigint> = new Map()

/** Whole numbers that look random and are the same everywhere: x = 75 x + 74 mod 65,537. */
function numbers(count: number, below: number): number[] {
  let x = 1
  return Array.from({ length: count }, () => {
    x = (75 * x + 74) % 65_537
    return x % below
  })
}

function placesOf(list: readonly unknown[]): Uint32Array {
  return Uint32Array.from(list.keys())
}

function gaugeOf(values: readonly number[]): Block {
  return { kind: 'gauge', places: placesOf(values), values: Float64Array.from(values), wide: none }
}

function histogramOf(values: readonly number[], bounds?: readonly number[]): Histogram {
  const histogram = new Histogram(3)
  if (bounds !== undefined) histogram.bounds = bounds
  for (const value of values) histogram.record(value)
  return histogram
}

function histogramsOf(cells: readonly Histogram[]): Block {
  return { kind: 'histogram', places: placesOf(cells), cells }
}

const spread = { first: 4, firstAt: 120, min: 3.5, max: 9, count: 7 }
const column = (value: number) => Float64Array.of(value)
const huge = histogramOf([1, 2])
huge.addBucket(5, 2n ** 63n)

const blocks: Readonly<Record<string, Block>> = {
  'counter of one cell': {
    kind: 'counter',
    places: Uint32Array.of(299),
    values: column(42),
    wide: none,
  },
  'counter with gaps': {
    kind: 'counter',
    places: Uint32Array.of(0, 1, 2, 60, 61, 299),
    values: Float64Array.of(1, 1, 2, 5, 3, 1),
    wide: none,
  },
  'counter beyond 2^53': {
    kind: 'counter',
    places: Uint32Array.of(3, 4, 5, 9),
    values: Float64Array.of(1, 0.5, 2 ** 63, 8),
    wide,
  },
  'gauge at rest': gaugeOf(new Array(300).fill(21.5)),
  'gauge of decimals': gaugeOf(numbers(120, 4000).map((n) => n / 100)),
  'gauge of pages': gaugeOf(numbers(120, 900).map((n) => n * 4096 + 100)),
  'gauge of few values': gaugeOf(numbers(120, 5).map((n) => n / 7)),
  'gauge of a binary step': gaugeOf(numbers(60, 65_536).map((n) => n / 65_536)),
  'gauge of doubles': gaugeOf(numbers(60, 999).map((n) => Math.sqrt(n + 2))),
  'gauge of odd values': gaugeOf([1, Number.NaN, -0, Infinity, -Infinity, 2]),
  'gauge with a spread': {
    kind: 'gauge',
    places: Uint32Array.of(7, 8),
    values: Float64Array.of(5.25, 6),
    wide: none,
    at: Float64Array.of(7998, 8500),
    spreads: {
      rows: Uint32Array.of(1),
      first: column(spread.first),
      firstAt: column(spread.firstAt),
      min: column(spread.min),
      max: column(spread.max),
      count: column(spread.count),
    },
  },
  'histogram of whole numbers': histogramsOf(
    Array.from({ length: 20 }, (_, i) => histogramOf(numbers(30 + i, 900 + i))),
  ),
  'histogram of both signs and decimals': histogramsOf([
    histogramOf([-1.5, 0, 0, 2.25, 900]),
    histogramOf([]),
    histogramOf([-2]),
  ]),
  'histogram of bounds': histogramsOf([histogramOf([1, 5, 70, 2000], [1, 10, 100])]),
  'histogram beyond 2^50': histogramsOf([huge]),
  'summary of whole numbers': {
    kind: 'summary',
    places: placesOf(numbers(20, 2)),
    cells: Array.from({ length: 20 }, (_, i) => {
      return numbers(12 + i, 400).reduce(addToSummary, EMPTY_SUMMARY)
    }),
  },
  'summary of anything': {
    kind: 'summary',
    places: Uint32Array.of(0),
    cells: [{ count: 3, mean: Math.PI, squares: Math.E, min: -0.1, max: 1e300 }],
  },
}

suite('the format of history', () => {
  for (const [name, block] of Object.entries(blocks)) {
    test(`${name} is what it was`, () => {
      const hex = golden[name] ?? ''
      const facts = blockFacts(block)
      for (const codec of [scriptCodec(), quickCodec()]) {
        assert.equal(Buffer.from(codec.encode(block)).toString('hex'), hex)
        const back = codec.decode(block.kind, Buffer.from(hex, 'hex'))
        assert.deepEqual(blockFacts(back), facts)
      }
    })
  }

  test('a bundle is what it was', () => {
    const chunks = Object.values(blocks).map((block, i) => {
      return { slot: 3 + i * 100, bytes: scriptCodec().encode(block) }
    })
    const hex = Buffer.from(encodeBundle(60, chunks)).toString('hex')
    assert.equal(hex, golden.bundle)
    const bundle = new Bundle(Buffer.from(golden.bundle ?? '', 'hex'))
    assert.equal(bundle.resolution, 60)
    for (const { slot, bytes } of chunks) {
      assert.equal(
        Buffer.from(bundle.chunk(slot)!).toString('hex'),
        Buffer.from(bytes).toString('hex'),
      )
    }
  })

  test('every block of the list has its bytes, and no other has', () => {
    assert.deepEqual(Object.keys(golden), [...Object.keys(blocks), 'bundle'])
  })
})
