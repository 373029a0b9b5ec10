/** One target from its canary to its verdict, reported line by line. */
import type { FuzzTarget } from '../target.ts'
import { type Budget, type Failure, failureOf, hunt, type Outcome } from './hunt.ts'
import { shrink } from './shrink.ts'

/** Inputs within which the planted bug must turn up. */
export const CANARY_RUNS = 50_000

export interface Verdict {
  readonly passed: number
  readonly failed: number
}

/** The canary first: a campaign that misses a planted bug is worth nothing. */
export function campaign(
  target: FuzzTarget,
  budget: Budget,
  print: (line: string) => void,
): Verdict {
  const seeds = target.seeds()
  if (seeds.length === 0) {
    print(`${target.name}: FAILED, no seeds to start from`)
    return { passed: 0, failed: 1 }
  }
  const canary = huntCanary(target, seeds, budget.seed, print)
  const outcome = hunt(target.run, seeds, budget)
  if (outcome.failure === undefined) print(`${target.name}: ${outcome.runs} inputs, all held`)
  else printFailure(target, outcome.failure, budget.seed, print)
  const results = [canary.failure !== undefined, outcome.failure === undefined]
  const passed = results.filter(Boolean).length
  return { passed, failed: results.length - passed }
}

function huntCanary(
  target: FuzzTarget,
  seeds: readonly Uint8Array[],
  seed: number,
  print: (line: string) => void,
): Outcome {
  const { fault, run } = target.canary
  const outcome = hunt(run, seeds, { seed, runs: CANARY_RUNS })
  if (outcome.failure === undefined) {
    print(`${target.name}: FAILED, canary (${fault}) not found in ${outcome.runs} inputs`)
  } else {
    const small = shrink(outcome.failure.bytes, (bytes) => failureOf(run, bytes) !== undefined)
    const size = `${outcome.failure.bytes.length} bytes, shrunk to ${small.length}`
    print(`${target.name}: canary (${fault}) found by input ${outcome.runs}, ${size}`)
  }
  return outcome
}

function printFailure(
  { name, run }: FuzzTarget,
  failure: Failure,
  seed: number,
  print: (line: string) => void,
): void {
  const small = shrink(failure.bytes, (bytes) => failureOf(run, bytes) !== undefined)
  const error = failureOf(run, small) ?? failure.error
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  print(`${name}: FAILED at input ${failure.runs}`)
  print(`  ${text.split('\n').slice(0, 8).join('\n  ')}`)
  print(`  shrunk input, ${small.length} bytes: ${Buffer.from(small).toString('hex')}`)
  print(`  as text: ${JSON.stringify(Buffer.from(small).toString('latin1'))}`)
  print(`  repeat: npm run fuzz -- ${name} --seed ${seed} --runs ${failure.runs}`)
}
