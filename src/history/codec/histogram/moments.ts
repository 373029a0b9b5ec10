/**
 * Sums and extremes of a group, behind its rows:
 *
 *   sums      [decimals:4] 0 to 6  distance from what the counts make expect: each bucket's middle
 *                                  times its count, times what sums were of that so far
 *                          15      a column of exact values
 *   extremes  [way:2]      0       none is known
 *                          1       [decimals:4][derived:1] then minima, then maxima: [outside?:1]
 *                                  with flags and a column of those that are in no bucket; the
 *                                  places of the others in their buckets, as bits
 *                          2       two columns of exact values
 *
 * Where extremes are derived, a cell of one observation has its sum as both, and one of two has the
 * sum without the minimum as its maximum.
 */
import type { Exact } from '../../../model/index.ts'
import { bitLength } from '../coder/bit-length.ts'
import { type Decoder, type Encoder, type Rows, WHOLE_MAX } from '../coder/coder.ts'
import { decodeExacts, encodeExacts } from '../columns/exacts.ts'
import { scale, unscale } from '../columns/numbers.ts'
import { faultOf } from '../fault.ts'
import type { PlaceRange } from './layout.ts'

const DECIMALS_MAX = 6
const EXACT = 15
const EXTREMES = { none: 0, inside: 1, exact: 2 } as const
/** Sums up to here have whole distances from others of that size. */
const SUM_MAX = 2 ** 49 - 1
const RATE = 1 / 16
/** Sums between these parts of what was expected say how the next ones will be. */
const RATIO_MIN = 0.25
const RATIO_MAX = 4

/** Sums and extremes of the cells of a group, in their order. */
export interface Moments {
  readonly sums: readonly (Exact | undefined)[]
  readonly mins: readonly Exact[]
  readonly maxs: readonly Exact[]
}

/** Group as it is known before its moments. */
export interface GroupRows {
  readonly rows: Rows
  readonly ranges: PlaceRange
}

export function encodeMoments(encoder: Encoder, group: GroupRows, moments: Moments): void {
  const sums = encodeSums(encoder, group, moments.sums)
  const { mins, maxs } = moments
  if (mins.every(Number.isNaN) && maxs.every(Number.isNaN)) {
    encoder.bits(EXTREMES.none, 2)
    return
  }
  if (encodeInside(encoder, group, moments, sums)) return
  encoder.bits(EXTREMES.exact, 2)
  encodeExacts(encoder, mins)
  encodeExacts(encoder, maxs)
}

interface WholeSums {
  readonly decimals: number
  readonly sums: Float64Array
}

/** @returns the sums in units of the last decimal, where they are decimals */
function encodeSums(
  encoder: Encoder,
  group: GroupRows,
  sums: readonly (Exact | undefined)[],
): WholeSums | undefined {
  const whole = decimalsOf([sums])
  if (whole === undefined) {
    encoder.bits(EXACT, 4)
    encodeExacts(encoder, sums)
    return undefined
  }
  const { decimals, columns } = whole
  encoder.bits(decimals, 4)
  encoder.whole(sumDistances(group, columns[0]!, decimals), sums.length)
  return { decimals, sums: columns[0]! }
}

interface Decimals {
  readonly decimals: number
  readonly columns: readonly Float64Array[]
}

/** Finds the fewest decimals in which all values are whole numbers; NaN stays itself. */
function decimalsOf(columns: readonly (readonly (Exact | undefined)[])[]): Decimals | undefined {
  const values: Float64Array[] = []
  for (const column of columns) {
    const numbers = new Float64Array(column.length)
    for (let i = 0; i < column.length; i++) {
      const value = column[i]
      if (typeof value !== 'number' || Object.is(value, -0)) return undefined
      numbers[i] = value
    }
    values.push(numbers)
  }
  const whole = values.map((column) => new Float64Array(column.length))
  for (let decimals = 0; decimals <= DECIMALS_MAX; decimals++) {
    if (!values.every((column, i) => scale(column, column.length, decimals, whole[i]!))) continue
    const isSmall = whole.every((column) => column.every((value) => Math.abs(value) <= SUM_MAX))
    return isSmall ? { decimals, columns: whole } : undefined
  }
  return undefined
}

/** Distances of sums from what is expected, or, with `back`, the sums of distances. */
function sumDistances(
  { rows, ranges }: GroupRows,
  sums: Float64Array,
  decimals: number,
  back = false,
): Float64Array {
  const middles = middlesOf(ranges, decimals)
  const out = new Float64Array(sums.length)
  let ratio = 1
  for (let i = 0, at = 0; i < sums.length; i++) {
    let base = 0
    const first = rows.firsts[i]!
    const length = rows.lengths[i]!
    for (let j = 0; j < length; j++) base += rows.counts[at + j]! * middles[first + j]!
    at += length
    const expected = Math.max(-SUM_MAX, Math.min(SUM_MAX, Math.floor(base * ratio + 0.5)))
    out[i] = back ? sums[i]! + expected : sums[i]! - expected
    const found = (back ? out[i]! : sums[i]!) / base
    if (found >= RATIO_MIN && found <= RATIO_MAX) ratio += (found - ratio) * RATE
  }
  return out
}

