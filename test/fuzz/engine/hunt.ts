/**
 * Runs a target over its inputs until one fails or the budget is used up. The seeds come first, as
 * they are; of the others half are made from the grammar, a quarter are such inputs with bytes
 * changed, and a quarter are seeds with bytes changed.
 */
import { setImmediate } from 'node:timers/promises'
import type { FuzzTarget, Generated } from '../target.ts'
import { mutate } from './mutate.ts'
import { Random } from './random.ts'

export interface Budget {
  readonly seed: number
  /** Inputs to try at most. */
  readonly runs: number
  /** Number of the first input; 0 unless one failure is to be repeated. */
  readonly first?: number
  /** Asked every {@link BATCH} runs; true stops. */
  isOver?(runs: number): boolean
}

export interface Failure {
  /** Number of the failing input. */
  readonly index: number
  /** Number of inputs tried, the failing one included. */
  readonly runs: number
  readonly error: unknown
}

export interface Outcome {
  readonly runs: number
  readonly failure?: Failure
}

/** The part of a target that a hunt needs: the target itself, or with its planted bug. */
export type Prey = Pick<FuzzTarget, 'generate' | 'run'>

const BATCH = 64
/** Inputs between two turns of the event loop, in which Node frees what zlib had. */
const INPUTS_PER_TURN = 4096

/** Input i depends on seed and i alone. */
export async function hunt(
  target: Prey,
  corpus: readonly Uint8Array[],
  budget: Budget,
): Promise<Outcome> {
  const { first = 0 } = budget
  // A stack is made with every error, a peer's too: it would be most of the time.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    for (let runs = 0; runs < budget.runs; runs++) {
      if (runs % BATCH === 0 && budget.isOver?.(runs) === true) return { runs }
      if (runs % INPUTS_PER_TURN === INPUTS_PER_TURN - 1) await setImmediate()
      const index = first + runs
      const error = failureOf(() => tryInput(target, corpus, index, new Random(budget.seed, index)))
      if (error !== undefined) return { runs: runs + 1, failure: { index, runs: runs + 1, error } }
    }
    return { runs: budget.runs }
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Makes input number `index` and feeds it to the target. */
export function tryInput(
  target: Prey,
  corpus: readonly Uint8Array[],
  index: number,
  random: Random,
): void {
  const { bytes, check } = inputOf(target, corpus, index, random)
  check?.()
  target.run(bytes, random)
}

/** Makes input number `index`. */
export function inputOf(
  target: Prey,
  corpus: readonly Uint8Array[],
  index: number,
  random: Random,
): Generated {
  if (index < corpus.length) return { bytes: new Uint8Array(corpus[index]!) }
  const layer = index % 4
  if (layer < 2) return target.generate(random)
  if (layer === 2) return { bytes: mutate(random, [target.generate(random).bytes]) }
  return { bytes: mutate(random, corpus) }
}

/** What an act throws; undefined when it holds. */
export function failureOf(act: () => void): unknown {
  try {
    act()
    return undefined
  } catch (error) {
    return error ?? new Error('threw undefined')
  }
}
