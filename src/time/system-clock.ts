/**
 * The real time, for dialects that are used without a hub: their servers and clients take a clock
 * as a parameter and fall back to this one.
 */
import type { Clock } from './clock.ts'

/** Longest delay a platform timer takes (2^31 - 1 ms, 24.8 days). */
const TIMER_LIMIT_MS = 2_147_483_647

export const systemClock: Clock = {
  monotonicNs: () => process.hrtime.bigint(),
  wallMs: () => Date.now(),
  after(delayMs, callback) {
    let timer: NodeJS.Timeout
    const wait = (leftMs: number): void => {
      timer =
        leftMs > TIMER_LIMIT_MS
          ? setTimeout(() => wait(leftMs - TIMER_LIMIT_MS), TIMER_LIMIT_MS)
          : setTimeout(callback, leftMs)
    }
    wait(delayMs)
    return () => clearTimeout(timer)
  },
}
