/**
 * The series that a thread has begun to write into, as they go to the main thread: numbers in a row
 * each, and what many of them share once. Their identities stand in the zone.
 *
 *   row   [metric][form][row of the source][row of the metadata][metric of the whole + 1]: u32
 *
 * `form` is the kind's place in KINDS, and bits; the last number is 0 but for the second part of a
 * counter.
 */
import { KINDS, type Kind, type Metadata } from '../../model/index.ts'
import { kindOf, type NewSeries, WINDOWED } from '../ingest/definition.ts'

const ROW_INTS = 5
const KIND_MASK = 3
const CUMULATIVE = 4
const DECREMENTS = 8
const IS_WINDOWED = 16
const BITS_32 = 32
const BITS_64 = 64
const FIRST_ROWS = 8
const NO_ROWS = new Uint32Array(0)

export interface AnnouncementColumns {
  readonly rows: Uint32Array
  readonly sources: readonly string[]
  readonly metadata: readonly Metadata[]
}

/** A series as it is told: all but its identity. */
export type AnnouncedSeries = Omit<NewSeries, 'identity'> & { readonly kind: Kind }

/** Series of one batch. */
const ANNOUNCED_LIMIT = 512

/** Series that wait to be told, in their order, by batches. */
export class AnnouncementQueue {
  #batches = [new AnnouncementBatch()]

  /**
   * Adds a series.
   * @param series whose metadata are one object where they are equal, or cost a copy each
   * @param decrementsOf metric of the counter whose second part it is
   */
  add(series: NewSeries | AnnouncedSeries, metric: number, decrementsOf = -1): void {
    if (this.#batches.at(-1)!.isFull) this.#batches.push(new AnnouncementBatch())
    this.#batches.at(-1)!.add(series, metric, decrementsOf)
  }

  /** Whether the oldest batch has no room for more. */
  get isFull(): boolean {
    return this.#batches[0]!.isFull
  }

  /** Takes the oldest batch. */
  take(): AnnouncementColumns {
    const columns = this.#batches.shift()!.columns()
    if (this.#batches.length === 0) this.#batches.push(new AnnouncementBatch())
    return columns
  }
}

class AnnouncementBatch {
  #rows = NO_ROWS
  #length = 0
  readonly #sources = new Map<string, number>()
  readonly #metadata = new Map<Metadata, number>()

  get isFull(): boolean {
    return this.#length === ANNOUNCED_LIMIT * ROW_INTS
  }

  add(series: NewSeries | AnnouncedSeries, metric: number, decrementsOf: number): void {
    const at = this.#length
    if (at === this.#rows.length) {
      const rows = new Uint32Array(Math.max(FIRST_ROWS * ROW_INTS, 2 * at))
      rows.set(this.#rows)
      this.#rows = rows
    }
    this.#length += ROW_INTS
    this.#rows[at] = metric
    this.#rows[at + 1] = formOf(series)
    this.#rows[at + 2] = rowOf(this.#sources, series.source)
    this.#rows[at + 3] = rowOf(this.#metadata, series.metadata)
    this.#rows[at + 4] = decrementsOf + 1
  }

  columns(): AnnouncementColumns {
    return {
      rows: this.#rows.slice(0, this.#length),
      sources: [...this.#sources.keys()],
      metadata: [...this.#metadata.keys()],
    }
  }
}

function rowOf<K>(rows: Map<K, number>, key: K): number {
  const known = rows.get(key)
  if (known !== undefined) return known
  const row = rows.size
  rows.set(key, row)
  return row
}

function formOf(series: NewSeries | AnnouncedSeries): number {
  const { isCumulative, isDecrements, storage, counterBits } = series
  return (
    KINDS.indexOf(kindOf(series)) |
    (isCumulative === true ? CUMULATIVE : 0) |
    (isDecrements === true ? DECREMENTS : 0) |
    (storage === WINDOWED ? IS_WINDOWED : 0) |
    (counterBits === 32 ? BITS_32 : 0) |
    (counterBits === 64 ? BITS_64 : 0)
  )
}

/** Counts the series of a batch. */
export function countAnnounced({ rows }: AnnouncementColumns): number {
  return rows.length / ROW_INTS
}

/** Calls back for every series, in their order. */
export function forEachAnnounced(
  { rows, sources, metadata }: AnnouncementColumns,
  visit: (series: AnnouncedSeries, metric: number, decrementsOf: number | undefined) => void,
): void {
  for (let at = 0; at < rows.length; at += ROW_INTS) {
    const form = rows[at + 1]!
    const series: AnnouncedSeries = {
      kind: KINDS[form & KIND_MASK]!,
      source: sources[rows[at + 2]!]!,
      metadata: metadata[rows[at + 3]!]!,
      isCumulative: (form & CUMULATIVE) !== 0,
      isDecrements: (form & DECREMENTS) !== 0,
      ...((form & IS_WINDOWED) !== 0 && { storage: WINDOWED }),
      ...((form & BITS_32) !== 0 && { counterBits: 32 }),
      ...((form & BITS_64) !== 0 && { counterBits: 64 }),
    }
    const whole = rows[at + 4]!
    visit(series, rows[at]!, whole === 0 ? undefined : whole - 1)
  }
}
