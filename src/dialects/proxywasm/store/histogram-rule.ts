/**
 * How histograms of integers count: the 33 bins of powers of two, the document's table of 5 to 18
 * of them, or bounds that a user has chosen.
 */
import { LAST_BOUND, USER_BOUNDS_LIMIT } from '../spec.ts'

export const HISTOGRAM_FORMS = ['dense', 'expanding'] as const

/** A form of histograms, or 1 to 17 ascending bounds. */
export type HistogramRule = (typeof HISTOGRAM_FORMS)[number] | readonly number[]

/** Words of a rule that is none. */
export const HISTOGRAM_WANTED = 'dense, expanding, or 1 to 17 ascending bounds of bins, as 1,5,10'

/**
 * Reads a rule as options and flags have it: `expanding`, or `1,5,10`.
 * @throws {RangeError}
 */
export function histogramRuleOf(text: string): HistogramRule {
  const form = HISTOGRAM_FORMS.find((each) => each === text)
  if (form !== undefined) return form
  try {
    return checkBounds(text.split(',').map((bound) => (/^\s*\d+\s*$/.test(bound) ? +bound : NaN)))
  } catch {
    throw new RangeError(`want ${HISTOGRAM_WANTED}`)
  }
}

/** Says what is wanted instead of a text that is no rule; undefined for one that is. */
export function histogramProblem(text: string): string | undefined {
  try {
    histogramRuleOf(text)
    return undefined
  } catch {
    return `want ${HISTOGRAM_WANTED}`
  }
}

/** @throws {RangeError} in the words of the peer's Lua library */
export function checkBounds(bounds: readonly number[]): readonly number[] {
  if (bounds.length > USER_BOUNDS_LIMIT) {
    throw new RangeError(`opts.bins cannot have more than ${USER_BOUNDS_LIMIT} numbers`)
  }
  const isAscending = bounds.every((bound, i) => {
    return Number.isInteger(bound) && bound > (i === 0 ? 0 : bounds[i - 1]!) && bound < LAST_BOUND
  })
  if (isAscending && bounds.length > 0) return bounds
  throw new RangeError('opts.bins must be an ascending list of positive integers')
}
