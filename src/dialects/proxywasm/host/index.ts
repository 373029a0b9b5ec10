/**
 * The Proxy-Wasm host: loads filters compiled to WebAssembly, drives their life cycle and lets them
 * write metrics into a zone (ABI 0.1.0, 0.2.0, 0.2.1; host modes spec, nginx, envoy).
 *
 *   const module = await FilterModule.compile(bytes)            // or throws FilterRefusedError
 *   const host = FilterHost.start(module, { name: 'f' }, { space })   // in this thread, or …
 *   const filter = await FilterThread.start(module, { name: 'f' }, { space: source })  // … its own
 *   const outcome = await filter.request({ headers: [[':path', '/']] })
 *   filter.statistics()
 *
 * In this thread a filter that loops is the end of the thread: give it one of its own. `source`
 * names a module that exports `openMetricSpace`; `zoneSpaceSource` is the one of a plain zone.
 */
export type { FilterMetricType } from '../spec.ts'
export type { HostMode, LogLevel } from './abi.ts'
export { FilterHost, type FilterHostParts } from './host.ts'
export type { MetricSpace, MetricSpaceSource } from './metric-space.ts'
export { FilterModule, FilterRefusedError } from './module/module.ts'
export type { FilterLogLine, FilterOptions, ModuleLimits } from './options.ts'
export type { FilterStatistics } from './statistics.ts'
export type {
  FilterOutcome,
  FilterRequest,
  Headers,
} from './stream/exchange.ts'
export { FilterThread, type FilterThreadParts } from './thread/thread.ts'
