/** The border between a receiving dialect and the hub: the verbs of the model; pure. */
import type { Exact, Identity, Metadata } from '../model/index.ts'

/** Slot of a line whose series was refused: every verb ignores it. */
export const REFUSED = -1

/**
 * The verbs of the model, as a receiving dialect's `map.ts` speaks them. Calls never throw and, for
 * a series seen before, allocate nothing. Refusals are counted by code inside.
 */
export interface Ingest {
  /** Rises when slots are given back (a silent series left): those held must be looked up again. */
  readonly generation: number
  /** Says from whom the next calls come; `source` is the peer's address without its port. */
  begin(source: string): void
  /**
   * Slot of the series with these key bytes and type word; on first sight `describe` names it.
   * @param type small integer that the dialect gives its type words; part of the identity
   * @param hash of these bytes, by one function of the dialect: its codec hashes while it scans
   */
  slot(
    bytes: Uint8Array,
    start: number,
    end: number,
    type: number,
    hash: number,
    describe: Describe,
  ): number
  /** Counter += value * weight (fractions are carried); negative values per `negativeMeter`. */
  count(slot: number, value: Exact, weight: number): void
  /**
   * Cumulative counter: a new reading; a smaller one is a reset, or a wrap where bits are stated.
   */
  read(slot: number, reading: Exact): void
  /** Gauge: the last write wins. */
  set(slot: number, value: Exact): void
  /** Histogram: `weight` observations of a value (fractions are carried). */
  observe(slot: number, value: Exact, weight: number): void
  /** Replaces what is known of a series besides its identity. */
  annotate(slot: number, metadata: Metadata): void
  /** Counts a line that is not taken, by reason (`key_too_long`). */
  refuse(code: string): void
  /** Counts a thing that loses nothing but should be seen (`odd_sample_rate`). */
  note(code: string): void
}

/** Names a new series from its wire key; called once per key and type. */
export type Describe = (key: Uint8Array, type: number) => Description

export interface Description {
  readonly identity: Identity
  readonly metadata: Metadata
  /** True for a counter that arrives as readings (`read`). */
  readonly isCumulative?: boolean
  /** Width in bits of a cumulative counter, where known. */
  readonly counterBits?: 32 | 64
}
