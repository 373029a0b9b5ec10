/** Time as a parameter: nothing below the composition root asks the system for it. */
export interface Clock {
  /** Reads nanoseconds on a clock that never goes back; its zero means nothing. */
  monotonicNs(): bigint
  /** Reads milliseconds since 1970-01-01 UTC. */
  wallMs(): number
  /**
   * Calls back once after a delay, 0 to 2^53 - 1 ms (longer than a platform timer takes is the
   * clock's own business). Returns a function that cancels.
   */
  after(delayMs: number, callback: () => void): () => void
}

/** Converts milliseconds to nanoseconds; parts of a nanosecond are rounded. */
export function nsOfMs(ms: number): bigint {
  return BigInt(Math.round(ms * 1e6))
}

/** Reads whole milliseconds on the clock that never goes back. */
export function monotonicMs(clock: Pick<Clock, 'monotonicNs'>): number {
  return Number(clock.monotonicNs() / 1_000_000n)
}
