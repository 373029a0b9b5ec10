/**
 * The feed of a .NET process: who it is, one session of its counters, and words for what happens
 * to it. The process is told to stop when the feed is closed.
 */
import type { Clock } from '../../../time/clock.ts'
import type {
  CounterFeed,
  FeedError,
  FeedObserver,
  FeedRequest,
  FeedWindow,
  OpenFeed,
} from '../../command-line.ts'
import { CommandError, readFacts } from '../client/command.ts'
import { CounterSession } from '../client/counter-session.ts'
import { parseProviders, splitProviders } from '../client/counters/providers.ts'
import type { ProcessDoor } from '../client/door.ts'
import { isSuspended } from '../client/processes.ts'
import type { SessionEnd } from '../client/session.ts'
import type { NetTraceEvent } from '../codec/event.ts'
import type { ProcessFacts } from '../codec/ipc/messages.ts'
import { METRICS_PROVIDER } from '../codec/layouts.ts'
import type { Reading } from '../map.ts'
import { MeterPreference } from './preference.ts'
import { windowsOf } from './windows.ts'

/** Process that is watched. */
export interface WatchedProcess {
  readonly door: ProcessDoor
  /** Name as the system has it; empty where it is not known. */
  readonly name: string
  /** Number of one that was found by its socket, which may wait for a word at another one. */
  readonly pid?: number
  /** Lets the runtime begin, which waits for that; called when the session is open. */
  resume?(): Promise<unknown>
  /** Gives back what finding it has taken. */
  close?(): Promise<unknown>
}

/** Error that ends the feed before it has begun. */
export class ProcessNotFoundError extends Error {
  readonly advice: string | undefined

  constructor(message: string, advice?: string) {
    super(message)
    this.advice = advice
  }
}

interface ProcessRequest extends FeedRequest {
  /** Name for people of the choice, while it is not known who it is. */
  readonly choice: string
  readonly maxHistograms: number
  /** Whether payloads of an interval are taken that another tool wants. */
  readonly takesAnyInterval: boolean
  /** Text for people while it is waited for. */
  readonly waitText?: string
  /** @throws {ProcessNotFoundError} where there is none */
  find(clock: Clock, signal: AbortSignal): Promise<WatchedProcess>
}

/** Provider that is asked for where none is named, as dotnet-counters does. */
const DEFAULT_PROVIDER = 'System.Runtime'
/** Intervals after which it is said what may be wrong. */
const LATE_INTERVALS = 3
const BEGIN = 'BeginInstrumentReporting'
/** First runtime whose tools share one collection of meters, and the session's name there. */
const SHARING_VERSION = 8
const SHARED = 'SHARED'

export function processFeed(request: ProcessRequest): OpenFeed {
  return (observer, clock) => new ProcessFeed(request, observer, clock)
}

class ProcessFeed implements CounterFeed {
  readonly #request: ProcessRequest
  readonly #observer: FeedObserver
  readonly #clock: Clock
  readonly #abort = new AbortController()
  readonly #preference: MeterPreference
  readonly #providers: readonly string[]
  /** Event sources that were asked for without their meters. */
  readonly #sourcesOnly: ReadonlySet<string>
  #process: WatchedProcess | undefined
  #facts: ProcessFacts | undefined
  #session: CounterSession | undefined
  /** Texts that the observer has. */
  readonly #noted = new Set<string>()
  #openedNs: bigint | undefined

  constructor(request: ProcessRequest, observer: FeedObserver, clock: Clock) {
    this.#request = request
    this.#observer = observer
    this.#clock = clock
    const { counters } = request
    this.#providers = counters === undefined ? [DEFAULT_PROVIDER] : splitProviders(counters)
    const wanted = parseProviders(this.#providers)
    this.#sourcesOnly = new Set(wanted.filter((each) => each.isSourceOnly).map((each) => each.name))
    this.#preference = new MeterPreference(clock, (window) => this.#give(window))
  }

  get name(): string {
    return this.#facts?.entryAssembly || this.#process?.name || this.#request.choice
  }

  get target(): string {
    const facts = this.#facts
    if (facts === undefined) return this.#request.choice
    const runtime = facts.clrVersion === undefined ? [] : [`.NET ${facts.clrVersion}`]
    return [this.name, `pid ${facts.pid}`, ...runtime].join(', ')
  }

  get errors(): number {
    return this.#session?.counts.bad ?? 0
  }

  get troubles(): readonly string[] {
    const { lost = 0, counts } = this.#session ?? {}
    const { leftOut } = this.#preference
    return [
      ...(lost === 0 ? [] : [`${lost} events lost`]),
      ...(counts === undefined || counts.duplicates === 0
        ? []
        : [`${counts.duplicates} values of counters of one name left out`]),
      ...(leftOut === 0 ? [] : [`${leftOut} values left out`]),
    ]
  }

  silence(intervals: number): string | undefined {
    const other = this.#otherInterval()
    if (other !== undefined) return other
    if (intervals < LATE_INTERVALS) return undefined
    const names = this.#providers.join(', ')
    return `no counters of ${names} so far: names count with their case, or another tool holds them`
  }

  async start(): Promise<void> {
    try {
      await this.#open()
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#observer.onError(feedError(error), 0)
    }
  }

  async close(): Promise<void> {
    this.#abort.abort()
    await this.#session?.stop()
    this.#preference.end()
    await this.#process?.close?.()
  }

  async #open(): Promise<void> {
    const { intervalMs, seriesLimit, maxHistograms, takesAnyInterval } = this.#request
    const { signal } = this.#abort
    const { waitText } = this.#request
    if (waitText !== undefined) this.#observer.onWait(waitText)
    const found = await this.#request.find(this.#clock, signal)
    this.#process = found
    if (signal.aborted) return
    const { door } = found
    this.#facts = await readFacts(door, this.#clock)
    const { pid } = found
    if (pid !== undefined && (await isSuspended(pid, this.#facts.commandLine))) {
      const text = `process ${pid} waits at its diagnostic port to be told to begin`
      throw new ProcessNotFoundError(text, 'watch it there: --diagnostic-port PATH')
    }
    if (signal.aborted) return
    this.#session = new CounterSession({
      ...{ door, clock: this.#clock },
      request: {
        ...{ providers: this.#providers, intervalMs, maxTimeSeries: seriesLimit, maxHistograms },
        ...{ intervals: takesAnyInterval ? 'any' : 'own', clrVersion: this.#facts.clrVersion },
      },
      onOpen: () => this.#onOpen(),
      onReading: (reading, event, timeMs) => this.#onReading(reading, event, timeMs),
      onEvent: (event) => this.#onEvent(event),
      onEnd: (end) => this.#onEnd(end),
    })
  }

  #onOpen(): void {
    this.#openedNs = this.#clock.monotonicNs()
    this.#observer.onOpen()
    this.#process?.resume?.().catch((error) => {
      this.#note(`the process could not be told to begin: ${(error as Error).message}`)
    })
  }

