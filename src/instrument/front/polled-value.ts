/** A polled instrument read outside of a session. */

/** Gives what a callback answers; NaN where it throws or answers no finite number. */
export function polledValue(read: () => number): number {
  try {
    const value: unknown = read()
    return Number.isFinite(value) ? (value as number) : Number.NaN
  } catch {
    return Number.NaN
  }
}
