/** Series that were scraped in exports: their names say their units already. */
import type { ExportRules } from '../export-rules.ts'

export const EXPORT_RULES: ExportRules = { prometheus: { keepsColons: true } }
