/** Imports around a context: log, time, tick, effective context, continuing and answering. */
import { LOG_LEVELS, STATUS } from '../abi.ts'
import type { FilterVm, HostCalls } from '../instance/vm.ts'
import { BUFFER_BYTES, LOG_LINE_BYTES } from '../options.ts'
import { parsePairs } from '../stream/header-map.ts'

const NS_PER_MS = 1_000_000n
/** Status codes that HTTP has. */
const STATUS_MIN = 100
const STATUS_MAX = 599

export const CONTEXT_CALLS: HostCalls = {
  proxy_log(vm: FilterVm, level: number, at: number, size: number): number {
    const name = LOG_LEVELS[level]
    if (name === undefined) return STATUS.badArgument
    if (!vm.memory.has(at, size)) return vm.badPointer()
    vm.log(name, vm.memory.text(at, Math.min(size >>> 0, LOG_LINE_BYTES)))
    return STATUS.ok
  },

  /** Gives the lowest level that is of use: all are passed on. */
  proxy_get_log_level(vm: FilterVm, levelAt: number): number {
    if (!vm.memory.has(levelAt, 4)) return vm.badPointer()
    vm.memory.setU32(levelAt, 0)
    return STATUS.ok
  },

  proxy_get_current_time_nanoseconds(vm: FilterVm, timeAt: number): number {
    if (!vm.memory.has(timeAt, 8)) return vm.badPointer()
    vm.memory.setU64(timeAt, wallNs(vm))
    return STATUS.ok
  },

  proxy_set_tick_period_milliseconds(vm: FilterVm, ms: number): number {
    vm.setTickPeriod(ms >>> 0)
    return STATUS.ok
  },

  proxy_set_effective_context(vm: FilterVm, id: number): number {
    return vm.setEffectiveContext(id >>> 0) ? STATUS.ok : STATUS.badArgument
  },

  proxy_done(): number {
    return STATUS.ok
  },

  proxy_continue_stream: goOn,
  proxy_continue_request: goOn,
  proxy_continue_response: goOn,

  proxy_clear_route_cache(): number {
    return STATUS.ok
  },

  proxy_send_local_response: sendLocalResponse,
}

function goOn(vm: FilterVm): number {
  if (vm.stream === undefined) return STATUS.badArgument
  vm.stream.isPaused = false
  return STATUS.ok
}

/** @param _grpcStatus has no place in what a host without gRPC answers */
function sendLocalResponse(
  vm: FilterVm,
  status: number,
  detailsAt: number,
  detailsSize: number,
  bodyAt: number,
  bodySize: number,
  headersAt: number,
  headersSize: number,
  _grpcStatus: number,
): number {
  const { memory, stream } = vm
  const isInside = memory.has(detailsAt, detailsSize) && memory.has(bodyAt, bodySize)
  if (!isInside || !memory.has(headersAt, headersSize)) return vm.badPointer()
  if (stream === undefined || status < STATUS_MIN || status > STATUS_MAX) return STATUS.badArgument
  if (bodySize >>> 0 > BUFFER_BYTES || headersSize >>> 0 > BUFFER_BYTES) return STATUS.badArgument
  const headers = parsePairs(memory.view(headersAt, headersSize))
  if (headers === undefined) return STATUS.badArgument
  const details = memory.text(detailsAt, Math.min(detailsSize >>> 0, LOG_LINE_BYTES))
  stream.answer({ status, details }, memory.view(bodyAt, bodySize).slice(), headers)
  return STATUS.ok
}

/** Reads the wall time in the host's resolution, 1 ms. */
export function wallNs(vm: FilterVm): bigint {
  return BigInt(Math.floor(vm.clock.wallMs())) * NS_PER_MS
}
