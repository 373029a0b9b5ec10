/**
 * What a server's viewers are shown, made once for all of them: the Info message while the list of
 * series stays the same, and the entries of a snapshot while the values do.
 */
import type { Clock } from '../../../time/clock.ts'
import type { Reports } from '../../endpoints.ts'
import type { CanonicalSeries, SnapshotSource } from '../../snapshot-source.ts'
import { encodeInfo } from '../codec/encode.ts'
import { frame } from '../codec/framing.ts'
import { SnapshotTemplate } from '../codec/snapshot-template.ts'
import {
  type Exposure,
  exposeSeries,
  knowNoSeries,
  nameSeriesAhead,
  type OmitReason,
} from '../map.ts'
import type { ServerSettings } from '../options.ts'

/** Viewers that wake within half of the shortest usual interval of 1 ms see one reading. */
const SHARED_NS = 500_000n
/**
 * A list that changes all the time must not cost all the time: after a list was taken over, the
 * next waits this many times as long as that took, and viewers see the last values meanwhile.
 */
const REBUILD_PAUSE = 20n
/** Time that a list is taken over for before the rest of the event loop runs. */
const UPDATE_NS = 4_000_000n
/** Looks at a list that changes while its series are named. */
const LOOKS_LIMIT = 256
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
  /** Taking over of a changed list, while it is under way, and the time that it has taken. */
  #update: Generator<undefined, void> | undefined
  #updateNs = 0n
  #isReady = false
  readonly #waiting: (() => void)[] = []

  constructor(source: SnapshotSource, options: ServerSettings, reports: Reports, clock: Clock) {
    this.#source = source
    this.#options = options
    this.#reports = reports
    this.#clock = clock
  }

  /**
   * Calls back when there is a list to show: at once, but for a first one of so many series that it
   * takes several slices of the event loop.
   */
  whenReady(callback: () => void): void {
    if (this.#isReady) {
      callback()
      return
    }
    this.#waiting.push(callback)
    this.#refresh()
  }

  /** Takes a changed list over, in slices where it has many new series. */
  #refresh(): void {
    const mustWait = this.#current !== undefined && this.#clock.monotonicNs() < this.#rebuildNs
    if (this.#source.revision === this.#revision || mustWait || this.#update !== undefined) return
    this.#update = this.#updating()
    this.#updateNs = 0n
    this.#goOn()
  }

  #goOn(): void {
    const startNs = this.#clock.monotonicNs()
    let isOver = true
    this.#guard(() => {
      do isOver = this.#update?.next().done === true
      while (!isOver && this.#clock.monotonicNs() < startNs + UPDATE_NS)
    })
    const endNs = this.#clock.monotonicNs()
    this.#updateNs += endNs - startNs
    if (!isOver) {
      this.#clock.after(0, () => this.#goOn())
      return
    }
    this.#update = undefined
    this.#rebuildNs = endNs + REBUILD_PAUSE * this.#updateNs
    this.#isReady = true
    for (const callback of this.#waiting.splice(0)) callback()
  }

  /** Names what is new first: a source may tell of very many series by and by. */
  *#updating(): Generator<undefined, void> {
    let list: readonly CanonicalSeries[] = []
    let revision: number | undefined
    for (let looks = 0; revision !== this.#source.revision && looks < LOOKS_LIMIT; looks++) {
      revision = this.#source.revision
      list = this.#source.list()
      yield* nameSeriesAhead([...list], this.#options, this.#known)
    }
    yield
    this.#takeOver(revision === this.#source.revision ? list : undefined)
    // at once: values are read in the order of the list as it is now
    this.#render(this.#clock.monotonicNs())
    yield
    if (!this.#isReady) this.#encodeInfo()
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
    return this.#claimed(this.#info ?? this.#encodeInfo())
  }

  #encodeInfo(): InfoMessage {
    const { series } = this.#exposure
    const bare = encodeInfo(series.map(({ wireName, labels }) => [wireName, labels] as const))
    this.#info = { bare, framed: frame(bare), size: 2 * bare.length, claims: 0 }
    return this.#info
  }

  /**
   * Claims the newest values, read now or a moment ago; the caller must release the claim.
   * @param sinceNs time from which on a reading is new enough in any case
   */
  claim(sinceNs: bigint): Rendering {
    this.#refresh()
    return this.#claimed(this.#newest(sinceNs))
  }

  #claimed<T extends Claimed>(claimed: T): T {
    if (claimed.claims++ === 0) this.#heldBytes += claimed.size
    return claimed
  }

  #newest(sinceNs: bigint): Rendering {
    const nowNs = this.#clock.monotonicNs()
    // Values are read in the order of the newest list: none can be read for an older one.
    const isBehind = this.#revision !== this.#source.revision
    return this.#current !== undefined && (isBehind || this.#isFresh(nowNs, sinceNs))
      ? this.#current
      : this.#render(nowNs)
  }

  release(claimed: Rendering | InfoMessage): void {
    if (--claimed.claims === 0) this.#heldBytes -= claimed.size
    if ('template' in claimed) this.#recycle(claimed)
  }

  #isFresh(nowNs: bigint, sinceNs: bigint): boolean {
    if (this.#current?.template !== this.#template) return false
    return nowNs - this.#currentNs < SHARED_NS || this.#currentNs >= sinceNs
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

  /** @param listed what the source lists now, where that is known */
  #takeOver(listed: readonly CanonicalSeries[] | undefined): void {
    this.#revision = this.#source.revision
    this.#guard(() => {
      this.#exposure = exposeSeries(listed ?? this.#source.list(), this.#options, this.#known)
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
