/**
 * The wasm path of the metric calls alone: no filter, and slow calls that do nothing, so that a
 * test sees what was handed on.
 */
import { strict as assert } from 'node:assert'
import { linkFastMetrics } from '../../src/dialects/proxywasm/fast/fast-metrics.ts'
import type { MetricSpace } from '../../src/dialects/proxywasm/host/metric-space.ts'
import { openZoneSpace } from '../../src/dialects/proxywasm/store/space.ts'
import { Zone } from '../../src/shm/index.ts'

/** What the slow calls answer here, and nobody else does. */
export const HANDED_ON = 77

export interface Linked {
  readonly zone: Zone
  readonly space: MetricSpace
  increment(id: number, delta: bigint): number
  record(id: number, value: bigint): number
  get(id: number, valueAt: number): number
  readonly check: () => void
  /** The u64 that was put last. */
  readonly put: () => bigint
}

/** @param space of a zone in a wasm memory */
export function linked(
  space = openZoneSpace({ shared: Zone.create({ backing: 'wasm' }).shared }),
): Linked {
  let last = 0n
  const memory = {
    has: (at: number) => at < 1_000,
    setU64Halves(_at: number, low: number, high: number) {
      last = BigInt.asUintN(64, (BigInt(high) << 32n) | BigInt(low >>> 0))
    },
  }
  const vm = { memory, counts: { add() {} }, badPointer: () => 6 }
  const slow = () => HANDED_ON
  const fast = linkFastMetrics(vm, space, {
    proxy_define_metric: slow,
    proxy_increment_metric: slow,
    proxy_record_metric: slow,
    proxy_get_metric: slow,
  })
  assert.ok(fast !== undefined)
  type Call = (id: number, value: bigint | number) => number
  const { calls, check } = fast
  return {
    zone: space.zone,
    space,
    increment: calls.proxy_increment_metric as Call,
    record: calls.proxy_record_metric as Call,
    get: calls.proxy_get_metric as Call,
    check,
    put: () => last,
  }
}
