/** The main thread's side of the outboxes: applies what the ingest threads have gathered. */
import type { CommandApplier, CommandEvents, CommandQueue } from '../ingest/command-queue.ts'
import { type AnnouncedSeries, forEachAnnounced } from '../series/announcements.ts'
import type { SeriesStore } from '../series/series.ts'
import type { ErrorReports } from '../status/reports.ts'
import type { Batch, CommandColumns } from './messages.ts'
import type { SharedCounts } from './shared-counts.ts'

interface InboxParts {
  readonly store: SeriesStore
  readonly reports: ErrorReports
  readonly commands: CommandApplier
  readonly counts: SharedCounts
  /** Events by dialect, in the order of the threads' indices. */
  readonly events: readonly CommandEvents[]
}

export class Inbox {
  readonly #parts: InboxParts
  readonly #queues: readonly CommandQueue[]

  constructor(parts: InboxParts) {
    this.#parts = parts
    this.#queues = parts.events.map((events) => parts.commands.queue(events))
  }

  /** Takes a batch, series first: all that follows names them by their metrics. */
  take(thread: number, { series, annotations, commands, reports }: Batch): void {
    const { store, counts } = this.#parts
    forEachAnnounced(series, this.#adopt)
    for (const [metric, metadata] of annotations) {
      const record = store.ofMetric(metric)
      if (record !== undefined) store.annotate(record, metadata)
    }
    this.#apply(commands)
    this.#parts.reports.merge(reports)
    counts.addCommands(thread, -commands.operations.length)
    counts.addBatches(thread, -1)
  }

  readonly #adopt = (series: AnnouncedSeries, metric: number, decrementsOf?: number): void => {
    const { store } = this.#parts
    const record = store.adoptAs(series.kind, series, metric)
    const whole = decrementsOf === undefined ? undefined : store.ofMetric(decrementsOf)
    if (whole !== undefined) store.attachDecrements(whole, record)
  }

  #apply({
    operations,
    dialects,
    metrics,
    values,
    weights,
    sourceRows,
    sources,
  }: CommandColumns): void {
    for (let row = 0; row < operations.length; row++) {
      const queue = this.#queues[dialects[row]!]!
      const metric = metrics[row]!
      const source = sources[sourceRows[row]!]!
      const operation = operations[row]!
      if (operation === 'read') queue.read(metric, values[row]!, source)
      else queue[operation](metric, values[row]!, weights[row]!, source)
    }
  }
}
