/** How all series of a hub leave it: by the rules of each dialect, and by the hub's for its own. */
import type { Dialect } from '../dialects/dialect.ts'
import type { ExportRules } from '../dialects/export-rules.ts'
import { defaultsOf } from '../dialects/options.ts'

/** Of the hub's metrics of itself, which have the dialect `hub`; their units are words. */
const OWN_RULES: ExportRules = {
  prometheus: { appendsUnit: true },
  otlp: { units: { bytes: 'By', seconds: 's' } },
}

/** @param optionsOf the section of a dialect in the configuration, by the dialect's name */
export function exportRulesOf(
  dialects: readonly Dialect[],
  optionsOf: (dialect: string) => Readonly<Record<string, unknown>>,
): ReadonlyMap<string, ExportRules> {
  const rules = new Map([['hub', OWN_RULES]])
  for (const { name, options, exportRules } of dialects) {
    const own = exportRules?.({ ...defaultsOf(options), ...optionsOf(name) })
    if (own !== undefined) rules.set(name, own)
  }
  return rules
}
