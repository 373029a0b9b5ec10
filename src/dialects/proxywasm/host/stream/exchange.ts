/** What goes into a filter with one request, and what comes out. */

/** Lower-case names by convention; `:method`, `:path`, `:authority`, `:status` among them. */
export type Headers = readonly (readonly [name: string, value: string])[]

export interface FilterRequest {
  readonly headers?: Headers
  readonly body?: Uint8Array | string
  readonly trailers?: Headers
  /** Response of the other side; status 200 without a body where nothing is given. */
  readonly response?: {
    readonly headers?: Headers
    readonly body?: Uint8Array | string
    readonly trailers?: Headers
  }
}

/**
 * - `completed`: the filter let request and response pass, as `request` and `response` show them
 * - `answered`: the filter sent a response of its own
 * - `paused`: a callback asked to wait, and nothing this host offers would continue the stream
 * - `failed`: no instance, a trap, or a call that did not return: HTTP status 500
 */
export type FilterVerdict = 'completed' | 'answered' | 'paused' | 'failed'

export interface FilterMessage {
  readonly headers: Headers
  readonly body: Uint8Array
  readonly trailers: Headers
}

export interface FilterOutcome {
  readonly verdict: FilterVerdict
  /** HTTP status that a client would get. */
  readonly status: number
  readonly request: FilterMessage
  readonly response: FilterMessage
  /** Reason of the failure, or the details of the filter's own response. */
  readonly reason: string
}
