/**
 * Chunks of counters and gauges: places, then the column of values; of gauges then
 *
 *   [times?:1]    times of the last writes as whole numbers, where they are kept
 *   [spreads?:1]  flags of the rows that have one; columns of the times of the first writes and of
 *                 counts; the first, least and largest values, [near:1] each: 1 = as distance from
 *                 what they are likely near in [decimals:5]; 0 = [equal?:1] flags of those that are
 *                 just that, where some are, and the others as numbers of their own
 *
 * First values are near the last value of the row before, least and largest ones near the lesser
 * and the larger of their row's first and last value. In chunks of version 1 all are near the last
 * value, and those that are not told by distances are all numbers of their own.
 */
import type { CounterBlock, GaugeBlock, GaugeSpreads } from './block.ts'
import { type Decoder, type Encoder, WHOLE_MAX } from './coder/coder.ts'
import { decodeRows, decodeWide, encodeRows, encodeWide } from './columns/exacts.ts'
import { decodeNumbers, encodeNumbers, scale, unscale } from './columns/numbers.ts'
import { faultOf } from './fault.ts'
import { decodePlaces, encodePlaces } from './places.ts'

/** Decimals of gauges whose spread is told by distances. */
const NEAR_DECIMALS_MAX = 6

export function encodeCounter(encoder: Encoder, block: CounterBlock): void {
  const { places, values, wide } = block
  // what did nothing has no cell, so that idle times are zeros among whole numbers
  const isFilled = encodePlaces(encoder, places, wide.size === 0 && !values.includes(0))
  if (!isFilled) {
    encodeWide(encoder, values, wide)
    return
  }
  const first = places[0]!
  const all = new Float64Array(places.at(-1)! - first + 1)
  for (let i = 0; i < places.length; i++) all[places[i]! - first] = values[i]!
  encodeWide(encoder, all, wide)
}

export function decodeCounter(decoder: Decoder): CounterBlock {
  const { places, isFilled } = decodePlaces(decoder)
  const { values, wide } = decodeWide(decoder, places.length)
  if (!isFilled) return { kind: 'counter', places, values, wide }
  if (wide.size > 0 || values[0] === 0 || values.at(-1) === 0) {
    throw faultOf('chunk_places', decoder.offset, 'a gap at an end')
  }
  let rows = 0
  for (let i = 0; i < values.length; i++) {
    if (values[i] === 0) continue
    places[rows] = places[i]!
    values[rows++] = values[i]!
  }
  return {
    kind: 'counter',
    places: places.subarray(0, rows),
    values: values.subarray(0, rows),
    wide,
  }
}

/** @param digits as {@link encodeNumbers} has it */
export function encodeGauge(encoder: Encoder, block: GaugeBlock, digits: number): void {
  const { places, values, wide, at, spreads } = block
  encodePlaces(encoder, places, false)
  const read = encodeWide(encoder, values, wide, digits)
  encoder.bits(at === undefined ? 0 : 1, 1)
  if (at !== undefined) encoder.whole(checkTimes(at), at.length)
  encoder.bits(spreads === undefined ? 0 : 1, 1)
  if (spreads !== undefined) encodeSpreads(encoder, read, spreads, digits)
}

function checkTimes(times: Float64Array): Float64Array {
  for (const time of times) {
    if (!Number.isInteger(time) || Math.abs(time) > WHOLE_MAX) throw new RangeError(`time ${time}`)
  }
  return times
}

function encodeSpreads(
  encoder: Encoder,
  values: Float64Array,
  spreads: GaugeSpreads,
  digits: number,
): void {
  const { rows, firstAt, count } = spreads
  const flags = new Uint8Array(values.length)
  for (const row of rows) flags[row] = 1
  encoder.flags(flags, flags.length)
  if (rows.length === 0) return
  encoder.whole(checkTimes(firstAt), rows.length)
  encodeNumbers(encoder, count, rows.length)
  const { before, last } = neighboursOf(values, rows)
  const first = encodeNear(encoder, before, spreads.first, 1, digits)
  encodeNear(encoder, pairwise(Math.min, first, last), spreads.min, -1, digits)
  encodeNear(encoder, pairwise(Math.max, first, last), spreads.max, 1, digits)
}

/** Last values of rows, and of those before them; the first row has none before it but itself. */
function neighboursOf(values: Float64Array, rows: Uint32Array) {
  return {
    before: Float64Array.from(rows, (row) => values[Math.max(0, row - 1)]!),
    last: Float64Array.from(rows, (row) => values[row]!),
  }
}

function pairwise(
  choose: (a: number, b: number) => number,
  a: Float64Array,
  b: Float64Array,
): Float64Array {
  return a.map((value, i) => choose(value, b[i]!))
}

