/**
 * Cells of one layout, as rows of counts or, where these would not fit, one by one:
 *
 *   [plain:1]  0: [low][size:12][negativeLow][negativeSize:12][zero:1][overflow:1], a column of the
 *                 rows' totals, the rows, [off?:1] a column of what counts are besides their rows
 *              1: each cell: count, zero bucket, overflow as integers, then for both sides the
 *                 number of buckets with something in them, and each: [index][count]
 *   sums and extremes (moments.ts)
 */
import { type BucketRun, Histogram } from '../../../model/index.ts'
import { type Decoder, type Encoder, type Rows, WHOLE_MAX } from '../coder/coder.ts'
import { decodeInteger, decodeSingle, encodeInteger, encodeSingle } from '../columns/singles.ts'
import { faultOf } from '../fault.ts'
import { type Extent, type Layout, placeRanges, rowPlaces } from './layout.ts'
import { decodeMoments, encodeMoments, type GroupRows, type Moments } from './moments.ts'

/** Buckets of all cells of a block, empty ones between others included: 16 MB. */
export const BUCKETS_TOTAL_MAX = 2_097_152
const WIDTH_MAX = 4095
/** Most buckets with something in them of one side of one cell. */
const PLAIN_MAX = 65_535
const WORD = 4_294_967_296
const LOW = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 0 : 1
const HIGH = 1 - LOW
/** Largest upper word of a count that is said in rows. */
const HIGH_MAX = WHOLE_MAX / WORD

/** Buckets that a block may still have; shared by its groups. */
interface Allowance {
  left: number
}

/** Takes buckets from what a block may have. */
function spend(allowance: Allowance, buckets: number, offset: number): void {
  allowance.left -= buckets
  if (allowance.left < 0) {
    throw faultOf('chunk_too_large', offset, `more than ${BUCKETS_TOTAL_MAX} buckets`)
  }
}

export function encodeGroup(encoder: Encoder, layout: Layout, cells: readonly Histogram[]): void {
  const extent = extentOf(cells)
  const rows = extent === undefined ? undefined : rowsOf(cells, extent)
  encoder.bits(rows === undefined ? 1 : 0, 1)
  const moments = {
    sums: cells.map(({ sum }) => sum),
    mins: cells.map(({ min }) => min),
    maxs: cells.map(({ max }) => max),
  }
  if (rows === undefined) {
    for (const cell of cells) encodePlain(encoder, cell)
    encodeMoments(encoder, plainRows(cells.length), moments)
    return
  }
  encodeExtent(encoder, extent!)
  encoder.whole(rows.totals, cells.length)
  encoder.rows(rows, cells.length)
  const off = rows.totals.map((total, i) => Number(cells[i]!.count) - total)
  const isOff = off.some((each) => each !== 0)
  encoder.bits(isOff ? 1 : 0, 1)
  if (isOff) encoder.whole(off, cells.length)
  encodeMoments(encoder, { rows, ranges: placeRanges(layout, extent!) }, moments)
}

/** Rows of cells whose counts were said one by one: none of them says anything of its moments. */
function plainRows(count: number): GroupRows {
  const lengths = new Uint16Array(count).fill(1)
  const rows = { width: 1, totals: new Float64Array(count).fill(WHOLE_MAX), lengths }
  const unknown = Float64Array.of(Number.NaN)
  return {
    rows: { ...rows, firsts: new Uint16Array(count), counts: new Float64Array(count) },
    ranges: { from: unknown, to: unknown },
  }
}

/** Finds the buckets that some cell has; undefined where a row of them would be too long. */
function extentOf(cells: readonly Histogram[]): Extent | undefined {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let [negativeLow, negativeHigh] = [low, high]
  let hasZero = false
  let hasOverflow = false
  for (const cell of cells) {
    const span = cell.positive.span()
    if (span !== undefined) {
      low = Math.min(low, span[0])
      high = Math.max(high, span[1])
    }
    const negative = cell.negative.isEmpty ? undefined : cell.negative.span()
    if (negative !== undefined) {
      negativeLow = Math.min(negativeLow, negative[0])
      negativeHigh = Math.max(negativeHigh, negative[1])
    }
    hasZero ||= cell.zeroCount > 0n
    hasOverflow ||= cell.overflow > 0n
  }
  const size = Math.max(0, high - low + 1)
  const negativeSize = Math.max(0, negativeHigh - negativeLow + 1)
  const extent: Extent = {
    ...{ size, negativeSize, hasZero, hasOverflow },
    low: size === 0 ? 0 : low,
    negativeLow: negativeSize === 0 ? 0 : negativeLow,
  }
  const { width } = rowPlaces(extent)
  const isLarge = width > WIDTH_MAX || width * cells.length > BUCKETS_TOTAL_MAX
  return isLarge ? undefined : extent
}

