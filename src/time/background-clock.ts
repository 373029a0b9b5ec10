/**
 * The real time, with timers that do not keep a process alive: measuring, and sending what was
 * measured, is no reason to go on.
 */
import type { Clock } from './clock.ts'
import { systemClock } from './system-clock.ts'

/**
 * Clock of what measures. Its delays end late rather than early, so that sessions opened one after
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
