/**
 * Constants of Proxy-Wasm metrics: bin bounds, types, limits and the closed set of error codes
 * (source document: the Metrics page of ngx_wasm_module; README.md says where document and peers
 * differ).
 */
export const NAME = 'proxywasm'

/** Types that a filter may define, by the number the ABI gives them. */
export const FILTER_TYPES = ['counter', 'gauge', 'histogram'] as const
export type FilterMetricType = (typeof FILTER_TYPES)[number]

/** Bounds of the 33 bins: 2^0 … 2^31 and the last one, of which the document says 2^32. */
export const LAST_BOUND = 4_294_967_295
export const DOCUMENT_LAST_BOUND = 4_294_967_296
export const BIN_BOUNDS: readonly number[] = [
  ...Array.from({ length: 32 }, (_, power) => 2 ** power),
  LAST_BOUND,
]
export const OVERFLOW_BIN = 32
/** Least value of the last bin: 2^31 itself is in it, as in the real program. */
export const OVERFLOW_FROM = 2_147_483_648

/** Bounds a definition may name (peer's profile); the last bound is always there besides. */
export const USER_BOUNDS_LIMIT = 17

/** Bytes of one document of metrics in JSON. */
export const DOCUMENT_BYTES_LIMIT = 16_777_216
/** Deeper than any document; keeps a hostile one from costing more than its bytes. */
export const NESTING_LIMIT = 64

export const ERROR_CODES = ['bad_type', 'bad_value', 'bad_bound', 'bad_document'] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** Number, or decimal text above 2^53 - 1. */
export type JsonInteger = number | string

export interface JsonBin {
  /** Inclusive upper bound. */
  readonly ub: number
  /** Count of this bin alone. */
  readonly count: JsonInteger
}

/** A metric as the peer's Lua library shows it. */
export type JsonMetric =
  | { readonly type: 'counter' | 'gauge'; readonly value: JsonInteger }
  | {
      readonly type: 'histogram'
      /** Bounds ascend, the last is {@link LAST_BOUND}. */
      readonly value: readonly JsonBin[]
      /** Sum; absent in the document's edition. */
      readonly sum?: JsonInteger
      /** Bounds that the definition named, without the last one. */
      readonly bounds?: readonly number[]
    }

/** A zone at one moment: metrics by their prefixed names. */
export type JsonDocument = Readonly<Record<string, JsonMetric>>
