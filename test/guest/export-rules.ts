/** Semaphore's series in exports; pure. */
import type { ExportRules } from '../../src/dialects/export-rules.ts'
import { NAME } from './spec.ts'

export const EXPORT_RULES: ExportRules = {
  prometheus: { prefixLabels: [['box', 'semaphore']] },
  otlp: { scope: NAME, integers: 'counters_and_gauges' },
}
