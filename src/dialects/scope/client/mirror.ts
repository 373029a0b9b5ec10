/**
 * A server's metrics as series of the model: known by name alone, whatever their labels do, across
 * reconnects. Pure bookkeeping over the packets of one target.
 */
import type { Task } from '../../../time/task.ts'
import { metricIdentity, metricMetadata } from '../map.ts'
import { unfoldName } from '../names.ts'
import type { Info, Snapshot } from '../spec.ts'
import { type MirroredSeries, NameMemory, type OmitReason } from './name-memory.ts'
import { TimeBase } from './time-base.ts'

/** One snapshot; valid until the next packet is read. */
export interface Sample {
  readonly timeMs: number
  readonly t: bigint
  /** Rises whenever `t` starts anew: with a reconnect, or because the server's time fell. */
  readonly epoch: number
  /** The same `t` as the last one: these values replace those. */
  readonly isRepeat: boolean
  /**
   * `series[i]` belongs to `values[i]`. Undefined: not a series (yet), because of the limit, or
   * because its name waits for an Info. The same array while nothing changes.
   */
  readonly series: readonly (MirroredSeries | undefined)[]
  /** NaN = no value. */
  readonly values: Float64Array
}

interface MirrorOptions {
  readonly maxSeries: number
  /** Memory of all names and their labels. */
  readonly maxSeriesBytes: number
  readonly promoteLabels: readonly string[]
}

/** A name that looks folded waits this long for the Info that would confirm it. */
const CONFIRM_MS = 10_000
/** Names that are looked up, or made series, in one part. */
const NAMES_PER_PART = 128
const NO_LABELS: ReadonlyMap<string, string> = new Map()

export class Mirror {
  readonly #options: MirrorOptions
  readonly #memory: NameMemory
  #epoch = 0
  #lastT: bigint | undefined
  #timeBase = new TimeBase()
  #names: readonly string[] | undefined
  #row: readonly (MirroredSeries | undefined)[] = []
  /** Whether a name of the row waits for an Info. */
  #isWaiting = false
  #stepNs: bigint | undefined
  #missed = 0

  constructor(options: MirrorOptions) {
    this.#options = options
    this.#memory = new NameMemory(options)
  }

  get series(): IterableIterator<MirroredSeries> {
    return this.#memory.series()
  }

  get size(): number {
    return this.#memory.size
  }

  /** `t` of the last snapshot on this time base. */
  get t(): bigint | undefined {
    return this.#lastT
  }

  /** Smallest step of `t` on this connection: the interval that the server keeps. */
  get intervalNs(): bigint | undefined {
    return this.#stepNs
  }

  /** Ticks of that interval that brought no snapshot. */
  get missed(): number {
    return this.#missed
  }

  /** Takes how many names, or their labels, found no room since the last call. */
  takeOmitted(): Readonly<Record<OmitReason, number>> {
    return this.#memory.takeOmitted()
  }

  /** Forgets a series that is of no use; its name makes a new one when it comes again. */
  forget({ wireName }: MirroredSeries): void {
    this.#memory.forget(wireName)
  }

  /** Begins a new connection: a new time base, the same series. */
  begin(): void {
    this.#epoch++
    this.#lastT = undefined
    this.#stepNs = undefined
    this.#timeBase = new TimeBase()
  }

  /** Replaces the metadata of the metrics that the Info lists; gives those that are new. */
  *info(info: Info, nowMs: number): Task<MirroredSeries[]> {
    const added: MirroredSeries[] = []
    this.#memory.begin('info', info.metrics.keys(), nowMs)
    let count = 0
    for (const [name, labels] of info.metrics) {
      if (++count % NAMES_PER_PART === 0) yield
      const found = this.#memory.get(name)
      if (found === undefined && !this.#memory.hasPlace()) continue
      const known = found?.series
      const series = known === undefined ? this.#make(name, labels) : withLabels(known, labels)
      if (this.#memory.put(name, series, nowMs) && known === undefined) added.push(series)
    }
    this.#names = undefined
    return added
  }

  *snapshot(snapshot: Snapshot, arrivalMs: number): Task<Sample> {
    const { t, names, values } = snapshot
    const isRepeat = t === this.#lastT
    if (this.#lastT !== undefined && t < this.#lastT) this.begin()
    if (this.#lastT !== undefined && t > this.#lastT) this.#step(t - this.#lastT)
    this.#lastT = t
    const timeMs = this.#timeBase.wallMs(t, arrivalMs)
    if (names !== this.#names || this.#isWaiting) this.#row = yield* this.#rowOf(names, arrivalMs)
    return { timeMs, t, epoch: this.#epoch, isRepeat, series: this.#row, values }
  }

  *#rowOf(names: readonly string[], nowMs: number): Task<(MirroredSeries | undefined)[]> {
    this.#names = names
    this.#isWaiting = false
    this.#memory.begin('list', names, nowMs)
    const row: (MirroredSeries | undefined)[] = []
    for (const name of names) {
      if (row.push(this.#find(name, nowMs)) % NAMES_PER_PART === 0) yield
    }
    return row
  }

  #step(stepNs: bigint): void {
    if (this.#stepNs === undefined || stepNs < this.#stepNs) this.#stepNs = stepNs
    this.#missed += Number(stepNs / this.#stepNs) - 1
  }

  /** Finds a series. One without Info is shown at once, unless an Info may take its name apart. */
  #find(name: string, nowMs: number): MirroredSeries | undefined {
    const known = this.#memory.get(name)
    if (known?.series !== undefined) return known.series
    if (known === undefined) {
      if (!this.#memory.hasPlace()) return undefined
      if ((unfoldName(name)?.labels.length ?? 0) > 0) {
        this.#isWaiting = this.#memory.put(name, undefined, nowMs) || this.#isWaiting
        return undefined
      }
    } else if (nowMs - known.sinceMs < CONFIRM_MS) {
      this.#isWaiting = true
      return undefined
    }
    const series = this.#make(name, NO_LABELS)
    return this.#memory.put(name, series, nowMs) ? series : undefined
  }

  #make(wireName: string, labels: ReadonlyMap<string, string>): MirroredSeries {
    const identity = metricIdentity(wireName, labels, this.#options.promoteLabels)
    return { wireName, identity, metadata: metricMetadata(labels), labels }
  }
}

function withLabels(series: MirroredSeries, labels: ReadonlyMap<string, string>): MirroredSeries {
  return { ...series, metadata: metricMetadata(labels), labels }
}
