/**
 * Series of the hub as a relay by remote write names them, for an engine that is read: names and
 * labels are those of /metrics, made by the same function.
 */
import { type ExportRules, HOUSE_RULES } from '../../dialects/export-rules.ts'
import { labelsBesideHub, nativeFamily } from '../../exposition/names.ts'
import { prometheusNames } from '../../exposition/series-names.ts'
import type { WrittenSeries } from '../../history/promql/written.ts'
import { type Identity, identityKey, identityOf, type Metadata } from '../../model/index.ts'

/** Key of the gauge that every hub writes each second. */
export const PULSE = identityKey({ name: 'pentameter.start.time', kind: 'gauge', labels: [] })

/** Series of a hub, and the rules by which they leave it. */
export interface NamedSeries {
  find(key: Uint8Array): { readonly identity: Identity; readonly metadata: Metadata } | undefined
  exportRules(dialect: string): ExportRules
}

/** @returns undefined for a series of which nothing is written that could be read back */
export function writtenSeries(key: Uint8Array, hub: NamedSeries): WrittenSeries | undefined {
  const record = hub.find(key)
  const identity = record?.identity ?? identityOf(key)
  if (identity === undefined) return undefined
  const metadata = record?.metadata ?? { dialect: '' }
  const rules = record === undefined ? HOUSE_RULES : hub.exportRules(metadata.dialect)
  const names = prometheusNames(identity, metadata, rules)
  const { kind } = identity
  // what shows a part of the last window alone is no total, and no value of a gauge
  const whole = names.find(({ type, part }) => type === kind && part === undefined)
  if (whole === undefined) return undefined
  const { family, sample, labels, shift } = whole
  const native = nativeFamily(whole)?.family
  return {
    kind,
    name: kind === 'histogram' || kind === 'summary' ? family : sample,
    ...(native === undefined ? {} : { nativeName: native }),
    labels: labelsBesideHub(labels),
    shift,
    ...(metadata.bounds === undefined ? {} : { bounds: metadata.bounds }),
  }
}

/**
 * Gives the key of a series as an engine lists it, whose names say nothing of what it was called.
 * @returns undefined for one that is not written
 */
export function readKey(key: Uint8Array, hub: NamedSeries): Uint8Array | undefined {
  const written = writtenSeries(key, hub)
  if (written === undefined) return undefined
  const { kind, name, labels } = written
  return identityKey({
    kind,
    name: kind === 'counter' ? name.slice(0, -'_total'.length) : name,
    labels,
  })
}
