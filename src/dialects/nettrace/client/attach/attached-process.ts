/**
 * One process that a hub reads from, for as long as it lives (§10): a session, opened again when it
 * ends, when it falls silent, and when another tool's interval is in force. Nothing is asked of the
 * process that does not leave whole and at once.
 */
import { Backoff } from '../../../../time/backoff.ts'
import { nsOfMs } from '../../../../time/clock.ts'
import type { LinkState } from '../../../../time/link-state.ts'
import type { ChosenPeer, Peer, SourceContext } from '../../../endpoints.ts'
import type { ProcessFacts } from '../../codec/ipc/messages.ts'
import { CommandError, sendCommand } from '../command.ts'
import { CounterSession } from '../counter-session.ts'
import type { CounterRequest } from '../counters/providers.ts'
import type { ProcessDoor } from '../door.ts'
import type { SessionEnd } from '../session.ts'
import type { ReceivedReadings } from './received-readings.ts'

/** Silence that is too long: so many intervals, and this beside them. */
const SILENT_INTERVALS = 3
const SILENT_MS = 10_000
/** Number of looks for silence in a time that is too long. */
const LOOKS = 4
/** Source that all meters are. */
const METERS = ''
/** Longest pause between two questions for an interval that another tool holds down. */
const ASK_AGAIN_MS_MAX = 600_000
/** Pauses between attempts (nettrace.md §10). */
const BACKOFF = { reconnectFirstMs: 250, reconnectLimitMs: 10_000, reconnectJitter: 0 }
/** Characters of a text of the process that is shown. */
const SHOWN_LENGTH_MAX = 200
const NO_BYTES = new Uint8Array(0)

interface AttachedParts {
  readonly door: ProcessDoor
  readonly facts: ProcessFacts
  /** Name that its series have, and its address for people. */
  readonly label: string
  readonly address: string
  readonly request: CounterRequest
  readonly context: SourceContext
  readonly link: LinkState
  readonly readings: ReceivedReadings
  /** Whether it may wait to be told to begin: it has dialled us. */
  readonly mayBeSuspended: boolean
}

/** Counts over all sessions at one process. */
interface Counts {
  readings: number
  foreignIntervals: number
  foreignSessions: number
  duplicates: number
  unwanted: number
  bad: number
  lost: number
}

const NO_COUNTS: Counts = {
  ...{ readings: 0, foreignIntervals: 0, foreignSessions: 0, duplicates: 0, unwanted: 0 },
  ...{ bad: 0, lost: 0 },
}

export class AttachedProcess {
  readonly #parts: AttachedParts
  readonly #backoff = new Backoff(BACKOFF, Math.random)
  readonly #peer: Peer
  #session: CounterSession | undefined
  /** Counts of the sessions that have ended. */
  #before: Counts = NO_COUNTS
  /** Counts that the hub's reports have, of the session at hand. */
  #reported: Counts = NO_COUNTS
  /** Interval in force when the last session ended, ms. */
  #intervalMs = Number.NaN
  #reconnects = 0
  #isClosed = false
  #wasResumed = false
  /** Time of the last reading of each event source, and of meters; ns of the clock. */
  readonly #heard = new Map<string, bigint>()
  /** Number of times that it was asked anew without a reading since. */
  #asked = 0
  /** Whether the session at hand is ended so that another one asks anew. */
  #isAsking = false
  /** Number of times that it was asked anew in all. */
  #askedAgain = 0
  #cancelSilence: () => void = () => {}
  #cancelRetry: () => void = () => {}

