/**
 * One instance of a filter: its memory, its root context and at most one request at a time. A trap
 * ends it for good; its host builds another.
 */

import { type WasmExports, type WasmMemory, wasm } from '../../../../arena/wasm.ts'
import type { Clock } from '../../../../time/clock.ts'
import { linkFastMetrics } from '../../fast/fast-metrics.ts'
import { type CallbackName, type HostMode, type LogLevel, STATUS } from '../abi.ts'
import { linkImports, metricImports } from '../imports/index.ts'
import type { MetricSpace } from '../metric-space.ts'
import type { CrcIds } from '../metrics/crc-ids.ts'
import { MetricCalls } from '../metrics/metric-calls.ts'
import type { FilterModuleParts } from '../module/module.ts'
import type { FilterOptions } from '../options.ts'
import type { FilterQueues } from '../shared/filter-queues.ts'
import type { SharedData } from '../shared/shared-data.ts'
import type { FilterCounts } from '../statistics.ts'
import { bytesOf, type FilterStream } from '../stream/stream.ts'
import { GuestMemory } from './guest-memory.ts'
import { OutputLines } from './output-lines.ts'
import type { FilterVm } from './vm.ts'

export const ROOT_CONTEXT = 1

/**
 * Thrown through the filter's code by a host call that ends the instance. A filter that catches
 * exceptions cannot save itself: its instance remembers the trap.
 */
class FilterTrap extends Error {
  override name = 'FilterTrap'
}

/** Parts of an instance; the host's, kept from one instance to the next. */
interface InstanceParts {
  readonly module: FilterModuleParts
  readonly options: FilterOptions
  readonly space: MetricSpace
  readonly ids: CrcIds
  readonly counts: FilterCounts
  readonly clock: Clock
  /** Longest call into the filter, as far as the filter itself can make it long by waiting, ms. */
  readonly callTimeoutMs: number
  log(level: LogLevel, text: string): void
  setTickPeriod(ms: number): void
  readonly queues: FilterQueues
  /** Stops the thread for a while. */
  sleep(ms: number): void
}

/** Functions that a module may be started by. */
type Start = '_initialize' | '_start' | 'main'
type Callback = (...args: number[]) => number | undefined

export class FilterInstance implements FilterVm {
  readonly closedFds = new Set<number>()
  readonly #parts: InstanceParts
  readonly #output: OutputLines
  #exports: WasmExports = {}
  #memory: GuestMemory | undefined
  #stream: FilterStream | undefined
  #effective = ROOT_CONTEXT
  #trap: string | undefined
  /** Reason for the refusal of the first metric that was refused. */
  #refused: string | undefined
  /** Moment at which the present call should be over. */
  #untilNs = 0n
  /** Lets the wasm path forget what other threads retired. */
  #checkPath: () => void = () => {}

  constructor(parts: InstanceParts) {
    this.#parts = parts
    this.#output = new OutputLines(parts.log)
  }

  get options(): FilterOptions {
    return this.#parts.options
  }

  get host(): HostMode {
    return this.#parts.space.host
  }

  get clock(): Clock {
    return this.#parts.clock
  }

  get counts(): FilterCounts {
    return this.#parts.counts
  }

  get sharedData(): SharedData {
    return this.#parts.queues.data
  }

  get memory(): GuestMemory {
    return this.#memory ?? this.trap('host call before the instance has its memory')
  }

  get stream(): FilterStream | undefined {
    return this.#effective === this.#stream?.id ? this.#stream : undefined
  }

  /**
   * Instantiates and starts: `_initialize` and `main`, or `_start`; the root context; vm_start and
   * configure.
   * @throws {FilterTrap} when the filter does, or answers false
   */
  start(): void {
    this.#guard(() => this.#instantiate())
    if (this.has('_initialize')) {
      this.call('_initialize')
      this.call('main', 0, 0)
    } else this.call('_start')
    this.call('proxy_on_context_create', ROOT_CONTEXT, 0)
    const { configuration, vmConfiguration } = this.options
    this.#mustAgree('proxy_on_vm_start', bytesOf(vmConfiguration).length)
    this.#mustAgree('proxy_on_configure', bytesOf(configuration).length)
  }

  has(callback: string): boolean {
    return typeof this.#exports[callback] === 'function'
  }

  /**
   * Runs a callback in the root context or, while there is a stream, in that; one that the filter
   * does not export is passed over.
   * @throws {FilterTrap} when it ends the instance
   */
  call(callback: CallbackName | Start, ...args: number[]): number | undefined {
    const run = this.#exports[callback]
    if (typeof run !== 'function') return undefined
    this.#effective = this.#stream?.id ?? ROOT_CONTEXT
    this.#checkPath()
    return this.#guard(() => (run as Callback)(...args))
  }

