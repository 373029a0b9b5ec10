/**
 * What a server's viewers are shown, made once for all of them: the Info message while the list of
 * series stays the same, and the entries of a snapshot while the values do.
 */
import type { Clock } from '../../../time/clock.ts'
import type { Reports } from '../../endpoints.ts'
import type { SnapshotSource } from '../../snapshot-source.ts'
import { encodeInfo } from '../codec/encode.ts'
import { frame } from '../codec/framing.ts'
import { SnapshotTemplate } from '../codec/snapshot-template.ts'
import { type Exposure, exposeSeries, knowNoSeries, type OmitReason } from '../map.ts'
import type { ServerSettings } from '../options.ts'

/** Viewers that wake within half of the shortest usual interval of 1 ms see one reading. */
const SHARED_NS = 500_000n
/**
 * A list that changes all the time must not cost all the time: after a list was taken over, the
 * next waits this many times as long as that took, and viewers see the last values meanwhile.
 */
const REBUILD_PAUSE = 20n
/** Buffers kept for the next renderings; more are in use only while sockets are slow. */
const SPARES_LIMIT = 4

/** Bytes that one or more streams hold until their sockets have taken them. */
interface Claimed {
  readonly size: number
  claims: number
}

/** The entries of one reading; a stream that keeps them holds a claim, or they are overwritten. */
export interface Rendering extends Claimed {
  readonly template: SnapshotTemplate
  readonly entries: Uint8Array<ArrayBuffer>
  /** Number of values. */
  readonly length: number
}

/** One Info message in both framings. */
interface InfoMessage extends Claimed {
  readonly framed: Uint8Array
  readonly bare: Uint8Array
}

export class Exposition {
  readonly #source: SnapshotSource
  readonly #options: ServerSettings
  readonly #reports: Reports
  readonly #clock: Clock
  #revision: number | undefined
  readonly #known = knowNoSeries()
  #exposure: Exposure = { series: [], omissions: new Map() }
  #template = new SnapshotTemplate([])
  #info: InfoMessage | undefined
  #read = new Float64Array(0)
  #values = new Float64Array(0)
  #current: Rendering | undefined
  #currentNs = 0n
  #spares: Uint8Array<ArrayBuffer>[] = []
  /** Earliest time at which another list is taken over. */
  #rebuildNs = 0n
  /** Bytes of what is claimed, each counted once. */
  #heldBytes = 0
  readonly #omitted = new Map<OmitReason, number>()
  #hasFailed = false

  constructor(source: SnapshotSource, options: ServerSettings, reports: Reports, clock: Clock) {
    this.#source = source
    this.#options = options
    this.#reports = reports
    this.#clock = clock
  }

  /** Whether what sockets have not taken is more than all of them together may hold. */
  get isCrowded(): boolean {
    return this.#heldBytes > this.#options.maxHeldBytes
  }

  /**
   * Claims one whole Info message, encoded; it lists exactly the series of the next snapshot. The
   * caller must release the claim.
   */
  claimInfo(): InfoMessage {
    this.#refresh()
    if (this.#info === undefined) {
      const { series } = this.#exposure
      const bare = encodeInfo(series.map(({ wireName, labels }) => [wireName, labels] as const))
      this.#info = { bare, framed: frame(bare), size: 2 * bare.length, claims: 0 }
    }
    return this.#claimed(this.#info)
  }

  /** Claims the newest values, read now or a moment ago; the caller must release the claim. */
  claim(): Rendering {
    this.#refresh()
    return this.#claimed(this.#newest())
  }

  #claimed<T extends Claimed>(claimed: T): T {
    if (claimed.claims++ === 0) this.#heldBytes += claimed.size
    return claimed
  }

  #newest(): Rendering {
    const nowNs = this.#clock.monotonicNs()
    // Values are read in the order of the newest list: none can be read for an older one.
    const isBehind = this.#revision !== this.#source.revision
    return this.#current !== undefined && (isBehind || this.#isFresh(nowNs))
      ? this.#current
      : this.#render(nowNs)
  }

  release(claimed: Rendering | InfoMessage): void {
    if (--claimed.claims === 0) this.#heldBytes -= claimed.size
    if ('template' in claimed) this.#recycle(claimed)
  }

  #isFresh(nowNs: bigint): boolean {
    return this.#current?.template === this.#template && nowNs - this.#currentNs < SHARED_NS
  }

  #render(nowNs: bigint): Rendering {
    const last = this.#current
    this.#current = undefined
    if (last !== undefined) this.#recycle(last)
    this.#currentNs = nowNs
    this.#readValues()
    const template = this.#template
    const entries = this.#spares.pop() ?? template.blank()
    template.fill(entries, this.#values)
    const { length } = this.#values
    this.#current = { template, entries, length, size: entries.length, claims: 0 }
    return this.#current
  }

  #recycle(rendering: Rendering): void {
    if (rendering.claims > 0 || rendering === this.#current) return
    if (rendering.template !== this.#template || this.#spares.length >= SPARES_LIMIT) return
    this.#spares.push(rendering.entries)
  }

  #readValues(): void {
    this.#read.fill(Number.NaN)
    this.#guard(() => this.#source.read(this.#read))
    const { series } = this.#exposure
    for (let i = 0; i < series.length; i++) this.#values[i] = this.#read[series[i]!.index]!
  }

  /** Takes a changed list over. */
  #refresh(): void {
    const { revision } = this.#source
    const startNs = this.#clock.monotonicNs()
    const mustWait = this.#current !== undefined && startNs < this.#rebuildNs
    if (revision === this.#revision || mustWait) return
    this.#revision = revision
    this.#guard(() => {
      this.#exposure = exposeSeries(this.#source.list(), this.#options, this.#known)
      // nothing behind the last one that is shown is of interest
      const end = this.#exposure.series.reduce((last, { index }) => Math.max(last, index + 1), 0)
      this.#read = new Float64Array(end)
    })
    const { series } = this.#exposure
    this.#values = new Float64Array(series.length)
    this.#template = new SnapshotTemplate(series.map(({ wireName }) => wireName))
    this.#info = undefined
    this.#spares = []
    this.#reportOmissions()
    const endNs = this.#clock.monotonicNs()
    this.#rebuildNs = endNs + REBUILD_PAUSE * (endNs - startNs)
  }

  /**
   * Runs a source's call. One that throws must not end a connection: its values are missing, and it
   * is counted.
   */
  #guard(act: () => void): void {
    try {
      act()
    } catch (error) {
      this.#reports.count('value_errors', 'source')
      if (this.#hasFailed) return
      this.#hasFailed = true
      this.#reports.log('error', 'reading the values to send failed', { error })
    }
  }

  #reportOmissions(): void {
    for (const [reason, { count, name }] of this.#exposure.omissions) {
      const known = this.#omitted.get(reason)
      this.#omitted.set(reason, count)
      const added = count - (known ?? 0)
      if (added > 0) this.#reports.count('series_omitted', reason, added)
      if (known !== undefined) continue
      this.#reports.log('warn', `series left out: ${reason}`, { name, count })
    }
  }
}
