/**
 * Layouts of buckets. Cells of one layout are a group with rows of its own; nearly always there is
 * one.
 *
 *   layout   [scale + 128:8][bounds?:1] then [count:12] and the bounds as doubles
 *            [threshold?:1] then [zeroThreshold:64]  [overflow?:1] then [overflowFrom:64]
 *
 * A row has the counts of a cell from the left, as far as the group has any there:
 *
 *   negative side, highest bucket first | zero bucket | positive side, lowest first | overflow
 */
import type { Histogram } from '../../../model/index.ts'
import type { Decoder, Encoder } from '../coder/coder.ts'
import { decodeNumbers, encodeNumbers } from '../columns/numbers.ts'
import { decodeDouble, encodeDouble } from '../columns/singles.ts'
import { faultOf } from '../fault.ts'
import { boundOf } from './powers.ts'

export type Layout = Pick<Histogram, 'scale' | 'bounds' | 'zeroThreshold' | 'overflowFrom'>

const BOUNDS_MAX = 4095
const SCALE_OFFSET = 128

export function isSameLayout(a: Layout, b: Layout): boolean {
  if (a.zeroThreshold !== b.zeroThreshold || a.overflowFrom !== b.overflowFrom) return false
  if (a.scale !== b.scale) return false
  if (a.bounds === b.bounds) return true
  if (a.bounds?.length !== b.bounds?.length) return false
  return a.bounds?.every((bound, i) => bound === b.bounds![i]) === true
}

/** @throws {RangeError} for a scale beyond a byte or more than 4,095 bounds */
export function encodeLayout(encoder: Encoder, layout: Layout): void {
  const { scale, bounds, zeroThreshold, overflowFrom } = layout
  if (!Number.isInteger(scale) || scale < -SCALE_OFFSET || scale >= SCALE_OFFSET) {
    throw new RangeError(`histogram of scale ${scale}`)
  }
  encoder.bits(scale + SCALE_OFFSET, 8)
  encoder.bits(bounds === undefined ? 0 : 1, 1)
  if (bounds !== undefined) {
    if (bounds.length > BOUNDS_MAX) {
      throw new RangeError(`histogram of ${bounds.length} bounds, limit ${BOUNDS_MAX}`)
    }
    encoder.bits(bounds.length, 12)
    if (bounds.length > 0) encodeNumbers(encoder, Float64Array.from(bounds), bounds.length)
  }
  encoder.bits(zeroThreshold === 0 ? 0 : 1, 1)
  if (zeroThreshold !== 0) encodeDouble(encoder, zeroThreshold)
  encoder.bits(overflowFrom === Number.POSITIVE_INFINITY ? 0 : 1, 1)
  if (overflowFrom !== Number.POSITIVE_INFINITY) encodeDouble(encoder, overflowFrom)
}

export function decodeLayout(decoder: Decoder): Layout {
  const scale = decoder.bits(8) - SCALE_OFFSET
  let bounds: readonly number[] | undefined
  if (decoder.bits(1) === 1) {
    const column = new Float64Array(decoder.bits(12))
    if (column.length > 0) decodeNumbers(decoder, column, column.length)
    for (let i = 0; i < column.length; i++) {
      if (!Number.isFinite(column[i]) || (i > 0 && !(column[i]! > column[i - 1]!))) {
        throw faultOf('chunk_layout', decoder.offset, `bound ${column[i]} at place ${i}`)
      }
    }
    bounds = [...column]
  }
  const zeroThreshold = decoder.bits(1) === 1 ? decodeDouble(decoder) : 0
  const overflowFrom = decoder.bits(1) === 1 ? decodeDouble(decoder) : Number.POSITIVE_INFINITY
  if (!(zeroThreshold >= 0) || Number.isNaN(overflowFrom)) {
    throw faultOf('chunk_layout', decoder.offset, `threshold ${zeroThreshold}, ${overflowFrom}`)
  }
  return { scale, bounds, zeroThreshold, overflowFrom }
}

/** Buckets that the rows of a group have. */
export interface Extent {
  /** Lowest bucket of the positive side, and how many there are from it. */
  readonly low: number
  readonly size: number
  readonly negativeLow: number
  readonly negativeSize: number
  readonly hasZero: boolean
  readonly hasOverflow: boolean
}

/** Places of a row; where its parts begin. */
export interface RowPlaces {
  readonly zero: number
  readonly positive: number
  readonly overflow: number
  readonly width: number
}

export function rowPlaces({ size, negativeSize, hasZero, hasOverflow }: Extent): RowPlaces {
  const positive = negativeSize + (hasZero ? 1 : 0)
  const overflow = positive + size
  return { zero: negativeSize, positive, overflow, width: overflow + (hasOverflow ? 1 : 0) }
}

/** Values that a place of a row can hold: above `from`, not above `to`; NaN = not known. */
export interface PlaceRange {
  readonly from: Float64Array
  readonly to: Float64Array
}

export function placeRanges(layout: Layout, extent: Extent): PlaceRange {
  const { zero, positive, overflow, width } = rowPlaces(extent)
  const from = new Float64Array(width).fill(Number.NaN)
  const to = new Float64Array(width).fill(Number.NaN)
  for (let j = 0; j < zero; j++) {
    const index = extent.negativeLow + extent.negativeSize - 1 - j
    from[j] = -boundOf(index + 1, layout.scale)
    to[j] = -boundOf(index, layout.scale)
  }
  if (extent.hasZero) {
    from[zero] = -layout.zeroThreshold
    to[zero] = layout.zeroThreshold
  }
  for (let j = positive; j < overflow; j++) {
    const index = extent.low + j - positive
    from[j] = lowerOf(layout, index)
    to[j] = upperOf(layout, index)
  }
  return { from, to }
}

function lowerOf({ bounds, scale }: Layout, index: number): number {
  if (bounds === undefined) return boundOf(index, scale)
  return index > 0 ? (bounds[index - 1] ?? Number.NaN) : Math.min(0, bounds[0] ?? Number.NaN)
}

function upperOf({ bounds, scale }: Layout, index: number): number {
  return bounds === undefined ? boundOf(index + 1, scale) : (bounds[index] ?? Number.NaN)
}
