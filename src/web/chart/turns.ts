/** Turns: what takes longer than a frame has is done in several, and none waits for ever. */

/**
 * Does work in the order in which it has waited, until a time.
 * @param all in the order of their turns; what had its turn goes to the end
 * @param isDue whether something is to be done
 * @param endMs time from which on nothing more is begun, as `now` has it, ms
 * @returns whether something is left
 */
export function takeTurns<K, V>(
  all: Map<K, V>,
  isDue: (each: V) => boolean,
  work: (each: V) => void,
  { endMs, now }: { readonly endMs: number; readonly now: () => number },
): boolean {
  for (const [key, each] of [...all]) {
    if (!isDue(each)) continue
    if (now() >= endMs) return true
    all.delete(key)
    all.set(key, each)
    work(each)
  }
  return false
}
