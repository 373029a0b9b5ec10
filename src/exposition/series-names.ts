/**
 * Names and labels of a series in Prometheus' formats, by the rules of its dialect; pure.
 * What two series do to each other (collisions) is the matter of who lays them out.
 */

import type {
  ExportFamilies,
  ExportRules,
  PrometheusRules,
  WindowPart,
} from '../dialects/export-rules.ts'
import type { Identity, Kind, Labels, Metadata } from '../model/index.ts'
import { cleanLabels, cleanName, isLegacyName, type NameStyle, SECONDS } from './names.ts'

export interface PrometheusName {
  /** Name of the family: of a counter without `_total`. */
  readonly family: string
  /** Name of its samples; histograms and summaries add `_bucket`, `_sum`, `_count`. */
  readonly sample: string
  readonly type: Kind
  /** Clean, unique, without empty values, sorted by key. */
  readonly labels: Labels
  /** Values are divided by 10^shift: 3 for milliseconds that are exported as seconds. */
  readonly shift: number
  /** Unit of the exported values; the family's name ends with it. */
  readonly unit?: string
  /** Part of the series' last window that the family shows. */
  readonly part?: WindowPart
}

/** Units of time in which distributions arrive, as decimal places below the second. */
const TIME_SHIFTS: Readonly<Record<string, number>> = { ms: 3, us: 6, ns: 9 }
const NO_RULES: PrometheusRules = {}

/** Names the families that a series is shown in: one, unless its dialect has others. */
export function prometheusNames(
  identity: Identity,
  metadata: Metadata,
  { prometheus = NO_RULES }: ExportRules,
  style: NameStyle = 'legacy',
): readonly PrometheusName[] {
  const own = prometheus.families?.(identity, metadata)
  if (own !== undefined) return namedFamilies(own, identity, style)
  const { prefixLabels } = prometheus
  const named = prefixLabels === undefined ? identity : prefixed(identity, prefixLabels)
  return [prometheusName(named, metadata, prometheus, style)]
}

function namedFamilies(
  { families, shift, unit }: ExportFamilies,
  { labels }: Identity,
  style: NameStyle,
): readonly PrometheusName[] {
  return families.map(({ family, type, part }) => ({
    family,
    sample: type === 'counter' ? `${family}_total` : family,
    type,
    labels: cleanLabels(labels, type, style),
    shift,
    ...(unit !== undefined && family.endsWith(`_${unit}`) ? { unit } : {}),
    ...(part === undefined ? {} : { part }),
  }))
}

function prometheusName(
  identity: Identity,
  metadata: Metadata,
  rules: PrometheusRules,
  style: NameStyle,
): PrometheusName {
  const { kind } = identity
  const raw = identity.name.toWellFormed()
  const base = style === 'utf8' ? raw || '_' : cleanName(cleanableText(identity, rules), rules)
  const isScaled = kind === 'histogram' && !rules.keepsTimeUnit
  const unit = rules.units?.[metadata.unit ?? ''] ?? metadata.unit
  const shift = (isScaled && TIME_SHIFTS[metadata.unit ?? '']) || 0
  const suffix = unitSuffix(rules, unit, shift)
  // a name that says its unit already does not say it twice
  const isSaid = rules.units !== undefined && base.endsWith(`_${suffix}`)
  const suffixes = [metadata.exportSuffix, isSaid ? undefined : suffix]
  const family = familyName(base, kind, suffixes)
  const pairs = [...identity.labels]
  if (identity.qualifier !== undefined) pairs.push(identity.qualifier)
  if (rules.keepsRawName && base !== raw) pairs.push(['metric', raw])
  return {
    family,
    sample: kind === 'counter' ? `${family}_total` : family,
    type: kind,
    labels: cleanLabels(pairs, kind, style),
    shift,
    ...unitOf(family, unit, shift),
  }
}

/** Makes `<value>_<value>_<name>`: what were labels are part of the name. */
function prefixed(
  identity: Identity,
  prefixLabels: NonNullable<PrometheusRules['prefixLabels']>,
): Identity {
  const { name, nameBytes, labels } = identity
  const values = prefixLabels.map(([key, absent]) => {
    return labels.find((pair) => pair[0] === key)?.[1] || absent
  })
  const front = `${values.filter((value) => value !== '').join('_')}_`
  const bytes = nameBytes && Uint8Array.of(...new TextEncoder().encode(front), ...nameBytes)
  return {
    ...identity,
    name: front + name,
    ...(bytes === undefined ? {} : { nameBytes: bytes }),
    labels: labels.filter(([key]) => !prefixLabels.some(([prefix]) => prefix === key)),
  }
}

/** Gives the name with what is to be replaced as one character each. */
function cleanableText({ name, nameBytes }: Identity, rules: PrometheusRules): string {
  if (!rules.cleansBytes) {
    return nameBytes === undefined ? name.toWellFormed() : perByteText(nameBytes)
  }
  let text = ''
  for (const byte of nameBytes ?? new TextEncoder().encode(name)) text += String.fromCharCode(byte)
  return text
}

function familyName(base: string, kind: Kind, suffixes: readonly (string | undefined)[]): string {
  let name = base
  for (const suffix of suffixes) if (suffix !== undefined) name += `_${suffix}`
  // A counter's samples end in `_total` exactly once; a name that is nothing else keeps its own.
  const stem = name.slice(0, -'_total'.length)
  return kind === 'counter' && stem !== '' && name.endsWith('_total') ? stem : name
}

function unitSuffix(
  { appendsUnit }: PrometheusRules,
  unit: string | undefined,
  shift: number,
): string | undefined {
  if (shift > 0) return SECONDS
  return appendsUnit && unit !== undefined && isLegacyName(unit) ? unit : undefined
}

function unitOf(family: string, unit: string | undefined, shift: number): { unit?: string } {
  const shown = shift > 0 ? SECONDS : unit
  return shown !== undefined && isLegacyName(shown) && family.endsWith(`_${shown}`)
    ? { unit: shown }
    : {}
}

const fatalDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes the bytes with one U+FFFD for each byte that is no UTF-8 (decoders join some). */
function perByteText(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const size = sequenceSize(bytes[at]!)
    try {
      text += fatalDecoder.decode(bytes.subarray(at, at + size))
      at += size
    } catch {
      // Not a whole sequence: this byte stands alone, the next may begin one.
      text += '\ufffd'
      at++
    }
  }
  return text
}

function sequenceSize(lead: number): number {
  if (lead < 0xc0) return 1
  if (lead < 0xe0) return 2
  return lead < 0xf0 ? 3 : 4
}
