/**
 * The contract of a dialect's part on the command line: what its commands may ask for, lines of
 * help, its traffic in `pentameter demo` on real sockets, with the few means of making it, and what
 * `pentameter counters` watches: a feed is one session, a source is a dialect's way to open feeds
 * of processes that flags name.
 */
import { addressText } from '../model/text/address.ts'
import type { Clock } from '../time/clock.ts'
import type { PortAddresses } from './endpoints.ts'

/** Part of the command line that a dialect's commands may use. */
export interface CommandLine {
  /**
   * Runs a hub with these options until a signal ends it, as `pentameter serve` does.
   * @throws {ConfigError} for an option that makes no sense
   */
  serve(options: Readonly<Record<string, unknown>>): Promise<void>
  /** Loads the ways to counters of processes that dialects bring. */
  counterSources(): Promise<readonly CounterSource[]>
}

/** Shell lines by the command whose help shows them; `pentameter` is the main help. */
export interface Examples {
  readonly pentameter?: readonly Example[]
  readonly serve?: readonly Example[]
  readonly decode?: readonly Example[]
  readonly encode?: readonly Example[]
  readonly send?: readonly Example[]
}

/** A shell line, with what it does in a few words where it does not say so itself. */
export type Example = string | readonly [line: string, meaning: string]

export interface Demo {
  /** Sentence for `demo --help`: what runs, and what there is to find. */
  readonly description: string
  /** Starts what the hub attaches to or is configured with. */
  prepare?(context: PrepareContext): Promise<Prepared>
  /** Starts senders and viewers of a hub that is up. */
  start?(context: StartContext): End
}

/** Ends what was started; resolves when its sockets and files are gone. */
export type End = () => Promise<unknown>

interface PrepareContext {
  readonly clock: Clock
  /** The dialect's own section of the configuration. */
  readonly options: Readonly<Record<string, unknown>>
}

export interface Prepared {
  /** Addresses that the hub attaches to besides its own. */
  readonly attach?: readonly string[]
  /** Options of the dialect's section that take the place of the user's. */
  readonly options?: Readonly<Record<string, unknown>>
  readonly end: End
}

export interface StartContext {
  readonly clock: Clock
  /** Addresses that the hub listens at; a port that could not be bound has an `error`. */
  readonly addresses: PortAddresses
  /** Tells the person at the terminal what runs. */
  readonly log: (message: string, facts?: Readonly<Record<string, unknown>>) => void
}

/**
 * Writes the command that sends messages to a hub, the same for every shell: single quotes around
 * what has none.
 * @param url address of the peer; without one it is the command's own
 * @param flags further flags
 */
export function sendCommand(messages: readonly string[], url?: string, flags = ''): string {
  const to = url === undefined ? '' : ` --to ${url}`
  return `npx pentameter send${to}${flags} ${messages.map((each) => `'${each}'`).join(' ')}`
}

/** Writes host and port as in a URL; every address of a machine is also that of loopback. */
export function peerUrl(scheme: string, host: string, port: number): string {
  const wild: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
  return `${scheme}://${addressText(wild[host] ?? host, port)}`
}

/** Calls `step` now and every so many milliseconds. @returns what ends it */
export function repeat(clock: Clock, periodMs: number, step: () => void): () => void {
  let cancel = (): void => {}
  const next = (): void => {
    step()
    cancel = clock.after(periodMs, next)
  }
  next()
  return () => cancel()
}

/**
 * Makes random numbers from 0 to 1 of a seed, so that a demo invents the same day each time.
 * Mulberry32: small, good enough to look at.
 */
export function createRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Counter as viewers show it; the same object for as long as nothing of it changes. */
interface FeedCounter {
  /** Name of the event source or meter. */
  readonly provider: string
  readonly name: string
  readonly displayName: string
  /** Text of the sender (`B`, `ms`, `%`); empty = none. */
  readonly units: string
  /** Seconds that a rate is stated per; 0 = not set. */
  readonly rateScaleSec: number
  readonly metaData: readonly (readonly [key: string, value: string])[]
  /** True for pairs that are the labels of an instrument; else they are metadata of a counter. */
  readonly hasTags?: boolean
  /** Pairs at the begin of those that are of the meter, and behind them of the instrument. */
  readonly meterTags?: FeedCounter['metaData']
  readonly instrumentTags?: FeedCounter['metaData']
}

