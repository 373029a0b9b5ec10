/**
 * Metric calls of a test, made by a real filter: `raw` reads the call from a request's header and
 * answers with the status and, after define and get, the id or value.
 */
import type { FilterHost } from '../../src/dialects/proxywasm/host/host.ts'
import type { FilterOutcome } from '../../src/dialects/proxywasm/host/stream/exchange.ts'
import type { FilterThread } from '../../src/dialects/proxywasm/host/thread/thread.ts'

export interface CallResult {
  /** Undefined after a trap. */
  readonly status: number | undefined
  readonly value: bigint
  /** Text of the trap. */
  readonly trap: string
}

export class FilterCaller {
  readonly #host: FilterHost | FilterThread

  /** @param host of the test filter `raw` */
  constructor(host: FilterHost | FilterThread) {
    this.#host = host
  }

  define(type: number, name: string): Promise<CallResult> {
    return this.call(`define:${type}:${name}`)
  }

  increment(id: number, delta: bigint | string): Promise<CallResult> {
    return this.call(`increment:${id}:${delta}`)
  }

  record(id: number, value: bigint | string): Promise<CallResult> {
    return this.call(`record:${id}:${value}`)
  }

  get(id: number): Promise<CallResult> {
    return this.call(`get:${id}`)
  }

  /** A call that is right but for a pointer to nowhere: `get`, `name`, `id`, `log` or `buffer`. */
  wild(call: 'get' | 'name' | 'id' | 'log' | 'buffer'): Promise<CallResult> {
    return this.call(`wild:${call}`)
  }

  async call(text: string): Promise<CallResult> {
    return resultOf(await this.#host.request({ headers: [['x-call', text]] }))
  }
}

function resultOf({ verdict, response, reason }: FilterOutcome): CallResult {
  const headers = new Map(response.headers)
  const status = headers.get('x-status')
  return {
    status: status === undefined ? undefined : Number(status),
    value: BigInt(headers.get('x-value') ?? 0),
    trap: verdict === 'failed' ? reason : '',
  }
}
