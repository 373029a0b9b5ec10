/** Latencies of workers in exports (wallaroo.md §7): all bins as bounds, in seconds; pure. */
import type { ExportRules } from '../export-rules.ts'

export const EXPORT_RULES: ExportRules = {
  otlp: {
    integers: 'counters_and_gauges',
    histogram: {
      form: 'explicit',
      boundsCount: 64,
      shift: 9,
      unit: 's',
      hasExtremesOfDeltasOnly: true,
    },
  },
}
