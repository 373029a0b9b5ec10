/** Cells of what is not in the zone: summaries and histograms that came as windows. */
import type { HistogramRecord, SummaryRecord } from '../../series/series.ts'
import type { Task } from '../../tasks/task.ts'
import type { FrameBuilder } from '../frame.ts'

/** Series with windows between two looks at the clock: half a millisecond. */
const ROWS_PER_STEP = 256

/**
 * Cells of the summaries and histograms that had windows; an empty window makes none. Nothing of
 * them is in the zone, so each is closed when its turn comes.
 * @param windowed sorted here, by id
 */
export function* closeDistributions(
  windowed: (HistogramRecord | SummaryRecord)[],
  builder: FrameBuilder,
  endMs: number,
): Task {
  windowed.sort((a, b) => a.id - b.id)
  for (let i = 0; i < windowed.length; i++) {
    if (i % ROWS_PER_STEP === 0) yield
    const record = windowed[i]!
    record.isWaiting = false
    record.lastDataMs = endMs
    if (record.kind === 'histogram') {
      record.windows?.close((histogram) => builder.histogram(record.id, histogram))
      continue
    }
    const summary = record.windows?.close()
    if (summary !== undefined && summary.count > 0) builder.summary(record.id, summary)
  }
}
