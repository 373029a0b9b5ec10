/** Runs a check over mutated inputs until one fails or the budget is used up. */
import { mutate } from './mutate.ts'
import { Random } from './random.ts'

export interface Budget {
  readonly seed: number
  /** Inputs to try at most. */
  readonly runs: number
  /** Asked every {@link BATCH} runs; true stops. */
  isOver?(runs: number): boolean
}

export interface Failure {
  /** Number of inputs tried, the failing one included. */
  readonly runs: number
  readonly bytes: Uint8Array
  readonly error: unknown
}

export interface Outcome {
  readonly runs: number
  readonly failure?: Failure
}

const BATCH = 64

/**
 * Input i depends on seed and i alone. The seeds themselves come first, as they are.
 */
export function hunt(
  check: (bytes: Uint8Array) => void,
  corpus: readonly Uint8Array[],
  budget: Budget,
): Outcome {
  let runs = 0
  while (runs < budget.runs) {
    if (runs % BATCH === 0 && budget.isOver?.(runs) === true) break
    const bytes = corpus[runs] ?? mutate(new Random(budget.seed, runs), corpus)
    runs++
    const error = failureOf(check, bytes)
    if (error !== undefined) return { runs, failure: { runs, bytes, error } }
  }
  return { runs }
}

/** What the check throws; undefined when it holds. */
export function failureOf(check: (bytes: Uint8Array) => void, bytes: Uint8Array): unknown {
  try {
    check(new Uint8Array(bytes))
    return undefined
  } catch (error) {
    return error ?? new Error('threw undefined')
  }
}
