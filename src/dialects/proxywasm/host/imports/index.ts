/**
 * The imports a filter is linked with. The list of what it wants comes from the module itself, so a
 * filter built for a host with more calls starts, too: what is not served answers UNIMPLEMENTED, or
 * WASI's own number where the call is WASI's.
 */

import { type WasmImports, type WasmMemory, type WasmModule, wasm } from '../../../../arena/wasm.ts'
import { STATUS } from '../abi.ts'
import type { FilterVm, HostCalls } from '../instance/vm.ts'
import type { MetricCalls } from '../metrics/metric-calls.ts'
import { CONTEXT_CALLS } from './context.ts'
import { MESSAGE_CALLS } from './messages.ts'
import { PROPERTY_CALLS } from './properties.ts'
import { SHARED_CALLS } from './shared.ts'
import { unservedErrno, WASI_CALLS } from './wasi.ts'

const ENV_CALLS: HostCalls = {
  ...CONTEXT_CALLS,
  ...MESSAGE_CALLS,
  ...PROPERTY_CALLS,
  ...SHARED_CALLS,
}
const METRIC_IMPORTS = [
  'proxy_define_metric',
  'proxy_increment_metric',
  'proxy_record_metric',
  'proxy_get_metric',
] as const
type MetricImport = (typeof METRIC_IMPORTS)[number]

/** Tells whether there is more for an import than a stub. */
export function isServed(module: string, name: string): boolean {
  if (module === 'env') {
    return METRIC_IMPORTS.some((each) => each === name) || Object.hasOwn(ENV_CALLS, name)
  }
  return Object.hasOwn(WASI_CALLS, module) && Object.hasOwn(WASI_CALLS[module]!, name)
}

/** Gives the answer of the stub for an import that nothing serves. */
export function unservedAnswer(module: string, name: string): number {
  return Object.hasOwn(WASI_CALLS, module) ? unservedErrno(name) : STATUS.unimplemented
}

type HostFunction = (...args: never[]) => number | bigint
export type MetricImports = Readonly<Record<MetricImport, HostFunction>>

/** Part of a module that linking asks for. */
interface LinkedModule {
  readonly wasm: WasmModule
  /** `MODULE.NAME` of the imports that nothing serves. */
  readonly unknownImports: readonly string[]
  /** Imports of them that answer with 64 bits. */
  readonly wideImports: ReadonlySet<string>
}

/** @param metrics the four metric calls: JavaScript's, or those of the wasm path */
export function linkImports(
  module: LinkedModule,
  vm: FilterVm,
  metrics: MetricImports,
  memory: WasmMemory | undefined,
): WasmImports {
  // names come from the filter: `constructor` or `__proto__` must find nothing of ours
  const linked = Object.create(null) as Record<string, Record<string, unknown>>
  for (const { module: from, name, kind } of wasm.Module.imports(module.wasm)) {
    linked[from] ??= Object.create(null) as Record<string, unknown>
    const isMemory = kind === 'memory'
    linked[from][name] = isMemory ? memory : importOf(module, vm, metrics, from, name)
  }
  return linked
}

function importOf(
  module: LinkedModule,
  vm: FilterVm,
  metrics: MetricImports,
  from: string,
  name: string,
): HostFunction {
  if (!isServed(from, name)) return stub(module, vm, from, name)
  if (from !== 'env') return WASI_CALLS[from]![name]!.bind(undefined, vm)
  if (Object.hasOwn(metrics, name)) return metrics[name as MetricImport]
  return ENV_CALLS[name]!.bind(undefined, vm)
}

function stub(module: LinkedModule, vm: FilterVm, from: string, field: string): HostFunction {
  const name = `${from}.${field}`
  const index = module.unknownImports.indexOf(name)
  const narrow = unservedAnswer(from, field)
  const answer = module.wideImports.has(name) ? BigInt(narrow) : narrow
  return () => {
    if (vm.counts.countUnknown(index)) vm.log('warn', `import ${name} is not served`)
    return answer
  }
}

/** Makes the metric calls of one instance as JavaScript serves them. */
export function metricImports(calls: MetricCalls): MetricImports {
  return {
    proxy_define_metric: (type: number, nameAt: number, nameSize: number, idAt: number) =>
      calls.define(type, nameAt, nameSize, idAt),
    proxy_increment_metric: (id: number, delta: bigint) => calls.increment(id >>> 0, delta),
    proxy_record_metric: (id: number, value: bigint) => calls.record(id >>> 0, value),
    proxy_get_metric: (id: number, valueAt: number) => calls.get(id >>> 0, valueAt),
  }
}
