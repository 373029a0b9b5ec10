/** Stats Hero's series in exports (statshero.md §7.4); pure. */
import type { ExportRules } from '../export-rules.ts'
import { NAME } from './spec.ts'

export const EXPORT_RULES: ExportRules = {
  otlp: { scope: NAME, integers: 'counters_and_gauges' },
}
