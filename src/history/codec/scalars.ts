/**
 * Chunks of counters and gauges: places, then the column of values; of gauges then
 *
 *   [times?:1]    times of the last writes as whole numbers, where they are kept
 *   [spreads?:1]  flags of the rows that have one; columns of the times of the first writes and of
 *                 counts; the first, least and largest values, [near:1] each: 1 = as distance from
 *                 the last value in [decimals:5], 0 = as numbers of their own
 */
import type { CounterBlock, GaugeBlock, GaugeSpreads } from './block.ts'
import { type Decoder, type Encoder, WHOLE_MAX } from './coder/coder.ts'
import { decodeWide, encodeWide } from './exacts.ts'
import { faultOf } from './fault.ts'
import { decodeNumbers, encodeNumbers, scale, unscale } from './numbers.ts'
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
  encodeWide(encoder, values, wide, digits)
  encoder.bits(at === undefined ? 0 : 1, 1)
  if (at !== undefined) encoder.whole(checkTimes(at), at.length)
  encoder.bits(spreads === undefined ? 0 : 1, 1)
  if (spreads !== undefined) encodeSpreads(encoder, values, spreads, digits)
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
  const last = Float64Array.from(rows, (row) => values[row]!)
  for (const column of [spreads.first, spreads.min, spreads.max]) {
    encodeNear(encoder, last, column, digits)
  }
}

/** Says numbers as distances from others, where both are decimals of few places. */
function encodeNear(
  encoder: Encoder,
  last: Float64Array,
  column: Float64Array,
  digits: number,
): void {
  const count = last.length
  const [base, own] = [new Float64Array(count), new Float64Array(count)]
  for (let decimals = 0; decimals <= NEAR_DECIMALS_MAX; decimals++) {
    if (!scale(last, count, decimals, base) || !scale(column, count, decimals, own)) continue
    for (let i = 0; i < count; i++) own[i] = own[i]! - base[i]!
    if (own.some((distance, i) => Math.abs(distance) > WHOLE_MAX || isNegativeZero(column[i]!)))
      break
    encoder.bits(1, 1)
    encoder.bits(decimals, 5)
    encoder.whole(own, count)
    return
  }
  encoder.bits(0, 1)
  encodeNumbers(encoder, column, count, digits)
}

function isNegativeZero(value: number): boolean {
  return Object.is(value, -0)
}

function decodeNear(decoder: Decoder, last: Float64Array): Float64Array {
  const count = last.length
  const column = new Float64Array(count)
  if (decoder.bits(1) === 0) {
    decodeNumbers(decoder, column, count)
    return column
  }
  const decimals = decoder.bits(5)
  const base = new Float64Array(count)
  if (decimals > NEAR_DECIMALS_MAX || !scale(last, count, decimals, base)) {
    throw faultOf('chunk_layout', decoder.offset, `distances in ${decimals} decimals`)
  }
  decoder.whole(column, count)
  for (let i = 0; i < count; i++) column[i] = unscale(column[i]! + base[i]!, decimals)
  return column
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
  const last = Float64Array.from(rows, (row) => values[row]!)
  const first = decodeNear(decoder, last)
  const min = decodeNear(decoder, last)
  const max = decodeNear(decoder, last)
  return { rows, first, firstAt, min, max, count }
}
