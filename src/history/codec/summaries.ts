/**
 * Chunks of summaries: places, then columns.
 *
 *   [exact?:1]  1: of observations that were decimals of few places
 *     [decimals:3]  counts, sums as distances from count x running mean, what the mean is off from
 *                   sum / count in units of its last place
 *     [squares?:1]  1: sums of squares likewise, and what `squares` is off
 *                   0: a column of doubles
 *               0: columns of doubles: count, mean, squares
 *   columns of doubles: min, max
 *
 * A mean and its squares of whole numbers x are rounded from two integers: S = Σx, and
 * N = n Σx² - S², of which `squares` is N / n. Since N + S² is a multiple of n, so is N +
 * (S mod n)² mod n: that multiple is what is said.
 */
import type { Summary } from '../../model/index.ts'
import type { SummaryBlock } from './block.ts'
import { type Decoder, type Encoder, WHOLE_MAX } from './coder/coder.ts'
import { distances, TOTAL_MAX } from './columns/fractions.ts'
import { decodeNumbers, encodeNumbers } from './columns/numbers.ts'
import { faultOf } from './fault.ts'
import { decodePlaces, encodePlaces } from './places.ts'

const DECIMALS_MAX = 7
/** Units in the last place that rounding may have brought; more is no sum of decimals. */
const OFF_MAX = 4096
/** Counts whose square is exact. */
const COUNT_MAX = 2 ** 26

const float = new Float64Array(1)
const words = new Uint32Array(float.buffer)
const HIGH = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 1 : 0
const LOW = 1 - HIGH

export function encodeSummaries(encoder: Encoder, block: SummaryBlock): void {
  const { places, cells } = block
  encodePlaces(encoder, places, false)
  const column = (read: (cell: Summary) => number) => Float64Array.from(cells, read)
  const sums = exactSums(cells)
  encoder.bits(sums === undefined ? 0 : 1, 1)
  if (sums === undefined) {
    encodeNumbers(
      encoder,
      column(({ count }) => count),
      cells.length,
    )
    encodeNumbers(
      encoder,
      column(({ mean }) => mean),
      cells.length,
    )
    encodeNumbers(
      encoder,
      column(({ squares }) => squares),
      cells.length,
    )
  } else {
    encoder.bits(sums.decimals, 3)
    encoder.whole(sums.counts, cells.length)
    encoder.whole(distances(sums.sums, sums.counts), cells.length)
    encoder.whole(sums.off, cells.length)
    encodeSquares(
      encoder,
      sums,
      column(({ squares }) => squares),
    )
  }
  encodeNumbers(
    encoder,
    column(({ min }) => min),
    cells.length,
  )
  encodeNumbers(
    encoder,
    column(({ max }) => max),
    cells.length,
  )
}

interface ExactSums {
  readonly decimals: number
  readonly counts: Float64Array
  /** Sums in units of the last decimal. */
  readonly sums: Float64Array
  /** Distance of the mean from sum / count, in units of its last place. */
  readonly off: Float64Array
}

/** Finds the sums that the means were rounded from; undefined where they are not decimals. */
function exactSums(cells: readonly Summary[]): ExactSums | undefined {
  const counts = Float64Array.from(cells, ({ count }) => count)
  for (const count of counts) {
    if (!Number.isInteger(count) || count < 1 || count > COUNT_MAX) return undefined
  }
  const sums = new Float64Array(cells.length)
  const off = new Float64Array(cells.length)
  for (let decimals = 0; decimals <= DECIMALS_MAX; decimals++) {
    const factor = 10 ** decimals
    const fits = cells.every(({ count, mean }, i) => {
      sums[i] = Math.floor(mean * count * factor + 0.5)
      if (!(Math.abs(sums[i]!) <= TOTAL_MAX)) return false
      off[i] = unitsBetween(meanOf(sums[i]!, count, factor), mean)
      return Math.abs(off[i]!) <= OFF_MAX
    })
    if (fits) return { decimals, counts, sums, off }
  }
  return undefined
}

function meanOf(sum: number, count: number, factor: number): number {
  return sum / factor / count
}

