/**
 * Places of a block's rows:
 *
 *   [mark:6][first][span - 1:12][gaps:2]   gaps 0: none
 *                                               1: the zeros of the column that follows, which has
 *                                                  a number for each place of the span
 *                                               2: flags of the places that have a row
 *
 * The mark is 63 in chunks of version 2; those of version 1 have the length of `first` there.
 */
import { PLACES_LIMIT } from './block.ts'
import type { Decoder, Encoder } from './coder/coder.ts'
import { decodeSingle, encodeSingle } from './columns/singles.ts'
import { faultOf } from './fault.ts'

/** Length that no place has. */
const MARK = 63
const GAPS = { none: 0, zeros: 1, flags: 2 } as const

/** @throws {RangeError} for places that do not rise, none, or more than a window has */
export function checkPlaces(places: Uint32Array): void {
  if (places.length === 0) throw new RangeError('block without a cell')
  const last = places.at(-1)!
  if (last >= PLACES_LIMIT) throw new RangeError(`place ${last}, limit ${PLACES_LIMIT}`)
  for (let i = 1; i < places.length; i++) {
    if (places[i]! <= places[i - 1]!) throw new RangeError(`place ${places[i]} is out of order`)
  }
}

/**
 * Says the places.
 * @param mayFill whether no row has a zero, so that zeros can stand for gaps
 * @returns whether they have to
 */
export function encodePlaces(encoder: Encoder, places: Uint32Array, mayFill: boolean): boolean {
  const first = places[0]!
  const span = places.at(-1)! - first + 1
  encoder.bits(MARK, 6)
  encodeSingle(encoder, first)
  encoder.bits(span - 1, 12)
  const gaps = span === places.length ? GAPS.none : mayFill ? GAPS.zeros : GAPS.flags
  encoder.bits(gaps, 2)
  if (gaps === GAPS.flags) {
    const flags = new Uint8Array(span)
    for (const place of places) flags[place - first] = 1
    encoder.flags(flags, span)
  }
  return gaps === GAPS.zeros
}

interface PlacesRead {
  readonly places: Uint32Array
  /** Whether the column has zeros where there is no row; `places` are all of the span then. */
  readonly isFilled: boolean
}

export function decodePlaces(decoder: Decoder): PlacesRead {
  const mark = decoder.bits(6)
  decoder.version = mark === MARK ? 2 : 1
  const first = mark === MARK ? decodeSingle(decoder) : decodeSingle(decoder, mark)
  const span = decoder.bits(12) + 1
  if (first < 0 || first + span > PLACES_LIMIT) {
    throw faultOf('chunk_places', decoder.offset, `${span} places from ${first}`)
  }
  const gaps = decoder.bits(2)
  const all = new Uint32Array(span)
  for (let i = 0; i < span; i++) all[i] = first + i
  if (gaps === GAPS.none || gaps === GAPS.zeros) {
    return { places: all, isFilled: gaps === GAPS.zeros }
  }
  if (gaps !== GAPS.flags) throw faultOf('chunk_places', decoder.offset, `gaps by way ${gaps}`)
  const flags = new Uint8Array(span)
  decoder.flags(flags, span)
  let rows = 0
  for (let i = 0; i < span; i++) if (flags[i] === 1) all[rows++] = first + i
  const places = all.subarray(0, rows)
  if (rows === 0) throw faultOf('chunk_places', decoder.offset, 'no row at all')
  return { places, isFilled: false }
}
