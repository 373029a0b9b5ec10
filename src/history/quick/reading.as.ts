/** AssemblyScript: the half of the coder that reads (script-decoder.ts). */
import {
  AGES,
  ALL,
  BYTES,
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
  halfOctave,
  LENGTH_MAX,
  LENGTHS,
  learnShares,
  meanRate,
  NONE,
  ONES,
  PREVIOUS,
  RATES,
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
  WHOLE_MAX,
} from './shared.as'

let low: u32 = 0
let high: u32 = ALL
/** The 31 bits at hand, and the bit behind them. */
let code: u32 = 0
let spare: u32 = 0
/** Version of the chunk. */
let version: i32 = 2
let at: usize = 0
let size: usize = 0

function byteAt(i: usize): u32 {
  return i < size ? load<u8>(BYTES + i) : 0
}

export function open(length: usize): void {
  size = length
  low = 0
  high = ALL
  at = 4
  code = (byteAt(0) << 23) | (byteAt(1) << 15) | (byteAt(2) << 7) | (byteAt(3) >> 1)
  spare = byteAt(3) & 1
}

export function setVersion(told: i32): void {
  version = told
}

export function offset(): usize {
  return min(at, size)
}

function shiftIn(): void {
  do {
    const byte = byteAt(at)
    at++
    code = ((code << 8) & ALL) | (spare << 7) | (byte >> 1)
    spare = byte & 1
    low = (low << 8) & ALL
    high = ((high << 8) & ALL) | 255
  } while (((low ^ high) & TOP_BYTE) == 0)
}

function readBit(model: u32): u32 {
  const place = ONES + ((<usize>model) << 1)
  const ones: u32 = load<u16>(place)
  const age: u32 = load<u8>(AGES + model)
  const rate: u32 = load<u32>(RATES + ((<usize>age) << 2))
  const middle: u32 = low + ((high - low) >> 12) * (ones >> 4)
  let bit: u32 = 0
  if (code <= middle) {
    bit = 1
    high = middle
    store<u16>(place, ones + (((65504 - ones) * rate) >> 16))
  } else {
    low = middle + 1
    store<u16>(place, ones - (((ones - 32) * rate) >> 16))
  }
  if (age < 127) store<u8>(AGES + model, age + 1)
  if (((low ^ high) & TOP_BYTE) == 0) shiftIn()
  return bit
}

function readFew(count: i32): u32 {
  let value: u32 = 0
  for (let left = count; left > 0; ) {
    const range = high - low
    const taken: i32 = range < 65536 ? 1 : min(left, 8)
    left -= taken
    const step: u32 = range < 65536 ? (range >> 1) + 1 : range >> taken
    const last: u32 = (1 << taken) - 1
    const digit: u32 = min(last, (code - low) / step)
    value = (value << taken) | digit
    low += step * digit
    if (digit < last) high = low + step - 1
    if (((low ^ high) & TOP_BYTE) == 0) shiftIn()
  }
  return value
}

function read(count: i32): u64 {
  let value: u64 = 0
  let left = count
  for (; left > 16; left -= 16) value = (value << 16) | readFew(16)
  return (value << left) | readFew(left)
}

export function readBits(count: i32): f64 {
  return <f64>read(count)
}

/** Length of a number that is too long: what was read is no chunk. */
const FAULT: u64 = u64.MAX_VALUE

function readNumber(first: u32, context: u32, depth: i32): u64 {
  const base = first + context * CONTEXT
  let node: u32 = 1
  for (let i = 0; i < depth; i++) node = node * 2 + readBit(base + node)
  const length = node - ((<u32>1) << depth)
  if (length < 2) return length
  if (length > LENGTH_MAX) return FAULT
  const place = base + 64 + length * 4
  const second = readBit(place)
  if (length < 3) return 2 + second
  const top: u64 = 4 + second * 2 + readBit(place + 1 + second)
  return length > 3 ? (top << (length - 3)) | read(length - 3) : top
}

export function readPieces(count: i32): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    store<f64>(COLUMN + (i << 3), <f64>read(load<u8>(SIZES + i)))
  }
}