type FeedStatistics =
  | {
      readonly kind: 'sum'
      readonly increment: number
      /** Total that the sender tells; none unless there. */
      readonly total?: number
    }
  | {
      readonly kind: 'mean'
      readonly count: number
      readonly mean: number
      readonly deviation: number
      readonly min: number
      readonly max: number
    }

/** One interval of one counter; a sender may have left out numbers, NaN is no value. */
export interface FeedWindow {
  readonly counter: FeedCounter
  readonly statistics: FeedStatistics
  /** End of the window by the sender's clock, Unix milliseconds. */
  readonly timeMs: number | undefined
  /** Nominal interval, milliseconds. */
  readonly seriesMs: number | undefined
  /** Measured length, seconds. */
  readonly intervalSec: number | undefined
}

/** Reason why a session ended, or never began. */
export interface FeedError {
  /** Text for people. */
  readonly message: string
  /** Advice on what to do, where that can be known. */
  readonly advice?: string
}

/** Callbacks of a feed; none is called after its close. */
export interface FeedObserver {
  /** Called while what is to be watched is not there yet. @param text for people */
  onWait(text: string): void
  /** Called when a session is open. */
  onOpen(): void
  onWindow(window: FeedWindow): void
  /** Takes what the other side says of the session, which goes on: a limit of it is reached. */
  onNote(text: string): void
  /** Called when a session, or the attempt to open one, has failed. */
  onError(error: FeedError, retryInMs: number): void
  /** Called when what was watched has ended: there will be no other session. */
  onEnd(message: string): void
}

/** One session for as long as it is wanted. */
export interface CounterFeed {
  /** Name for people of what is watched: `127.0.0.1:4000`, `Shop, pid 4242, .NET 10.0.1`. */
  readonly target: string
  /** Name of it in a document: `127.0.0.1:4000`, `Shop`. */
  readonly name: string
  /** Number of payloads that could not be read. */
  readonly errors: number
  /** Troubles so far besides those, in words: `12 events lost`. */
  readonly troubles: readonly string[]
  /**
   * Says why no window has come though the session is open; undefined where that is no wonder.
   * @param intervals that have gone by, whole ones
   */
  silence(intervals: number): string | undefined
  start(): Promise<void>
  /** Ends it, for good. */
  close(): Promise<void>
}

export type OpenFeed = (observer: FeedObserver, clock: Clock) => CounterFeed

/** Request for counters, as the flags of both commands say it. */
export interface FeedRequest {
  /** List of providers and their counters; undefined for what the source has by default. */
  readonly counters: string | undefined
  readonly intervalMs: number
  readonly seriesLimit: number
  /** Words behind `--`: a program that is to be started. */
  readonly command?: readonly string[]
}

/** Flag that a source adds to the commands. */
export interface SourceFlag {
  /** Its names, and what it takes, as commander has it: `-p, --process-id <pid>`. */
  readonly flags: string
  readonly description: string
  /** Parses its value. @throws {Error} with words that say what is wanted */
  readonly parse?: (text: string) => unknown
  readonly default?: unknown
  /** Whether the help leaves it out: another spelling of one that it shows. */
  readonly isHidden?: boolean
}

/** Command that a source adds beside those that watch: a list of what there is to be watched. */
export interface SourceCommand {
  readonly name: string
  readonly description: string
  readonly flags: readonly SourceFlag[]
  /** Text behind the flags in its help. */
  readonly help: string
  /** @param values by the flags' names in camel case */
  run(values: Readonly<Record<string, unknown>>): Promise<void>
}

/** Way to counters that needs no address: flags say where they are. */
export interface CounterSource {
  readonly flags: readonly SourceFlag[]
  readonly commands: readonly SourceCommand[]
  /** Paragraph in the help of the commands that watch. */
  readonly help: string
  /**
   * Reads what the flags ask for.
   * @param values by the flags' names in camel case
   * @returns undefined where they name nothing
   * @throws {CommandError} of wrong usage
   */
  read(values: Readonly<Record<string, unknown>>, request: FeedRequest): OpenFeed | undefined
}
