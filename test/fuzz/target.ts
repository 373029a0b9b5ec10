/**
 * What a fuzz target is: one decoder, a grammar of its inputs and what must hold for any of them.
 * `test/fuzz.ts` in a dialect's folder exports its own as `targets`; those of the house stand in
 * test/fuzz/house. See main.ts for how they are run.
 */
import type { Random } from './engine/random.ts'

export interface FuzzTarget {
  /** Name of its dialect, or one that begins with it and a hyphen. */
  readonly name: string
  /** Valid inputs to start from: golden vectors, captured streams. At least one. */
  seeds(): readonly Uint8Array[]
  /** Makes an input from the grammar, whole or with faults in its structure. */
  generate(random: Random): Generated
  /**
   * Feeds one input to the code under test; throws when an invariant does not hold. Must depend on
   * bytes and random numbers alone, so that a failure repeats.
   * @param random decides where the input is cut and which of the dearer checks are made
   */
  run(bytes: Uint8Array, random: Random): void
  readonly canary: Canary
}

/** An input that was made from a grammar. */
export interface Generated {
  /** Valid until the next input is made. */
  readonly bytes: Uint8Array
  /**
   * Checks that exactly that is read which the grammar meant, errors included; absent where a fault
   * leaves open what the rest of the input means.
   */
  readonly check?: () => void
}

/**
 * A planted bug of the kind the target should find: the same check against code (or an expectation)
 * that is wrong on purpose. A campaign that does not find it proves nothing, and fails.
 */
export interface Canary {
  /** What is wrong, in a few words: `length check off by one`. */
  readonly fault: string
  /** Like {@link FuzzTarget.run}, with the fault; throws only because of it. */
  run(bytes: Uint8Array, random: Random): void
}
