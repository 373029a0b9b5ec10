/** Where the hub's messages for the operator go; the composition root decides what writes them. */
import type { Clock } from '../time/clock.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
/**
 * Reason why a line is missing: it repeats others of the same minute, an ingest thread had too
 * many, or it could not be written.
 */
type LossReason = 'held_back' | 'left_out' | 'unwritten'

type WriteLine = (level: LogLevel, message: string, facts?: Record<string, unknown>) => void

export interface Log extends WriteLine {
  /** Writes lines that have a limit of their own, and none here. */
  readonly unlimited?: WriteLine
  /** Numbers of lines that are missing, where the log counts them. */
  readonly lost?: Readonly<Partial<Record<LossReason, number>>>
}

const WINDOW_NS = 60_000_000_000n
/** Lines with the same message in one minute; more are counted and told at the next one. */
const LINES_LIMIT = 10
/** Different messages watched at once; what is beyond them shares the place of one. */
const MESSAGES_LIMIT = 500

interface Watched {
  sinceNs: bigint
  lines: number
}

/**
 * Makes a log that no peer can flood: repeated messages are held back, and their number is told. A
 * message is a text of ours, and what a peer has sent stands in the facts: a peer can then cause
 * none that is not known.
 */
export function limitLog(log: Log, clock: Clock): Log {
  const seen = new Map<string, Watched>()
  const others: Watched = { sinceNs: 0n, lines: 0 }
  const watch = (message: string, nowNs: bigint): Watched => {
    const known = seen.get(message)
    if (known !== undefined) return known
    if (seen.size >= MESSAGES_LIMIT) {
      for (const [old, { sinceNs, lines }] of seen) {
        if (nowNs - sinceNs > WINDOW_NS && lines <= LINES_LIMIT) seen.delete(old)
      }
    }
    if (seen.size >= MESSAGES_LIMIT) return others
    const made = { sinceNs: nowNs, lines: 0 }
    seen.set(message, made)
    return made
  }
  const lost = {
    held_back: 0,
    get unwritten(): number {
      return log.lost?.unwritten ?? 0
    },
  }
  const limited: Log = (level, message, facts) => {
    const nowNs = clock.monotonicNs()
    const watched = watch(message, nowNs)
    const heldBack = Math.max(0, watched.lines - LINES_LIMIT)
    if (nowNs - watched.sinceNs > WINDOW_NS) {
      watched.sinceNs = nowNs
      watched.lines = 1
      log(level, message, heldBack > 0 ? { ...facts, heldBack } : facts)
      return
    }
    watched.lines++
    if (watched.lines <= LINES_LIMIT) log(level, message, facts)
    else lost.held_back++
  }
  return Object.assign(limited, { lost, unlimited: log })
}