/** Middles of the places, in units of the last decimal; those without an end count as that. */
function middlesOf({ from, to }: PlaceRange, decimals: number): Float64Array {
  const factor = 10 ** decimals
  return from.map((low, j) => {
    const middle = ((low + to[j]!) / 2) * factor
    if (Math.abs(middle) <= SUM_MAX) return middle
    return Math.abs(low * factor) <= SUM_MAX ? low * factor : 0
  })
}

/** Values that a place can hold: whole numbers of so many bits, from the lowest. */
interface InsideRange {
  readonly lowest: Float64Array
  readonly bits: Uint8Array
  readonly isKnown: Uint8Array
}

function insideRanges({ from, to }: PlaceRange, decimals: number): InsideRange {
  const factor = 10 ** decimals
  const lowest = from.map((low, j) => {
    return low === -to[j]! ? Math.ceil(low * factor) : Math.floor(low * factor) + 1
  })
  const bits = new Uint8Array(lowest.length)
  const isKnown = new Uint8Array(lowest.length)
  for (let j = 0; j < lowest.length; j++) {
    const span = Math.floor(to[j]! * factor) - lowest[j]!
    if (!(span >= 0 && span <= WHOLE_MAX && Math.abs(lowest[j]!) <= SUM_MAX)) continue
    bits[j] = bitLength(span)
    isKnown[j] = 1
  }
  return { lowest, bits, isKnown }
}

/** Extremes of rows that have to be said, and in which place of the row each lies. */
interface ToSay {
  readonly rows: number[]
  readonly places: number[]
}

/** Lists the rows whose minimum (or maximum) is not known from their sum. */
function rowsToSay({ rows }: GroupRows, isDerived: boolean, isMax: boolean): ToSay {
  const out: ToSay = { rows: [], places: [] }
  for (let i = 0; i < rows.lengths.length; i++) {
    const length = rows.lengths[i]!
    if (length === 0) continue
    if (isDerived && rows.totals[i]! <= (isMax ? 2 : 1)) continue
    out.rows.push(i)
    out.places.push(rows.firsts[i]! + (isMax ? length - 1 : 0))
  }
  return out
}

function encodeInside(
  encoder: Encoder,
  group: GroupRows,
  { mins, maxs }: Moments,
  sums: WholeSums | undefined,
): boolean {
  const { lengths } = group.rows
  // a row without counts is a cell without observations, whose extremes are not known
  const filled = (values: readonly Exact[]) => values.filter((_, i) => lengths[i]! > 0)
  const isNone = (value: Exact, i: number) => lengths[i]! > 0 || Number.isNaN(value)
  if (!mins.every(isNone) || !maxs.every(isNone)) return false
  const whole = decimalsOf([filled(mins), filled(maxs)])
  if (whole === undefined) return false
  const spread = (values: Float64Array) => {
    let k = 0
    return Float64Array.from(lengths, (length) => (length > 0 ? values[k++]! : 0))
  }
  const [least, largest] = [spread(whole.columns[0]!), spread(whole.columns[1]!)]
  const isDerived =
    sums?.decimals === whole.decimals && areDerived(group.rows, sums.sums, least, largest)
  encoder.bits(EXTREMES.inside, 2)
  encoder.bits(whole.decimals, 4)
  encoder.bits(isDerived ? 1 : 0, 1)
  const ranges = insideRanges(group.ranges, whole.decimals)
  encodeSide(encoder, ranges, rowsToSay(group, isDerived, false), least)
  encodeSide(encoder, ranges, rowsToSay(group, isDerived, true), largest)
  return true
}

function areDerived(
  { totals }: Rows,
  sums: Float64Array,
  mins: Float64Array,
  maxs: Float64Array,
): boolean {
  return totals.every((total, i) => {
    if (total === 1) return mins[i] === sums[i] && maxs[i] === sums[i]
    return total !== 2 || maxs[i] === sums[i]! - mins[i]!
  })
}

