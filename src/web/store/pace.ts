/** How soon an answer is asked for again: never faster than the hub and this page can take. */

/** Windows end at whole seconds: asking more often would show nothing new. */
export const POLL_MS = 1000
/** What is not known now may come, but not every second. */
export const REFUSED_MS = 5000
/** A large application costs the hub a third of its time at most. */
const REST_FACTOR = 2
const LONGEST_MS = 30_000

/** @param tookMs from asking until the answer was shown */
export function restAfter(tookMs: number): number {
  return Math.min(LONGEST_MS, Math.max(POLL_MS, tookMs * REST_FACTOR))
}

/** @param retryAfterMs as the hub asked for */
export function restAfterRefusal(retryAfterMs: number | undefined): number {
  return retryAfterMs === undefined
    ? REFUSED_MS
    : Math.min(LONGEST_MS, Math.max(POLL_MS, retryAfterMs))
}
