/** Rows with the texts of the original Metrics UI, each a link to the view that it sums up. */
import type { JSX } from 'preact'
import type { CompatiblePipelineRow, CompatibleRow } from '../../../http/api.ts'
import { exact } from '../../../web/format/number.ts'
import { Link, Name, Section } from '../../../web/shell/parts.tsx'
import { INGESTION } from './place.ts'
import { placeOfKey } from './requests.ts'
import { LongTable } from './rows/lazy-rows.tsx'

const SHARES = ['50.0', '95.0', '99.0'] as const
const RATES = ['min', 'med', 'max'] as const
const SHARE_HEADS = ['50% are', '95% are', '99% are'] as const
const RATE_HEADS = ['Minimum', 'Median', 'Maximum'] as const

type Label = 'pipeline' | 'worker' | 'name'

/** Of a pipeline what came in and what went out, as the original writes the pair. */
function rateText(
  row: CompatibleRow | CompatiblePipelineRow,
  rate: (typeof RATES)[number],
): string {
  const out = row.texts.throughput[rate]
  const ingested = 'ingested' in row ? row.ingested : null
  return ingested === null ? out : `${ingested.texts[rate]} -|< ${out}`
}

interface CompatibleRowsProps {
  readonly title: string
  readonly application: string
  readonly label: Label
  readonly rows: readonly CompatibleRow[]
}

export function CompatibleRows(props: CompatibleRowsProps): JSX.Element | null {
  const { title, application, label, rows } = props
  if (rows.length === 0) return null
  const isCounted = rows.every(({ key }) => key.category === INGESTION)
  const shares = isCounted ? [] : SHARES
  return (
    <Section title={title} note="latency and messages a second, last 5 mins, as the original">
      <LongTable
        label={title}
        heads={['ID', ...(isCounted ? [] : SHARE_HEADS), ...RATE_HEADS]}
        numeric={[]}
        rows={rows}
        row={(row) => (
          <tr key={JSON.stringify(row.key)}>
            <td>
              <Link to={{ place: placeOfKey(application, row.key) }} class="link row-link">
                <Name text={row.key[label] ?? ''} />
              </Link>
            </td>
            {shares.map((share) => (
              <td key={share} title={`${exact(row.percentiles[share])} ns`}>
                {row.texts.percentiles[share]}
              </td>
            ))}
            {RATES.map((rate) => (
              <td key={rate}>{rateText(row, rate)}</td>
            ))}
          </tr>
        )}
      />
    </Section>
  )
}

/** Said wherever these numbers stand, so that nobody takes them for the exact ones. */
export function CompatibleNotice(): JSX.Element {
  return (
    <p class="small verdict-none">
      <strong>Metrics UI compatible.</strong> Percentiles are upper bounds of bins, throughput is
      rounded; always the last 5 minutes, whatever window is chosen. The exact mode shows what is
      known.
    </p>
  )
}
