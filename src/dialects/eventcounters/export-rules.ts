/**
 * EventCounters in exports (eventcounters.md §7.3, §7.4). Names and factors of Prometheus are the
 * product's own, which follow the conventions, or those that dotnet-monitor makes: there everything
 * is a gauge of the last interval. A Mean with statistics is several families; pure.
 */
import type { Identity, Metadata } from '../../model/index.ts'
import type { ExportFamilies, ExportFamily, ExportRules } from '../export-rules.ts'

const PROMETHEUS_NAMINGS = ['standard', 'dotnet-monitor'] as const
type PrometheusNaming = (typeof PROMETHEUS_NAMINGS)[number]

interface NamedCounter {
  readonly provider: string
  readonly name: string
  readonly units: string
  readonly kind: 'mean' | 'sum'
}

interface PrometheusName {
  readonly name: string
  /** Factor that makes a value one of the name's unit. */
  readonly factor: number
  readonly type: 'counter' | 'gauge'
}

/** Label whose value is the provider of a counter. */
const PROVIDER = 'provider'
/** Units that UCUM writes in another way, by text in lower case. */
const UCUM: Readonly<Record<string, string>> = {
  b: 'By',
  kb: 'kBy',
  mb: 'MBy',
  gb: 'GBy',
  count: '1',
}

export function exportRules(options: { readonly prometheusNames: PrometheusNaming }): ExportRules {
  const naming = options.prometheusNames
  return {
    namespaceLabel: PROVIDER,
    prometheus: {
      isTimed: naming === 'dotnet-monitor',
      families: (identity, metadata) => counterFamilies(identity, metadata, naming),
    },
    // a Sum is an increment, a double that is whole by chance
    otlp: { units: UCUM, integers: 'none', temporality: 'delta' },
  }
}

/** Units that names end with once values are of them. */
const UNITS = ['bytes', 'ratio', 'seconds']
const TOTAL = '_total'

/** Names the families of a counter's value, total or statistics. */
export function counterFamilies(
  { name, kind, labels }: Identity,
  metadata: Metadata,
  naming: PrometheusNaming,
): ExportFamilies {
  const named = prometheusName(
    {
      provider: labels.find(([key]) => key === PROVIDER)?.[1] ?? '',
      name,
      units: metadata.unit ?? '',
      kind: kind === 'counter' ? 'sum' : 'mean',
    },
    naming,
  )
  const isTotal = named.type === 'counter' && named.name.endsWith(TOTAL)
  const family = isTotal ? named.name.slice(0, -TOTAL.length) : named.name
  return {
    families: familiesOf(kind, family, naming),
    // powers of ten are divided exactly, where a factor of 0.001 would round
    shift: 0 - Math.round(Math.log10(named.factor)),
    unit: UNITS.find((unit) => family.endsWith(`_${unit}`)),
  }
}

function familiesOf(
  kind: Identity['kind'],
  family: string,
  naming: PrometheusNaming,
): readonly ExportFamily[] {
  const isMonitor = naming === 'dotnet-monitor'
  switch (kind) {
    case 'counter':
      return [isMonitor ? { family, type: 'gauge', part: 'increment' } : { family, type: kind }]
    case 'summary': {
      const mean = { family, type: 'gauge', part: 'mean' } as const
      return isMonitor ? [mean] : [mean, ...statisticsFamilies(family)]
    }
    default:
      return [{ family, type: kind }]
  }
}

function statisticsFamilies(family: string): readonly ExportFamily[] {
  return [
    { family: `${family}_samples`, type: 'summary' },
    { family: `${family}_min`, type: 'gauge', part: 'min' },
    { family: `${family}_max`, type: 'gauge', part: 'max' },
    { family: `${family}_stddev`, type: 'gauge', part: 'deviation' },
  ]
}

/** Names a counter and says what its values are multiplied by. */
function prometheusName(counter: NamedCounter, naming: PrometheusNaming): PrometheusName {
  return naming === 'standard' ? standardName(counter) : dotnetMonitorName(counter)
}

interface Unit {
  readonly suffix: string
  readonly factor: number
}

/** Units by text in lower case. */
const STANDARD_UNITS: Readonly<Record<string, Unit>> = {
  '': { suffix: '', factor: 1 },
  count: { suffix: '', factor: 1 },
  b: { suffix: 'bytes', factor: 1 },
  kb: { suffix: 'bytes', factor: 1e3 },
  mb: { suffix: 'bytes', factor: 1e6 },
  gb: { suffix: 'bytes', factor: 1e9 },
  '%': { suffix: 'ratio', factor: 0.01 },
  s: { suffix: 'seconds', factor: 1 },
  ms: { suffix: 'seconds', factor: 1e-3 },
  us: { suffix: 'seconds', factor: 1e-6 },
  ns: { suffix: 'seconds', factor: 1e-9 },
}

function standardName({ provider, name, units, kind }: NamedCounter): PrometheusName {
  const known = units.toLowerCase()
  const { suffix, factor } = Object.hasOwn(STANDARD_UNITS, known)
    ? STANDARD_UNITS[known]!
    : { suffix: cleaned(units), factor: 1 }
  let full = withSuffix(cleaned(`${provider}_${name}`), suffix)
  if (kind === 'sum') full = withSuffix(full, 'total')
  if (/^\d/.test(full)) full = `_${full}`
  return { name: full, factor, type: kind === 'sum' ? 'counter' : 'gauge' }
}

function cleaned(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9_]+/g, '_')
}

function withSuffix(name: string, suffix: string): string {
  return suffix === '' || name.endsWith(`_${suffix}`) ? name : `${name}_${suffix}`
}

/** Units by text in lower case; MB is multiplied, % is not divided. */
const MONITOR_UNITS: Readonly<Record<string, Unit>> = {
  '': { suffix: '', factor: 1 },
  count: { suffix: '', factor: 1 },
  b: { suffix: 'bytes', factor: 1 },
  mb: { suffix: 'bytes', factor: 1e6 },
  '%': { suffix: 'ratio', factor: 1 },
}

function dotnetMonitorName({ provider, name, units }: NamedCounter): PrometheusName {
  const known = units.toLowerCase()
  const { suffix, factor } = Object.hasOwn(MONITOR_UNITS, known)
    ? MONITOR_UNITS[known]!
    : { suffix: replaced(units), factor: 1 }
  const head = `${removed(provider)}_${replaced(name)}`
  return { name: suffix === '' ? head : `${head}_${suffix}`, factor, type: 'gauge' }
}

/** Removes a provider's invalid characters; where nothing is left, it is `_`. */
function removed(provider: string): string {
  const valid = provider.replace(/[^A-Za-z0-9_]/g, '')
  // Validity goes by place: a digit is none only as the very first character.
  const kept = /^\d/.test(provider) ? valid.slice(1) : valid
  return kept === '' ? '_' : kept.toLowerCase()
}

function replaced(text: string): string {
  return text.replace(/[^A-Za-z0-9_]/g, '_').replace(/^\d/, '_')
}
