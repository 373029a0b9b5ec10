/**
 * Counters and meters of .NET in exports: the provider is the namespace, as in the house's other
 * counters of that origin; instruments have units of UCUM already.
 */
import type { ExportRules } from '../export-rules.ts'

/** Units of event sources that UCUM writes in another way, by text in lower case. */
const UCUM: Readonly<Record<string, string>> = {
  b: 'By',
  kb: 'kBy',
  mb: 'MBy',
  gb: 'GBy',
  count: '1',
}

export const EXPORT_RULES: ExportRules = {
  namespaceLabel: 'provider',
  prometheus: { appendsUnit: true },
  // increments are doubles that are whole by chance
  otlp: { units: UCUM, integers: 'none' },
}
