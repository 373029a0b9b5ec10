/**
 * The contract of a dialect's part in `pentameter demo`: what it sends, offers and watches on real
 * sockets, and the few means that such traffic is made with.
 */
import type { Clock } from '../time/clock.ts'
import type { PortAddresses } from './ports.ts'

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

export interface PrepareContext {
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
  /** Where the hub listens; a port that could not be bound has an `error`. */
  readonly addresses: PortAddresses
  /** Tells the person at the terminal what runs. */
  readonly log: (message: string, facts?: Readonly<Record<string, unknown>>) => void
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