export function readFlags(count: i32): void {
  reset(FLAGS, FLAG_CONTEXTS)
  let context: u32 = 0
  for (let i: usize = 0; i < <usize>count; i++) {
    const flag = readBit(FLAGS + context)
    store<u8>(SIZES + i, flag)
    context = ((context << 1) | flag) & (FLAG_CONTEXTS - 1)
  }
}

function unfold(folded: u64): i64 {
  return <i64>(folded >> 1) ^ -(<i64>(folded & 1))
}

function isTooLarge(value: i64): bool {
  return value > WHOLE_MAX || value < -WHOLE_MAX
}

export function readWhole(count: i32): i32 {
  if (count == 0) return 0
  const predictor = <i32>readFew(3)
  const hasHead = predictor > SIGNED
  let previous: i64 = 0
  if (hasHead) {
    const length = readFew(6)
    if (length > LENGTH_MAX) return 1
    previous = unfold(read(length))
    if (isTooLarge(previous)) return 1
  }
  let mean = <f64>previous
  if (predictor == CONSTANT) {
    for (let i: usize = 0; i < <usize>count; i++) store<f64>(COLUMN + (i << 3), mean)
    return 0
  }
  const depth = <i32>readFew(3)
  if (depth == 0 || depth > 6) return 1
  if (hasHead) store<f64>(COLUMN, mean)
  if (version == 1) reset(WHOLE, ROWS)
  else resetUsual(depth)
  const fineness = finenessOf(depth)
  const rate = meanRate(predictor)
  let before = previous
  let length: f64 = 1
  let distance: i64 = 0
  for (let i: usize = hasHead ? 1 : 0; i < <usize>count; i++) {
    const expected: i64 = !hasHead
      ? 0
      : predictor == PREVIOUS
        ? previous
        : predictor == SLOPE
          ? 2 * previous - before
          : rounded(mean)
    const size = readNumber(WHOLE, contextOf(length, fineness), depth)
    if (size == FAULT) return 1
    length += (<f64>bitLength(size) - length) * 0.25
    if (predictor == NONE) distance = <i64>size
    else if (version == 1) distance = unfold(size)
    else if (size == 0) distance = 0
    else {
      const lean: i64 = i == 0 ? 0 : previous - expected
      const isBelow = readBit(SIGNS + signContext(distance, lean)) != 0
      distance = isBelow ? -(<i64>size) : <i64>size
    }
    const whole = expected + distance
    if (isTooLarge(whole)) return 1
    const value = <f64>whole
    mean += (value - mean) * rate
    before = previous
    previous = whole
    store<f64>(COLUMN + (i << 3), value)
  }
  return 0
}

/** Reads rows of the totals; they lie in the lists of firsts, lengths and counts then. */
export function readRows(width: usize, count: i32): i32 {
  const depth = beginRows(width, count)
  let counts = COUNTS
  for (let i: usize = 0; i < <usize>count; i++) {
    memory.fill(ROW, 0, (width + 1) << 3)
    let left = load<f64>(TOTALS + (i << 3))
    let rest = sumOfShares(width)
    let first = width
    let last: usize = 0
    for (let j: usize = 0; j < width && left > 0.0; j++) {
      const share = load<f64>(SHARES + (j << 3))
      let each = left
      if (j + 1 < width) {
        const expected = expectedCount(left, share, rest)
        const context = halfOctave(expected)
        if (expected < 6.0) {
          each = 0.0
          if (readBit(ROWS + context * CONTEXT) != 0) {
            const number = readNumber(ROWS, context, depth)
            if (number == FAULT) return 1
            each = <f64>number + 1.0
          }
        } else {
          const number = readNumber(ROWS, context, depth)
          if (number == FAULT) return 1
          each = <f64>(unfold(number) + rounded(expected))
        }
      }
      if (each < 0.0 || each > left) return 1
      rest -= share
      left -= each
      if (each > 0.0) {
        store<f64>(ROW + (j << 3), each)
        if (first > j) first = j
        last = j + 1
      }
    }
    if (last == 0) first = 0
    store<u16>(FIRSTS + (i << 1), <u16>first)
    store<u16>(LENGTHS + (i << 1), <u16>(last - first))
    memory.copy(counts, ROW + (first << 3), (last - first) << 3)
    counts += (last - first) << 3
    learnShares(width, <i32>i)
  }
  return 0
}
