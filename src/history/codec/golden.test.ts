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
type Golden = Readonly<Record<string, string>>

function goldenOf(file: string): Golden {
  return JSON.parse(readFileSync(new URL(`vectors/${file}`, import.meta.url), 'utf8'))
}

/** Chunks as they are written, and of version 1, which are only read. */
const [golden, golden1] = [goldenOf('history-chunks.json'), goldenOf('history-chunks-1.json')]

const names1 = Object.keys(golden1).filter((name) => name !== 'bundle')

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

/** Minutes of a gauge of which five values each are known; in every third the last is the least. */
function minutesOf(values: readonly number[]): Block {
  const minutes = Array.from({ length: values.length / 5 }, (_, i) => {
    const all = values.slice(5 * i, 5 * i + 5)
    return i % 3 === 0 ? [...all, Math.min(...all)] : all
  })
  return {
    kind: 'gauge',
    places: placesOf(minutes),
    values: Float64Array.from(minutes, (all) => all.at(-1)!),
    wide: none,
    spreads: {
      rows: placesOf(minutes),
      first: Float64Array.from(minutes, (all) => all[0]!),
      firstAt: Float64Array.from(minutes, (_, i) => i * 60_000 + 1000),
      min: Float64Array.from(minutes, (all) => Math.min(...all)),
      max: Float64Array.from(minutes, (all) => Math.max(...all)),
      count: Float64Array.from(minutes, (all) => all.length),
    },
  }
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
  'gauge of shares': gaugeOf(numbers(120, 9000).map((n) => n / (n + 50 + (n % 77)))),
  'gauge of few shares': gaugeOf(numbers(120, 20).map((n) => n / (n + 7))),
  'gauge of decimals in minutes': minutesOf(numbers(200, 3000).map((n) => n / 100)),
  'gauge of doubles in minutes': minutesOf(numbers(200, 3000).map((n) => Math.sqrt(n + 2))),
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
        for (const written of name in golden1 ? [hex, golden1[name]!] : [hex]) {
          const back = codec.decode(block.kind, Buffer.from(written, 'hex'))
          assert.deepEqual(blockFacts(back), facts)
        }
      }
    })
  }

  test('a bundle is what it was', () => {
    const bundle1 = new Bundle(Buffer.from(golden1.bundle ?? '', 'hex'))
    for (const [i, name] of names1.entries()) {
      const chunk = Buffer.from(bundle1.chunk(3 + i * 100)!).toString('hex')
      assert.equal(chunk, golden1[name], 'version 1')
    }
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
    for (const name of names1) assert.ok(name in blocks, name)
  })
})
