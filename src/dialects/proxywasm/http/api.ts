/** What Proxy-Wasm adds to `GET /api/v1/sources`: the filters that the hub runs. */
import type { SourcesAnswer } from '../../../http/api.ts'

/** One filter: what it did and cost since it was started. */
export interface FilterStatus {
  readonly name: string
  readonly path: string
  /** Host whose answers its metric calls get: spec, nginx or envoy. */
  readonly host: string
  readonly state: 'running' | 'refused' | 'stopped'
  /** Reason of a refusal. */
  readonly message?: string
  readonly abi?: string
  readonly sinceMs: number
  /** Requests and ticks of the last second. */
  readonly ratePerSecond: number
  readonly requests: number
  readonly requestsFailed: number
  /** Mean time of a call into the filter, nanoseconds. */
  readonly callNs: number
  readonly memoryBytes: number
  readonly instances: number
  readonly series: number
  /** Problems and refusals, counted by reason. */
  readonly problems: Readonly<Record<string, number>>
  /** Imports for which there is only a stub, with their calls. */
  readonly unknownImports: readonly { readonly name: string; readonly calls: number }[]
}

/** The answer of a hub with filters; absent when it runs none. */
export interface FiltersAnswer extends SourcesAnswer {
  readonly filters?: readonly FilterStatus[]
}
