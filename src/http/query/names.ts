/**
 * What a series is called wherever it leaves the hub (api.ts NamesAnswer): asked of the very code
 * that writes it there, so that a name can be copied and found.
 */
import type { Dialect, PeerName } from '../../dialects/dialect.ts'
import { labelText, sampleText } from '../../exposition/text.ts'
import type { SeriesRecord } from '../../hub/series/record.ts'
import type { NamesAnswer, SeriesNameJson } from '../api.ts'
import type { NamedMetric } from '../export/otlp/layout.ts'
import type { OtlpPreview } from '../export/otlp/source.ts'
import type { Exposition } from '../export/prometheus/exposition.ts'
import type { ShownRow } from '../export/prometheus/layout/groups.ts'
import type { Pieces } from '../pieces.ts'

export interface NamingParts {
  readonly exposition: Exposition
  readonly otlp: OtlpPreview
  /** Dialects with the options of each. */
  readonly dialects: readonly (readonly [Dialect, Readonly<Record<string, unknown>>])[]
}

/** Window of rates: several scrapes, whatever usual interval they have. */
const RATE_WINDOW = '5m'
const QUANTILE = 0.99

/** Writes a NamesAnswer; the list of series may have to be taken in first. */
export function* namesJson(record: SeriesRecord, parts: NamingParts): Pieces<string> {
  const shown = yield* parts.exposition.shownOf(record)
  const names: SeriesNameJson[] = [
    ...shown.map((each) => ({ where: 'Prometheus', text: scrapedText(each) })),
    ...shown.slice(0, 1).map((each) => ({ where: 'PromQL', ...promql(each) })),
    ...parts.otlp.metricsOf(record).map((metric) => ({ where: 'OTLP', ...otlpName(metric) })),
    ...parts.dialects.flatMap(([dialect, options]) => peerName(record, dialect, options)),
  ]
  const answer: NamesAnswer = { names }
  yield JSON.stringify(answer)
}

function nameOf({ family, row }: ShownRow): (ending?: string, more?: string) => string {
  const stem = family.name
  const labels = labelText(row.labels)
  return (ending = '', more = '') =>
    sampleText(stem + ending, [labels, more].filter(Boolean).join(','))
}

/** Writes the sample, of a distribution its buckets, as `/metrics` has it. */
function scrapedText(shown: ShownRow): string {
  const { type } = shown.family
  const named = nameOf(shown)
  return type === 'histogram' ? named('_bucket') : type === 'summary' ? named('_sum') : named()
}

/** Writes what one asks Prometheus for: rates of totals, quantiles of buckets. */
function promql(shown: ShownRow): PeerName {
  const { family, row } = shown
  const named = nameOf(shown)
  const rate = (text: string): string => `rate(${text}[${RATE_WINDOW}])`
  switch (family.type) {
    case 'counter':
      return { text: rate(named()), note: 'per second' }
    case 'gauge':
      return { text: named() }
    case 'histogram': {
      const buckets = `sum by (le) (${rate(named('_bucket'))})`
      return { text: `histogram_quantile(${QUANTILE}, ${buckets})`, note: 'p99' }
    }
    case 'summary': {
      if (row.record.kind === 'histogram') {
        return { text: named('', `quantile="${QUANTILE}"`), note: 'p99 since the start' }
      }
      return { text: `${rate(named('_sum'))} / ${rate(named('_count'))}`, note: 'mean' }
    }
  }
}

function otlpName({ head, kind, attributes }: NamedMetric): PeerName {
  const pairs = attributes.map(([key, value]) => `${key}=${value}`)
  const facts = [kind, `scope ${head.scope.name}`, head.unit && `unit ${head.unit}`, ...pairs]
  return { text: head.name, note: facts.filter(Boolean).join(', ') }
}

function peerName(
  { identity, metadata }: SeriesRecord,
  { title, nameOf: name }: Dialect,
  options: Readonly<Record<string, unknown>>,
): SeriesNameJson[] {
  const found = name?.({ identity, metadata }, options)
  return found === undefined ? [] : [{ where: title, ...found }]
}
