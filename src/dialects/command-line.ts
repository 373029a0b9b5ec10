/**
 * The contract of a dialect's part on the command line: what its commands may ask for, lines of
 * help, and its traffic in `pentameter demo` on real sockets, with the few means of making it.
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
