/** What Proxy-Wasm adds to `GET /api/v1/sources`: the filters that the hub runs. */
import type { SourcesAnswer } from '../../../http/api.ts'

/** Numbers by the types of metrics. */
export type ByType = Readonly<Record<'counter' | 'gauge' | 'histogram', number>>

/** Use of the slab that the metrics of all filters share, and what fits into it. */
export interface SlabAnswer {
  readonly bytes: number
  readonly usedBytes: number
  readonly metrics: number
  /** Mean length of their prefixed names, by which it is said what fits. */
  readonly meanNameBytes: number
  /** Further metrics that would fit, each type alone. */
  readonly fits: ByType
  /** The same in ngx_wasm_module. */
  readonly original: {
    readonly documentedBytes: number
    readonly allocatedBytes: number
    /** Metrics that an empty slab of this size holds. */
    readonly fitsEmpty: ByType
  }
}

/** Answer of `GET` and `POST /api/v1/proxywasm/metrics`. */
export interface MetricsAnswer {
  readonly settings: {
    readonly slabSize: number
    readonly maxMetricNameLength: number
    /** Form of histograms, or bounds of their bins. */
    readonly histogram: 'dense' | 'expanding' | readonly number[]
    readonly workers: number
    readonly metricNames: 'label' | 'prefix'
  }
  readonly slab: SlabAnswer
}

/** Metrics of one kind as they would be, of equally long names. */
export interface SizedKind {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly count: number
  /** Bytes of one, and of all of them. */
  readonly bytesEach: number
  readonly bytes: number
  /** The same in ngx_wasm_module: by its document, as allocated, and the least slab for them. */
  readonly original: {
    readonly documentedEach: number
    readonly allocatedEach: number
    readonly slabSize: number
  }
}

/** Answer of `GET /api/v1/proxywasm/size`. */
export interface SizeAnswer {
  /** Kinds of which there would be any. */
  readonly kinds: readonly SizedKind[]
  /** Bytes of all together, of the slab, and what that would have left; below 0 it is too small. */
  readonly bytes: number
  readonly slabSize: number
  readonly leftBytes: number
}

/** Integer, or decimal text above 2^53 - 1. */
export type WorkerNumber = number | string

/** A metric of a filter, by its threads. */
export interface MetricValues {
  /** Prefixed name. */
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** Value, or number of observations. */
  readonly total: WorkerNumber
  /** Part of each thread; null where all have one value, or none yet. */
  readonly workers: readonly (WorkerNumber | null)[]
  /** Part of threads that are gone; null as above. */
  readonly ended: WorkerNumber | null
}

/** Answer of `GET /api/v1/proxywasm/values`. */
export interface ValuesAnswer {
  readonly filter: string
  readonly metrics: readonly MetricValues[]
  /** Metrics that there are. */
  readonly count: number
}

/** One thread of a filter: what it did and cost since it was started. */
export interface FilterWorker {
  readonly requests: number
  readonly requestsFailed: number
  readonly callNs: number
  readonly memoryBytes: number
}

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
  /** Threads in their order; none of a filter that was refused. */
  readonly workers: readonly FilterWorker[]
  /** Problems and refusals, counted by reason. */
  readonly problems: Readonly<Record<string, number>>
  /** Imports for which there is only a stub, with their calls. */
  readonly unknownImports: readonly { readonly name: string; readonly calls: number }[]
}

/** The answer of a hub with filters; absent when it runs none. */
export interface FiltersAnswer extends SourcesAnswer {
  readonly filters?: readonly FilterStatus[]
  readonly filterMetrics?: MetricsAnswer
}
