/**
 * What a history is told of the series of a hub: each when it is there, whether it has a cell or
 * not, again when what is known of it has changed, and when no cell of it can come any more. It
 * leaves with the seconds, in their order, and what a lost one had is told again.
 */
import type { PastQuery, SeriesDefinition } from '../../history/store.ts'
import type { Frame } from '../live/frame.ts'
import type { SeriesRecord } from '../series/record.ts'
import type { SeriesStore } from '../series/series.ts'
import type { Task } from '../tasks/task.ts'
import type { SeriesList } from '../view.ts'

const IDS_PER_STEP = 2048

/** News that one second brings. */
export interface News {
  readonly defined: readonly SeriesDefinition[]
  readonly ended: readonly number[]
}

interface SeriesNewsParts {
  readonly series: SeriesList & Pick<SeriesStore, 'onRemove'>
  /** Describes what a hub needs besides to go on with a series. */
  readonly originOf: (record: SeriesRecord) => string
  /** Ids of the series of a former start that the hub goes on with, which the store was told. */
  readonly known: ReadonlySet<number>
}

export class SeriesNews {
  readonly #parts: SeriesNewsParts
  /** Ids that were told, or are told with a second that waits. */
  readonly #known: Set<number>
  /** Those among them that the store has not taken yet. */
  readonly #unsure = new Set<number>()
  /** Ids to be told again with the next second. */
  readonly #changed = new Set<number>()
  /** Ids that are listed no more, until the store has taken that. */
  readonly #leaving = new Set<number>()
  #defined: SeriesDefinition[] = []
  #ended: number[] = []
  /** Highest id that was looked at. */
  #lastId = 0
  readonly #byFrame = new WeakMap<Frame, News>()

  constructor(parts: SeriesNewsParts) {
    this.#parts = parts
    this.#known = new Set(parts.known)
    parts.series.watch({
      leaves: (record) => {
        // it may be gone when its second is closed
        if (!this.#known.has(record.id)) this.#define(record)
        this.#leaving.add(record.id)
      },
      changes: ({ id }) => this.#changed.add(id),
    })
    parts.series.onRemove(({ id }) => {
      this.#changed.delete(id)
      if (this.#known.delete(id)) this.#ended.push(id)
    })
  }

  /** Gathers what is to be told with a frame; part of the closing of its second. */
  *take(frame: Frame): Task {
    const { series } = this.#parts
    for (; this.#lastId < series.lastId; this.#lastId++) {
      if (this.#lastId % IDS_PER_STEP === 0) yield
      const id = this.#lastId + 1
      if (!this.#known.has(id)) this.#defineId(id)
    }
    this.#byFrame.set(frame, { defined: this.#definedSoFar(), ended: this.#ended })
    this.#ended = []
  }

  /** Gives news of series that are there, which are told ahead of seconds that wait. */
  ahead(): News {
    return { defined: this.#definedSoFar(), ended: [] }
  }

  #definedSoFar(): readonly SeriesDefinition[] {
    for (const id of this.#changed) this.#defineId(id)
    this.#changed.clear()
    const defined = this.#defined
    this.#defined = []
    return defined
  }

  #defineId(id: number): void {
    const record = this.#parts.series.get(id)
    if (record !== undefined) this.#define(record)
  }

  #define(record: SeriesRecord): void {
    const { series, originOf } = this.#parts
    const { id, metadata } = record
    const key = Uint8Array.from(series.keyOf(record))
    this.#defined.push({ ref: id, key, metadata, origin: originOf(record) })
    if (!this.#known.has(id)) this.#unsure.add(id)
    this.#known.add(id)
  }

  /** Gives what is told with a frame. */
  of(frame: Frame): News {
    return this.#byFrame.get(frame) ?? { defined: [], ended: [] }
  }

  /** Notes that the store has taken news. */
  taken({ defined, ended }: News): void {
    for (const { ref } of defined) this.#unsure.delete(ref)
    for (const id of ended) {
      this.#unsure.delete(id)
      this.#leaving.delete(id)
    }
  }

  /** Notes that news were lost with their second: they are told with the next one. */
  lost({ defined, ended }: News): void {
    for (const { ref } of defined) if (this.#known.has(ref)) this.#changed.add(ref)
    for (const id of ended) {
      // the store never knew it
      if (this.#unsure.delete(id)) this.#leaving.delete(id)
      else this.#ended.push(id)
    }
  }

  /** Tells whether the store has taken a series, which is there. */
  isTaken(id: number): boolean {
    return this.#known.has(id) && !this.#unsure.has(id)
  }

  /** Begins anew with a store that has forgotten all ids. */
  beginAnew(): void {
    this.#ended = []
    this.#leaving.clear()
  }

  /** Notes which ids a store has that has forgotten all: the others are told again. */
  goOn(going: ReadonlySet<number>): void {
    for (const id of this.#known) {
      if (going.has(id)) continue
      this.#changed.add(id)
      this.#unsure.add(id)
    }
    this.#ended = this.#ended.filter((id) => going.has(id))
    for (const id of this.#leaving) if (!going.has(id)) this.#leaving.delete(id)
  }

  /** News that the store does not have yet, for a question about series. */
  get pending(): Required<Pick<PastQuery, 'ended' | 'begun'>> {
    const { series } = this.#parts
    const ids = [...this.#unsure]
    for (let id = this.#lastId + 1; id <= series.lastId; id++) ids.push(id)
    const begun = ids.flatMap((id) => {
      const record = series.get(id)
      return record !== undefined && series.isListed(record) ? [series.keyOf(record).slice()] : []
    })
    return { ended: [...this.#leaving], begun }
  }
}
