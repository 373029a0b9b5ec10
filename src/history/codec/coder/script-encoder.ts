/**
 * The encoder in JavaScript: a binary range coder without carries. Its state has 31 bits, which V8
 * keeps as small integers; a byte is written as soon as it is the same at both ends of the range.
 *
 *   low ≤ code ≤ high, 31 bits each; a decision that is a one with p/65,536 takes the lower part:
 *
 *     low ├────── 1 ──────┤ middle ├─────── 0 ───────┤ high
 *
 * A whole number n is its length in bits, by a tree of decisions in the context of the lengths
 * before, then its two bits below the top by decisions of that length, then the rest as it is.
 */
import { bitLength, fold, halfOctave, POWERS } from './bit-length.ts'
import { type Encoder, MEAN_RATES, PREDICTOR, RARE_BELOW, type Rows } from './coder.ts'
import {
  AGE_MAX,
  CONTEXT_SIZE,
  FLAG_CONTEXTS,
  finenessOf,
  Models,
  RATES,
  ROW_CONTEXTS,
  SIGN_AGE,
  SIGN_CONTEXTS,
  USUAL,
  WHOLE_AGE,
  WHOLE_CONTEXTS,
} from './models.ts'
import { contextOf, expectedCount, learnShares, rowDepth, signContext } from './prediction.ts'

const ALL = 0x7fff_ffff
const TOP_BYTE = 0x7f80_0000
/** Bytes that one decision can write at most, and some. */
const HEADROOM = 16

export class ScriptEncoder implements Encoder {
  #out = new Uint8Array(8192)
  #size = 0
  #low = 0
  #high = ALL
  readonly #whole = new Models(WHOLE_CONTEXTS * CONTEXT_SIZE)
  readonly #signs = new Models(SIGN_CONTEXTS)
  readonly #rows = new Models(ROW_CONTEXTS * CONTEXT_SIZE)
  readonly #flags = new Models(FLAG_CONTEXTS)
  #row = new Float64Array(0)
  #shares = new Float64Array(0)

  begin(): void {
    this.#size = 0
    this.#low = 0
    this.#high = ALL
  }

