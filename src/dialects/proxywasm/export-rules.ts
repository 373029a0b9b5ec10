/**
 * Metrics of filters in exports (proxywasm.md §7). The filter's name goes into a label, or in front
 * of the metric's own name, as the one exporter that these metrics had (Kong Gateway's) writes it;
 * pure.
 */
import type { ExportRules, PrometheusRules } from '../export-rules.ts'
import type { ValuesOf } from '../options.ts'
import type { OPTIONS } from './options.ts'

type NameOptions = Pick<ValuesOf<typeof OPTIONS>, 'prometheusNames'>

const NAMES: PrometheusRules = { keepsColons: true, keepsTimeUnit: true, cleansBytes: true }

export function exportRules({ prometheusNames }: NameOptions): ExportRules {
  const prefixLabels = [
    ['origin', 'pw'],
    ['filter', ''],
  ] as const
  return {
    prometheus: prometheusNames === 'flat' ? { ...NAMES, prefixLabels } : NAMES,
    otlp: {
      integers: 'counters_and_gauges',
      histogram: { form: 'explicit', boundsCount: 32 },
    },
  }
}
