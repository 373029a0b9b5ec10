/** The real time, with timers that do not keep a process alive: measuring is no reason to live. */

import type { Clock } from './clock.ts'
import { systemClock } from './system-clock.ts'

/**
 * Its delays end late rather than early, so that sessions opened one after the other meet in one
 * pass. They are at most 2^31 - 1 ms, which is all that the sessions' alarm asks for.
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