  take(): Uint8Array {
    // the top byte of high alone, with zeros behind it, lies in the range
    this.#out[this.#size++] = this.#high >>> 23
    let size = this.#size
    while (size > 0 && this.#out[size - 1] === 0) size--
    return this.#out.slice(0, size)
  }

  bits(value: number, size: number): void {
    let left = size
    for (; left > 16; left -= 16) {
      this.#few(Math.floor(value / POWERS[left - 16]!) & 0xffff, 16)
    }
    this.#few(value % POWERS[left]!, left)
  }

  /** Says up to 16 bits, each as likely as not, up to 8 at a time. */
  #few(value: number, size: number): void {
    for (let left = size; left > 0; ) {
      const range = this.#high - this.#low
      const taken = range < 65_536 ? 1 : Math.min(left, 8)
      left -= taken
      const step = range < 65_536 ? (range >>> 1) + 1 : range >>> taken
      const last = (1 << taken) - 1
      const digit = (value >>> left) & last
      this.#low = (this.#low + step * digit) | 0
      if (digit < last) this.#high = (this.#low + step - 1) | 0
      if (((this.#low ^ this.#high) & TOP_BYTE) === 0) this.#shift()
    }
  }

  #bit(models: Models, at: number, bit: number): void {
    const ones = models.ones[at]!
    const age = models.ages[at]!
    const low = this.#low
    const middle = (low + ((this.#high - low) >>> 12) * (ones >>> 4)) | 0
    if (bit !== 0) {
      this.#high = middle
      models.ones[at] = ones + (((65_504 - ones) * RATES[age]!) >>> 16)
    } else {
      this.#low = (middle + 1) | 0
      models.ones[at] = ones - (((ones - 32) * RATES[age]!) >>> 16)
    }
    if (age < AGE_MAX) models.ages[at] = age + 1
    if (((this.#low ^ this.#high) & TOP_BYTE) === 0) this.#shift()
  }

  #shift(): void {
    if (this.#size + HEADROOM > this.#out.length) this.#grow()
    do {
      this.#out[this.#size++] = this.#high >>> 23
      this.#low = (this.#low << 8) & ALL
      this.#high = ((this.#high << 8) & ALL) | 255
    } while (((this.#low ^ this.#high) & TOP_BYTE) === 0)
  }

  #grow(): void {
    const larger = new Uint8Array(this.#out.length * 2)
    larger.set(this.#out)
    this.#out = larger
  }

  /** Says one number from 0 below 2^53 in a context; `depth` bits suffice for its length. */
  #number(models: Models, context: number, depth: number, value: number): void {
    const length = bitLength(value)
    const base = context * CONTEXT_SIZE
    let node = 1
    for (let i = depth - 1; i >= 0; i--) {
      const bit = (length >> i) & 1
      this.#bit(models, base + node, bit)
      node = node * 2 + bit
    }
    if (length < 2) return
    const at = base + 64 + length * 4
    const second = Math.floor(value / POWERS[length - 2]!) & 1
    this.#bit(models, at, second)
    if (length < 3) return
    this.#bit(models, at + 1 + second, Math.floor(value / POWERS[length - 3]!) & 1)
    if (length > 3) this.bits(value % POWERS[length - 3]!, length - 3)
  }

  pieces(values: Float64Array, sizes: Uint8Array, count: number): void {
    for (let i = 0; i < count; i++) this.bits(values[i]!, sizes[i]!)
  }

  flags(flags: Uint8Array, count: number): void {
    this.#flags.reset()
    let context = 0
    for (let i = 0; i < count; i++) {
      this.#bit(this.#flags, context, flags[i]!)
      context = ((context << 1) | flags[i]!) & (FLAG_CONTEXTS - 1)
    }
  }

  whole(values: Float64Array, count: number): void {
    if (count === 0) return
    const predictor = choosePredictor(values, count)
    this.bits(predictor, 3)
    if (predictor > PREDICTOR.signed) this.#head(values[0]!)
    if (predictor === PREDICTOR.constant) return
    const isSigned = predictor !== PREDICTOR.none
    const residuals = residualsOf(values, count, predictor)
    let largest = 0
    for (let i = 0; i < count; i++) if (residuals[i]! > largest) largest = residuals[i]!
    const depth = Math.max(1, bitLength(bitLength(isSigned ? sizeOf(largest) : largest)))
    this.bits(depth, 3)
    const models = this.#whole
    models.reset(WHOLE_AGE, USUAL[depth - 1])
    this.#signs.reset(SIGN_AGE)
    const fineness = finenessOf(depth)
    let length = 1
    let before = 0
    for (let i = predictor > PREDICTOR.signed ? 1 : 0; i < count; i++) {
      const residual = residuals[i]!
      const size = isSigned ? sizeOf(residual) : residual
      this.#number(models, contextOf(length, fineness), depth, size)
      length += (bitLength(size) - length) / 4
      if (isSigned) {
        const distance = residual % 2 === 0 ? size : -size
        const lean = i === 0 ? 0 : values[i - 1]! - (values[i]! - distance)
        if (size > 0) this.#bit(this.#signs, signContext(before, lean), residual % 2)
        before = distance
      }
    }
  }

  /** Says the number that a column begins with. */
  #head(value: number): void {
    const folded = fold(value)
    const length = bitLength(folded)
    this.bits(length, 6)
    this.bits(folded, length)
  }

  rows(rows: Rows, count: number): void {
    const { width, totals, firsts, lengths, counts } = rows
    if (this.#row.length < width) {
      this.#row = new Float64Array(width)
      this.#shares = new Float64Array(width)
    }
    const [row, shares] = [this.#row, this.#shares]
    const depth = rowDepth(totals, count)
    shares.fill(1, 0, width)
    this.#rows.reset()
    for (let i = 0, at = 0; i < count; i++) {
      row.fill(0, 0, width)
      const first = firsts[i]!
      const length = lengths[i]!
      for (let j = 0; j < length; j++) row[first + j] = counts[at + j]!
      at += length
      this.#sayRow(row, shares, width, totals[i]!, depth)
      learnShares(shares, row, width, i)
    }
  }

  /** Says one row from the left: each count given what is left of the total. */
  #sayRow(
    row: Float64Array,
    shares: Float64Array,
    width: number,
    total: number,
    depth: number,
  ): void {
    const models = this.#rows
    let left = total
    let rest = 0
    for (let j = 0; j < width; j++) rest += shares[j]!
    for (let j = 0; j < width - 1 && left > 0; j++) {
      const count = row[j]!
      const expected = expectedCount(left, shares[j]!, rest)
      const context = halfOctave(expected)
      if (expected < RARE_BELOW) {
        this.#bit(models, context * CONTEXT_SIZE, count === 0 ? 0 : 1)
        if (count !== 0) this.#number(models, context, depth, count - 1)
      } else {
        this.#number(models, context, depth, fold(count - Math.floor(expected + 0.5)))
      }
      rest -= shares[j]!
      left -= count
    }
  }
}

/** Size of the number that was folded to another one. */
function sizeOf(folded: number): number {
  return Math.floor((folded + 1) / 2)
}

let scratch = new Float64Array(4096)

/** Folded distances of all numbers from what was expected; valid until the next call. */
function residualsOf(values: Float64Array, count: number, predictor: number): Float64Array {
  if (scratch.length < count) scratch = new Float64Array(count)
  const residuals = scratch
  if (predictor <= PREDICTOR.signed) {
    const isSigned = predictor === PREDICTOR.signed
    for (let i = 0; i < count; i++) residuals[i] = isSigned ? fold(values[i]!) : values[i]!
    return residuals
  }
  const rate = MEAN_RATES[predictor]!
  const usesMean = rate > 0
  const isSlope = predictor === PREDICTOR.slope
  let previous = values[0]!
  let before = previous
  let mean = previous
  residuals[0] = 0
  for (let i = 1; i < count; i++) {
    const value = values[i]!
    const expected = usesMean ? Math.floor(mean + 0.5) : isSlope ? 2 * previous - before : previous
    residuals[i] = fold(value - expected)
    mean += (value - mean) * rate
    before = previous
    previous = value
  }
  return residuals
}

const TRIED = [
  PREDICTOR.signed,
  PREDICTOR.previous,
  PREDICTOR.mean8,
  PREDICTOR.mean32,
  PREDICTOR.mean3,
  PREDICTOR.slope,
] as const

/** Finds the predictor whose residuals would take the fewest bits by a universal code. */
function choosePredictor(values: Float64Array, count: number): number {
  let isConstant = true
  let least = values[0]!
  for (let i = 1; i < count; i++) {
    if (values[i] !== values[0]) isConstant = false
    if (values[i]! < least) least = values[i]!
  }
  if (isConstant) return PREDICTOR.constant
  let best: number = PREDICTOR.signed
  let bestCost = Number.POSITIVE_INFINITY
  for (const predictor of TRIED) {
    const plain = predictor === PREDICTOR.signed && least >= 0 ? PREDICTOR.none : predictor
    const cost = costOf(residualsOf(values, count, plain), count)
    if (cost >= bestCost) continue
    bestCost = cost
    best = plain
  }
  return best
}

function costOf(residuals: Float64Array, count: number): number {
  let cost = 0
  for (let i = 1; i < count; i++) {
    const next = residuals[i]! + 1
    const length = bitLength(next) - 1
    cost += length + next / POWERS[length]! - 1
  }
  return cost
}