/** Counts the doubles from one number to another of the same sign; NaN where signs differ. */
function unitsBetween(from: number, to: number): number {
  if (Object.is(from, to)) return 0
  float[0] = from
  const [high, low] = [words[HIGH]!, words[LOW]!]
  float[0] = to
  if (high >>> 31 !== words[HIGH]! >>> 31) return Number.NaN
  return (words[HIGH]! - high) * 4_294_967_296 + (words[LOW]! - low)
}

/** Finds the double that many units behind another. */
function movedBy(from: number, units: number): number {
  float[0] = from
  const low = words[LOW]! + units
  const carry = Math.floor(low / 4_294_967_296)
  words[LOW] = low - carry * 4_294_967_296
  words[HIGH] = words[HIGH]! + carry
  return float[0]!
}

/** Says sums of squares where all are whole, otherwise the squares as they are. */
function encodeSquares(encoder: Encoder, exact: ExactSums, squares: Float64Array): void {
  const { counts, sums, decimals } = exact
  const factor = 100 ** decimals
  const totals = new Float64Array(counts.length)
  const off = new Float64Array(counts.length)
  const areWhole = squares.every((square, i) => {
    const count = counts[i]!
    const rest = restOf(sums[i]!, count)
    totals[i] = Math.floor((square * factor * count + rest) / count + 0.5)
    if (!(totals[i]! >= 0 && totals[i]! * count <= WHOLE_MAX)) return false
    off[i] = unitsBetween(squareOf(totals[i]!, count, rest, factor), square)
    return Math.abs(off[i]!) <= OFF_MAX
  })
  encoder.bits(areWhole ? 1 : 0, 1)
  if (!areWhole) {
    encodeNumbers(encoder, squares, squares.length)
    return
  }
  encoder.whole(distances(totals, counts), counts.length)
  encoder.whole(off, counts.length)
}

/** Computes S² mod n. */
function restOf(sum: number, count: number): number {
  const rest = Math.abs(sum) % count
  return (rest * rest) % count
}

function squareOf(total: number, count: number, rest: number, factor: number): number {
  return (total * count - rest) / count / factor
}

export function decodeSummaries(decoder: Decoder): SummaryBlock {
  const { places, isFilled } = decodePlaces(decoder)
  if (isFilled) throw faultOf('chunk_places', decoder.offset, 'summaries with zeros for gaps')
  const count = places.length
  const numbers = () => {
    const column = new Float64Array(count)
    decodeNumbers(decoder, column, count)
    return column
  }
  const isExact = decoder.bits(1) === 1
  const [counts, means, squares] = isExact
    ? decodeExact(decoder, count)
    : [numbers(), numbers(), numbers()]
  const [mins, maxs] = [numbers(), numbers()]
  const cells = Array.from(counts, (each, i): Summary => {
    return { count: each, mean: means[i]!, squares: squares[i]!, min: mins[i]!, max: maxs[i]! }
  })
  return { kind: 'summary', places, cells }
}

type Moments = readonly [counts: Float64Array, means: Float64Array, squares: Float64Array]

function decodeExact(decoder: Decoder, count: number): Moments {
  const decimals = decoder.bits(3)
  const [counts, sums, off] = [0, 1, 2].map(() => {
    const column = new Float64Array(count)
    decoder.whole(column, count)
    return column
  }) as [Float64Array, Float64Array, Float64Array]
  if (counts.some((each) => each < 1 || each > COUNT_MAX)) {
    throw faultOf('chunk_value', decoder.offset, 'a summary of no observation')
  }
  const totals = distances(sums, counts, true)
  const factor = 10 ** decimals
  const means = totals.map((sum, i) => movedBy(meanOf(sum, counts[i]!, factor), off[i]!))
  const squares = new Float64Array(count)
  if (decoder.bits(1) === 0) {
    decodeNumbers(decoder, squares, count)
    return [counts, means, squares]
  }
  const distance = new Float64Array(count)
  decoder.whole(distance, count)
  decoder.whole(off, count)
  const multiples = distances(distance, counts, true)
  for (let i = 0; i < count; i++) {
    const each = counts[i]!
    const square = squareOf(multiples[i]!, each, restOf(totals[i]!, each), 100 ** decimals)
    squares[i] = movedBy(square, off[i]!)
  }
  return [counts, means, squares]
}
