/**
 * Bucket arithmetic of base-2 exponential histograms: at scale s, bucket i
 * holds (2^(i/2^s), 2^((i+1)/2^s)], upper bound inclusive. The same indices as OTLP's
 * ExponentialHistogram; a Prometheus native histogram counts one higher.
 *
 *   scale 0, i:      -2        -1         0         1         2
 *            (0.25, 0.5]  (0.5, 1]    (1, 2]    (2, 4]    (4, 8]
 */
import type { Exact } from '../exact.ts'

export const SCALE_MAX = 8
export const SCALE_MIN = -10

const float = new Float64Array(1)
const words = new Uint32Array(float.buffer)
const HIGH = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 1 : 0
const LOW = 1 - HIGH
/** 2^52, to bring subnormals into the normal range. */
const NORMALIZE = 4503599627370496

/**
 * Finds the index of the bucket that holds a positive value. Exact at powers of two; the logarithm
 * is taken of the mantissa alone, so that values just above a power of two do not fall below it.
 * `index(v, s - 1) === index(v, s) >> 1` for every v.
 * @param value positive and finite; a bigint beyond 2^53 is rounded up, never to nearest
 *
 * @example
 * import { bucketIndex, lowerBound, upperBound } from 'pentameter/model'
 *
 * const index = bucketIndex(5, 0)
 * console.log(index, lowerBound(index, 0), upperBound(index, 0)) // 2 4 8
 */
export function bucketIndex(value: Exact, scale: number): number {
  if (typeof value === 'bigint') return bigBucketIndex(value, scale)
  let exponentOffset = 0
  float[0] = value
  if (words[HIGH]! < 0x0010_0000) {
    float[0] = value * NORMALIZE
    exponentOffset = -52
  }
  const high = words[HIGH]!
  const exponent = (high >>> 20) - 1023 + exponentOffset
  const isPowerOfTwo = (high & 0xf_ffff) === 0 && words[LOW] === 0
  if (scale <= 0) return (isPowerOfTwo ? exponent - 1 : exponent) >> -scale
  const perOctave = 1 << scale
  if (isPowerOfTwo) return exponent * perOctave - 1
  words[HIGH] = (high & 0xf_ffff) | 0x3ff0_0000
  const part = Math.ceil(Math.log2(float[0]!) * perOctave)
  return exponent * perOctave + Math.min(part, perOctave) - 1
}

function bigBucketIndex(value: bigint, scale: number): number {
  const excess = value.toString(2).length - 53
  if (excess <= 0) return bucketIndex(Number(value), scale)
  const shift = BigInt(excess)
  let mantissa = value >> shift
  if (mantissa << shift !== value) mantissa += 1n
  const octaves = scale >= 0 ? excess << scale : excess
  if (scale >= 0) return bucketIndex(Number(mantissa), scale) + octaves
  return (bucketIndex(Number(mantissa), 0) + octaves) >> -scale
}

/**
 * Computes the upper bound, inclusive, of bucket i. Exact where it is a power of two; Infinity
 * above 2^1024.
 *
 * @example
 * import { upperBound } from 'pentameter/model'
 *
 * console.log(upperBound(2, 0), upperBound(0, 1)) // 8 1.4142135623730951
 */
export function upperBound(index: number, scale: number): number {
  return lowerBound(index + 1, scale)
}

/**
 * Computes the lower bound, exclusive, of bucket i.
 *
 * @example
 * import { lowerBound } from 'pentameter/model'
 *
 * console.log(lowerBound(2, 0), lowerBound(-1, 0)) // 4 0.5
 */
export function lowerBound(index: number, scale: number): number {
  if (scale <= 0) return 2 ** (index * 2 ** -scale)
  const octave = index >> scale
  const part = index - octave * 2 ** scale
  return 2 ** (part / 2 ** scale) * 2 ** octave
}
