/** Where the hub's messages for the operator go; the composition root decides what writes them. */
import type { Clock } from '../time/clock.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type Log = (level: LogLevel, message: string, facts?: Record<string, unknown>) => void

const WINDOW_NS = 60_000_000_000n
/** Lines with the same message in one minute; more are counted and told at the next one. */
const LINES_LIMIT = 10
/** Different messages watched at once. */
const MESSAGES_LIMIT = 500

/** A log that no peer can flood: repeated messages are held back, and their number is told. */
export function limitLog(log: Log, clock: Clock): Log {
  const seen = new Map<string, { sinceNs: bigint; lines: number }>()
  return (level, message, facts) => {
    const nowNs = clock.monotonicNs()
    const known = seen.get(message)
    if (known === undefined || nowNs - known.sinceNs > WINDOW_NS) {
      const heldBack = Math.max(0, (known?.lines ?? 0) - LINES_LIMIT)
      if (known === undefined && seen.size >= MESSAGES_LIMIT) seen.clear()
      seen.set(message, { sinceNs: nowNs, lines: 1 })
      log(level, message, heldBack > 0 ? { ...facts, heldBack } : facts)
      return
    }
    known.lines++
    if (known.lines <= LINES_LIMIT) log(level, message, facts)
  }
}
