/** What the main thread and the history's own thread tell each other. */
import type { PromqlOptions } from '../../../history/promql/promql-history.ts'
import type { WrittenSeries } from '../../../history/promql/written.ts'
import type { RetentionRules } from '../../../history/sqlite/bundles/retention.ts'
import type { HistoryCode, HistoryStore } from '../../../history/store.ts'

/** Data that the thread starts with. */
export type HistoryStart = FolderStart | EngineStart

export interface FolderStart extends RetentionRules {
  readonly folder: string
  readonly digits?: number
}

export interface EngineStart {
  readonly engine: PromqlOptions
}

export type HistoryMethod = keyof HistoryStore | 'probe'

/** Series by their keys, as they were written to an engine. */
export type ToldNames = readonly (readonly [key: Uint8Array, series: WrittenSeries | undefined])[]

/** A call of the store; answered under its number. */
export interface HistoryCall {
  readonly number: number
  readonly method: HistoryMethod
  readonly argument: unknown
  /** Series of a read from an engine, that of the pulse first. */
  readonly names?: ToldNames
}

export interface HistoryFault {
  readonly code: HistoryCode
  readonly message: string
}

/** Answer to a call, or under the number 0 to the start. */
export interface HistoryAnswer {
  readonly number: number
  readonly value?: unknown
  readonly fault?: HistoryFault
}
