/** AssemblyScript: the half of the coder that writes (script-encoder.ts). */
import {
  AGES,
  ALL,
  BYTES,
  BYTES_MAX,
  beginRows,
  bitLength,
  COLUMN,
  CONSTANT,
  CONTEXT,
  COUNTS,
  contextOf,
  expectedCount,
  FIRSTS,
  FLAG_CONTEXTS,
  FLAGS,
  finenessOf,
  fold,
  halfOctave,
  LENGTHS,
  learnShares,
  meanRate,
  NONE,
  ONES,
  PREVIOUS,
  RATES,
  RESIDUALS,
  ROW,
  ROWS,
  reset,
  resetUsual,
  rounded,
  SHARES,
  SIGNED,
  SIGNS,
  SIZES,
  SLOPE,
  signContext,
  sumOfShares,
  TOP_BYTE,
  TOTALS,
  WHOLE,
} from './shared.as'

let low: u32 = 0
let high: u32 = ALL
let at: usize = 0

export function begin(): void {
  low = 0
  high = ALL
  at = 0
}

/** Ends the chunk; one of more bytes than there are was not written whole. */
export function end(): usize {
  put(high >> 23)
  return at
}

function put(byte: u32): void {
  if (at < BYTES_MAX) store<u8>(BYTES + at, byte)
  at++
}

function shiftOut(): void {
  do {
    put(high >> 23)
    low = (low << 8) & ALL
    high = ((high << 8) & ALL) | 255
  } while (((low ^ high) & TOP_BYTE) == 0)
}

function sayBit(model: u32, bit: u32): void {
  const place = ONES + ((<usize>model) << 1)
  const ones: u32 = load<u16>(place)
  const age: u32 = load<u8>(AGES + model)
  const rate: u32 = load<u32>(RATES + ((<usize>age) << 2))
  const middle: u32 = low + ((high - low) >> 12) * (ones >> 4)
  if (bit) {
    high = middle
    store<u16>(place, ones + (((65504 - ones) * rate) >> 16))
  } else {
    low = middle + 1
    store<u16>(place, ones - (((ones - 32) * rate) >> 16))
  }
  if (age < 127) store<u8>(AGES + model, age + 1)
  if (((low ^ high) & TOP_BYTE) == 0) shiftOut()
}

function sayFew(value: u32, count: i32): void {
  for (let left = count; left > 0; ) {
    const range = high - low
    const taken: i32 = range < 65536 ? 1 : min(left, 8)
    left -= taken
    const step: u32 = range < 65536 ? (range >> 1) + 1 : range >> taken
    const last: u32 = (1 << taken) - 1
    const digit = (value >> left) & last
    low += step * digit
    if (digit < last) high = low + step - 1
    if (((low ^ high) & TOP_BYTE) == 0) shiftOut()
  }
}

function say(value: u64, count: i32): void {
  let left = count
  for (; left > 16; left -= 16) sayFew(<u32>(value >> (left - 16)) & 0xffff, 16)
  sayFew(<u32>(value & ((1 << left) - 1)), left)
}

export function bits(value: f64, count: i32): void {
  say(<u64>value, count)
}

function sayNumber(first: u32, context: u32, depth: i32, value: u64): void {
  const length = bitLength(value)
  const base = first + context * CONTEXT
  let node: u32 = 1
  for (let i = depth - 1; i >= 0; i--) {
    const bit: u32 = (length >> i) & 1
    sayBit(base + node, bit)
    node = node * 2 + bit
  }
  if (length < 2) return
  const place = base + 64 + <u32>length * 4
  const second = <u32>(value >> (length - 2)) & 1
  sayBit(place, second)
  if (length < 3) return
  sayBit(place + 1 + second, <u32>(value >> (length - 3)) & 1)
  if (length > 3) say(value & (((<u64>1) << (length - 3)) - 1), length - 3)
}

export function sayPieces(count: i32): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    say(<u64>load<f64>(COLUMN + (i << 3)), load<u8>(SIZES + i))
  }
}

export function sayFlags(count: i32): void {
  reset(FLAGS, FLAG_CONTEXTS)
  let context: u32 = 0
  for (let i: usize = 0; i < <usize>count; i++) {
    const flag: u32 = load<u8>(SIZES + i)
    sayBit(FLAGS + context, flag)
    context = ((context << 1) | flag) & (FLAG_CONTEXTS - 1)
  }
}

function costOf(residual: u64): f64 {
  const next = residual + 1
  const length: i64 = bitLength(next) - 1
  return <f64>length + <f64>next * reinterpret<f64>((1023 - length) << 52) - 1.0
}

