/**
 * The model's bucket index without a logarithm: at SCALE_MAX an octave has 256 buckets, whose
 * bounds are looked up. The octave's mantissas [1, 2) are cut into 512 equal cells; the bounds lie
 * at least 1/369 apart, so a cell holds at most one of them, and
 *
 *   index = 256 * exponent + start[cell] + (rest > bound[cell] ? 1 : 0)
 *
 * where start[cell] is the index at the cell's lower end, rest the mantissa's 22 bits below the
 * cell's number and bound[cell] the last rest in that bucket. Both are one int,
 * [start:10][2^22 - 1 - bound:22]: a rest above the bound, added to it, carries into the index. A
 * coarser scale s is the same index shifted right by 8 - s. The bounds are found by bisection of
 * the model's own function, so both agree on every double; it begins close to the power that the
 * bound is, for every thread makes this table as it starts.
 */
import { bucketIndex, SCALE_MAX } from '../../model/index.ts'

/** SCALE_MAX as a constant of this module's compiled code: an import is looked up at each use. */
const OCTAVE_BITS = SCALE_MAX
const CELL_BITS = 9
const CELLS = 1 << CELL_BITS
/** Bits of a 32-bit mantissa below its leading 1 and its cell's number. */
const REST_BITS = 31 - CELL_BITS
const REST_MASK = (1 << REST_BITS) - 1
const CELL_MASK = CELLS - 1
const MANTISSA_ONE = 2 ** 31

const cells = new Int32Array(CELLS)

const float = new Float64Array(1)
const halves = new Int32Array(float.buffer)

/** Half of the interval in which a bound is looked for, relative; a power errs by an ulp or two. */
const POWER_ERROR = 2 ** -49

for (let cell = 0; cell < CELLS; cell++) {
  const start = bucketIndex(1 + cell / CELLS, SCALE_MAX)
  const bound = Math.floor((lastInBucket(start) - 1 - cell / CELLS) * MANTISSA_ONE)
  cells[cell] = (start << REST_BITS) + REST_MASK - Math.min(bound, REST_MASK)
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
  const cell = cells[(mantissa >>> REST_BITS) & CELL_MASK]!
  return ((31 - zeros) << OCTAVE_BITS) + ((cell + (mantissa & REST_MASK)) >> REST_BITS)
}

/** Finds the least of the integers 1 … 2^31 - 1 at or above a place at SCALE_MAX; 2^31 = none. */
export function leastIntegerFrom(place: number): number {
  if (place < 0) return 1
  if (place >= 31 << SCALE_MAX) return MANTISSA_ONE
  // The bucket's lower bound, which is no part of it; a power errs by an ulp or two.
  let least = Math.max(1, Math.floor(2 ** (place / 2 ** SCALE_MAX)))
  while (least < MANTISSA_ONE && placeOfInteger(least) < place) least++
  while (least > 1 && placeOfInteger(least - 1) >= place) least--
  return least
}

/** Finds the index at SCALE_MAX of a positive finite double. */
export function placeOfDouble(value: number): number {
  float[0] = value
  const high = halves[1]!
  const low = halves[0]!
  const mantissa = ((high & 0xf_ffff) << 11) | (low >>> 21)
  const sum = cells[mantissa >>> REST_BITS]! + (mantissa & REST_MASK)
  // What 32 bits cannot tell, and subnormals, which have no leading 1.
  if ((sum & REST_MASK) === REST_MASK || high < 0x0010_0000) return bucketIndex(value, SCALE_MAX)
  return (((high >>> 20) - 1023) << OCTAVE_BITS) + (sum >> REST_BITS)
}
