/**
 * Probabilities that learn: of each binary decision how likely a one is, in 1/65,536, moved by
 * 1/n of the difference at its n-th decision and by 1/90 later, so that few cells suffice to learn
 * and many do not jitter.
 */

/** Decisions of one context of a whole number: a tree of 64, and 64 x 4 for its top bits. */
export const CONTEXT_SIZE = 320
/** Contexts of a column of whole numbers: how long its last numbers were. */
export const WHOLE_CONTEXTS = 12
/** Contexts of the counts in rows of buckets: half octaves of the expected count. */
export const ROW_CONTEXTS = 48
/** Contexts of flags: the six before. */
export const FLAG_CONTEXTS = 64
/** Contexts of signs: that of the distance before, and where the number before lies. */
export const SIGN_CONTEXTS = 9
/** Times that a decision is taken as having come before a column begins. */
export const WHOLE_AGE = 4
export const SIGN_AGE = 8

/** Age at which a probability learns no slower any more. */
export const AGE_MAX = 127
const SLOWEST = 90
/** Share of the difference, in 1/65,536, by age. 1.6 instead of 1 leaves the first one a doubt. */
export const RATES = Int32Array.from({ length: AGE_MAX + 1 }, (_, age) =>
  Math.round(65_536 / Math.min(SLOWEST, age + 1.6)),
)

export class Models {
  readonly ones: Uint16Array
  readonly ages: Uint8Array

  constructor(size: number) {
    this.ones = new Uint16Array(size)
    this.ages = new Uint8Array(size)
  }

  /**
   * Begins anew.
   * @param age times that each decision is taken as having come
   * @param usual probabilities that are usual; one and zero alike without them
   */
  reset(age = 0, usual?: Uint16Array): void {
    if (usual === undefined) this.ones.fill(32_768)
    else this.ones.set(usual)
    this.ages.fill(age)
  }
}

/** Shares of lengths so much longer than the running one: by 4 and more, 3 and so on to -5. */
const LENGTH_WEIGHTS = [3, 20, 120, 450, 600, 400, 220, 110, 60, 30] as const
/** Shares of ones as the second bit of a number, of lengths so much longer: 2 and more to -1. */
const SECOND_ONES = [16_384, 22_938, 28_180, 31_457] as const

/**
 * Probabilities that are usual in a column of whole numbers, by the depth of its lengths from 1 on:
 * short columns need not learn that lengths are near the running one, and numbers rather small.
 */
export const USUAL: readonly Uint16Array[] = [1, 2, 3, 4, 5, 6].map((depth) => {
  const all = new Uint16Array(WHOLE_CONTEXTS * CONTEXT_SIZE).fill(32_768)
  for (let context = 0; context < WHOLE_CONTEXTS; context++) {
    const ones = all.subarray(context * CONTEXT_SIZE, (context + 1) * CONTEXT_SIZE)
    fillUsual(ones, depth, context / finenessOf(depth))
  }
  return all
})

function fillUsual(ones: Uint16Array, depth: number, running: number): void {
  const lengths = 1 << depth
  const weights = Array.from({ length: lengths }, (_, length) => {
    return LENGTH_WEIGHTS[Math.max(0, Math.min(9, 4 - (length - running)))]!
  })
  // the subtree of a node has the weights of its leaves
  const sums = [...new Array<number>(lengths).fill(0), ...weights]
  for (let node = lengths - 1; node > 0; node--) {
    sums[node] = sums[2 * node]! + sums[2 * node + 1]!
    ones[node] = Math.floor((65_536 * sums[2 * node + 1]!) / sums[node]!)
  }
  for (let length = 2; length < lengths; length++) {
    const second = SECOND_ONES[Math.max(0, Math.min(3, 2 - (length - running)))]!
    const at = 64 + 4 * length
    ones[at] = second
    ones[at + 1] = ones[at + 2] = (second + 32_768) >> 1
  }
}

/** Contexts per bit of length: the fewer lengths there are, the finer. */
export function finenessOf(depth: number): number {
  return depth > 4 ? 0.25 : depth < 3 ? 1 : 0.5
}
