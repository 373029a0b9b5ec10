/**
 * AssemblyScript: memory of the coder, and what its two halves expect alike.
 *
 *   0         rates by age: 128 x i32
 *   512       probabilities of whole numbers, rows, flags, signs: u16 each; their ages: u8 each
 *   65536     a column: 4096 x f64          98304   sizes or flags of a column: 4096 x u8
 *   102400    residuals: 4096 x i64         135168  a row, 200768 shares: 8195 x f64 each
 *   270336    totals: 4096 x f64            303104  firsts, 311296 lengths: 4096 x u16 each
 *   327680    counts of all rows: 2^21 x f64
 *   17104896  bytes of a chunk: 2^24, and 16 that are never counted
 *   33882624  what is usual of whole numbers: 6 x 3840 x u16, by depth; written from models.ts
 */
export const RATES: usize = 0
export const ONES: usize = 512
export const WHOLE: u32 = 0
export const ROWS: u32 = 3840
export const FLAGS: u32 = 19200
export const SIGNS: u32 = 19264
export const MODELS: u32 = 19280
export const AGES: usize = ONES + MODELS * 2
export const COLUMN: usize = 65536
export const SIZES: usize = 98304
export const RESIDUALS: usize = 102400
export const ROW: usize = 135168
export const SHARES: usize = 200768
export const TOTALS: usize = 270336
export const FIRSTS: usize = 303104
export const LENGTHS: usize = 311296
export const COUNTS: usize = 327680
export const BYTES: usize = 17104896
export const BYTES_MAX: usize = 16777216
export const USUAL: usize = 33882624

export const CONTEXT: u32 = 320
export const CONTEXTS: i32 = 12
export const FLAG_CONTEXTS: u32 = 64
export const ALL: u32 = 0x7fffffff
export const TOP_BYTE: u32 = 0x7f800000
export const WHOLE_MAX: i64 = (1 << 50) - 1
export const LENGTH_MAX: u32 = 53

export const NONE: i32 = 0
export const SIGNED: i32 = 1
export const PREVIOUS: i32 = 2
export const SLOPE: i32 = 6
export const CONSTANT: i32 = 7

export function start(): void {
  for (let age: i32 = 0; age < 128; age++) {
    const rate = Math.round(65536.0 / Math.min(90.0, <f64>age + 1.6))
    store<i32>(RATES + ((<usize>age) << 2), <i32>rate)
  }
}

export function reset(first: u32, count: u32): void {
  for (let i: u32 = 0; i < count; i += 4) store<u64>(ONES + ((first + i) << 1), 0x8000800080008000)
  memory.fill(AGES + first, 0, count)
}

/** Begins a column of whole numbers with what is usual. */
export function resetUsual(depth: i32): void {
  memory.copy(ONES, USUAL + <usize>(depth - 1) * 7680, 7680)
  memory.fill(AGES, 4, ROWS)
  reset(SIGNS, 12)
  memory.fill(AGES + SIGNS, 8, 12)
}

function signOf(value: i64): i32 {
  return value < 0 ? -1 : value > 0 ? 1 : 0
}

export function signContext(distance: i64, lean: i64): u32 {
  return <u32>((signOf(distance) + 1) * 3 + signOf(lean) + 1)
}

export function bitLength(value: u64): i32 {
  return 64 - <i32>clz(value)
}

export function fold(value: i64): u64 {
  return <u64>((value << 1) ^ (value >> 63))
}

export function meanRate(predictor: i32): f64 {
  return predictor == 3 ? 0.125 : predictor == 4 ? 0.03125 : predictor == 5 ? 1.0 / 3.0 : 0.0
}

export function rounded(mean: f64): i64 {
  return <i64>Math.floor(mean + 0.5)
}

export function contextOf(length: f64, fineness: f64): u32 {
  return <u32>min(CONTEXTS - 1, <i32>Math.floor(length * fineness + 0.5))
}

export function finenessOf(depth: i32): f64 {
  return depth > 4 ? 0.25 : depth < 3 ? 1.0 : 0.5
}

export function halfOctave(expected: f64): u32 {
  const scaled = expected * 64.0
  if (scaled >= 16777216.0) return 47
  const q = <u32>scaled
  if (q < 2) return q
  const octave: u32 = 31 - clz(q)
  return min(47, 2 * octave + ((q >> (octave - 1)) & 1))
}

export function expectedCount(left: f64, share: f64, rest: f64): f64 {
  return share < rest ? (left * share) / rest : left
}

export function learnShares(width: usize, index: i32): void {
  const rate = f64x2.splat(Math.max(0.03, 1.0 / <f64>(index + 2)))
  const none = f64x2.splat(0.02)
  for (let j: usize = 0; j < width << 3; j += 16) {
    const share = v128.load(SHARES + j)
    const found = f64x2.sub(f64x2.add(v128.load(ROW + j), none), share)
    v128.store(SHARES + j, f64x2.add(share, f64x2.mul(found, rate)))
  }
}

export function beginRows(width: usize, count: i32): i32 {
  let largest: f64 = 0
  for (let i: usize = 0; i < <usize>count; i++) {
    largest = Math.max(largest, load<f64>(TOTALS + (i << 3)))
  }
  for (let j: usize = 0; j <= width; j++) store<f64>(SHARES + (j << 3), 1)
  reset(ROWS, FLAGS - ROWS)
  return max(1, bitLength(bitLength(<u64>largest * 2)))
}

export function sumOfShares(width: usize): f64 {
  let rest: f64 = 0
  for (let j: usize = 0; j < width; j++) rest += load<f64>(SHARES + (j << 3))
  return rest
}