/** Finds the predictor whose residuals would take the fewest bits by a universal code. */
function choose(count: usize): i32 {
  const head = load<f64>(COLUMN)
  let isConstant = true
  let least = head
  for (let i: usize = 1; i < count; i++) {
    const value = load<f64>(COLUMN + (i << 3))
    if (value != head) isConstant = false
    if (value < least) least = value
  }
  if (isConstant) return CONSTANT
  const isPlain = least >= 0.0
  let previous = <i64>head
  let before = previous
  let mean8: f64 = head
  let mean32: f64 = head
  let mean3: f64 = head
  let cost1: f64 = 0
  let cost2: f64 = 0
  let cost3: f64 = 0
  let cost4: f64 = 0
  let cost5: f64 = 0
  let cost6: f64 = 0
  for (let i: usize = 1; i < count; i++) {
    const value = load<f64>(COLUMN + (i << 3))
    const whole = <i64>value
    cost1 += costOf(isPlain ? <u64>whole : fold(whole))
    cost2 += costOf(fold(whole - previous))
    cost3 += costOf(fold(whole - rounded(mean8)))
    cost4 += costOf(fold(whole - rounded(mean32)))
    cost5 += costOf(fold(whole - rounded(mean3)))
    cost6 += costOf(fold(whole - (2 * previous - before)))
    mean8 += (value - mean8) * 0.125
    mean32 += (value - mean32) * 0.03125
    mean3 += (value - mean3) * (1.0 / 3.0)
    before = previous
    previous = whole
  }
  let best = isPlain ? NONE : SIGNED
  let cost = cost1
  if (cost2 < cost) {
    cost = cost2
    best = PREVIOUS
  }
  if (cost3 < cost) {
    cost = cost3
    best = 3
  }
  if (cost4 < cost) {
    cost = cost4
    best = 4
  }
  if (cost5 < cost) {
    cost = cost5
    best = 5
  }
  return cost6 < cost ? SLOPE : best
}

/** Writes the residuals, and gives the largest. */
function residuals(count: usize, predictor: i32): u64 {
  let largest: u64 = 0
  if (predictor <= SIGNED) {
    for (let i: usize = 0; i < count; i++) {
      const value = <i64>load<f64>(COLUMN + (i << 3))
      const residual = predictor == NONE ? <u64>value : fold(value)
      store<u64>(RESIDUALS + (i << 3), residual)
      if (residual > largest) largest = residual
    }
    return largest
  }
  const rate = meanRate(predictor)
  let mean = load<f64>(COLUMN)
  let previous = <i64>mean
  let before = previous
  for (let i: usize = 1; i < count; i++) {
    const value = load<f64>(COLUMN + (i << 3))
    const whole = <i64>value
    const expected =
      predictor == PREVIOUS ? previous : predictor == SLOPE ? 2 * previous - before : rounded(mean)
    const residual = fold(whole - expected)
    store<u64>(RESIDUALS + (i << 3), residual)
    if (residual > largest) largest = residual
    mean += (value - mean) * rate
    before = previous
    previous = whole
  }
  return largest
}

function sayHead(value: i64): void {
  const folded = fold(value)
  const length = bitLength(folded)
  sayFew(length, 6)
  say(folded, length)
}

export function sayWhole(count: i32): void {
  if (count == 0) return
  const predictor = choose(count)
  sayFew(predictor, 3)
  if (predictor > SIGNED) sayHead(<i64>load<f64>(COLUMN))
  if (predictor == CONSTANT) return
  const isSigned = predictor != NONE
  const largest = residuals(count, predictor)
  const depth = max(1, bitLength(bitLength(isSigned ? sizeOf(largest) : largest)))
  sayFew(depth, 3)
  resetUsual(depth)
  const fineness = finenessOf(depth)
  let length: f64 = 1
  let before: i64 = 0
  let previous = predictor > SIGNED ? <i64>load<f64>(COLUMN) : 0
  for (let i: usize = predictor > SIGNED ? 1 : 0; i < <usize>count; i++) {
    const residual = load<u64>(RESIDUALS + (i << 3))
    const size = isSigned ? sizeOf(residual) : residual
    sayNumber(WHOLE, contextOf(length, fineness), depth, size)
    length += (<f64>bitLength(size) - length) * 0.25
    if (isSigned) {
      const value = <i64>load<f64>(COLUMN + (i << 3))
      const distance: i64 = residual & 1 ? -(<i64>size) : <i64>size
      if (size > 0) {
        sayBit(SIGNS + signContext(before, previous - (value - distance)), <u32>residual & 1)
      }
      before = distance
      previous = value
    }
  }
}

/** Size of the number that was folded to another one. */
function sizeOf(folded: u64): u64 {
  return (folded + 1) >> 1
}

export function sayRows(width: usize, count: i32): void {
  const depth = beginRows(width, count)
  let counts = COUNTS
  for (let i: usize = 0; i < <usize>count; i++) {
    memory.fill(ROW, 0, (width + 1) << 3)
    const length = (<usize>load<u16>(LENGTHS + (i << 1))) << 3
    memory.copy(ROW + ((<usize>load<u16>(FIRSTS + (i << 1))) << 3), counts, length)
    counts += length
    let left = load<f64>(TOTALS + (i << 3))
    let rest = sumOfShares(width)
    for (let j: usize = 0; j + 1 < width && left > 0.0; j++) {
      const each = load<f64>(ROW + (j << 3))
      const share = load<f64>(SHARES + (j << 3))
      const expected = expectedCount(left, share, rest)
      const context = halfOctave(expected)
      if (expected < 6.0) {
        sayBit(ROWS + context * CONTEXT, each == 0.0 ? 0 : 1)
        if (each != 0.0) sayNumber(ROWS, context, depth, <u64>each - 1)
      } else {
        sayNumber(ROWS, context, depth, fold(<i64>each - rounded(expected)))
      }
      rest -= share
      left -= each
    }
    learnShares(width, <i32>i)
  }
}