  #onReading(reading: Reading, event: NetTraceEvent, timeMs: number): void {
    const isMeter = reading.sessionId !== undefined
    for (const window of windowsOf(reading, event, timeMs, this.#request.intervalMs)) {
      const { provider } = window.counter
      if (isMeter) {
        this.#preference.addMeter(provider)
        this.#give(window)
      } else if (this.#sourcesOnly.has(provider)) this.#give(window)
      else this.#preference.take(window)
    }
  }

  #onEvent({ metadata, payload }: NetTraceEvent): void {
    if (metadata.provider === METRICS_PROVIDER) {
      const meter = metadata.name === BEGIN ? payload?.meterName : undefined
      if (typeof meter === 'string' && this.#mayBeOurs(payload?.sessionId))
        this.#preference.addMeter(meter)
      this.#tellNotes()
    } else {
      const other = this.#otherInterval()
      if (other !== undefined) this.#note(other)
    }
  }

  /** Tells whether a collection of meters is ours: that which all share, where there is one. */
  #mayBeOurs(sessionId: unknown): boolean {
    const major = Number.parseInt(this.#facts?.clrVersion ?? '0', 10)
    return major < SHARING_VERSION || sessionId === SHARED
  }

  /** Says which interval is in force for a source whose counters come in another one than ours. */
  #otherInterval(): string | undefined {
    const session = this.#session
    const openedNs = this.#openedNs
    if (session === undefined || openedNs === undefined) return undefined
    const [other] = session.otherIntervals
    if (other === undefined || this.#request.takesAnyInterval) return undefined
    const passedMs = Number(this.#clock.monotonicNs() - openedNs) / 1e6
    if (passedMs < LATE_INTERVALS * this.#request.intervalMs) return undefined
    const [source, ms] = other
    const what = `counters of ${source} come every ${ms / 1000} s`
    return `${what}, as another tool has asked: --any-interval takes them`
  }

  #tellNotes(): void {
    for (const [about, text] of this.#session?.notes ?? []) this.#note(this.#wordsOf(about, text))
  }

  /** Gives a note in the words of dotnet-counters where it has some. */
  #wordsOf(about: string, text: string): string {
    const { seriesLimit, maxHistograms } = this.#request
    if (about === 'seriesLeftOut') {
      return limitText('Time series', seriesLimit, '--maxTimeSeries')
    }
    if (about === 'histogramsLeftOut') {
      return limitText('Histogram', maxHistograms, '--maxHistograms')
    }
    if (about === 'callbackError') return `${CALLBACK_FAILED} ${text}`
    return about === 'meters' ? `meters: ${text}` : text
  }

  /** Tells each text once; of texts that differ all the time the first ones. */
  #note(text: string): void {
    if (this.#noted.has(text) || this.#noted.size >= NOTES_LIMIT) return
    this.#noted.add(text)
    this.#observer.onNote(text)
  }

  #give(window: FeedWindow): void {
    this.#observer.onWindow(window)
  }

  #onEnd({ reason, message, result }: SessionEnd): void {
    if (this.#abort.signal.aborted) return
    if (this.#openedNs !== undefined) {
      this.#observer.onEnd(`${this.target}: ${message}`)
      return
    }
    this.#observer.onError(withAdvice(reason, message, result), 0)
  }
}

const NOTES_LIMIT = 100
const CALLBACK_FAILED =
  'Exception thrown from an observable instrument callback in the target process:'

/** Writes the warning of dotnet-counters about a limit. */
function limitText(what: string, limit: number, flag: string): string {
  const warning = `Warning: ${what} tracking limit (${limit}) reached.`
  const advice = `The limit can be changed with ${flag} but will use more memory`
  return `${warning} Not all data is being shown. ${advice} in the target process.`
}

function feedError(error: unknown): FeedError {
  if (error instanceof CommandError) {
    return withAdvice(error.reason, error.message, error.result)
  }
  const { message } = error as Error
  if (!(error instanceof ProcessNotFoundError)) return { message }
  return error.advice === undefined ? { message } : { message, advice: error.advice }
}

/** Result of a process that has no room for another session. */
const NO_ROOM = '80004005'

function withAdvice(reason: string, message: string, result: string | undefined): FeedError {
  if (result === NO_ROOM) {
    return { message, advice: 'it may have too many sessions: end another tool that watches it' }
  }
  const isGone = reason === 'closed' || reason === 'bad_reply'
  return isGone ? { message, advice: 'is it a .NET process? pentameter counters ps' } : { message }
}
