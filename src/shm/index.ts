/** The zone: metrics of all threads in shared memory. Public as `pentameter/shm`. */

export type { DefinitionOptions } from './definitions/definition.ts'
export {
  BINS_AT_FIRST,
  BINS_LIMIT,
  type Capacity,
  type CapacityQuestion,
  capacity,
  type Estimate,
  type EstimateKind,
  type EstimateProfile,
  type EstimateQuestion,
  estimate,
  SLAB_PAGE_BYTES,
  slabBytes,
  smallestZone,
  zoneBytes,
} from './estimate/estimate.ts'
export { estimateZone, type ZoneEstimate, type ZoneQuestion } from './estimate/zone-estimate.ts'
export {
  type Backing,
  type CounterMode,
  type DenseMode,
  type GaugeMode,
  METRIC_MODES,
  METRIC_TYPES,
  type MetricMode,
  type MetricType,
  REFUSALS,
  refusalNumber,
  refusalOf,
  type ZoneRefusal,
} from './layout.ts'
export type { SharedZone, WasmMemory } from './memory/backing.ts'
export { ZoneFormatError } from './memory/memory.ts'
export type { Bin, BinsReading, BinTable, SegmentBins } from './reading/bins-reader.ts'
export type { DenseReading, SegmentReading, WindowReading, ZoneReader } from './reading/reader.ts'
export type { SummaryVisitor } from './reading/summaries.ts'
export type { BinnedHandle } from './slots/binned.ts'
export type { CounterHandle, SettableHandle } from './slots/counter.ts'
export {
  type DenseHandle,
  denseBin,
  denseBinOf,
  denseBound,
  type FractionsHandle,
} from './slots/dense.ts'
export type { ExpandingHandle } from './slots/expanding.ts'
export type { ExponentialHandle } from './slots/exponential.ts'
export type { GaugeHandle, GaugeReading, SharedChange, SharedGaugeHandle } from './slots/gauge.ts'
export type { TotalChange } from './slots/slot-owner.ts'
export type { SummaryHandle, SummaryReading } from './slots/summary.ts'
export { RedefinitionError } from './succession/build.ts'
export type { SegmentUsage, ZoneUsage } from './usage.ts'
export type { Writer } from './writer.ts'
export { Zone, ZoneFullError } from './zone.ts'
export { ZONE_BYTES_MAX, type ZoneChange, type ZoneOptions } from './zone-options.ts'
