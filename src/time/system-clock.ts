/** The real time: nothing but these two clocks asks the system for it. */
import type { Clock } from './clock.ts'

/** Longest delay a platform timer takes (2^31 - 1 ms, 24.8 days). */
const TIMER_LIMIT_MS = 2_147_483_647

/** Clock of a hub, and of dialects that are used without one. */
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

/**
 * Clock of what measures, and sends what was measured: that is no reason to keep a process alive,
 * so its timers do not. Its delays end late rather than early, so that sessions opened one after
 * the other meet in one collection; they are at most 2^31 - 1 ms, the most that a platform timer
 * takes.
 */
export const backgroundClock: Clock = {
  monotonicNs: systemClock.monotonicNs,
  wallMs: systemClock.wallMs,
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.ceil(delayMs))
    timer.unref()
    return () => clearTimeout(timer)
  },
}
