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
import { ByteBudget, ByteShare } from './byte-budget.ts'
import type { Exposition, Rendering } from './exposition.ts'
import { StallWatch } from './stall-watch.ts'
import { Schedule } from './ticks.ts'
import type { Turns } from './turns.ts'

export interface StreamContext {
  readonly options: ServerSettings
  readonly clock: Clock
  readonly reports: Reports
  readonly exposition: Exposition
}

/** Turns, bytes and values that all viewers of a server share. */
export interface SharedStreams extends StreamContext {
  readonly turns: Turns
  /** Bytes that all of them may be sent. */
  readonly bytes: ByteBudget
  /** Computes a viewer's share of these, bytes per second, by its address. */
  bytesPerSecondOf(address: string): number
  /** Makes room when the viewers hold too much together. */
  relieve(): void
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
  /** Snapshots beyond the bytes per second of all viewers, and the viewer's share of them. */
  overShare: number
  missed: number
}

/** Reasons of snapshots that cost too many bytes, as they are counted. */
const SKIPS = { overBudget: 'bytes_per_second', overShare: 'total_bytes_per_second' } as const
type Skip = keyof typeof SKIPS
/** Pause between two looks whether there are bytes for all again, ns. */
const LOOK_NS = 50_000_000

export class SnapshotStream {
  readonly framing: Framing
  readonly requestedNs: bigint
  readonly counts: StreamCounts = {
    ...{ snapshots: 0, infos: 0, values: 0, skipped: 0, overBudget: 0, overShare: 0, missed: 0 },
  }
  /** `t` of the last snapshot. */
  t = 0n
  readonly #context: SharedStreams
  readonly #address: string
  readonly #socket: Socket
  readonly #schedule: Schedule
  readonly #stall: StallWatch
  #startNs: bigint
  #infosDue = 0
  #isInfoPostponed = false
  readonly #bytes: ByteBudget
  readonly #share = new ByteShare()
  /** Reason for which the last snapshot was skipped, where that is bytes. */
  #skip: Skip | undefined
  /** Time since the start until which ticks are let go. */
  #skipUntilNs = 0n
  #behindNs: bigint | undefined
  #isOver = false
  #cancelTick: () => void = () => {}
  #cancelInfo: () => void = () => {}

  /**
   * Starts to send at once, or as soon as there is a list to show, and time.
   * @param address that the viewer takes its turns by
   * @param onStalled called when the socket has taken nothing for too long
   */
  constructor(
    socket: Socket,
    address: string,
    handshake: Handshake,
    context: SharedStreams,
    onStalled: () => void,
  ) {
    const { options, clock } = context
    this.#context = context
    this.#socket = socket
    this.#address = address
    this.#bytes = new ByteBudget(options.maxBytesPerSecond)
    this.framing = handshake.framing
    this.requestedNs = handshake.settings.samplingIntervalNs
    this.#schedule = new Schedule(this.requestedNs, nsOfMs(options.minIntervalMs))
    this.#stall = new StallWatch(socket, clock, options.stallTimeoutMs, onStalled)
    this.#startNs = clock.monotonicNs()
    context.exposition.whenReady(() => this.#takeTurn((sinceNs) => this.#begin(sinceNs)))
  }

  #begin(sinceNs: bigint): void {
    this.#startNs = this.#context.clock.monotonicNs()
    this.#sendInfo()
    this.#sendDueSnapshot(sinceNs, 0n)
    this.#armTick()
    this.#armInfo()
  }

