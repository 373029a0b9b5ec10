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

  reset(): void {
    this.ones.fill(32_768)
    this.ages.fill(0)
  }
}
