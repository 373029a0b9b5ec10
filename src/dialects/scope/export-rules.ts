/** Series of scope servers in exports (scope.md §7.1); pure. */
import type { ExportRules } from '../export-rules.ts'

export const EXPORT_RULES: ExportRules = {
  prometheus: { keepsColons: true, keepsRawName: true },
  otlp: { isTimed: true },
}
