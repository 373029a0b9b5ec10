/**
 * The few calls of WASI (`wasi_snapshot_preview1` and, of older SDKs, `wasi_unstable`) that
 * runtimes of compilers make on their own: no files, no arguments, output into the log.
 */
import { randomFillSync } from 'node:crypto'
import type { FilterVm, HostCalls } from '../instance/vm.ts'
import { LOG_LINE_BYTES } from '../options.ts'
import { bytesOf } from '../stream/stream.ts'
import { wallNs } from './context.ts'

/** Numbers of WASI's errors. */
const ERRNO = Object.freeze({ success: 0, badFile: 8, fault: 21, invalid: 28 })
const CLOCK = Object.freeze({ realtime: 0, monotonic: 1 })
const STDOUT = 1
const STDERR = 2
/** `[address:u32][size:u32]` */
const VECTOR_BYTES = 8

export const WASI_CALLS: HostCalls = {
  fd_write(vm: FilterVm, fd: number, vectorsAt: number, vectors: number, sizeAt: number): number {
    if (fd !== STDOUT && fd !== STDERR) return ERRNO.badFile
    const { memory } = vm
    if (!memory.has(sizeAt, 4) || (vectors >>> 0) * VECTOR_BYTES > memory.byteLength) {
      return ERRNO.fault
    }
    if (!memory.has(vectorsAt, vectors * VECTOR_BYTES)) return ERRNO.fault
    let text = ''
    let written = 0
    for (let i = 0; i < vectors; i++) {
      const at = memory.u32(vectorsAt + i * VECTOR_BYTES)
      const size = memory.u32(vectorsAt + i * VECTOR_BYTES + 4)
      if (!memory.has(at, size)) return ERRNO.fault
      const room = LOG_LINE_BYTES - text.length
      if (room > 0) text += memory.text(at, Math.min(size, room))
      written += size
    }
    vm.log(fd === STDERR ? 'error' : 'info', text.replace(/\n$/, ''))
    memory.setU32(sizeAt, written)
    return ERRNO.success
  },

  clock_time_get(vm: FilterVm, clock: number, _precision: bigint, timeAt: number): number {
    if (!vm.memory.has(timeAt, 8)) return ERRNO.fault
    if (clock !== CLOCK.realtime && clock !== CLOCK.monotonic) return ERRNO.invalid
    const ns = clock === CLOCK.realtime ? wallNs(vm) : vm.clock.monotonicNs()
    vm.memory.setU64(timeAt, ns)
    return ERRNO.success
  },

  random_get(vm: FilterVm, at: number, size: number): number {
    if (!vm.memory.has(at, size)) return ERRNO.fault
    randomFillSync(vm.memory.view(at, size))
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

  /** A filter serves until its host ends it: leaving on its own account is a trap. */
  proc_exit: (vm: FilterVm, code: number) => vm.trap(`proc_exit(${code})`),
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
