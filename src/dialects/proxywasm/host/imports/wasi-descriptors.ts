/**
 * WASI's calls on descriptors. There are three, until the filter closes them: 0 is at its end, 1
 * and 2 are the log. No folder is open, so a runtime that looks for one finds the end of its list.
 */
import type { FilterVm, HostCalls } from '../instance/vm.ts'
import { LOG_LINE_BYTES } from '../options.ts'
import { ERRNO, FD } from './wasi-numbers.ts'

/** `[address:u32][size:u32]` */
const VECTOR_BYTES = 8
/** Vectors of one call: IOV_MAX of Linux. */
const VECTORS_LIMIT = 1_024
/** Bytes that one call takes; more is written by the next, as a short write says. */
const WRITE_BYTES = 1_048_576
/**
 * Layout of what is known of a descriptor. It is a character device, so that runtimes write their
 * output line by line.
 *
 *   [type:u8] pad 1 [flags:u16] pad 4 [rights:u64][inherited:u64]
 */
const FDSTAT_BYTES = 24
const CHARACTER_DEVICE = 2
const RIGHT_READ = 1n << 1n
const RIGHT_WRITE = 1n << 6n
const RIGHT_POLL = 1n << 27n

export const DESCRIPTOR_CALLS: HostCalls = {
  fd_write(vm: FilterVm, fd: number, vectorsAt: number, vectors: number, sizeAt: number): number {
    if (!isOpen(vm, fd) || fd === FD.stdin) return ERRNO.badFile
    const problem = vectorsProblem(vm, vectorsAt, vectors, sizeAt)
    if (problem !== undefined) return problem
    const { memory } = vm
    let text = ''
    let written = 0
    for (let i = 0; i < vectors && written < WRITE_BYTES; i++) {
      const at = memory.u32(vectorsAt + i * VECTOR_BYTES)
      const size = Math.min(memory.u32(vectorsAt + i * VECTOR_BYTES + 4), WRITE_BYTES - written)
      if (!memory.has(at, size)) return ERRNO.fault
      const room = LOG_LINE_BYTES - text.length
      if (room > 0) text += memory.text(at, Math.min(size, room))
      written += size
    }
    vm.print(fd === FD.stderr ? 'error' : 'info', text)
    memory.setU32(sizeAt, written)
    return ERRNO.success
  },

  fd_read(vm: FilterVm, fd: number, vectorsAt: number, vectors: number, sizeAt: number): number {
    if (!isOpen(vm, fd) || fd !== FD.stdin) return ERRNO.badFile
    const problem = vectorsProblem(vm, vectorsAt, vectors, sizeAt)
    if (problem !== undefined) return problem
    vm.memory.setU32(sizeAt, 0)
    return ERRNO.success
  },

  fd_seek: (vm: FilterVm, fd: number) => (isOpen(vm, fd) ? ERRNO.noSeek : ERRNO.badFile),

  fd_close(vm: FilterVm, fd: number): number {
    if (!isOpen(vm, fd)) return ERRNO.badFile
    vm.closedFds.add(fd)
    return ERRNO.success
  },

  fd_fdstat_get(vm: FilterVm, fd: number, statAt: number): number {
    const { memory } = vm
    if (!isOpen(vm, fd)) return ERRNO.badFile
    if (!memory.has(statAt, FDSTAT_BYTES)) return ERRNO.fault
    memory.view(statAt, FDSTAT_BYTES).fill(0)
    memory.view(statAt, 1)[0] = CHARACTER_DEVICE
    memory.setU64(statAt + 8, RIGHT_POLL | (fd === FD.stdin ? RIGHT_READ : RIGHT_WRITE))
    return ERRNO.success
  },

  /** Tells a runtime that asks for folders from 3 on that there is none. */
  fd_prestat_get: () => ERRNO.badFile,
}

export function isOpen(vm: FilterVm, fd: number): boolean {
  return fd >= FD.stdin && fd <= FD.stderr && !vm.closedFds.has(fd)
}

function vectorsProblem(
  { memory }: FilterVm,
  vectorsAt: number,
  vectors: number,
  sizeAt: number,
): number | undefined {
  if (vectors >>> 0 > VECTORS_LIMIT) return ERRNO.invalid
  const isInside = memory.has(sizeAt, 4) && memory.has(vectorsAt, vectors * VECTOR_BYTES)
  return isInside ? undefined : ERRNO.fault
}
