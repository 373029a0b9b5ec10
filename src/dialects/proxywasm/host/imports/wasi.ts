/**
 * WASI (`wasi_snapshot_preview1` and, of older SDKs, `wasi_unstable`) as far as runtimes of
 * compilers need it: arguments, environment, clocks, chance, the three standard streams, pauses and
 * an end. There are no files. Answers are WASI's own error numbers, served or not.
 */
import type { FilterVm, HostCalls } from '../instance/vm.ts'
import { bytesOf } from '../stream/stream.ts'
import { wallNs } from './context.ts'
import { DESCRIPTOR_CALLS } from './wasi-descriptors.ts'
import { CLOCK, ERRNO } from './wasi-numbers.ts'
import { poll, SUBSCRIPTIONS } from './wasi-poll.ts'

/** Bytes of chance that one call gives: the quota of Web Crypto's `getRandomValues`. */
const RANDOM_BYTES = 65_536
/** Resolutions, ns: the wall's is the host's. */
const RESOLUTIONS: readonly bigint[] = [1_000_000n, 1n]

const CALLS: HostCalls = {
  ...DESCRIPTOR_CALLS,

  clock_time_get(vm: FilterVm, clock: number, _precision: bigint, timeAt: number): number {
    if (!vm.memory.has(timeAt, 8)) return ERRNO.fault
    const ns = timeOf(vm, clock)
    if (ns === undefined) return ERRNO.invalid
    vm.memory.setU64(timeAt, ns)
    return ERRNO.success
  },

  clock_res_get(vm: FilterVm, clock: number, resolutionAt: number): number {
    if (!vm.memory.has(resolutionAt, 8)) return ERRNO.fault
    const ns = RESOLUTIONS[clock]
    if (ns === undefined) return ERRNO.invalid
    vm.memory.setU64(resolutionAt, ns)
    return ERRNO.success
  },

  random_get(vm: FilterVm, at: number, size: number): number {
    if (!vm.memory.has(at, size)) return ERRNO.fault
    if (size >>> 0 > RANDOM_BYTES) return ERRNO.invalid
    process.getBuiltinModule('node:crypto').randomFillSync(vm.memory.view(at, size))
    return ERRNO.success
  },

  environ_sizes_get(vm: FilterVm, countAt: number, sizeAt: number): number {
    const texts = environment(vm)
    const size = texts.reduce((sum, text) => sum + text.length, 0)
    return setSizes(vm, countAt, texts.length, sizeAt, size)
  },

  environ_get(vm: FilterVm, addressesAt: number, textAt: number): number {
    const texts = environment(vm)
    const size = texts.reduce((sum, text) => sum + text.length, 0)
    const { memory } = vm
    if (!memory.has(addressesAt, 4 * texts.length) || !memory.has(textAt, size)) return ERRNO.fault
    let at = textAt >>> 0
    texts.forEach((text, i) => {
      memory.setU32(addressesAt + 4 * i, at)
      memory.setBytes(at, text)
      at += text.length
    })
    return ERRNO.success
  },

  args_sizes_get: (vm: FilterVm, countAt: number, sizeAt: number) =>
    setSizes(vm, countAt, 0, sizeAt, 0),

  args_get: () => ERRNO.success,

  sched_yield: () => ERRNO.success,

  /** A filter serves until its host ends it: leaving on its own account ends the instance. */
  proc_exit: (vm: FilterVm, code: number) =>
    vm.trap(`filter ended itself: proc_exit(${code >>> 0})`),
}

/** Modules of WASI, with the calls that are served of each. */
export const WASI_CALLS: Readonly<Record<string, HostCalls>> = {
  wasi_snapshot_preview1: { ...CALLS, poll_oneoff: poll(SUBSCRIPTIONS.preview1) },
  wasi_unstable: { ...CALLS, poll_oneoff: poll(SUBSCRIPTIONS.unstable) },
}

/** Answer to a call of WASI that nothing serves: no such file, or no such call. */
export function unservedErrno(name: string): number {
  return name === 'path_open' ? ERRNO.noEntry : ERRNO.noCall
}

function timeOf(vm: FilterVm, clock: number): bigint | undefined {
  if (clock === CLOCK.realtime) return wallNs(vm)
  return clock === CLOCK.monotonic ? vm.clock.monotonicNs() : undefined
}

/** Encodes the environment: `NAME=value` and a NUL each. */
function environment(vm: FilterVm): Uint8Array[] {
  const variables = Object.entries(vm.options.environment ?? {})
  return variables.map(([name, value]) => bytesOf(`${name}=${value}\0`))
}

function setSizes(
  vm: FilterVm,
  countAt: number,
  count: number,
  sizeAt: number,
  size: number,
): number {
  if (!vm.memory.has(countAt, 4) || !vm.memory.has(sizeAt, 4)) return ERRNO.fault
  vm.memory.setU32(countAt, count)
  vm.memory.setU32(sizeAt, size)
  return ERRNO.success
}
