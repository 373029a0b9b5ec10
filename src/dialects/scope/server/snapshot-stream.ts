/**
 * The communication phase of one viewer: Info and the first snapshot at once, then snapshots on the
 * viewer's own schedule and Info on its own timer, until it is ended. Nothing is queued in front
 * of the socket: what it cannot take is skipped, and a viewer that takes nothing is given up.
 */
import type { Socket } from 'node:net'
import { type Clock, nsOfMs } from '../../../time/clock.ts'
import type { Reports } from '../../endpoints.ts'
import type { Handshake } from '../codec/settings-stream.ts'
import type { ServerSettings } from '../options.ts'
import type { Framing } from '../spec.ts'
import type { Exposition, Rendering } from './exposition.ts'
import { StallWatch } from './stall-watch.ts'
import { Schedule } from './ticks.ts'

export interface StreamContext {
  readonly options: ServerSettings
  readonly clock: Clock
  readonly reports: Reports
  readonly exposition: Exposition
  /** Makes room when the viewers hold too much together. */
  relieve?(): void
}

/** Counts of one viewer, for the status. */
interface StreamCounts {
  snapshots: number
  infos: number
  /** Values in those snapshots. */
  values: number
  /** Snapshots that the socket had no room for. */
  skipped: number
  /** Snapshots beyond the viewer's bytes per second. */
  overBudget: number
  missed: number
}

/** A viewer may have the bytes of so long a time at once. */
const BUDGET_NS = 1e9

export class SnapshotStream {
  readonly framing: Framing
  readonly requestedNs: bigint
  readonly counts: StreamCounts = {
    ...{ snapshots: 0, infos: 0, values: 0, skipped: 0, overBudget: 0, missed: 0 },
  }
  /** `t` of the last snapshot. */
  t = 0n
  readonly #context: StreamContext
  readonly #socket: Socket
  readonly #schedule: Schedule
  readonly #stall: StallWatch
  #startNs: bigint
  #infosDue = 0
  #isInfoPostponed = false
  /** Time until which the bytes sent so far last at the viewer's rate, since the start. */
  #paidUntilNs = 0
  #behindNs: bigint | undefined
  #isOver = false
  #cancelTick: () => void = () => {}
  #cancelInfo: () => void = () => {}

  /**
   * Starts to send at once, or as soon as there is a list to show. `onStalled` is called when the
   * socket has taken nothing for too long.
   */
  constructor(socket: Socket, handshake: Handshake, context: StreamContext, onStalled: () => void) {
    const { options, clock } = context
    this.#context = context
    this.#socket = socket
    this.framing = handshake.framing
    this.requestedNs = handshake.settings.samplingIntervalNs
    this.#schedule = new Schedule(this.requestedNs, nsOfMs(options.minIntervalMs))
    this.#stall = new StallWatch(socket, clock, options.stallTimeoutMs, onStalled)
    this.#startNs = clock.monotonicNs()
    context.exposition.whenReady(() => this.#begin())
  }

  #begin(): void {
    if (this.#isOver) return
    this.#startNs = this.#context.clock.monotonicNs()
    this.#sendInfo()
    this.#sendDueSnapshot(0n)
    this.#armTick()
    this.#armInfo()
  }

  /** The effective interval. */
  get intervalNs(): bigint {
    return this.#schedule.intervalNs
  }

  get isClamped(): boolean {
    return this.intervalNs !== this.requestedNs
  }

  /** Ends all timers; the socket is the caller's. */
  end(): void {
    this.#isOver = true
    this.#cancelTick()
    this.#cancelInfo()
    this.#stall.end()
  }

  #elapsedNs(): bigint {
    return this.#context.clock.monotonicNs() - this.#startNs
  }

