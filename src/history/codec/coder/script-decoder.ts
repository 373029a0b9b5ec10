/** The decoder in JavaScript: reads what script-encoder.ts has said, whose layout holds. */
import { faultOf } from '../fault.ts'
import { bitLength, halfOctave, POWERS, unfold } from './bit-length.ts'
import {
  type Decoder,
  MEAN_RATES,
  PREDICTOR,
  RARE_BELOW,
  RESIDUAL_BITS_MAX,
  type Rows,
  WHOLE_MAX,
} from './coder.ts'
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
const NOTHING = new Uint8Array(0)

export class ScriptDecoder implements Decoder {
  version: 1 | 2 = 2
  #bytes: Uint8Array = NOTHING
  #at = 0
  #low = 0
  #high = ALL
  /** The 31 bits at hand, and the bit behind them: bytes come in eights. */
  #code = 0
  #spare = 0
  readonly #whole = new Models(WHOLE_CONTEXTS * CONTEXT_SIZE)
  readonly #signs = new Models(SIGN_CONTEXTS)
  readonly #rows = new Models(ROW_CONTEXTS * CONTEXT_SIZE)
  readonly #flags = new Models(FLAG_CONTEXTS)

  get offset(): number {
    return Math.min(this.#at, this.#bytes.length)
  }

  open(bytes: Uint8Array): void {
    this.#bytes = bytes
    this.#low = 0
    this.#high = ALL
    this.#at = 4
    const at = (i: number) => (i < bytes.length ? bytes[i]! : 0)
    this.#code = (at(0) << 23) | (at(1) << 15) | (at(2) << 7) | (at(3) >>> 1)
    this.#spare = at(3) & 1
  }

  bits(size: number): number {
    let value = 0
    let left = size
    for (; left > 16; left -= 16) value = value * 65_536 + this.#few(16)
    return value * POWERS[left]! + this.#few(left)
  }

  #few(size: number): number {
    let value = 0
    for (let left = size; left > 0; ) {
      const range = this.#high - this.#low
      const taken = range < 65_536 ? 1 : Math.min(left, 8)
      left -= taken
      const step = range < 65_536 ? (range >>> 1) + 1 : range >>> taken
      const last = (1 << taken) - 1
      const digit = Math.min(last, ((this.#code - this.#low) / step) | 0)
      value = (value << taken) | digit
      this.#low = (this.#low + step * digit) | 0
      if (digit < last) this.#high = (this.#low + step - 1) | 0
      if (((this.#low ^ this.#high) & TOP_BYTE) === 0) this.#shift()
    }
    return value
  }

  #bit(models: Models, at: number): number {
    const ones = models.ones[at]!
    const age = models.ages[at]!
    const low = this.#low
    const middle = (low + ((this.#high - low) >>> 12) * (ones >>> 4)) | 0
    let bit = 0
    if (this.#code <= middle) {
      bit = 1
      this.#high = middle
      models.ones[at] = ones + (((65_504 - ones) * RATES[age]!) >>> 16)
    } else {
      this.#low = (middle + 1) | 0
      models.ones[at] = ones - (((ones - 32) * RATES[age]!) >>> 16)
    }
    if (age < AGE_MAX) models.ages[at] = age + 1
    if (((this.#low ^ this.#high) & TOP_BYTE) === 0) this.#shift()
    return bit
  }

  #shift(): void {
    do {
      const byte = this.#at < this.#bytes.length ? this.#bytes[this.#at]! : 0
      this.#at++
      this.#code = ((this.#code << 8) & ALL) | (this.#spare << 7) | (byte >>> 1)
      this.#spare = byte & 1
      this.#low = (this.#low << 8) & ALL
      this.#high = ((this.#high << 8) & ALL) | 255
    } while (((this.#low ^ this.#high) & TOP_BYTE) === 0)
  }

  #number(models: Models, context: number, depth: number): number {
    const base = context * CONTEXT_SIZE
    let node = 1
    for (let i = 0; i < depth; i++) node = node * 2 + this.#bit(models, base + node)
    const length = node - (1 << depth)
    if (length < 2) return length
    if (length > RESIDUAL_BITS_MAX) throw this.#valueFault(`a number of ${length} bits`)
    const at = base + 64 + length * 4
    const second = this.#bit(models, at)
    if (length < 3) return 2 + second
    const third = this.#bit(models, at + 1 + second)
    const top = 4 + second * 2 + third
    return length > 3 ? top * POWERS[length - 3]! + this.bits(length - 3) : top
  }

  #valueFault(detail: string): Error {
    return faultOf('chunk_value', this.offset, detail)
  }

  pieces(values: Float64Array, sizes: Uint8Array, count: number): void {
    for (let i = 0; i < count; i++) values[i] = this.bits(sizes[i]!)
  }

  flags(flags: Uint8Array, count: number): void {
    this.#flags.reset()
    let context = 0
    for (let i = 0; i < count; i++) {
      const flag = this.#bit(this.#flags, context)
      flags[i] = flag
      context = ((context << 1) | flag) & (FLAG_CONTEXTS - 1)
    }
  }

  whole(values: Float64Array, count: number): void {
    if (count === 0) return
    const predictor = this.bits(3)
    const hasHead = predictor > PREDICTOR.signed
    const head = hasHead ? this.#head() : 0
    if (predictor === PREDICTOR.constant) {
      values.fill(head, 0, count)
      return
    }
    const depth = this.bits(3)
    if (depth === 0 || depth > 6) throw this.#valueFault(`lengths of ${depth} bits`)
    if (hasHead) values[0] = head
    if (this.version === 1) this.#whole.reset()
    else {
      this.#whole.reset(WHOLE_AGE, USUAL[depth - 1])
      this.#signs.reset(SIGN_AGE)
    }
    this.#residuals(values, count, predictor, depth)
  }

  #residuals(values: Float64Array, count: number, predictor: number, depth: number): void {
    const fineness = finenessOf(depth)
    const rate = MEAN_RATES[predictor]!
    const usesMean = rate > 0
    const isSlope = predictor === PREDICTOR.slope
    const hasHead = predictor > PREDICTOR.signed
    const isFolded = this.version === 1
    const isSigned = predictor !== PREDICTOR.none
    let previous = hasHead ? values[0]! : 0
    let before = previous
    let mean = previous
    let length = 1
    let distance = 0
    for (let i = hasHead ? 1 : 0; i < count; i++) {
      const expected = !hasHead
        ? 0
        : usesMean
          ? Math.floor(mean + 0.5)
          : isSlope
            ? 2 * previous - before
            : previous
      const size = this.#number(this.#whole, contextOf(length, fineness), depth)
      length += (bitLength(size) - length) / 4
      if (!isSigned) distance = size
      else if (isFolded) distance = unfold(size)
      else if (size === 0) distance = 0
      else {
        const lean = i === 0 ? 0 : previous - expected
        const isBelow = this.#bit(this.#signs, signContext(distance, lean)) === 1
        distance = isBelow ? -size : size
      }
      const value = expected + distance
      if (value > WHOLE_MAX || value < -WHOLE_MAX) throw this.#valueFault(`${value} in a column`)
      mean += (value - mean) * rate
      before = previous
      previous = value
      values[i] = value
    }
  }

  #head(): number {
    const length = this.bits(6)
    if (length > RESIDUAL_BITS_MAX) throw this.#valueFault(`a number of ${length} bits`)
    const head = unfold(this.bits(length))
    if (head > WHOLE_MAX || head < -WHOLE_MAX) throw this.#valueFault(`${head} in a column`)
    return head
  }

  rows(width: number, totals: Float64Array, count: number): Rows {
    const firsts = new Uint16Array(count)
    const lengths = new Uint16Array(count)
    let counts = new Float64Array(count * 8)
    const row = new Float64Array(width)
    const shares = new Float64Array(width).fill(1)
    const depth = rowDepth(totals, count)
    this.#rows.reset()
    for (let i = 0, at = 0; i < count; i++) {
      const last = this.#readRow(row, shares, width, totals[i]!, depth)
      let first = 0
      while (first < last && row[first] === 0) first++
      firsts[i] = last === 0 ? 0 : first
      lengths[i] = last - first
      if (at + lengths[i]! > counts.length) {
        const larger = new Float64Array(Math.max(counts.length * 2, at + width))
        larger.set(counts)
        counts = larger
      }
      for (let j = first; j < last; j++) counts[at++] = row[j]!
      learnShares(shares, row, width, i)
    }
    return { width, totals, firsts, lengths, counts }
  }

  /** @returns the place behind the last count that is not 0 */
  #readRow(
    row: Float64Array,
    shares: Float64Array,
    width: number,
    total: number,
    depth: number,
  ): number {
    const models = this.#rows
    let left = total
    let rest = 0
    let end = 0
    for (let j = 0; j < width; j++) rest += shares[j]!
    row.fill(0, 0, width)
    for (let j = 0; j < width && left > 0; j++) {
      let count = left
      if (j < width - 1) {
        const expected = expectedCount(left, shares[j]!, rest)
        const context = halfOctave(expected)
        if (expected < RARE_BELOW) {
          const isAny = this.#bit(models, context * CONTEXT_SIZE) !== 0
          count = isAny ? this.#number(models, context, depth) + 1 : 0
        } else {
          count = unfold(this.#number(models, context, depth)) + Math.floor(expected + 0.5)
        }
      }
      if (count < 0 || count > left) throw this.#valueFault(`${count} of ${left} in a bucket`)
      rest -= shares[j]!
      left -= count
      row[j] = count
      if (count > 0) end = j + 1
    }
    return end
  }
}
