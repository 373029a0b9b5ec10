/**
 * Series that came by OTLP in exports: their units are of UCUM already, and in Prometheus' formats
 * those words that the OpenTelemetry specification has for them.
 */
import type { ExportRules } from '../export-rules.ts'

/** Words by unit, from "Prometheus and OpenMetrics Compatibility" of that specification. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ d: 'days', h: 'hours', min: 'minutes', s: 'seconds', ms: 'milliseconds' },
  ...{ us: 'microseconds', ns: 'nanoseconds', By: 'bytes', KiBy: 'kibibytes', MiBy: 'mebibytes' },
  ...{ GiBy: 'gibibytes', kBy: 'kilobytes', MBy: 'megabytes', GBy: 'gigabytes', m: 'meters' },
  ...{ V: 'volts', A: 'amperes', J: 'joules', W: 'watts', g: 'grams', Cel: 'celsius' },
  ...{ Hz: 'hertz', '%': 'percent' },
}

export const EXPORT_RULES: ExportRules = {
  prometheus: { appendsUnit: true, units: WORDS },
  otlp: { integers: 'counters_and_gauges' },
}
