/** The ingest of the main thread, which takes closed windows, too, and knows its series. */
import type { Ingest } from '../../dialects/ingest.ts'
import type {
  CounterCell,
  Exemplar,
  Exemplars,
  HistogramCell,
  Summary,
  SummaryCell,
} from '../../model/index.ts'
import type { CommandQueue } from './command-queue.ts'
import type { SeriesDefiner } from './definition.ts'
import { type IngestOptions, type IngestParts, LineZoneIngest } from './ingest.ts'

/** Series whose ids are known, which they are in the main thread. */
interface WithIds {
  readonly series: SeriesDefiner & { idOf(metric: number): number; readonly exemplars: Exemplars }
}

export class ZoneIngest extends LineZoneIngest<CommandQueue> implements Ingest {
  readonly #idOf: (metric: number) => number
  readonly #exemplars: Exemplars

  constructor(options: IngestOptions, parts: IngestParts<CommandQueue> & WithIds) {
    super(options, parts)
    this.#idOf = (metric) => parts.series.idOf(metric)
    this.#exemplars = parts.series.exemplars
  }

  seriesOf(slot: number): number {
    const metric = this.metricOf(slot)
    return metric === undefined ? -1 : this.#idOf(metric)
  }

  addExemplar(slot: number, exemplar: Exemplar): void {
    const id = this.isOverflow(slot) ? -1 : this.seriesOf(slot)
    if (id >= 0) this.#exemplars.add(id, exemplar)
  }

  end(slot: number): void {
    this.endGauge(slot)
  }

  merge(
    slot: number,
    cell: CounterCell | HistogramCell | SummaryCell,
    intervalSec = Number.NaN,
    earlier?: Summary,
  ): void {
    this.measured()
    const metric = this.metricOf(slot)
    if (metric !== undefined) this.queue.merge(metric, cell, intervalSec, this.source, earlier)
  }

  isOverflow(slot: number): boolean {
    return this.overflow.has(slot)
  }

  retire(slot: number): void {
    const metric = this.metricOf(slot)
    if (metric !== undefined) this.queue.retire(metric)
  }
}