  /** Works when it is this viewer's turn: at once, where there is time. */
  #takeTurn(work: (sinceNs: bigint) => void): void {
    this.#context.turns.run(this.#address, (sinceNs) => {
      if (!this.#isOver) work(sinceNs)
    })
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
    const delayMs = this.#schedule.delayMs(this.#elapsedNs(), this.#skipUntilNs)
    this.#cancelTick = this.#context.clock.after(delayMs, () => {
      this.#takeTurn((sinceNs) => {
        this.#sendDueSnapshot(sinceNs)
        this.#armTick()
      })
    })
  }

  #armInfo(): void {
    const { infoIntervalMs } = this.#context.options
    const elapsedMs = Number(this.#elapsedNs()) / 1e6
    // Those that a blocked process has missed are not made up for either.
    this.#infosDue = Math.max(this.#infosDue, Math.floor(elapsedMs / infoIntervalMs)) + 1
    const delayMs = Math.ceil(this.#infosDue * infoIntervalMs - elapsedMs)
    this.#cancelInfo = this.#context.clock.after(delayMs, () => {
      this.#takeTurn((sinceNs) => {
        // Due together, the snapshot goes first; its own timer then finds nothing to do.
        this.#sendDueSnapshot(sinceNs)
        this.#sendInfo()
        this.#armInfo()
      })
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
    if (exposition.isCrowded) relieve()
    return !exposition.isCrowded
  }

  #sendDueSnapshot(sinceNs: bigint, elapsedNs = this.#elapsedNs()): void {
    const tick = this.#isOver ? undefined : this.#schedule.wake(elapsedNs)
    if (tick === undefined) return
    const { counts } = this
    const { reports, exposition } = this.#context
    if (tick.missed > 0) this.#countMissed(tick.missed)
    this.#lookAtBytes(elapsedNs)
    if (this.#skip !== undefined) {
      this.#countSkipped(this.#skip, 1)
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
    this.#writeSnapshot(tick.t, exposition.claim(sinceNs))
  }

  /** Counts ticks that have passed: late ones, or those that were let go. */
  #countMissed(count: number): void {
    if (this.#skip !== undefined) {
      this.#countSkipped(this.#skip, count)
      return
    }
    this.counts.missed += count
    this.#context.reports.count('ticks_missed', 'late', count)
  }

  /**
   * Finds out whether snapshots would be too many bytes. While those of all viewers are spent, each
   * lets its ticks go until it has its share, or a later look finds more.
   */
  #lookAtBytes(elapsedNs: bigint): void {
    const nowNs = this.#nowNs()
    const allNs = this.#context.bytes.opensNs
    const shareNs = this.#share.opensNs
    this.#skip = this.#bytes.opensNs > nowNs ? 'overBudget' : undefined
    this.#skipUntilNs = 0n
    if (this.#skip !== undefined || allNs <= nowNs || shareNs <= nowNs) return
    this.#skip = 'overShare'
    const untilNs = Math.min(shareNs, Math.max(allNs, nowNs + LOOK_NS))
    this.#skipUntilNs = elapsedNs + BigInt(Math.ceil(untilNs - nowNs))
  }

  #countSkipped(skip: Skip, count: number): void {
    const { reports, options } = this.#context
    if (this.counts[skip] === 0) {
      const { maxBytesPerSecond, maxTotalBytesPerSecond } = options
      if (skip === 'overBudget') {
        const facts = { ...this.#facts(), maxBytesPerSecond }
        reports.log('warn', 'viewer asks for too many bytes: snapshots are skipped', facts)
      } else {
        const facts = { ...this.#facts(), maxTotalBytesPerSecond }
        reports.log('warn', 'viewers ask for too many bytes: snapshots are skipped', facts)
      }
    }
    this.counts[skip] += count
    reports.count('snapshots_skipped', SKIPS[skip], count)
  }

  #nowNs(): number {
    return Number(this.#context.clock.monotonicNs())
  }

  #pay(bytes: number): void {
    const nowNs = this.#nowNs()
    const { bytes: all, bytesPerSecondOf } = this.#context
    all.pay(bytes, nowNs)
    this.#bytes.pay(bytes, nowNs)
    this.#share.pay(bytes, nowNs, bytesPerSecondOf(this.#address))
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
    if (!this.#isInfoPostponed) return
    this.#isInfoPostponed = false
    this.#takeTurn(() => this.#sendInfo())
  }

  #facts() {
    return { address: this.#socket.remoteAddress, framing: this.framing }
  }
}
