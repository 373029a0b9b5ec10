/**
 * The wasm path of the metric calls: a filter's imports linked to zone-host.wat, which works on
 * the zone's memory itself. Only in host mode `spec`, whose ids are the metrics' numbers, and only
 * where the zone's memory is one that wasm can address (`backing: 'wasm'`). Results are those of
 * the calls in JavaScript, which finish what the module hands on.
 */

import { type WasmModule, wasm } from '../../../arena/wasm.ts'
import type { WasmMemory } from '../../../shm/index.ts'
import {
  ENTRY,
  ENTRY_INTS,
  HEADER,
  HEADER_INTS,
  METRIC_MODES,
  METRIC_TYPES,
  type MetricMode,
  type MetricType,
} from '../../../shm/layout.ts'
import { STATUS } from '../host/abi.ts'
import type { MetricImports } from '../host/imports/index.ts'
import type { GuestMemory } from '../host/instance/guest-memory.ts'
import type { FilterVm } from '../host/instance/vm.ts'
import type { MetricSpace } from '../host/metric-space.ts'
import { SlotPlaces } from './places.ts'
import { ZONE_HOST_BASE64 } from './zone-host.ts'

interface FastMetrics {
  readonly calls: MetricImports
  /** Forgets the places of what other threads retired; to be called before each callback. */
  readonly check: () => void
}

/** Part of an instance that the fast calls need. */
interface PointerSide extends Pick<FilterVm, 'badPointer'> {
  readonly memory: Pick<GuestMemory, 'has' | 'setU64Halves'>
  readonly counts: Pick<FilterVm['counts'], 'add'>
}

let compiled: WasmModule | undefined

/** @returns undefined where the path can't be gone */
export function linkFastMetrics(
  vm: PointerSide,
  space: MetricSpace,
  slow: MetricImports,
): FastMetrics | undefined {
  const places = space.host === 'spec' ? SlotPlaces.of(space.writer) : undefined
  // Nor while the writer has to stay in a zone that was replaced.
  if (places === undefined || places.zone !== space.zone.shared) return undefined
  compiled ??= new wasm.Module(Buffer.from(ZONE_HOST_BASE64, 'base64'))
  const { exports } = new wasm.Instance(compiled, {
    zone: { memory: places.zone, ...addressesIn(places.zone, space.writer.segment) },
    places: { memory: places.memory },
    slow: {
      increment: slow.proxy_increment_metric,
      record: slow.proxy_record_metric,
      get: slow.proxy_get_metric,
      put: (valueAt: number, low: number, high: number) => put(vm, valueAt, low, high),
      wrapped: () => vm.counts.add('gaugeWraps'),
    },
  })
  return {
    check: () => places.check(),
    calls: {
      proxy_define_metric: slow.proxy_define_metric,
      proxy_increment_metric: exports.increment as () => number,
      proxy_record_metric: exports.record as () => number,
      proxy_get_metric: exports.get as () => number,
    },
  }
}

function put(vm: PointerSide, valueAt: number, low: number, high: number): number {
  if (!vm.memory.has(valueAt, 8)) return vm.badPointer()
  vm.memory.setU64Halves(valueAt, low, high)
  return STATUS.ok
}

/** Lists the byte addresses of what the module reads, and the kinds of metrics it knows. */
function addressesIn(memory: WasmMemory, segment: number): Record<string, number> {
  const ints = new Int32Array(memory.buffer)
  const table = ints[HEADER_INTS + segment * ENTRY_INTS + ENTRY.tableAt]!
  return {
    metricsAt: HEADER.metrics * 4,
    generationAt: HEADER.generation * 4,
    segmentsAt: HEADER.segments * 4,
    lockAt: HEADER.lock * 4,
    hasTotals: ints[HEADER.ordinal] === 0 ? 1 : 0,
    entriesAt: HEADER_INTS * 4,
    tableField: ENTRY.tableAt,
    descriptorTableAt: ints[HEADER.descriptorTableAt]! * 4,
    chunkTableAt: table * 4,
    counterKind: kindOf('counter', 'settable'),
    gaugeKind: kindOf('gauge', 'shared'),
    denseKind: kindOf('dense', 'integers'),
  }
}

/** Writes a kind as a descriptor has it: `[type:u8][mode:u8]`, read as one u16. */
function kindOf<T extends MetricType>(type: T, mode: MetricMode): number {
  const modes: readonly MetricMode[] = METRIC_MODES[type]
  return METRIC_TYPES.indexOf(type) | (modes.indexOf(mode) << 8)
}
