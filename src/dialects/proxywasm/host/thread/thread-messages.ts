/** What goes between a filter's thread and its owner, by structured clone. */

import type { MetricSpaceSource } from '../metric-space.ts'
import type { FilterModuleParts, ModuleRefusal } from '../module/module.ts'
import type { FilterLogLine, FilterOptions } from '../options.ts'
import type { FilterOutcome, FilterRequest } from '../stream/exchange.ts'

/** `workerData` of the thread. */
export interface ThreadStart {
  readonly module: FilterModuleParts
  readonly options: FilterOptions
  readonly space: Pick<MetricSpaceSource, 'module' | 'data'>
  /** Of FilterCounts: read by the owner at any moment. */
  readonly counts: SharedArrayBuffer
}

export type ToThread =
  | { readonly kind: 'request'; readonly id: number; readonly request: FilterRequest }
  | { readonly kind: 'close' }

export type FromThread =
  | { readonly kind: 'started' }
  | { readonly kind: 'refused'; readonly refusal: ModuleRefusal; readonly message: string }
  | { readonly kind: 'outcome'; readonly id: number; readonly outcome: FilterOutcome }
  | { readonly kind: 'log'; readonly line: FilterLogLine }
  | { readonly kind: 'closed' }
