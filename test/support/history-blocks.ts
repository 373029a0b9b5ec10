/** Blocks of every make, for properties of the codec; and what of a block has to come back. */
import fc from 'fast-check'
import type {
  Block,
  CounterBlock,
  GaugeBlock,
  HistogramBlock,
  SummaryBlock,
} from '../../src/history/codec/index.ts'
import {
  addToSummary,
  EMPTY_SUMMARY,
  type Exact,
  exact,
  Histogram,
  type Summary,
} from '../../src/model/index.ts'

const whole = fc.oneof(
  fc.integer({ min: -3, max: 20 }),
  fc.integer({ min: -1_000_000, max: 1_000_000 }),
  fc.maxSafeInteger(),
  fc.constantFrom(2 ** 49, 2 ** 50, 2 ** 50 - 1, -(2 ** 50), 2 ** 53 - 1),
)
const decimal = fc.tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.nat(8)).map(([n, k]) => {
  return n === 0 ? 0 : n / 10 ** k
})
const anyNumber = fc.oneof(whole, decimal, fc.double())

/** Columns of fractions, and of what is so much more than one. */
function fractions(more: number): fc.Arbitrary<number[]> {
  const fraction = fc
    .tuple(fc.integer({ min: -80_000, max: 80_000 }), fc.integer({ min: 1, max: 70_000 }))
    .map(([numerator, denominator]) => (numerator / denominator) * (1 + more))
  return fc.array(fraction, { minLength: 1, maxLength: 60 })
}

/** Columns whose numbers are alike, as those of a series are, and mixed ones. */
export const numberColumns: fc.Arbitrary<number[]> = fc.oneof(
  ...[whole, decimal, fc.double(), anyNumber, fc.constantFrom(1 / 3, 2 / 3, 0.1, -0, 5)].map(
    (number) => fc.array(number, { minLength: 1, maxLength: 60 }),
  ),
  fc.array(fc.integer({ min: -40, max: 40 }), { minLength: 1, maxLength: 300 }).map((steps) => {
    let sum = 1000
    return steps.map((step) => (sum += step * 4096))
  }),
  fc
    .array(fc.integer({ min: 0, max: 4096 }), { minLength: 1, maxLength: 90 })
    .map((list) => list.map((n) => n / 1024)),
  fractions(0),
  // doubles right beside fractions are none
  fractions(Number.EPSILON),
)

const gaps = fc.oneof(fc.constant(0), fc.nat(2), fc.nat(40))

function placesOf(count: number): fc.Arbitrary<Uint32Array> {
  return fc
    .tuple(fc.array(gaps, { minLength: count, maxLength: count }), fc.nat(100))
    .map(([list, first]) => {
      let place = first - 1
      return Uint32Array.from(list, (gap) => (place += gap + 1))
    })
}

type WideMap = ReadonlyMap<number, bigint>

function wideRows(count: number): fc.Arbitrary<WideMap> {
  const integer = fc.oneof(
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n }),
    fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }).filter((n) => typeof exact(n) === 'bigint'),
  )
  const some = fc.array(fc.tuple(fc.nat(count - 1), integer), { maxLength: 4 })
  return fc.oneof(fc.constant([]), some).map((list) => new Map(list))
}

function withWide(values: readonly number[], wide: WideMap): Float64Array {
  const column = Float64Array.from(values)
  for (const [row, integer] of wide) column[row] = Number(integer)
  return column
}

const counterBlocks: fc.Arbitrary<CounterBlock> = numberColumns.chain((values) => {
  return fc.tuple(placesOf(values.length), wideRows(values.length)).map(([places, wide]) => {
    return { kind: 'counter', places, values: withWide(values, wide), wide }
  })
})

function spreadsOf(values: Float64Array): fc.Arbitrary<Pick<GaugeBlock, 'spreads' | 'at'>> {
  const count = values.length
  const time = fc.integer({ min: -1000, max: 3_600_000 })
  const cells = fc.array(fc.tuple(time, anyNumber, anyNumber, decimal, fc.integer({ min: 1 })), {
    minLength: count,
    maxLength: count,
  })
  return fc
    .tuple(fc.boolean(), fc.boolean(), fc.boolean(), cells)
    .map(([hasAt, hasSpreads, isNear, list]) => {
      const rows = Uint32Array.from(values.keys()).filter((row) => row % 3 !== 1)
      // every other extreme is just the nearer end
      const isEnd = (row: number): boolean => row % 2 === 0
      const pick = (read: (cell: (typeof list)[0], row: number) => number) =>
        Float64Array.from(rows, (row) => read(list[row]!, row))
      const spreads = {
        rows,
        first: pick((cell) => cell[1]),
        firstAt: pick((cell) => cell[0]),
        min: pick((cell, row) => {
          if (isNear) return values[row]! - 3
          return isEnd(row) ? oneNaN(Math.min(cell[1], values[row]!)) : cell[2]
        }),
        max: pick((cell, row) => {
          if (isNear) return values[row]! + 3
          return isEnd(row) ? oneNaN(Math.max(cell[1], values[row]!)) : cell[3]
        }),
        count: pick((cell) => cell[4]),
      }
      const at = Float64Array.from(list, (cell) => cell[0])
      return { ...(hasAt ? { at } : {}), ...(hasSpreads ? { spreads } : {}) }
    })
}