/**
 * Says numbers by others that they are near, which the reader knows.
 * @param direction where most of them are from there: 1 above, -1 below
 * @returns the numbers as they will be read
 */
function encodeNear(
  encoder: Encoder,
  base: Float64Array,
  column: Float64Array,
  direction: 1 | -1,
  digits: number,
): Float64Array {
  const count = base.length
  const [from, own] = [new Float64Array(count), new Float64Array(count)]
  for (let decimals = 0; decimals <= NEAR_DECIMALS_MAX; decimals++) {
    if (!scale(base, count, decimals, from) || !scale(column, count, decimals, own)) continue
    for (let i = 0; i < count; i++) own[i] = (own[i]! - from[i]!) * direction
    if (own.some((distance, i) => Math.abs(distance) > WHOLE_MAX || isNegativeZero(column[i]!)))
      break
    encoder.bits(1, 1)
    encoder.bits(decimals, 5)
    encoder.whole(own, count)
    return column
  }
  encoder.bits(0, 1)
  const isEqual = (row: number): boolean => Object.is(column[row], base[row])
  encodeRows(encoder, count, isEqual)
  const others = column.filter((_, row) => !isEqual(row))
  if (others.length === 0) return column
  const read = encodeNumbers(encoder, others, others.length, digits)
  let i = 0
  return column.map((value, row) => (isEqual(row) ? value : read[i++]!))
}

function isNegativeZero(value: number): boolean {
  return Object.is(value, -0)
}

function decodeNear(decoder: Decoder, base: Float64Array, direction: 1 | -1): Float64Array {
  const count = base.length
  const column = new Float64Array(count)
  if (decoder.bits(1) === 0) {
    if (decoder.version === 1) decodeNumbers(decoder, column, count)
    else decodeUnequal(decoder, base, column)
    return column
  }
  const decimals = decoder.bits(5)
  const from = new Float64Array(count)
  if (decimals > NEAR_DECIMALS_MAX || !scale(base, count, decimals, from)) {
    throw faultOf('chunk_layout', decoder.offset, `distances in ${decimals} decimals`)
  }
  decoder.whole(column, count)
  for (let i = 0; i < count; i++) {
    column[i] = unscale(from[i]! + column[i]! * direction, decimals)
  }
  return column
}

/** Reads numbers of which some are those of `base`. */
function decodeUnequal(decoder: Decoder, base: Float64Array, column: Float64Array): void {
  const equal = new Set(decodeRows(decoder, base.length))
  const others = new Float64Array(base.length - equal.size)
  if (others.length > 0) decodeNumbers(decoder, others, others.length)
  for (let row = 0, i = 0; row < base.length; row++) {
    const value = equal.has(row) ? base[row]! : others[i++]!
    // one NaN for all: that of a comparison may have other bits
    column[row] = Number.isNaN(value) ? Number.NaN : value
  }
}

export function decodeGauge(decoder: Decoder): GaugeBlock {
  const { places, isFilled } = decodePlaces(decoder)
  if (isFilled) throw faultOf('chunk_places', decoder.offset, 'a gauge with zeros for gaps')
  const count = places.length
  const { values, wide } = decodeWide(decoder, count)
  const at = decoder.bits(1) === 1 ? new Float64Array(count) : undefined
  if (at !== undefined) decoder.whole(at, count)
  const spreads = decoder.bits(1) === 1 ? decodeSpreads(decoder, values) : undefined
  return {
    ...{ kind: 'gauge', places, values, wide },
    ...(at === undefined ? {} : { at }),
    ...(spreads === undefined ? {} : { spreads }),
  }
}

function decodeSpreads(decoder: Decoder, values: Float64Array): GaugeSpreads {
  const flags = new Uint8Array(values.length)
  decoder.flags(flags, flags.length)
  const rows = Uint32Array.from(flags.keys()).filter((row) => flags[row] === 1)
  const firstAt = new Float64Array(rows.length)
  const count = new Float64Array(rows.length)
  const none = new Float64Array(0)
  if (rows.length === 0) return { rows, first: none, firstAt, min: none, max: none, count }
  decoder.whole(firstAt, rows.length)
  decodeNumbers(decoder, count, rows.length)
  const { before, last } = neighboursOf(values, rows)
  if (decoder.version === 1) {
    const [first, min, max] = [1, 2, 3].map(() => decodeNear(decoder, last, 1))
    return { rows, first: first!, firstAt, min: min!, max: max!, count }
  }
  const first = decodeNear(decoder, before, 1)
  const min = decodeNear(decoder, pairwise(Math.min, first, last), -1)
  const max = decodeNear(decoder, pairwise(Math.max, first, last), 1)
  return { rows, first, firstAt, min, max, count }
}
