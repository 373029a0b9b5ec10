/**
 * Names and labels of a series in Prometheus' formats (statshero.md §7.3, scope.md §7.1,
 * proxywasm.md §7); pure.
 * What two series do to each other (collisions) is the layout's matter, see layout.ts.
 */

import {
  counterFamilies,
  EVENT_COUNTERS,
  type PrometheusNaming,
  type WindowPart,
} from '../../dialects/eventcounters/families.ts'
import {
  type CleaningRule,
  cleanLabels,
  cleanName,
  isLegacyName,
  type NameStyle,
} from '../../exposition/names.ts'
import type { Identity, Kind, Labels, Metadata } from '../../model/index.ts'
import { type OtlpName, otlpName } from '../otlp/names.ts'

/**
 * Where the name of a Proxy-Wasm filter goes: into a label, or in front of the metric's own name,
 * as the one exporter that these metrics had (Kong Gateway's) writes it.
 */
export type FilterNames = 'labels' | 'flat'

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
  /** What of an EventCounter's last window the family shows. */
  readonly part?: WindowPart
}

export interface NameOptions {
  readonly style?: NameStyle
  readonly filterNames?: FilterNames
  readonly counterNames?: PrometheusNaming
}

interface NameRule extends CleaningRule {
  /** The unit ends the name, as Prometheus advises; dialects' names stay as their documents say. */
  readonly appendsUnit: boolean
  /** Distributions of milli-, micro- and nanoseconds are exported in seconds. */
  readonly scalesTime: boolean
  /** Every byte of a name is cleaned by itself, so that an `é` becomes two `_`. */
  readonly cleansBytes: boolean
}

const DEFAULT_RULE: NameRule = {
  keepsColons: false,
  keepsRawName: false,
  appendsUnit: false,
  scalesTime: true,
  cleansBytes: false,
}
const RULES: Readonly<Record<string, NameRule>> = {
  scope: { ...DEFAULT_RULE, keepsColons: true, keepsRawName: true },
  hub: { ...DEFAULT_RULE, appendsUnit: true },
  proxywasm: { ...DEFAULT_RULE, keepsColons: true, scalesTime: false, cleansBytes: true },
}

/** Units of time in which distributions arrive, as decimal places below the second. */
const TIME_SHIFTS: Readonly<Record<string, number>> = { ms: 3, us: 6, ns: 9 }
const SECONDS = 'seconds'
/** The same units in names, by these places. */
const TIME_WORDS: Readonly<Record<number, string>> = {
  3: 'milliseconds',
  6: 'microseconds',
  9: 'nanoseconds',
}

/** What a series is called in Prometheus and in OTLP. */
export function exportNames(
  identity: Identity,
  metadata: Metadata,
): { prometheus: PrometheusName; otlp: OtlpName } {
  return { prometheus: prometheusName(identity, metadata), otlp: otlpName(identity, metadata) }
}

/** The families that a series is shown in: one, but for EventCounters with statistics. */
export function prometheusNames(
  identity: Identity,
  metadata: Metadata,
  options: NameOptions = {},
): readonly PrometheusName[] {
  const { style = 'legacy', filterNames, counterNames = 'standard' } = options
  if (metadata.dialect !== EVENT_COUNTERS) {
    return [prometheusName(identity, metadata, style, filterNames)]
  }
  const { families, shift, unit } = counterFamilies(identity, metadata, counterNames)
  return families.map(({ family, type, part }) => ({
    family,
    sample: type === 'counter' ? `${family}_total` : family,
    type,
    labels: cleanLabels(identity.labels, type, style),
    shift,
    ...(unit !== undefined && family.endsWith(`_${unit}`) ? { unit } : {}),
    ...(part === undefined ? {} : { part }),
  }))
}

/** The family of a series' value, or the first of several. */
export function prometheusName(
  identity: Identity,
  metadata: Metadata,
  style: NameStyle = 'legacy',
  filterNames: FilterNames = 'labels',
): PrometheusName {
  if (metadata.dialect === EVENT_COUNTERS) {
    return prometheusNames(identity, metadata, { style })[0]!
  }
  if (filterNames === 'flat' && metadata.dialect === 'proxywasm') {
    return prometheusName(flatIdentity(identity), metadata, style)
  }
  const { kind } = identity
  const rule = RULES[metadata.dialect] ?? DEFAULT_RULE
  const raw = identity.name.toWellFormed()
  const base = style === 'utf8' ? raw || '_' : cleanName(cleanableText(identity, rule), rule)
  const isScaled = kind === 'histogram' && rule.scalesTime
  const shift = (isScaled && TIME_SHIFTS[metadata.unit ?? '']) || 0
  const suffixes = [metadata.exportSuffix, unitSuffix(rule, metadata.unit, shift)]
  const family = familyName(base, kind, suffixes)
  const pairs = [...identity.labels]
  if (identity.qualifier !== undefined) pairs.push(identity.qualifier)
  if (rule.keepsRawName && base !== raw) pairs.push(['metric', raw])
  return {
    family,
    sample: kind === 'counter' ? `${family}_total` : family,
    type: kind,
    labels: cleanLabels(pairs, kind, style),
    shift,
    ...unitOf(family, metadata.unit, shift),
  }
}

/**
 * The family of a distribution's native form, where that can't be the same as the classic one's:
 * bounds that are powers of two do not survive a division by a power of ten (statshero.md §7.3).
 * Undefined where one family takes both, and for units that are not of time.
 */
export function nativeFamily({
  family,
  shift,
}: PrometheusName): { readonly family: string; readonly unit: string } | undefined {
  const unit = TIME_WORDS[shift]
  if (unit === undefined || !family.endsWith(`_${SECONDS}`)) return undefined
  return { family: family.slice(0, -SECONDS.length) + unit, unit }
}

/** `pw_<filter>_<name>`: what was a label is part of the name. */
function flatIdentity(identity: Identity): Identity {
  const { name, nameBytes, labels } = identity
  const label = (key: string): string => labels.find((pair) => pair[0] === key)?.[1] ?? ''
  const prefix = [label('origin') || 'pw', label('filter')].filter((part) => part !== '')
  const front = `${prefix.join('_')}_`
  const bytes = nameBytes && Uint8Array.of(...new TextEncoder().encode(front), ...nameBytes)
  return {
    ...identity,
    name: front + name,
    ...(bytes === undefined ? {} : { nameBytes: bytes }),
    labels: labels.filter(([key]) => key !== 'origin' && key !== 'filter'),
  }
}

/** The name with what is to be replaced as one character each. */
function cleanableText({ name, nameBytes }: Identity, rule: NameRule): string {
  if (!rule.cleansBytes) {
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

function unitSuffix(rule: NameRule, unit: string | undefined, shift: number): string | undefined {
  if (shift > 0) return SECONDS
  return rule.appendsUnit && unit !== undefined && isLegacyName(unit) ? unit : undefined
}

function unitOf(family: string, unit: string | undefined, shift: number): { unit?: string } {
  const shown = shift > 0 ? SECONDS : unit
  return shown !== undefined && isLegacyName(shown) && family.endsWith(`_${shown}`)
    ? { unit: shown }
    : {}
}

const fatalDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The bytes as text with one U+FFFD for each byte that is no UTF-8 (decoders join some). */
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
