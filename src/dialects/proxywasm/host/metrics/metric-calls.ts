/** The four metric calls of one instance; one implementation per host mode. */
import { FILTER_TYPES, type FilterMetricType } from '../../spec.ts'
import { STATUS } from '../abi.ts'
import type { FilterVm } from '../instance/vm.ts'

/** Longest name taken from a filter: what a zone's keys have room for. */
export const NAME_BYTES_LIMIT = 65_535
/** A refused name is shown up to here. */
const SHOWN_BYTES = 256

/** Ids are u32, deltas and values signed as JavaScript gets an i64. Each answers a status. */
export interface MetricCalls {
  define(type: number, nameAt: number, nameSize: number, idAt: number): number
  increment(id: number, delta: bigint): number
  record(id: number, value: bigint): number
  get(id: number, valueAt: number): number
}

/** Counts a call that was wrong and answers its status. */
export function refuse(vm: FilterVm, status: number): number {
  vm.counts.add('badCalls')
  return status
}

/** The type of an ABI number; undefined for one that is none. */
export function typeOf(code: number): FilterMetricType | undefined {
  return FILTER_TYPES[code]
}

export function shownName(vm: FilterVm, nameAt: number, nameSize: number): string {
  return vm.memory.text(nameAt, Math.min(nameSize >>> 0, SHOWN_BYTES))
}

/** Hands a value to the filter; the caller knows that there is room for it. */
export function giveValue(vm: FilterVm, valueAt: number, value: bigint): number {
  vm.memory.setU64(valueAt, value)
  return STATUS.ok
}
