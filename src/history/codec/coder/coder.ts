/**
 * The coder under all blocks: what it can say, in the order in which it was said. There are two of
 * each, in JavaScript (script-encoder.ts, script-decoder.ts) and in WebAssembly
 * (src/history/quick): they make and read the same bytes.
 */

/** Largest size of a whole number: twice the residual of a slope is exact below 2^53 then. */
export const WHOLE_MAX = 2 ** 50 - 1
/** Bits of the longest residual. */
export const RESIDUAL_BITS_MAX = 53

/**
 * Counts of buckets, row by row without what is empty at both ends: row i holds counts at
 * `firsts[i]` and the `lengths[i]` places from there.
 */
export interface Rows {
  /** Places of a row. */
  readonly width: number
  /** Sum of each row. */
  readonly totals: Float64Array
  readonly firsts: Uint16Array
  readonly lengths: Uint16Array
  /** Counts of all rows, one behind the other. */
  readonly counts: Float64Array
}

export interface Encoder {
  /** Begins a chunk; what was not taken is forgotten. */
  begin(): void
  /** Says a number of `size` bits, 53 at most, each as likely as any other. */
  bits(value: number, size: number): void
  /** Says numbers of `sizes[i]` bits. */
  pieces(values: Float64Array, sizes: Uint8Array, count: number): void
  /** Says zeros and ones that mostly go on as they were. */
  flags(flags: Uint8Array, count: number): void
  /** Says a column of whole numbers, each below 2^50 in size, by the best of the predictors. */
  whole(values: Float64Array, count: number): void
  /** Says rows of counts, whose totals the reader knows already. */
  rows(rows: Rows, count: number): void
  /** Ends the chunk and gives its bytes. */
  take(): Uint8Array
}

/** Reader of what an {@link Encoder} has said; behind the end everything reads as zero. */
export interface Decoder {
  /** Version of the chunk at hand, which says how columns of whole numbers were written. */
  version: 1 | 2
  /** Bytes read so far. */
  readonly offset: number
  open(bytes: Uint8Array): void
  bits(size: number): number
  pieces(values: Float64Array, sizes: Uint8Array, count: number): void
  flags(flags: Uint8Array, count: number): void
  /** @throws {DecodeError} `chunk_value` for a number of 2^50 or more in size */
  whole(values: Float64Array, count: number): void
  /**
   * Reads rows of these totals.
   * @throws {DecodeError} `chunk_value` where a row would hold less than nothing
   */
  rows(width: number, totals: Float64Array, count: number): Rows
}

/** Predictors of a column; what is said is how far each number is from what was expected. */
export const PREDICTOR = {
  /** 0, of numbers of which none is negative. */
  none: 0,
  /** 0, of signed numbers. */
  signed: 1,
  previous: 2,
  /** Running mean, that moves by an eighth of the difference. */
  mean8: 3,
  mean32: 4,
  mean3: 5,
  /** Line through the two before. */
  slope: 6,
  /** All are the same. */
  constant: 7,
} as const

/** Share of the difference by which the mean of each predictor moves. */
export const MEAN_RATES: readonly number[] = [0, 0, 0, 1 / 8, 1 / 32, 1 / 3, 0, 0]

/** Expected counts below this are coded as "any or none" first. */
export const RARE_BELOW = 6
