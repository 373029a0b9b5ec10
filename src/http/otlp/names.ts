/**
 * Names of a series in OTLP (statshero.md §7.4, eventcounters.md §7.4): as sent, with its labels as
 * attributes.
 */

import { EVENT_COUNTERS, PROVIDER } from '../../dialects/eventcounters/families.ts'
import type { Identity, Kind, Metadata } from '../../model/index.ts'

export { EVENT_COUNTERS }

export interface OtlpName {
  readonly name: string
  readonly kind: 'sum' | 'gauge' | 'exponentialHistogram' | 'summary'
  readonly attributes: Readonly<Record<string, string>>
  /** In UCUM, for dialects whose units are known words. */
  readonly unit?: string
  /** Instrumentation scope: the provider of an EventCounter. */
  readonly scope?: string
}

const KINDS: Record<Kind, OtlpName['kind']> = {
  counter: 'sum',
  gauge: 'gauge',
  histogram: 'exponentialHistogram',
  summary: 'summary',
}

/** Units of EventCounters that UCUM writes in another way, by text in lower case. */
const UCUM: Readonly<Record<string, string>> = {
  b: 'By',
  kb: 'kBy',
  mb: 'MBy',
  gb: 'GBy',
  count: '1',
}

/** Name, data point kind and attributes; a repeated label key keeps the qualifier's value. */
export function otlpName(identity: Identity, metadata: Metadata): OtlpName {
  const { name, kind, labels, qualifier } = identity
  const suffix = metadata.exportSuffix
  const named: OtlpName = {
    name: suffix === undefined ? name : `${name}.${suffix}`,
    kind: KINDS[kind],
    attributes: Object.fromEntries(qualifier === undefined ? labels : [...labels, qualifier]),
  }
  return metadata.dialect === EVENT_COUNTERS ? { ...named, ...scoped(named, metadata) } : named
}

/** The provider is the scope, so it is no attribute of every point. */
function scoped({ attributes }: OtlpName, { unit }: Metadata): Partial<OtlpName> {
  const { [PROVIDER]: scope, ...others } = attributes
  return {
    attributes: others,
    ...(scope === undefined ? {} : { scope }),
    ...(unit === undefined ? {} : { unit: ucum(unit) }),
  }
}

/** The unit of a series of any dialect; the hub's own are words. */
export function canonicalUnit({ dialect, unit = '' }: Metadata): string {
  const words: Readonly<Record<string, string>> = { bytes: 'By', seconds: 's' }
  return dialect === 'hub' && Object.hasOwn(words, unit) ? words[unit]! : unit
}

function ucum(unit: string): string {
  const known = unit.toLowerCase()
  return Object.hasOwn(UCUM, known) ? UCUM[known]! : unit
}
