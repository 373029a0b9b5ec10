/**
 * A server's metrics as series of the model: known by name alone, whatever their labels do, across
 * reconnects. Pure bookkeeping over the packets of one target.
 */
import type { Identity, Metadata } from '../../../model/index.ts'
import { metricIdentity, metricMetadata } from '../map.ts'
import { unfoldName } from '../names.ts'
import type { Info, Snapshot } from '../spec.ts'
import { TimeBase } from './time-base.ts'

/** One metric of the target. Identity never changes; the newest Info gives the rest. */
export interface MirroredSeries {
  readonly wireName: string
  readonly identity: Identity
  readonly metadata: Metadata
  readonly labels: ReadonlyMap<string, string>
}

/** One snapshot; valid during the call that brings it. */
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
  readonly promoteLabels: readonly string[]
}

/** A name that looks folded waits this long for the Info that would confirm it. */
const CONFIRM_MS = 10_000
const NO_LABELS: ReadonlyMap<string, string> = new Map()

export class Mirror {
  readonly #options: MirrorOptions
  readonly #series = new Map<string, MirroredSeries>()
  /** Names that look folded and were in no Info yet, with the time when they came. */
  readonly #unconfirmed = new Map<string, number>()
  #epoch = 0
  #lastT: bigint | undefined
  #timeBase = new TimeBase()
  #names: readonly string[] | undefined
  #row: readonly (MirroredSeries | undefined)[] = []
  #refused = 0
  #stepNs: bigint | undefined
  #missed = 0

  constructor(options: MirrorOptions) {
    this.#options = options
  }

  get series(): IterableIterator<MirroredSeries> {
    return this.#series.values()
  }

  get size(): number {
    return this.#series.size
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

  /** Names refused because of the limit, at the last look. */
  get refused(): number {
    return this.#refused
  }

  /** Begins a new connection: a new time base, the same series. */
  begin(): void {
    this.#epoch++
    this.#lastT = undefined
    this.#stepNs = undefined
    this.#timeBase = new TimeBase()
  }

  /** Replaces the metadata of the metrics that the Info lists; returns those that are new. */
  info(info: Info): MirroredSeries[] {
    const added: MirroredSeries[] = []
    for (const [name, labels] of info.metrics) {
      this.#unconfirmed.delete(name)
      const known = this.#series.get(name)
      const series = known === undefined ? this.#add(name, labels) : withLabels(known, labels)
      if (series === undefined) continue
      this.#series.set(name, series)
      if (known === undefined) added.push(series)
    }
    this.#names = undefined
    return added
  }

  snapshot(snapshot: Snapshot, arrivalMs: number): Sample {
    const { t, names, values } = snapshot
    const isRepeat = t === this.#lastT
    if (this.#lastT !== undefined && t < this.#lastT) this.begin()
    if (this.#lastT !== undefined && t > this.#lastT) this.#step(t - this.#lastT)
    this.#lastT = t
    const timeMs = this.#timeBase.wallMs(t, arrivalMs)
    if (names !== this.#names || this.#unconfirmed.size > 0) {
      this.#names = names
      this.#refused = 0
      this.#row = names.map((name) => this.#series.get(name) ?? this.#discover(name, arrivalMs))
    }
    return { timeMs, t, epoch: this.#epoch, isRepeat, series: this.#row, values }
  }

  #step(stepNs: bigint): void {
    if (this.#stepNs === undefined || stepNs < this.#stepNs) this.#stepNs = stepNs
    this.#missed += Number(stepNs / this.#stepNs) - 1
  }

  /** Adds a name. One without Info is shown at once, unless the next Info may take it apart. */
  #discover(name: string, nowMs: number): MirroredSeries | undefined {
    const looksFolded = (unfoldName(name)?.labels.length ?? 0) > 0
    const sinceMs = this.#unconfirmed.get(name) ?? nowMs
    if (looksFolded && nowMs - sinceMs < CONFIRM_MS) {
      if (this.#hasRoom()) this.#unconfirmed.set(name, sinceMs)
      return undefined
    }
    this.#unconfirmed.delete(name)
    const series = this.#add(name, NO_LABELS)
    if (series !== undefined) this.#series.set(name, series)
    return series
  }

  #hasRoom(): boolean {
    return this.#series.size + this.#unconfirmed.size < this.#options.maxSeries
  }

  #add(wireName: string, labels: ReadonlyMap<string, string>): MirroredSeries | undefined {
    if (!this.#hasRoom()) {
      this.#refused++
      return undefined
    }
    const identity = metricIdentity(wireName, labels, this.#options.promoteLabels)
    return { wireName, identity, metadata: metricMetadata(labels), labels }
  }
}

function withLabels(series: MirroredSeries, labels: ReadonlyMap<string, string>): MirroredSeries {
  return { ...series, metadata: metricMetadata(labels), labels }
}