const gaugeBlocks: fc.Arbitrary<GaugeBlock> = counterBlocks.chain(({ places, values, wide }) => {
  return spreadsOf(values).map((more) => ({ kind: 'gauge', places, values, wide, ...more }))
})

const observed: fc.Arbitrary<Exact> = fc.oneof(
  fc.integer({ min: 0, max: 5000 }),
  decimal,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.bigInt({ min: 2n ** 60n, max: 2n ** 70n }),
)
const times = fc.oneof(fc.constant(1), fc.constant(1n), fc.integer({ min: 1, max: 70_000 }))
const recorded = fc.tuple(
  fc.constantFrom<'plain' | 'bounds' | 'bins' | 'huge' | 'unknown'>(
    ...(['plain', 'plain', 'plain', 'bounds', 'bins', 'huge', 'unknown'] as const),
  ),
  fc.integer({ min: -10, max: 20 }),
  fc.array(fc.tuple(observed, times), { maxLength: 8 }),
)

const histograms: fc.Arbitrary<Histogram> = recorded.map(([make, scale, values]) => {
  const histogram = new Histogram(scale)
  if (make === 'bounds') histogram.bounds = [-1, 0.5, 1, 5, 10, 250, 1000]
  if (make === 'bins') histogram.zeroThreshold = 1
  for (const [value, count] of values) histogram.record(value, count)
  if (make === 'bins') {
    histogram.overflowFrom = 2 ** 31
    histogram.overflow = 3n
    histogram.count += 3n
  }
  if (make === 'huge') {
    histogram.addBucket(3, 2n ** 64n - 1n)
    histogram.addBucket(90, 2n ** 60n, true)
  }
  if (make !== 'unknown') return histogram
  histogram.sum = undefined
  histogram.min = Number.NaN
  histogram.max = Number.NaN
  histogram.count += 2n
  return histogram
})

/** Cells of one scale and whole numbers, as those of a series mostly are. */
const likeCells = fc
  .tuple(
    fc.integer({ min: 0, max: 8 }),
    fc.integer({ min: 0, max: 3 }),
    fc.array(fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 12 }), {
      minLength: 1,
      maxLength: 40,
    }),
  )
  .map(([scale, decimals, cells]) => {
    return cells.map((values) => {
      const histogram = new Histogram(scale)
      for (const value of values) histogram.record(value / 10 ** decimals)
      return histogram
    })
  })

export const histogramBlocks: fc.Arbitrary<HistogramBlock> = fc
  .oneof(likeCells, fc.array(histograms, { minLength: 1, maxLength: 12 }))
  .chain((cells) => {
    return placesOf(cells.length).map((places) => ({ kind: 'histogram', places, cells }))
  })

const plainSummaries = fc
  .tuple(fc.nat(3), fc.array(fc.integer({ min: -50, max: 900 }), { maxLength: 9 }))
  .map(([decimals, values]) => {
    return values.map((n) => n / 10 ** decimals).reduce(addToSummary, EMPTY_SUMMARY)
  })
const oddSummaries: fc.Arbitrary<Summary> = fc.record(
  {
    ...{ count: anyNumber, mean: fc.double(), squares: fc.double() },
    ...{ min: fc.double(), max: fc.double() },
  },
  { noNullPrototype: true },
)

const summaryBlocks: fc.Arbitrary<SummaryBlock> = fc
  .oneof(
    fc.array(plainSummaries, { minLength: 1, maxLength: 40 }),
    fc.array(
      plainSummaries.filter(({ count }) => count > 0),
      { minLength: 1, maxLength: 40 },
    ),
    fc.array(oddSummaries, { minLength: 1, maxLength: 5 }),
  )
  .chain((cells) => {
    return placesOf(cells.length).map((places) => ({ kind: 'summary', places, cells }))
  })

export const anyBlock: fc.Arbitrary<Block> = fc.oneof(
  ...[counterBlocks, gaugeBlocks, histogramBlocks, summaryBlocks],
)

/** Gives the NaN for any: that of a comparison may have other bits, and chunks have one NaN. */
function oneNaN(value: number): number {
  return Number.isNaN(value) ? Number.NaN : value
}

/** Tells everything of a block that has to come back; of runs of buckets what is in them. */
export function blockFacts(block: Block): unknown {
  if (block.kind !== 'histogram') return block
  const sides = ({ positive, negative }: Histogram) =>
    [positive, negative].map((run) => {
      const buckets: [number, bigint][] = []
      run.forEach((index, count) => {
        buckets.push([index, count])
      })
      return buckets
    })
  return {
    places: block.places,
    cells: block.cells.map((cell) => {
      const { scale, bounds, count, sum, min, max } = cell
      const { zeroCount, zeroThreshold, overflow, overflowFrom } = cell
      const rest = { zeroCount, zeroThreshold, overflow, overflowFrom, sides: sides(cell) }
      return { scale, bounds: bounds && [...bounds], count, sum, min, max, ...rest }
    }),
  }
}
