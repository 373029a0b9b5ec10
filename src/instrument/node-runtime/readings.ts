/** What Node and the system say of this process and of this thread's event loop. */
import { availableParallelism } from 'node:os'
import { performance } from 'node:perf_hooks'
import { getHeapStatistics, type HeapInfo } from 'node:v8'

/** MB of the counters are 10^6 bytes, as .NET's are. */
export const BYTES_PER_MB = 1e6

const US_PER_S = 1e6
const NS_PER_S = 1e9
const PERCENT = 100

export interface MemoryReading {
  readonly rss: number
  readonly external: number
  readonly arrayBuffers: number
  readonly heap: HeapInfo
}

export function readMemory(): MemoryReading {
  const { rss, external, arrayBuffers } = process.memoryUsage()
  return { rss, external, arrayBuffers, heap: getHeapStatistics() }
}

/** Reads the bytes ever allocated on this heap; undefined where this V8 does not count them. */
export function allocatedBytes(): number | undefined {
  return (getHeapStatistics() as { total_allocated_bytes?: number }).total_allocated_bytes
}

/** Seconds of processor time, and of the clock on which they are a share. */
interface CpuReading {
  readonly user: number
  readonly system: number
  readonly atS: number
}

export function readCpu(nowNs: bigint): CpuReading {
  const { user, system } = process.cpuUsage()
  return { user: user / US_PER_S, system: system / US_PER_S, atS: Number(nowNs) / NS_PER_S }
}

/** Computes percent of all processors; undefined when no time has passed. */
export function cpuPercent(
  before: CpuReading,
  after: CpuReading,
  ...modes: readonly ('user' | 'system')[]
): number | undefined {
  const spent = modes.reduce((sum, mode) => sum + after[mode] - before[mode], 0)
  return percent(spent, (after.atS - before.atS) * availableParallelism())
}

/** Milliseconds since this thread's event loop began. */
interface LoopReading {
  readonly idle: number
  readonly active: number
}

export function readLoop(): LoopReading {
  return performance.eventLoopUtilization()
}

export function loopPercent(before: LoopReading, after: LoopReading): number | undefined {
  const active = after.active - before.active
  return percent(active, active + after.idle - before.idle)
}

/** Computes percent; undefined of nothing; no rounding takes it out of 0 to 100. */
export function percent(part: number, whole: number): number | undefined {
  if (!(whole > 0)) return undefined
  return Math.min(Math.max((part / whole) * PERCENT, 0), PERCENT)
}

/** Resources that keep the event loop alive, by sort. */
export interface ResourcesReading {
  readonly timers: number
  readonly requests: number
  readonly handles: number
}

const TIMERS = new Set(['Timeout', 'Immediate'])
/**
 * Node's names of work under way, which ends by itself: reads of files, look-ups, writes. All other
 * resources are handles: sockets, servers, pipes, child processes.
 */
const REQUEST = /Req|^(?:Write|Shutdown|TCPConnect|PipeConnect|Send)Wrap$/

export function readResources(names = process.getActiveResourcesInfo()): ResourcesReading {
  let timers = 0
  let requests = 0
  for (const name of names) {
    if (TIMERS.has(name)) timers++
    else if (REQUEST.test(name)) requests++
  }
  return { timers, requests, handles: names.length - timers - requests }
}
