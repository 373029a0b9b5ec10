/**
 * What a fuzz target is. `test/fuzz.ts` in a dialect's folder exports one as `target`: a new
 * target is a new file. See main.ts for how they are run.
 */
export interface FuzzTarget {
  readonly name: string
  /** Valid inputs to start from: golden vectors, captured streams. At least one. */
  seeds(): readonly Uint8Array[]
  /**
   * Feeds one input to the code under test; throws when an invariant does not hold. Must depend on
   * the bytes alone, so that a failure repeats.
   */
  run(bytes: Uint8Array): void
  readonly canary: Canary
}

/**
 * A planted bug of the kind the target should find: the same check against code (or an expectation)
 * that is wrong on purpose. A campaign that does not find it proves nothing, and fails.
 */
export interface Canary {
  /** What is wrong, in a few words: `length check off by one`. */
  readonly fault: string
  /** Like {@link FuzzTarget.run}, with the fault; throws only because of it. */
  run(bytes: Uint8Array): void
}