function encodeSide(
  encoder: Encoder,
  { lowest, bits, isKnown }: InsideRange,
  { rows, places }: ToSay,
  values: Float64Array,
): void {
  const outside = new Uint8Array(rows.length)
  const inside = new Float64Array(rows.length)
  const sizes = new Uint8Array(rows.length)
  const others: number[] = []
  let count = 0
  for (const [k, place] of places.entries()) {
    const distance = values[rows[k]!]! - lowest[place]!
    if (isKnown[place] === 1 && distance >= 0 && distance < 2 ** bits[place]!) {
      inside[count] = distance
      sizes[count++] = bits[place]!
    } else {
      outside[k] = 1
      others.push(values[rows[k]!]!)
    }
  }
  encoder.bits(others.length === 0 ? 0 : 1, 1)
  if (others.length > 0) {
    encoder.flags(outside, rows.length)
    encoder.whole(Float64Array.from(others), others.length)
  }
  encoder.pieces(inside, sizes, count)
}

function decodeSide(
  decoder: Decoder,
  { lowest, bits, isKnown }: InsideRange,
  { rows, places }: ToSay,
  values: Float64Array,
): void {
  const outside = new Uint8Array(rows.length)
  if (decoder.bits(1) === 1) {
    decoder.flags(outside, rows.length)
    const others = new Float64Array(outside.reduce((sum, flag) => sum + flag, 0))
    decoder.whole(others, others.length)
    for (let k = 0, i = 0; k < rows.length; k++)
      if (outside[k] === 1) values[rows[k]!] = others[i++]!
  }
  const sizes = new Uint8Array(rows.length)
  let count = 0
  for (const [k, place] of places.entries()) {
    if (outside[k] === 1) continue
    if (isKnown[place] === 0) {
      throw faultOf('chunk_value', decoder.offset, `an extreme in place ${place}`)
    }
    sizes[count++] = bits[place]!
  }
  const inside = new Float64Array(count)
  decoder.pieces(inside, sizes, count)
  for (let k = 0, i = 0; k < rows.length; k++) {
    if (outside[k] === 0) values[rows[k]!] = lowest[places[k]!]! + inside[i++]!
  }
}

export function decodeMoments(decoder: Decoder, group: GroupRows): Moments {
  const count = group.rows.totals.length
  const decimals = decoder.bits(4)
  let whole: WholeSums | undefined
  let sums: readonly (Exact | undefined)[]
  if (decimals === EXACT) sums = decodeExacts(decoder, count)
  else if (decimals > DECIMALS_MAX) {
    throw faultOf('chunk_layout', decoder.offset, `sums in ${decimals} decimals`)
  } else {
    const distances = new Float64Array(count)
    decoder.whole(distances, count)
    whole = { decimals, sums: sumDistances(group, distances, decimals, true) }
    sums = Array.from(whole.sums, (sum) => unscale(sum, decimals))
  }
  return { sums, ...decodeExtremes(decoder, group, whole) }
}

function decodeExtremes(
  decoder: Decoder,
  group: GroupRows,
  sums: WholeSums | undefined,
): Pick<Moments, 'mins' | 'maxs'> {
  const count = group.rows.totals.length
  const way = decoder.bits(2)
  if (way === EXTREMES.none) {
    const none = new Array(count).fill(Number.NaN)
    return { mins: none, maxs: none }
  }
  if (way === EXTREMES.inside) return decodeInside(decoder, group, sums)
  if (way !== EXTREMES.exact) throw faultOf('chunk_layout', decoder.offset, `extremes ${way}`)
  const known = (value: Exact | undefined) => value ?? Number.NaN
  const mins = decodeExacts(decoder, count).map(known)
  return { mins, maxs: decodeExacts(decoder, count).map(known) }
}

function decodeInside(
  decoder: Decoder,
  group: GroupRows,
  sums: WholeSums | undefined,
): Pick<Moments, 'mins' | 'maxs'> {
  const { lengths, totals } = group.rows
  const decimals = decoder.bits(4)
  const isDerived = decoder.bits(1) === 1
  if (decimals > DECIMALS_MAX || (isDerived && sums?.decimals !== decimals)) {
    throw faultOf('chunk_layout', decoder.offset, `extremes in ${decimals} decimals`)
  }
  const ranges = insideRanges(group.ranges, decimals)
  const mins = new Float64Array(lengths.length)
  const maxs = new Float64Array(lengths.length)
  decodeSide(decoder, ranges, rowsToSay(group, isDerived, false), mins)
  decodeSide(decoder, ranges, rowsToSay(group, isDerived, true), maxs)
  for (let i = 0; isDerived && i < lengths.length; i++) {
    if (totals[i] === 1) mins[i] = maxs[i] = sums!.sums[i]!
    if (totals[i] === 2) maxs[i] = sums!.sums[i]! - mins[i]!
  }
  const value = (whole: number, i: number) => {
    return lengths[i]! > 0 ? unscale(whole, decimals) : Number.NaN
  }
  return { mins: Array.from(mins, value), maxs: Array.from(maxs, value) }
}