function encodeExtent(encoder: Encoder, extent: Extent): void {
  encodeSingle(encoder, extent.low)
  encoder.bits(extent.size, 12)
  encodeSingle(encoder, extent.negativeLow)
  encoder.bits(extent.negativeSize, 12)
  encoder.bits(extent.hasZero ? 1 : 0, 1)
  encoder.bits(extent.hasOverflow ? 1 : 0, 1)
}

function decodeExtent(decoder: Decoder): Extent {
  const low = decodeSingle(decoder)
  const size = decoder.bits(12)
  const negativeLow = decodeSingle(decoder)
  const negativeSize = decoder.bits(12)
  const hasZero = decoder.bits(1) === 1
  const hasOverflow = decoder.bits(1) === 1
  return { low, size, negativeLow, negativeSize, hasZero, hasOverflow }
}

/** Makes the rows; undefined where a count is not below 2^50. */
function rowsOf(cells: readonly Histogram[], extent: Extent): Rows | undefined {
  const { zero, positive, overflow, width } = rowPlaces(extent)
  const totals = new Float64Array(cells.length)
  const firsts = new Uint16Array(cells.length)
  const lengths = new Uint16Array(cells.length)
  const counts = new Float64Array(width * cells.length)
  const row = new Float64Array(width)
  let at = 0
  for (const [i, cell] of cells.entries()) {
    row.fill(0)
    const end = extent.negativeLow + extent.negativeSize - 1
    let total = addRun(row, cell.negative, end, -1, 0)
    total += addRun(row, cell.positive, extent.low, 1, positive)
    if (extent.hasZero) total += row[zero] = Number(cell.zeroCount)
    if (extent.hasOverflow) total += row[overflow] = Number(cell.overflow)
    if (!(total <= WHOLE_MAX) || Number(cell.count) > WHOLE_MAX) return undefined
    totals[i] = total
    let first = 0
    let last = width
    while (first < last && row[first] === 0) first++
    while (last > first && row[last - 1] === 0) last--
    firsts[i] = first === last ? 0 : first
    lengths[i] = last - first
    for (let j = first; j < last; j++) counts[at++] = row[j]!
  }
  return { width, totals, firsts, lengths, counts }
}

/** Puts the counts of a side into a row, and gives their sum; Infinity for counts beyond it. */
function addRun(
  row: Float64Array,
  run: BucketRun,
  origin: number,
  direction: 1 | -1,
  place: number,
): number {
  const { counts, offset } = run
  const words = new Uint32Array(counts.buffer, counts.byteOffset, counts.length * 2)
  let total = 0
  for (let i = 0; i < counts.length; i++) {
    const high = words[2 * i + HIGH]!
    const count = words[2 * i + LOW]! + high * WORD
    if (count === 0) continue
    if (high > HIGH_MAX) return Number.POSITIVE_INFINITY
    row[place + (offset + i - origin) * direction] = count
    total += count
  }
  return total
}

function encodePlain(encoder: Encoder, cell: Histogram): void {
  for (const count of [cell.count, cell.zeroCount, cell.overflow]) encodeInteger(encoder, count)
  for (const run of [cell.positive, cell.negative]) {
    const buckets: [number, bigint][] = []
    run.forEach((index, count) => {
      buckets.push([index, count])
    })
    if (buckets.length > PLAIN_MAX) {
      throw new RangeError(`histogram of ${buckets.length} buckets, limit ${PLAIN_MAX}`)
    }
    encodeSingle(encoder, buckets.length)
    for (const [index, count] of buckets) {
      encodeSingle(encoder, index)
      encodeInteger(encoder, count)
    }
  }
}

