/**
 * Bounds of exponential buckets by arithmetic that IEEE 754 fixes to the last bit (products and
 * square roots): the same on every machine and in every version of Node, as what was written by one
 * is read by another. They may differ from the model's in the last place.
 */

const STEPS = 256
const SCALE_FINE = 8
const float = new Float64Array(1)
const words = new Uint32Array(float.buffer)
const HIGH = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 1 : 0

/** 2^(i/256), each the product of the roots that its binary digits name. */
const ROOTS = rootsOfTwo()

function rootsOfTwo(): Float64Array {
  const roots = new Float64Array(STEPS + 1).fill(1)
  let root = 2
  for (let bit = STEPS >> 1; bit > 0; bit >>= 1) {
    root = Math.sqrt(root)
    for (let i = 0; i < STEPS; i++) if ((i & bit) !== 0) roots[i] = roots[i]! * root
  }
  roots[STEPS] = 2
  return roots
}

/** Computes the lower bound of bucket i; 0 below 2^-1022, Infinity from 2^1024 on. */
export function boundOf(index: number, scale: number): number {
  if (scale <= 0) return powerOfTwo(index * 2 ** -scale)
  const perOctave = 2 ** scale
  const octave = Math.floor(index / perOctave)
  const part = ((index - octave * perOctave) / perOctave) * STEPS
  const step = Math.floor(part)
  const [from, to] = [ROOTS[step]!, ROOTS[step + 1]!]
  const root = scale <= SCALE_FINE ? from : from + (to - from) * (part - step)
  return root * powerOfTwo(octave)
}

function powerOfTwo(exponent: number): number {
  if (exponent < -1022) return 0
  if (exponent > 1023) return Number.POSITIVE_INFINITY
  words[HIGH] = (exponent + 1023) << 20
  words[1 - HIGH] = 0
  return float[0]!
}
