/** What the imports of a filter work on: one instance, its memory and the context it is in. */
import type { Clock } from '../../../../time/clock.ts'
import type { HostMode, LogLevel } from '../abi.ts'
import type { FilterOptions } from '../options.ts'
import type { SharedData } from '../shared/shared-data.ts'
import type { FilterCounts } from '../statistics.ts'
import type { FilterStream } from '../stream/stream.ts'
import type { GuestMemory } from './guest-memory.ts'

export interface FilterVm {
  readonly options: FilterOptions
  readonly host: HostMode
  readonly clock: Clock
  readonly counts: FilterCounts
  /** @throws {FilterTrap} while the filter's start section runs, before its memory is known */
  readonly memory: GuestMemory
  /** Stream of the effective context; undefined in the root context. */
  readonly stream: FilterStream | undefined
  /** Values and queues of all instances of this filter. */
  readonly sharedData: SharedData
  /** Standard streams of WASI (0, 1, 2) that the filter has closed. */
  readonly closedFds: Set<number>

  /** @returns false when there is no such context */
  setEffectiveContext(id: number): boolean
  setTickPeriod(ms: number): void
  /** Keeps why a metric was refused: where the start fails then, the reason names it. */
  refused(why: string): void
  /** Has the filter called when something waits in a queue. */
  listenTo(queue: number): void
  log(level: LogLevel, text: string): void
  /** Writes to a standard stream: whole lines of it become lines of the log. */
  print(level: LogLevel, text: string): void
  /**
   * Waits, at most to the end of the time that the present call may take.
   * @returns false when that came first
   */
  sleep(ns: bigint): boolean
  /** Ends this instance: it throws, and the instance is over even if the filter catches that. */
  trap(text: string): never
  /** Answers for a pointer outside the memory: a status; under `nginx` a trap. */
  badPointer(): number
  /**
   * Gives bytes to the filter in memory that its own allocator finds, and writes address and size
   * where it asked for them.
   */
  give(bytes: Uint8Array, addressAt: number, sizeAt: number): number
}

/** A host call: arguments as the ABI has them, i64 as signed bigint, behind the instance. */
type HostCall = (vm: FilterVm, ...args: never[]) => number
export type HostCalls = Readonly<Record<string, HostCall>>
