/**
 * The dialect Proxy-Wasm metrics: a store in shared memory and a host for filters that write into
 * it; outside its process a zone is seen as JSON (README.md). Public as `pentameter/proxywasm`.
 */
export { createDecoder, encode, jsonInteger } from './codec.ts'
export * from './host/index.ts'
export { type LabelledName, type LabelPattern, LabelPatterns } from './label-patterns.ts'
export {
  type Bins,
  binsHistogram,
  classicBuckets,
  type DescribedMetric,
  type DescribeOptions,
  describeMetric,
  describePrefixed,
  type ExponentialPoint,
  explicitPoint,
  exponentialPoint,
  nativeBuckets,
  type PeerGaugeSlot,
  peerBinDelta,
  peerGauge,
} from './map.ts'
export {
  checkFilterName,
  crc32,
  fitsNameLimit,
  type MetricName,
  ORIGINS,
  type Origin,
  prefixedName,
  readName,
} from './names.ts'
export * from './spec.ts'
export { STORE_COUNTS, type StoreCount } from './store/counts.ts'
export type { MetricDefinition } from './store/definition.ts'
export { type DiffOptions, type DocumentDifference, diffDocuments } from './store/diff.ts'
export type { MetricHandle, Recorded } from './store/handles.ts'
export {
  MetricStore,
  type SharedStore,
  type SnapshotOptions,
} from './store/metric-store.ts'
export type { StoreChange, StoreHost, StoreOptions } from './store/options.ts'
export { storeSpaceSource } from './store/space-source.ts'
export type { HistogramView, WorkerValue } from './store/values.ts'
export type { StoreWorker } from './store/worker.ts'
