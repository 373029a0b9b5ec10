/** The main thread's side of the outboxes: applies what the ingest threads have gathered. */
import type { OrderedEvents, OrderedLane, OrderedVerbs } from '../ingest/command-queue.ts'
import type { SeriesStore } from '../series/series.ts'
import type { ErrorReports } from '../status/reports.ts'
import type { Announcement, Batch, OrderedColumns } from './messages.ts'
import type { SharedCounts } from './shared-counts.ts'

export interface InboxParts {
  readonly store: SeriesStore
  readonly reports: ErrorReports
  readonly verbs: OrderedVerbs
  readonly counts: SharedCounts
  /** Events by dialect, in the order of the threads' indices. */
  readonly events: readonly OrderedEvents[]
}

export class Inbox {
  readonly #parts: InboxParts
  readonly #lanes: readonly OrderedLane[]

  constructor(parts: InboxParts) {
    this.#parts = parts
    this.#lanes = parts.events.map((events) => parts.verbs.lane(events))
  }

  /** Series first: all that follows names them by their metrics. */
  take(thread: number, { series, annotations, verbs, reports }: Batch): void {
    const { store, counts } = this.#parts
    for (const announcement of series) this.#adopt(announcement)
    for (const [metric, metadata] of annotations) {
      const record = store.ofMetric(metric)
      if (record !== undefined) store.annotate(record, metadata)
    }
    this.#apply(verbs)
    this.#parts.reports.merge(reports)
    counts.addVerbs(thread, -verbs.verbs.length)
    counts.addBatches(thread, -1)
  }

  #adopt({ series, metric, downOf }: Announcement): void {
    const { store } = this.#parts
    const record = store.adopt(series, metric)
    const whole = downOf === undefined ? undefined : store.ofMetric(downOf)
    if (whole !== undefined && record.isDown) whole.down ??= record
  }

  #apply({ verbs, dialects, metrics, values, weights, sourceRows, sources }: OrderedColumns): void {
    for (let row = 0; row < verbs.length; row++) {
      const lane = this.#lanes[dialects[row]!]!
      const metric = metrics[row]!
      const source = sources[sourceRows[row]!]!
      const verb = verbs[row]!
      if (verb === 'read') lane.read(metric, values[row]!, source)
      else lane[verb](metric, values[row]!, weights[row]!, source)
    }
  }
}
