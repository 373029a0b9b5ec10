/** Names of a series in OTLP (statshero.md §7.4): as sent, with its labels as attributes. */
import type { Identity, Kind, Metadata } from '../model/index.ts'

export interface OtlpName {
  readonly name: string
  readonly kind: 'sum' | 'gauge' | 'exponentialHistogram' | 'summary'
  readonly attributes: Readonly<Record<string, string>>
}

const KINDS: Record<Kind, OtlpName['kind']> = {
  counter: 'sum',
  gauge: 'gauge',
  histogram: 'exponentialHistogram',
  summary: 'summary',
}

/** Name, data point kind and attributes; a repeated label key keeps the qualifier's value. */
export function otlpName(identity: Identity, metadata: Metadata): OtlpName {
  const { name, kind, labels, qualifier } = identity
  const suffix = metadata.exportSuffix
  return {
    name: suffix === undefined ? name : `${name}.${suffix}`,
    kind: KINDS[kind],
    attributes: Object.fromEntries(qualifier === undefined ? labels : [...labels, qualifier]),
  }
}
