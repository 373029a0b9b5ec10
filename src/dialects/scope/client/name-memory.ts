/**
 * What is remembered of a server's names: at most so many of them, in so many bytes, whatever it
 * sends. Where one finds no room, those that the server has stopped sending make it.
 */
import type { Identity, Metadata } from '../../../model/index.ts'

/** One metric of the target. Identity never changes; the newest Info gives the rest. */
export interface MirroredSeries {
  readonly wireName: string
  readonly identity: Identity
  readonly metadata: Metadata
  readonly labels: ReadonlyMap<string, string>
}

/** Reason why a name, or its labels, found no room. */
export type OmitReason = 'max_series' | 'max_bytes'

/** One name: a series, or a name that waits for an Info. */
export interface Remembered {
  readonly series: MirroredSeries | undefined
  /** Time when the name came first, ms. */
  readonly sinceMs: number
}

interface Entry extends Remembered {
  series: MirroredSeries | undefined
  sinceMs: number
  bytes: number
  /** Numbers of the last Info and of the last list of a snapshot in which it was; 0 = in none. */
  info: number
  list: number
}

/** Kinds of lists of names: that of an Info, and that of a snapshot. */
type ListKind = 'info' | 'list'

interface MemoryOptions {
  readonly maxSeries: number
  readonly maxSeriesBytes: number
}

/** Memory of a series without its texts: what V8 takes for its objects, rather more than less. */
const SERIES_BYTES = 768
/** The same of one label that Info gives. */
const LABEL_BYTES = 128
/** Most bytes of a character. */
const UNIT_BYTES = 2
/** Pause between two searches for names that the server has stopped sending. */
const SWEEP_MS = 1000

export class NameMemory {
  readonly #options: MemoryOptions
  readonly #entries = new Map<string, Entry>()
  #bytes = 0
  #seriesCount = 0
  /** Numbers of the newest lists, and which of them is at hand. */
  readonly #newest = { info: 0, list: 0 }
  #kind: ListKind = 'info'
  readonly #omitted: Record<OmitReason, number> = { max_series: 0, max_bytes: 0 }
  #isFull = false
  #sweptMs = Number.NEGATIVE_INFINITY

  constructor(options: MemoryOptions) {
    this.#options = options
  }

  /** Number of series. */
  get size(): number {
    return this.#seriesCount
  }

  *series(): IterableIterator<MirroredSeries> {
    for (const { series } of this.#entries.values()) if (series !== undefined) yield series
  }

  /** Takes how many found no room since the last call. */
  takeOmitted(): Readonly<Record<OmitReason, number>> {
    const taken = { ...this.#omitted }
    this.#omitted.max_series = 0
    this.#omitted.max_bytes = 0
    return taken
  }

  /** Begins a list: {@link get} and {@link put} are of its names from now on. */
  begin(kind: ListKind, names: Iterable<string>, nowMs: number): void {
    this.#kind = kind
    this.#newest[kind]++
    if (!this.#isFull || Math.abs(nowMs - this.#sweptMs) < SWEEP_MS) return
    for (const name of names) this.get(name)
    this.#sweep()
    this.#sweptMs = nowMs
    this.#isFull = false
  }

  /** Forgets what is neither in the newest Info nor in the newest list of a snapshot. */
  #sweep(): void {
    const { info, list } = this.#newest
    for (const [name, entry] of this.#entries) {
      const isSent = (info > 0 && entry.info === info) || (list > 0 && entry.list === list)
      if (!isSent) this.forget(name)
    }
  }

  get(name: string): Remembered | undefined {
    const entry = this.#entries.get(name)
    if (entry !== undefined) entry[this.#kind] = this.#newest[this.#kind]
    return entry
  }

  /** Tells whether one more name has a place, counting one that has none; bytes are put()'s. */
  hasPlace(): boolean {
    if (this.#entries.size < this.#options.maxSeries) return true
    this.#omit('max_series')
    return false
  }

  /**
   * Remembers a name, or its newest series.
   * @param series undefined for a name that waits for an Info
   * @returns false where it finds no room: what was known of it stays, and the rest is counted
   */
  put(name: string, series: MirroredSeries | undefined, nowMs: number): boolean {
    const known = this.#entries.get(name)
    const bytes = bytesOf(name, series)
    if (known === undefined && !this.hasPlace()) return false
    if (this.#bytes + bytes - (known?.bytes ?? 0) > this.#options.maxSeriesBytes) {
      this.#omit('max_bytes')
      return false
    }
    const entry = known ?? { series: undefined, sinceMs: nowMs, bytes: 0, info: 0, list: 0 }
    if (known === undefined) this.#entries.set(name, entry)
    if (series !== undefined && entry.series === undefined) this.#seriesCount++
    this.#bytes += bytes - entry.bytes
    entry.bytes = bytes
    entry.series = series
    entry[this.#kind] = this.#newest[this.#kind]
    return true
  }

  forget(name: string): void {
    const entry = this.#entries.get(name)
    if (entry === undefined) return
    this.#entries.delete(name)
    this.#bytes -= entry.bytes
    if (entry.series !== undefined) this.#seriesCount--
  }

  #omit(reason: OmitReason): void {
    this.#omitted[reason]++
    this.#isFull = true
  }
}

/** Estimates the memory of a name: it is kept itself, and the parts it is folded of. */
function bytesOf(name: string, series: MirroredSeries | undefined): number {
  let bytes = SERIES_BYTES + 2 * UNIT_BYTES * name.length
  for (const [key, value] of series?.labels ?? []) {
    bytes += LABEL_BYTES + UNIT_BYTES * (key.length + value.length)
  }
  return bytes
}
