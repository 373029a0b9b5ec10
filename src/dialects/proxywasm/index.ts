/**
 * The dialect Proxy-Wasm metrics: a store in shared memory and a host for filters that write into
 * it; outside its process a zone is seen as JSON (README.md). Public as `pentameter/proxywasm`; its
 * constants as `pentameter/proxywasm/spec`.
 */
export type { CodecOptions, Decoded } from '../decoder.ts'
export { decodeProxyWasm, encodeProxyWasm } from './codec.ts'
export { FilterHost, type FilterHostParts } from './host/host.ts'
export type { MetricSpace, MetricSpaceSource } from './host/metric-space.ts'
export { FilterModule, FilterRefusedError } from './host/module/module.ts'
export type { FilterLogLine, FilterOptions } from './host/options.ts'
export type { FilterStatistics } from './host/statistics.ts'
export type { FilterOutcome, FilterRequest } from './host/stream/exchange.ts'
export { FilterThread, type FilterThreadParts } from './host/thread/thread.ts'
export type { JsonBin, JsonDocument, JsonInteger, JsonMetric } from './spec.ts'
export type { MetricDefinition } from './store/definition.ts'
export { type DiffOptions, type DocumentDifference, diffDocuments } from './store/diff.ts'
export type { MetricHandle, Recorded } from './store/handles.ts'
export {
  MetricStore,
  type SharedStore,
  type SnapshotOptions,
  storeSpaceSource,
} from './store/metric-store.ts'
export type { StoreChange, StoreOptions } from './store/options.ts'
export { openZoneSpace, type ZoneSpaceOptions, zoneSpaceSource } from './store/space.ts'
export type { StoreWorker } from './store/worker.ts'
