/**
 * Sampler of gauges that no source samples, while a viewer asks for them below a second: all that
 * are asked for at the shortest interval that is, so that they lie in one log. What it reads is
 * bounded by values a second: beyond that they are sampled less often.
 */
import { type Clock, nsOfMs } from '../../../time/clock.ts'
import type { GaugeRecord, SeriesRecord } from '../../series/record.ts'
import type { SampleLog } from './sample-log.ts'
import type { Samples } from './samples.ts'

/** Values read in a second at most: some percent of a core. */
const VALUES_PER_SECOND = 200_000
/** Gauges that are sampled at once; further ones have whole seconds until others leave. */
const GAUGES_LIMIT = 20_000

/** Wish of a viewer to see gauges below a second; it may change at any time. */
export interface SampleDemand {
  ask(ids: readonly number[], intervalMs: number): void
  close(): void
}

interface SamplerParts {
  readonly clock: Clock
  readonly samples: Samples
  find(id: number): SeriesRecord | undefined
  /** Reads a gauge; NaN where it has no value. */
  read(record: GaugeRecord): number
}

interface Asked {
  readonly ids: readonly number[]
  readonly intervalMs: number
}

export class GaugeSampler {
  readonly #parts: SamplerParts
  readonly #log: SampleLog
  readonly #demands = new Map<SampleDemand, Asked>()
  /** Gauges that are asked for, and by how many. */
  readonly #wanted = new Map<number, { readonly record: GaugeRecord; demands: number }>()
  /** Those that are sampled. */
  #records: readonly GaugeRecord[] = []
  #row = new Int32Array(0)
  #values = new Float64Array(0)
  #intervalMs = 0
  /** Monotonic time at which the next samples are due. */
  #dueNs = 0n
  /** Whether others are to be sampled from the next time on. */
  #isStale = false
  #cancel: (() => void) | undefined

  constructor(parts: SamplerParts) {
    this.#parts = parts
    this.#log = parts.samples.open()
  }

  open(): SampleDemand {
    const demand: SampleDemand = {
      ask: (ids, intervalMs) => {
        this.#take(ids)
        this.#leave(demand)
        this.#demands.set(demand, { ids, intervalMs })
        this.#dueWithin(intervalMs)
      },
      close: () => this.#leave(demand),
    }
    return demand
  }

  /** Sees to it that the next samples are due within so many ms. */
  #dueWithin(delayMs: number): void {
    const dueNs = this.#parts.clock.monotonicNs() + nsOfMs(delayMs)
    if (this.#cancel !== undefined && this.#dueNs <= dueNs) return
    this.#cancel?.()
    this.#dueNs = dueNs
    this.#wait(delayMs)
  }

  #wait(delayMs: number): void {
    this.#cancel = this.#parts.clock.after(delayMs, () => {
      this.#cancel = undefined
      this.#sample()
    })
  }

  #sample(): void {
    if (this.#isStale) this.#choose()
    if (this.#records.length === 0) return
    const { clock, read } = this.#parts
    for (let i = 0; i < this.#records.length; i++) this.#values[i] = read(this.#records[i]!)
    this.#log.add(clock.wallMs(), this.#row, this.#values)
    const nowNs = clock.monotonicNs()
    this.#dueNs += nsOfMs(this.#intervalMs)
    // what was missed is not made up for in a burst
    if (this.#dueNs < nowNs) this.#dueNs = nowNs + nsOfMs(this.#intervalMs)
    this.#wait(Number(this.#dueNs - nowNs) / 1e6)
  }

  /** Counts gauges that are asked for; series that their sources sample are left to them. */
  #take(ids: readonly number[]): void {
    const { samples, find } = this.#parts
    this.#isStale = true
    for (const id of ids) {
      const wanted = this.#wanted.get(id)
      if (wanted !== undefined) {
        wanted.demands++
        continue
      }
      if (this.#wanted.size >= GAUGES_LIMIT || samples.isSampled(id, this.#log)) continue
      const record = find(id)
      if (record?.kind === 'gauge') this.#wanted.set(id, { record, demands: 1 })
    }
  }

  #leave(demand: SampleDemand): void {
    const asked = this.#demands.get(demand)
    if (asked === undefined) return
    this.#demands.delete(demand)
    this.#isStale = true
    for (const id of asked.ids) {
      const wanted = this.#wanted.get(id)
      if (wanted !== undefined && --wanted.demands === 0) this.#wanted.delete(id)
    }
  }

  /** Takes over what is asked for now. */
  #choose(): void {
    this.#isStale = false
    this.#records = Array.from(this.#wanted.values(), ({ record }) => record)
    this.#row = Int32Array.from(this.#wanted.keys())
    this.#values = new Float64Array(this.#wanted.size)
    let shortestMs = Number.POSITIVE_INFINITY
    for (const { intervalMs } of this.#demands.values()) {
      shortestMs = Math.min(shortestMs, intervalMs)
    }
    this.#intervalMs = Math.max(shortestMs, (this.#wanted.size * 1000) / VALUES_PER_SECOND)
  }
}