  constructor(parts: AttachedParts) {
    this.#parts = parts
    this.#wasResumed = !parts.mayBeSuspended
    this.#peer = {
      ...{ transport: 'tcp', address: parts.label, port: 0 },
      name: `unix ${parts.door.name}`,
    }
    this.#begin()
  }

  get label(): string {
    return this.#parts.label
  }

  /** Ends the session in good order where there is one, within some seconds; for good. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelRetry()
    this.#cancelSilence()
    const session = this.#session
    if (session?.isOpen === true) await session.stop()
    else session?.abort()
    this.#forgetSession()
  }

  /** Ends everything at once: the process is gone. */
  drop(reason: string): void {
    this.#isClosed = true
    this.#cancelRetry()
    this.#cancelSilence()
    this.#session?.abort()
    this.#forgetSession()
    this.#lose(reason)
  }

  status(): ChosenPeer {
    const { link, label, address } = this.#parts
    const { status } = link
    return {
      peer: this.#peer,
      sinceMs: status.sinceMs,
      facts: this.#facts(),
      link: status,
      ...{ source: label, name: address },
    }
  }

  #facts(): Record<string, string | number | boolean> {
    const { facts, request, readings } = this.#parts
    const counts = this.#counts
    const intervalMs = this.#session?.intervalInForceMs ?? this.#intervalMs
    const inForce = Number.isNaN(intervalMs) ? request.intervalMs : intervalMs
    const isOther = this.#session !== undefined && inForce !== this.#session.seriesMs
    return {
      ...{ process: programOf(facts), pid: Number(facts.pid) },
      ...(facts.clrVersion === undefined ? {} : { runtime: shown(facts.clrVersion) }),
      providers: request.providers.join(', '),
      intervalMs: inForce,
      ...(isOther ? { askedMs: this.#session!.seriesMs } : {}),
      ...{ series: readings.size, readings: counts.readings, lost: counts.lost },
      ...{ foreignIntervals: counts.foreignIntervals, foreignSessions: counts.foreignSessions },
      ...{ duplicates: counts.duplicates, bad: counts.bad, reconnects: this.#reconnects },
      askedAgain: this.#askedAgain,
      ...Object.fromEntries(this.#session?.notes ?? []),
    }
  }

  get #counts(): Counts {
    return added(this.#before, this.#sessionCounts)
  }

  get #sessionCounts(): Counts {
    const session = this.#session
    return session === undefined ? NO_COUNTS : { ...session.counts, lost: session.lost }
  }

  #begin(): void {
    const { door, request, context, link } = this.#parts
    link.trying()
    this.#heard.clear()
    const { reports, clock, reads } = context
    this.#session = new CounterSession({
      ...{ door, request, clock, reads },
      onOpen: () => this.#onOpen(),
      onReading: (reading, { metadata }) => {
        this.#hear(reading.sessionId === undefined ? metadata.provider : METERS)
        this.#parts.readings.take(reading)
      },
      onError: (error) => {
        const detail = `${error.code} at byte ${error.offset} of the stream of ${this.label}`
        reports.decodeError(error, NO_BYTES, this.#peer, detail)
      },
      onEnd: (end) => this.#onEnd(end),
    })
  }

  #onOpen(): void {
    const { link, context } = this.#parts
    link.connected()
    context.reports.log('info', 'session opened', { process: this.label })
    if (this.#wasResumed) this.#watch()
    else void this.#resume()
  }

  /** Lets a process begin that waits for it; only then it can be silent. */
  async #resume(): Promise<void> {
    const { door, context } = this.#parts
    try {
      await sendCommand(door, { message: 'ResumeRuntime' }, context.clock)
      this.#wasResumed = true
    } catch (error) {
      const reason = (error as Error).message
      context.reports.log('warn', 'a process was not told to begin', {
        ...{ process: this.label, reason },
      })
    }
    if (!this.#isClosed) this.#watch()
  }

  #onEnd(end: SessionEnd): void {
    const { context, link } = this.#parts
    const { reports, clock } = context
    const wasOpen = link.status.isConnected
    this.#forgetSession()
    this.#cancelSilence()
    if (this.#isClosed) return
    if (this.#isAsking) {
      this.#isAsking = false
      this.#begin()
      return
    }
    if (wasOpen) this.#reconnects++
    reports.count(wasOpen ? 'reconnects' : 'connect_failed', end.reason)
    const retryMs = this.#backoff.nextMs()
    const isHanging = end.reason === 'timeout'
    this.#cancelRetry = clock.after(retryMs, () => {
      if (isHanging) void this.#probe()
      else this.#begin()
    })
    const facts = { process: this.label, detail: end.message, retryMs: Math.round(retryMs) }
    reports.log('warn', wasOpen ? 'session ended' : 'no session', facts)
    this.#lose(end.message, retryMs)
  }

  /**
   * Asks a process that did not answer who it is, before anything more: what was sent to it waits
   * there, and when it goes on it would open every session that was asked for.
   */
  async #probe(): Promise<void> {
    const { door, context, link } = this.#parts
    link.trying()
    try {
      await sendCommand(door, { message: 'ProcessInfo' }, context.clock)
      if (!this.#isClosed) this.#begin()
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      this.#onEnd({ reason: 'timeout', message: error.message })
    }
  }

  #lose(reason: string, retryMs?: number): void {
    const { link, readings } = this.#parts
    if (link.status.isConnected) readings.end()
    link.failed(reason, retryMs)
  }

  /** Takes note of what a session has counted, before it is no more. */
  #forgetSession(): void {
    this.report()
    this.#before = this.#counts
    this.#intervalMs = this.#session?.intervalInForceMs ?? this.#intervalMs
    this.#session = undefined
    this.#reported = NO_COUNTS
  }

  /** Brings the hub's reports up to date with what the session has counted. */
  report(): void {
    const { reports } = this.#parts.context
    const counts = this.#sessionCounts
    const grown = (name: keyof Counts): number => counts[name] - this.#reported[name]
    const tell = (name: string, reason: string, amount: number): void => {
      if (amount > 0) reports.count(name, reason, amount)
    }
    tell('events_lost', 'process', grown('lost'))
    tell('foreign_series', 'interval', grown('foreignIntervals'))
    tell('foreign_series', 'session', grown('foreignSessions'))
    tell('readings_left_out', 'duplicate_counters', grown('duplicates'))
    this.#reported = counts
  }

  /** Takes note of a sign of life of an event source, or of all meters. */
  #hear(source: string): void {
    this.#backoff.reset()
    this.#heard.set(source, this.#parts.context.clock.monotonicNs())
    if (source !== METERS || !this.#isHeldDown) this.#asked = 0
  }

  /** Whether counters come in another tool's interval. */
  get #isHeldDown(): boolean {
    return (this.#session?.counts.foreignIntervals ?? 0) > 0
  }

  /** Watches for silence: of a source that has been heard, and of all from the start. */
  #watch(): void {
    const { clock } = this.#parts.context
    const beganNs = clock.monotonicNs()
    const look = (): void => {
      // shorter again once it has been heard
      const limitMs = this.#silenceMs
      const isOver = clock.monotonicNs() - this.#oldestSign(beganNs) >= nsOfMs(limitMs)
      if (isOver && (this.#asked === 0 || this.#isHeldDown)) this.#askAgain(limitMs)
      else this.#cancelSilence = clock.after(limitMs / LOOKS, look)
    }
    this.#cancelSilence = clock.after(this.#silenceMs / LOOKS, look)
  }

  #oldestSign(beganNs: bigint): bigint {
    const times = [...this.#heard.values()]
    const hasCounters = [...this.#heard.keys()].some((source) => source !== METERS)
    if (times.length === 0 || (this.#isHeldDown && !hasCounters)) times.push(beganNs)
    return times.reduce((a, b) => (a < b ? a : b))
  }

  /**
   * Silence that is too long, ms. While another tool's interval is in force it is doubled from time
   * to time: that tool may stay.
   */
  get #silenceMs(): number {
    const usualMs = SILENT_INTERVALS * this.#parts.request.intervalMs + SILENT_MS
    return Math.max(usualMs, Math.min(usualMs * 2 ** this.#asked, ASK_AGAIN_MS_MAX))
  }

  /** Ends the session and opens another: a source that was stopped for all begins again. */
  #askAgain(silentMs: number): void {
    const { context } = this.#parts
    this.#asked++
    this.#askedAgain++
    this.#isAsking = true
    const reason = this.#isHeldDown ? 'interval' : 'silent'
    context.reports.count('asked_again', reason)
    context.reports.log('warn', 'a process is asked again for its counters', {
      ...{ process: this.label, reason, silentMs },
    })
    // its end opens the next one
    void this.#session?.stop()
  }
}

/** Names the program of a process: that of its assembly, as `dotnet` runs many. */
export function programOf({ entryAssembly, commandLine }: ProcessFacts): string {
  if (entryAssembly !== undefined && entryAssembly !== '') return shown(entryAssembly)
  const [program = ''] = commandLine.split(' ', 1)
  return shown(program.slice(program.lastIndexOf('/') + 1)) || 'dotnet'
}

function shown(text: string): string {
  return text.length <= SHOWN_LENGTH_MAX ? text : `${text.slice(0, SHOWN_LENGTH_MAX)}…`
}

function added(a: Counts, b: Counts): Counts {
  const keys = Object.keys(NO_COUNTS) as (keyof Counts)[]
  return Object.fromEntries(keys.map((key) => [key, a[key] + b[key]])) as unknown as Counts
}