  #armTick(): void {
    const delayMs = this.#schedule.delayMs(this.#elapsedNs())
    this.#cancelTick = this.#context.clock.after(delayMs, () => {
      this.#sendDueSnapshot()
      if (!this.#isOver) this.#armTick()
    })
  }

  #armInfo(): void {
    const { infoIntervalMs } = this.#context.options
    const elapsedMs = Number(this.#elapsedNs()) / 1e6
    // Those that a blocked process has missed are not made up for either.
    this.#infosDue = Math.max(this.#infosDue, Math.floor(elapsedMs / infoIntervalMs)) + 1
    const delayMs = Math.ceil(this.#infosDue * infoIntervalMs - elapsedMs)
    this.#cancelInfo = this.#context.clock.after(delayMs, () => {
      // Due together, the snapshot goes first; its own timer then finds nothing to do.
      this.#sendDueSnapshot()
      this.#sendInfo()
      if (!this.#isOver) this.#armInfo()
    })
  }

  /** Time since the socket had taken all that was written to it, ms; 0 when nothing waits. */
  get behindMs(): number {
    if (this.#behindNs === undefined) return 0
    return Number(this.#context.clock.monotonicNs() - this.#behindNs) / 1e6
  }

  #hasRoom(): boolean {
    const { exposition, options, relieve } = this.#context
    if (this.#socket.writableLength > options.maxBufferedBytes) return false
    if (exposition.isCrowded) relieve?.()
    return !exposition.isCrowded
  }

  #sendDueSnapshot(elapsedNs = this.#elapsedNs()): void {
    const tick = this.#isOver ? undefined : this.#schedule.wake(elapsedNs)
    if (tick === undefined) return
    const { counts } = this
    const { reports, exposition } = this.#context
    if (tick.missed > 0) {
      counts.missed += tick.missed
      reports.count('ticks_missed', 'late', tick.missed)
    }
    if (this.#paidUntilNs > Number(elapsedNs) + BUDGET_NS) {
      this.#skipOverBudget()
      return
    }
    if (!this.#hasRoom()) {
      if (counts.skipped === 0) {
        const facts = { ...this.#facts(), waiting: this.#socket.writableLength }
        reports.log('warn', 'viewer is slow: snapshots are skipped', facts)
      }
      counts.skipped++
      reports.count('snapshots_skipped', 'backlog')
      return
    }
    this.t = tick.t
    this.#writeSnapshot(tick.t, exposition.claim())
  }

  #skipOverBudget(): void {
    const { reports, options } = this.#context
    if (this.counts.overBudget === 0) {
      const facts = { ...this.#facts(), maxBytesPerSecond: options.maxBytesPerSecond }
      reports.log('warn', 'viewer asks for too many bytes: snapshots are skipped', facts)
    }
    this.counts.overBudget++
    reports.count('snapshots_skipped', 'bytes_per_second')
  }

  /** Takes the time that these bytes last at the viewer's rate. */
  #pay(bytes: number): void {
    const lastsNs = (bytes / this.#context.options.maxBytesPerSecond) * 1e9
    this.#paidUntilNs = Math.max(this.#paidUntilNs, Number(this.#elapsedNs())) + lastsNs
  }

  #writeSnapshot(t: bigint, rendering: Rendering): void {
    this.#pay(rendering.entries.length)
    this.counts.snapshots++
    this.counts.values += rendering.length
    this.#socket.cork()
    this.#socket.write(rendering.template.head(t, this.framing))
    this.#socket.write(rendering.entries, () => {
      this.#context.exposition.release(rendering)
      this.#onTaken()
    })
    this.#socket.uncork()
    this.#onWrite()
  }

  #sendInfo(): void {
    if (this.#isOver) return
    this.#isInfoPostponed = !this.#hasRoom()
    if (this.#isInfoPostponed) return
    this.counts.infos++
    const { exposition } = this.#context
    const info = exposition.claimInfo()
    const bytes = info[this.framing]
    this.#pay(bytes.length)
    this.#socket.write(bytes, () => {
      exposition.release(info)
      this.#onTaken()
    })
    this.#onWrite()
  }

  #onWrite(): void {
    if (this.#socket.writableLength > 0) this.#behindNs ??= this.#context.clock.monotonicNs()
    this.#stall.onWrite()
  }

  #onTaken(): void {
    if (this.#socket.writableLength === 0) this.#behindNs = undefined
    if (this.#isInfoPostponed) this.#sendInfo()
  }

  #facts() {
    return { address: this.#socket.remoteAddress, framing: this.framing }
  }
}