  /** Sets the stream that callbacks are about from here on; undefined ends that. */
  setStream(stream: FilterStream | undefined): void {
    this.#stream = stream
  }

  setEffectiveContext(id: number): boolean {
    if (id !== ROOT_CONTEXT && id !== this.#stream?.id) return false
    this.#effective = id
    return true
  }

  setTickPeriod(ms: number): void {
    this.#parts.setTickPeriod(ms)
  }

  refused(why: string): void {
    this.#refused ??= why
  }

  listenTo(queue: number): void {
    this.#parts.queues.listenTo(queue)
  }

  log(level: LogLevel, text: string): void {
    this.#parts.log(level, text)
  }

  print(level: LogLevel, text: string): void {
    this.#output.write(level, text)
  }

  sleep(ns: bigint): boolean {
    const leftNs = this.#untilNs - this.clock.monotonicNs()
    const isEnough = ns <= leftNs
    const waitNs = isEnough ? ns : leftNs
    if (waitNs > 0n) this.#parts.sleep(Number(waitNs) / 1e6)
    return isEnough
  }

  trap(text: string): never {
    this.#trap ??= text
    throw new FilterTrap(text)
  }

  badPointer(): number {
    this.counts.add('badCalls')
    if (this.host === 'nginx') this.trap('invalid memory access')
    return STATUS.invalidMemoryAccess
  }

  give(bytes: Uint8Array, addressAt: number, sizeAt: number): number {
    const { memory } = this
    if (!memory.has(addressAt, 4) || !memory.has(sizeAt, 4)) return this.badPointer()
    let at = 0
    if (bytes.length > 0) {
      at = this.#allocate(bytes.length)
      if (at === 0 || !memory.has(at, bytes.length)) return STATUS.internalFailure
      memory.setBytes(at, bytes)
    }
    memory.setU32(addressAt, at)
    memory.setU32(sizeAt, bytes.length)
    return STATUS.ok
  }

  /** Allocates by the filter's own allocator; what it answers may be any number. */
  #allocate(size: number): number {
    const names = ['proxy_on_memory_allocate', 'malloc']
    if (this.host === 'nginx') names.reverse()
    const name = names.find((each) => this.has(each))
    const allocate = name === undefined ? undefined : this.#exports[name]
    return typeof allocate === 'function' ? ((allocate as Callback)(size) ?? 0) >>> 0 : 0
  }

  #mustAgree(callback: CallbackName, configurationSize: number): void {
    const answer = this.call(callback, ROOT_CONTEXT, configurationSize)
    if (answer !== 0) return
    const why = this.#refused === undefined ? '' : `, after ${this.#refused}`
    this.trap(`${callback} answered false${why}`)
  }

  #instantiate(): void {
    const { module, space, ids, counts } = this.#parts
    const slow = metricImports(new MetricCalls(this, space, ids))
    const fast = linkFastMetrics(this, space, slow)
    if (fast !== undefined) this.#checkPath = fast.check
    const imported = module.importedMemory
    const memory = imported && newMemory(imported)
    if (memory !== undefined) this.#memory = new GuestMemory(memory)
    const imports = linkImports(module, this, fast?.calls ?? slow, memory)
    const { exports } = new wasm.Instance(module.wasm, imports)
    this.#exports = exports
    this.#memory = new GuestMemory(exports.memory as WasmMemory)
    counts.add('instances')
  }

  /** Runs the filter's code: timed, counted, watched by the thread's owner, ended by a trap. */
  #guard<T>(run: () => T): T {
    if (this.#trap !== undefined) throw new FilterTrap(this.#trap)
    const { counts, clock } = this
    counts.add('calls')
    counts.add('turn')
    const since = clock.monotonicNs()
    this.#untilNs = since + BigInt(this.#parts.callTimeoutMs) * 1_000_000n
    try {
      return this.#sound(run())
    } catch (error) {
      this.#trap ??= reasonOf(error)
      throw new FilterTrap(this.#trap)
    } finally {
      this.#output.flush()
      counts.add('callbackNs', Number(clock.monotonicNs() - since))
      counts.add('turn')
      counts.set('memoryBytes', this.#memory?.byteLength ?? 0)
    }
  }

  /**
   * Checks that the instance lives: a filter may catch what a host call throws; its instance is
   * over nevertheless.
   */
  #sound<T>(result: T): T {
    if (this.#trap !== undefined) throw new FilterTrap(this.#trap)
    return result
  }
}

/** Tells the reason of an error; what the filter's code throws itself is no Error, and has none. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'exception that the filter did not catch'
}

function newMemory({ least, most }: { least: number; most: number }): WasmMemory {
  return new wasm.Memory({ initial: least, maximum: most })
}
