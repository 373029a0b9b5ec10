/** Series of the past as clients are told them. */
import type { PastQuery } from '../../history/store.ts'
import type { Identity, Kind, Metadata } from '../../model/index.ts'

/** Words and time that series of the past are looked for by. */
export type PastWords = Omit<PastQuery, 'partEnding'>

export interface PastRecord {
  readonly id: number
  readonly key: Uint8Array
  readonly kind: Kind
  readonly identity: Identity
  readonly metadata: Metadata
  readonly source: string
  /** Its life as far as it is known, or else the time that was asked for. */
  readonly firstSeenMs: number
  readonly lastDataMs: number
  /** Time from which on it was no more, where that is known. */
  readonly goneMs?: number
  /** Second part that a counter may have had; of an engine's, which tells all by name, none. */
  readonly decrements?: { readonly id: number; readonly key: Uint8Array }
}

export interface FoundRecords {
  readonly series: readonly PastRecord[]
  /** Number of all that match. */
  readonly total: number
}

export interface PastList {
  /** Finds a series that was told; undefined for one that is not remembered. */
  get(id: number): PastRecord | undefined
  /** @throws {HistoryError} where the history does not answer, or for more than it can count */
  find(query: PastWords): Promise<FoundRecords>
}
