/** What the main thread and the history's own thread tell each other. */
import type { RetentionRules } from '../../history/sqlite/bundles/retention.ts'
import type { HistoryCode, HistoryStore } from '../../history/store.ts'

/** Data that the thread starts with. */
export interface HistoryStart extends RetentionRules {
  readonly folder: string
}

export type HistoryMethod = keyof HistoryStore

/** A call of the store; answered under its number. */
export interface HistoryCall {
  readonly number: number
  readonly method: HistoryMethod
  readonly argument: unknown
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
