/**
 * Samples to the streams that ask for intervals below a second. Streams of one interval have one
 * pulse: each beat sends what came since the last one, made once for all that show the same
 * series. Beats take their turns in the event loop, and come less often where they take long.
 */
import type { SampleDemand } from '../../hub/live/samples/gauge-sampler.ts'
import type { SampleLog, SampleSlice } from '../../hub/live/samples/sample-log.ts'
import type { RoundRobin } from '../../hub/tasks/round-robin.ts'
import type { Task } from '../../hub/tasks/task.ts'
import type { HubView } from '../../hub/view.ts'
import type { SamplesEvent } from '../api.ts'
import { packGroup, SampleColumns } from './packed-samples.ts'
import type { Selection } from './payloads.ts'

/** Pause between two beats, as a multiple of the time that one takes. */
const PAUSE_PER_BEAT = 4

/** Stream that takes samples. */
interface SampleTaker {
  readonly selection: Selection
  offerSamples(event: Buffer): void
}

interface Joined {
  readonly pulse: Pulse
  readonly demand: SampleDemand
}

export class SamplePulses {
  readonly #view: HubView
  readonly #turns: RoundRobin
  readonly #pulses = new Map<number, Pulse>()
  readonly #joined = new Map<SampleTaker, Joined>()

  constructor(view: HubView, turns: RoundRobin) {
    this.#view = view
    this.#turns = turns
  }

  /** Has a stream told of samples from now on, at another interval than before or not. */
  join(stream: SampleTaker, intervalMs: number): void {
    const before = this.#joined.get(stream)
    const demand = before?.demand ?? this.#view.sampleGauges()
    demand.ask(stream.selection.ids, intervalMs)
    if (before?.pulse.intervalMs === intervalMs) return
    this.#quit(stream, before?.pulse)
    let pulse = this.#pulses.get(intervalMs)
    if (pulse === undefined) {
      pulse = new Pulse(this.#view, this.#turns, intervalMs)
      this.#pulses.set(intervalMs, pulse)
    }
    pulse.streams.add(stream)
    this.#joined.set(stream, { pulse, demand })
  }

  /** Interval at which a stream is told, ms; undefined for one that is not. */
  intervalOf(stream: SampleTaker): number | undefined {
    return this.#joined.get(stream)?.pulse.intervalMs
  }

  leave(stream: SampleTaker): void {
    const joined = this.#joined.get(stream)
    if (joined === undefined) return
    joined.demand.close()
    this.#joined.delete(stream)
    this.#quit(stream, joined.pulse)
  }

  #quit(stream: SampleTaker, pulse: Pulse | undefined): void {
    pulse?.streams.delete(stream)
    if (pulse === undefined || pulse.streams.size > 0) return
    pulse.stop()
    this.#pulses.delete(pulse.intervalMs)
  }
}

class Pulse {
  readonly intervalMs: number
  readonly streams = new Set<SampleTaker>()
  readonly #view: HubView
  readonly #turns: RoundRobin
  /** Rows of each log that were told. */
  readonly #told = new WeakMap<SampleLog, number>()
  readonly #columns = new WeakMap<Selection, SampleColumns>()
  #cancel: () => void = () => {}
  #isStopped = false

  constructor(view: HubView, turns: RoundRobin, intervalMs: number) {
    this.#view = view
    this.#turns = turns
    this.intervalMs = intervalMs
    for (const log of view.samples.logs) this.#told.set(log, log.rows)
    this.#schedule(intervalMs)
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel()
  }

  #schedule(delayMs: number): void {
    this.#cancel = this.#view.clock.after(delayMs, () => void this.#beat())
  }

  async #beat(): Promise<void> {
    const { clock } = this.#view
    const startNs = clock.monotonicNs()
    const slices = this.#news()
    if (slices.length > 0) await this.#turns.run(this.#telling(slices), () => !this.#isStopped)
    if (this.#isStopped) return
    const tookMs = Number(clock.monotonicNs() - startNs) / 1e6
    this.#schedule(Math.max(this.intervalMs - tookMs, PAUSE_PER_BEAT * tookMs, 1))
  }

  /** Lists what came since the last beat. */
  #news(): SampleSlice[] {
    return this.#view.samples.logs.flatMap((log) => {
      const told = this.#told.get(log) ?? 0
      this.#told.set(log, log.rows)
      return told === log.rows ? [] : log.since(told)
    })
  }

  *#telling(slices: readonly SampleSlice[]): Task {
    const endMs = this.#view.clock.wallMs()
    const events = new Map<string, Buffer | undefined>()
    for (const stream of [...this.streams]) {
      const { key } = stream.selection
      let event = events.get(key)
      if (event === undefined && !events.has(key)) {
        event = this.#eventOf(slices, stream.selection, endMs)
        events.set(key, event)
        yield
      }
      if (event !== undefined && this.streams.has(stream)) stream.offerSamples(event)
    }
  }

  #eventOf(
    slices: readonly SampleSlice[],
    selection: Selection,
    endMs: number,
  ): Buffer | undefined {
    let columns = this.#columns.get(selection)
    if (columns === undefined) {
      columns = new SampleColumns(selection.ids)
      this.#columns.set(selection, columns)
    }
    const known = columns
    const groups = slices.flatMap((slice) => packGroup(slice, known) ?? [])
    if (groups.length === 0) return undefined
    const data: SamplesEvent = { endMs, groups }
    return Buffer.from(`event: samples\ndata: ${JSON.stringify(data)}\n\n`)
  }
}
