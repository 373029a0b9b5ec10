import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { crc32 as zlibCrc32 } from 'node:zlib'
import fc from 'fast-check'
import {
  anyBlock,
  blockFacts,
  histogramBlocks,
  numberColumns,
} from '../../../test/support/history-blocks.ts'
import { holds } from '../../../test/support/property.ts'
import { addToSummary, EMPTY_SUMMARY, Histogram, mergeSummaries } from '../../model/index.ts'
import { DecodeError } from '../../wire/index.ts'
import { crc32 } from './crc32.ts'
import {
  type Block,
  Bundle,
  CODEC_FAULTS,
  encodeBundle,
  type GaugeBlock,
  PLACES_LIMIT,
  scriptCodec,
} from './index.ts'

const codec = scriptCodec()
const NOTHING: ReadonlyMap<number, bigint> = new Map()

function back(block: Block): Block {
  return codec.decode(block.kind, codec.encode(block))
}

function gauge(values: readonly number[]): GaugeBlock {
  const places = Uint32Array.from(values.keys())
  return { kind: 'gauge', places, values: Float64Array.from(values), wide: NOTHING }
}

function size(block: Block): number {
  return codec.encode(block).length
}

suite('a chunk', () => {
  test('gives back every block as it was, to the last bit', () => {
    holds(
      fc.property(anyBlock, (block) => {
        assert.deepEqual(blockFacts(back(block)), blockFacts(block))
      }),
      1000,
    )
  })

  test('gives back columns of every make, bit for bit', () => {
    holds(
      fc.property(numberColumns, (values) => {
        const found = back(gauge(values)) as GaugeBlock
        for (const [i, value] of values.entries()) {
          assert.ok(Object.is(found.values[i], value), `${found.values[i]} instead of ${value}`)
        }
      }),
      1000,
    )
  })

  test('gives back histograms that were merged, scaled down, or have bounds of their own', () => {
    holds(
      fc.property(histogramBlocks, (block) => {
        assert.deepEqual(blockFacts(back(block)), blockFacts(block))
      }),
      500,
    )
  })

  test('is the same whatever was said and read before it', () => {
    holds(
      fc.property(anyBlock, anyBlock, (first, second) => {
        const alone = codec.encode(second)
        codec.decode(first.kind, codec.encode(first))
        assert.deepEqual(codec.encode(second), alone)
        assert.deepEqual(codec.encode(codec.decode(second.kind, alone)), alone)
      }),
    )
  })

  test('of a window takes what only its longest row of places needs', () => {
    const places = Uint32Array.from({ length: PLACES_LIMIT }, (_, i) => i)
    const values = new Float64Array(PLACES_LIMIT).fill(7)
    assert.ok(size({ kind: 'counter', places, values, wide: NOTHING }) < 10)
    const odd = gauge([1, Number.NaN, -0, Number.NEGATIVE_INFINITY, 2 ** 60, 5e-324, 0.1])
    assert.deepEqual(blockFacts(back(odd)), blockFacts(odd))
  })

  test('keeps as many digits as it is asked to, where bits would cost more', () => {
    const values = Array.from({ length: 300 }, (_, i) => Math.sin(i * 7) * 50)
    const block = gauge(values)
    const short = codec.encode(block, { digits: 12 })
    assert.ok(short.length < codec.encode(block).length * 0.85)
    const found = codec.decode('gauge', short)
    for (const [i, value] of values.entries()) {
      assert.equal(found.values[i], Number(value.toPrecision(12)))
    }
    const decimals = gauge(values.map((value) => Math.round(value * 1000) / 1000))
    assert.deepEqual(codec.encode(decimals, { digits: 2 }), codec.encode(decimals))
  })

  test('of a block that no reader would take is refused', () => {
    const none = { kind: 'counter', values: new Float64Array(1), wide: NOTHING } as const
    assert.throws(() => codec.encode({ ...none, places: new Uint32Array(0) }), RangeError)
    assert.throws(() => codec.encode({ ...none, places: Uint32Array.of(4096) }), /limit 4096/)
    assert.throws(() => codec.encode({ ...none, places: Uint32Array.of(5, 5) }), /out of order/)
    const wide = new Histogram()
    wide.bounds = Array.from({ length: 5000 }, (_, i) => i)
    const places = Uint32Array.of(0)
    assert.throws(() => codec.encode({ kind: 'histogram', places, cells: [wide] }), /4095/)
    wide.bounds = undefined
    wide.positive.counts = new BigUint64Array(2_100_000)
    assert.throws(() => codec.encode({ kind: 'histogram', places, cells: [wide] }), /buckets/)
  })
})