export function decodeGroup(
  decoder: Decoder,
  layout: Layout,
  count: number,
  allowance: Allowance,
): Histogram[] {
  const cells = Array.from({ length: count }, () => emptyCell(layout))
  if (decoder.bits(1) === 1) {
    for (const cell of cells) decodePlain(decoder, cell, allowance)
    fillMoments(cells, decodeMoments(decoder, plainRows(count)))
    return cells
  }
  const extent = decodeExtent(decoder)
  const { width } = rowPlaces(extent)
  spend(allowance, width * count, decoder.offset)
  const totals = new Float64Array(count)
  decoder.whole(totals, count)
  if (width === 0 && totals.some((total) => total !== 0)) {
    throw faultOf('chunk_layout', decoder.offset, 'counts without a bucket')
  }
  const rows = decoder.rows(width, totals, count)
  const off = new Float64Array(count)
  if (decoder.bits(1) === 1) decoder.whole(off, count)
  fillCounts(cells, rows, extent)
  for (const [i, cell] of cells.entries()) {
    const all = totals[i]! + off[i]!
    if (all < 0) throw faultOf('chunk_value', decoder.offset, `count of ${all}`)
    cell.count = BigInt(all)
  }
  fillMoments(cells, decodeMoments(decoder, { rows, ranges: placeRanges(layout, extent) }))
  return cells
}

function emptyCell(layout: Layout): Histogram {
  const cell = new Histogram(layout.scale)
  cell.bounds = layout.bounds
  cell.zeroThreshold = layout.zeroThreshold
  cell.overflowFrom = layout.overflowFrom
  return cell
}

function fillMoments(cells: readonly Histogram[], { sums, mins, maxs }: Moments): void {
  for (const [i, cell] of cells.entries()) {
    cell.sum = sums[i]
    cell.min = mins[i]!
    cell.max = maxs[i]!
  }
}

function fillCounts(cells: readonly Histogram[], rows: Rows, extent: Extent): void {
  const { zero, positive, overflow } = rowPlaces(extent)
  const { firsts, lengths, counts } = rows
  for (let i = 0, at = 0; i < cells.length; i++) {
    const cell = cells[i]!
    const first = firsts[i]!
    const end = first + lengths[i]!
    // the place of count c is at + c - first
    const origin = at - first
    const from = Math.max(first, positive)
    const to = Math.min(end, overflow)
    if (to > from) {
      cell.positive.offset = extent.low + from - positive
      cell.positive.counts = countsOf(counts, origin + from, to - from)
    }
    const negatives = Math.min(end, zero)
    if (negatives > first) {
      cell.negative.offset = extent.negativeLow + extent.negativeSize - negatives
      cell.negative.counts = countsOf(counts, origin + first, negatives - first).reverse()
    }
    if (extent.hasZero && first <= zero && zero < end)
      cell.zeroCount = BigInt(counts[origin + zero]!)
    if (extent.hasOverflow && end > overflow) cell.overflow = BigInt(counts[origin + overflow]!)
    at += lengths[i]!
  }
}

function countsOf(counts: Float64Array, at: number, length: number): BigUint64Array {
  const words = new Uint32Array(length * 2)
  for (let i = 0; i < length; i++) {
    const count = counts[at + i]!
    words[2 * i + LOW] = count % WORD
    words[2 * i + HIGH] = Math.floor(count / WORD)
  }
  return new BigUint64Array(words.buffer)
}

function decodePlain(decoder: Decoder, cell: Histogram, allowance: Allowance): void {
  const whole = () => {
    const count = decodeInteger(decoder)
    if (count < 0n || count > 0xffff_ffff_ffff_ffffn) {
      throw faultOf('chunk_value', decoder.offset, `count of ${count}`)
    }
    return count
  }
  const counts = [decodeInteger(decoder), decodeInteger(decoder), decodeInteger(decoder)] as const
  if (counts.some((count) => count < 0n)) {
    throw faultOf('chunk_value', decoder.offset, 'a count below 0')
  }
  ;[cell.count, cell.zeroCount, cell.overflow] = counts
  for (const run of [cell.positive, cell.negative]) {
    const size = decodeSingle(decoder)
    if (size < 0 || size > PLAIN_MAX) {
      throw faultOf('chunk_layout', decoder.offset, `${size} buckets`)
    }
    const buckets = Array.from({ length: size }, () => [decodeSingle(decoder), whole()] as const)
    const first = buckets[0]
    if (first === undefined) continue
    const span = buckets.at(-1)![0] - first[0] + 1
    if (!(span >= size)) throw faultOf('chunk_layout', decoder.offset, 'buckets out of order')
    spend(allowance, span, decoder.offset)
    run.offset = first[0]
    run.counts = new BigUint64Array(span)
    for (const [index, count] of buckets) run.counts[index - first[0]] = count
  }
}
