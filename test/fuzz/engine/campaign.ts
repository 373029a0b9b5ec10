/** One target from its canary to its verdict, reported line by line. */
import type { FuzzTarget } from '../target.ts'
import {
  type Budget,
  type Failure,
  failureOf,
  hunt,
  inputOf,
  type Outcome,
  type Prey,
  tryInput,
} from './hunt.ts'
import { Random, RecordedRandom, ReplayedRandom } from './random.ts'
import { shrink } from './shrink.ts'

/** Inputs within which the planted bug must turn up. */
export const CANARY_RUNS = 50_000

export interface Verdict {
  readonly passed: number
  readonly failed: number
}

/** The canary first: a campaign that misses a planted bug is worth nothing. */
export async function campaign(
  target: FuzzTarget,
  budget: Budget,
  print: (line: string) => void,
): Promise<Verdict> {
  const corpus = target.seeds()
  if (corpus.length === 0) {
    print(`${target.name}: FAILED, no seeds to start from`)
    return { passed: 0, failed: 1 }
  }
  const canary = await huntCanary(target, corpus, budget.seed, print)
  const beganMs = performance.now()
  const outcome = await hunt(target, corpus, budget)
  const rate = Math.round((outcome.runs / (performance.now() - beganMs)) * 1000)
  if (outcome.failure === undefined) {
    print(`${target.name}: ${outcome.runs} inputs, all held; ${rate} a second`)
  } else printFailure(target, corpus, outcome.failure, budget.seed, print)
  const results = [canary.failure !== undefined, outcome.failure === undefined]
  const passed = results.filter(Boolean).length
  return { passed, failed: results.length - passed }
}

/**
 * Hunts the planted bug. What generated inputs mean is the business of the target proper: a canary
 * is run on the bytes alone.
 */
async function huntCanary(
  target: FuzzTarget,
  corpus: readonly Uint8Array[],
  seed: number,
  print: (line: string) => void,
): Promise<Outcome> {
  const { fault, run } = target.canary
  const prey: Prey = { run, generate: (random) => ({ bytes: target.generate(random).bytes }) }
  const outcome = await hunt(prey, corpus, { seed, runs: CANARY_RUNS })
  if (outcome.failure === undefined) {
    print(`${target.name}: FAILED, canary (${fault}) not found in ${outcome.runs} inputs`)
  } else {
    const { before, after } = shrunk(prey, corpus, outcome.failure, seed)
    const size = `${before.length} bytes, shrunk to ${after.length}`
    print(`${target.name}: canary (${fault}) found by input ${outcome.runs}, ${size}`)
  }
  return outcome
}

interface Shrunk {
  readonly before: Uint8Array
  readonly after: Uint8Array
  readonly error: unknown
}

/**
 * Shrinks the random numbers that the input was made of, so that its lengths still hold and what it
 * means shrinks with it; then the bytes, where they fail alone.
 */
function shrunk(
  target: Prey,
  corpus: readonly Uint8Array[],
  { index, error }: Failure,
  seed: number,
): Shrunk {
  const before = new Uint8Array(inputOf(target, corpus, index, new Random(seed, index)).bytes)
  const recorded = new RecordedRandom(seed, index)
  failureOf(() => tryInput(target, corpus, index, recorded))
  const replay = (drawn: Uint32Array): unknown =>
    failureOf(() => tryInput(target, corpus, index, new ReplayedRandom(drawn)))
  const row = shrink(Uint32Array.from(recorded.drawn), (drawn) => replay(drawn) !== undefined)
  const made = inputOf(target, corpus, index, new ReplayedRandom(row))
  const middle = new Uint8Array(made.bytes)
  const errorOf = (bytes: Uint8Array): unknown =>
    failureOf(() => target.run(new Uint8Array(bytes), new Random(seed, index)))
  if (errorOf(middle) === undefined) return { before, after: middle, error: replay(row) ?? error }
  const after = shrink(middle, (bytes) => errorOf(bytes) !== undefined)
  return { before, after, error: errorOf(after) ?? error }
}

/** Bytes of an input that are printed; of more, the first. */
const SHOWN_BYTES = 4096

function printFailure(
  target: FuzzTarget,
  corpus: readonly Uint8Array[],
  failure: Failure,
  seed: number,
  print: (line: string) => void,
): void {
  const { name } = target
  const { after, error } = shrunk(target, corpus, failure, seed)
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const shown = Buffer.from(after.subarray(0, SHOWN_BYTES))
  print(`${name}: FAILED at input ${failure.runs}`)
  print(`  ${text.split('\n').slice(0, 24).join('\n  ')}`)
  print(`  shrunk input, ${after.length} bytes: ${shown.toString('hex')}`)
  print(`  as text: ${JSON.stringify(shown.toString('latin1'))}`)
  print(`  repeat: npm run fuzz -- ${name} --seed ${seed} --input ${failure.index}`)
}
