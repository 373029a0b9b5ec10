/**
 * The model's bucket index without a logarithm: at SCALE_MAX an octave has 256 buckets, whose
 * bounds are looked up. The octave's mantissas [1, 2) are cut into 512 equal cells; the bounds lie
 * at least 1/369 apart, so a cell holds at most one of them, and
 *
 *   index = 256 * exponent + start[cell] + (mantissa > bound[cell] ? 1 : 0)
 *
 * where start[cell] is the index at the cell's lower end and bound[cell] the last mantissa of that
 * bucket, both for mantissas of 32 bits. A coarser scale s is the same index shifted right by 8 -
 * s. The bounds are found by bisection of the model's own function, so both agree on every double;
 * it begins close to the power that the bound is, for every thread makes this table as it starts.
 */
import { bucketIndex, SCALE_MAX } from '../../model/index.ts'

const CELL_BITS = 9
const CELLS = 1 << CELL_BITS
/** Cell number times 2 in a 32-bit mantissa whose top bit is the leading 1. */
const CELL_SHIFT = 31 - CELL_BITS - 1
const CELL_MASK = 2 * CELLS - 2
const MANTISSA_ONE = 2 ** 31

/**
 * Cells, each `[start][bound]`. Mantissas have their top bit set, so as ints they are all negative
 * and keep their order; a difference of two does not overflow, and its sign compares without a
 * branch.
 */
const cells = new Int32Array(2 * CELLS)

const float = new Float64Array(1)
const halves = new Int32Array(float.buffer)

/** Half of the interval in which a bound is looked for, relative; a power errs by an ulp or two. */
const POWER_ERROR = 2 ** -49

for (let cell = 0; cell < CELLS; cell++) {
  const start = bucketIndex(1 + cell / CELLS, SCALE_MAX)
  const isSameBucket = cell > 0 && cells[2 * cell - 2] === start
  cells[2 * cell] = start
  cells[2 * cell + 1] = isSameBucket
    ? cells[2 * cell - 1]!
    : Math.floor(lastInBucket(start) * MANTISSA_ONE)
}

/** Computes the greatest mantissa in bucket `index` of the octave. */
function lastInBucket(index: number): number {
  if (index < 0) return 1 // the octave's own lower bound, which belongs to the bucket below
  const power = 2 ** ((index + 1) / 2 ** SCALE_MAX)
  let low = power * (1 - POWER_ERROR)
  let high = Math.min(2, power * (1 + POWER_ERROR))
  for (;;) {
    const middle = low + (high - low) / 2
    if (middle === low || middle === high) return low
    if (bucketIndex(middle, SCALE_MAX) <= index) low = middle
    else high = middle
  }
}

/** Finds the index at SCALE_MAX of an integer 1 … 2^31 - 1. */
export function placeOfInteger(value: number): number {
  const zeros = Math.clz32(value)
  const mantissa = value << zeros
  const cell = (mantissa >>> CELL_SHIFT) & CELL_MASK
  return ((31 - zeros) << SCALE_MAX) + cells[cell]! - ((cells[cell + 1]! - mantissa) >> 31)
}

/** Finds the index at SCALE_MAX of a positive finite double. */
export function placeOfDouble(value: number): number {
  float[0] = value
  const high = halves[1]!
  const low = halves[0]!
  const mantissa = 0x8000_0000 | ((high & 0xf_ffff) << 11) | (low >>> 21)
  const cell = (mantissa >>> CELL_SHIFT) & CELL_MASK
  const bound = cells[cell + 1]!
  // What 32 bits cannot tell, and subnormals, which have no leading 1.
  if (mantissa === bound || high < 0x0010_0000) return bucketIndex(value, SCALE_MAX)
  return (((high >>> 20) - 1023) << SCALE_MAX) + cells[cell]! - ((bound - mantissa) >> 31)
}