suite('bytes that are no chunk', () => {
  const seen = new Set<string>()

  function read(kind: Block['kind'], bytes: Uint8Array): void {
    try {
      const block = codec.decode(kind, bytes)
      assert.ok(block.places.length >= 1 && block.places.length <= PLACES_LIMIT)
      const rows = block.kind === 'counter' || block.kind === 'gauge' ? block.values : block.cells
      assert.equal(rows.length, block.places.length)
    } catch (error) {
      assert.ok(error instanceof DecodeError, String(error))
      assert.ok((CODEC_FAULTS as readonly string[]).includes(error.code), error.code)
      assert.equal(error.dialect, 'history')
      assert.ok(error.offset <= bytes.length)
      seen.add(error.code)
    }
  }

  test('are read as a block, or refused with a code of the set', () => {
    const kind = fc.constantFrom(...(['counter', 'gauge', 'histogram', 'summary'] as const))
    holds(fc.property(kind, fc.uint8Array({ maxLength: 60 }), read), 2000)
    // a layout that is wrong is too rare among random bytes to be asked of each run
    for (const code of ['chunk_kind', 'chunk_places', 'chunk_value']) {
      assert.ok(seen.has(code), code)
    }
  })

  test('with a bit changed likewise', () => {
    holds(
      fc.property(anyBlock, fc.nat(), fc.nat(7), (block, at, bit) => {
        const bytes = codec.encode(block)
        bytes[at % bytes.length]! ^= 1 << bit
        read(block.kind, bytes)
        read(block.kind, bytes.subarray(0, at % bytes.length))
      }),
      1000,
    )
  })
})

suite('a bundle', () => {
  const chunk = fc.uint8Array({ maxLength: 40 })
  const chunks = fc.uniqueArray(fc.tuple(fc.nat(0xffff_ffff), chunk), {
    selector: ([slot]) => slot,
    maxLength: 130,
  })

  test('gives each chunk by its slot, and none for others', () => {
    holds(
      fc.property(chunks, fc.constantFrom(1, 60, 3600), fc.nat(), (list, resolution, other) => {
        const sorted = list.sort(([a], [b]) => a - b).map(([slot, bytes]) => ({ slot, bytes }))
        const bundle = new Bundle(encodeBundle(resolution, sorted))
        assert.equal(bundle.resolution, resolution)
        assert.deepEqual(
          [...bundle.slots],
          sorted.map(({ slot }) => slot),
        )
        for (const { slot, bytes } of sorted) assert.deepEqual(bundle.chunk(slot), bytes)
        const isThere = sorted.some(({ slot }) => slot === other)
        if (!isThere) assert.equal(bundle.chunk(other), undefined)
      }),
    )
  })

  test('with any bit changed, or cut anywhere, never gives other bytes', () => {
    holds(
      fc.property(chunks, fc.nat(), fc.nat(7), (list, at, bit) => {
        const sorted = list.sort(([a], [b]) => a - b).map(([slot, bytes]) => ({ slot, bytes }))
        const whole = encodeBundle(60, sorted)
        const broken = whole.slice()
        broken[at % whole.length]! ^= 1 << bit
        for (const bytes of [broken, whole.subarray(0, at % whole.length)]) {
          try {
            const bundle = new Bundle(bytes)
            for (const each of sorted) assert.deepEqual(bundle.chunk(each.slot), each.bytes)
            assert.fail('nothing was noticed')
          } catch (error) {
            assert.ok(error instanceof DecodeError, String(error))
          }
        }
      }),
    )
  })

  test('of slots that do not rise is refused', () => {
    const bytes = new Uint8Array(1)
    const twice = [
      { slot: 3, bytes },
      { slot: 3, bytes },
    ]
    assert.throws(() => encodeBundle(1, twice), /slot 3 is out of order/)
  })

  test('has the checksum of zlib', () => {
    holds(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        assert.equal(crc32(bytes), zlibCrc32(bytes))
      }),
    )
  })
})

suite('summaries of whole numbers', () => {
  test('take few bytes a cell, however they were added up', () => {
    const cells = Array.from({ length: 300 }, (_, i) => {
      const half = (from: number) => {
        let summary = EMPTY_SUMMARY
        for (let k = 0; k < 20 + (i % 7); k++) {
          summary = addToSummary(summary, 100 + ((i * 31 + (k + from) * 17) % 90))
        }
        return summary
      }
      return mergeSummaries(half(0), half(40))
    })
    const places = Uint32Array.from(cells.keys())
    assert.ok(size({ kind: 'summary', places, cells }) < 300 * 9)
  })
})
