/** What a row of the layout says now; what both families' writers need to know of it. */

import { windowValue } from '../../../dialects/export-rules.ts'
import { isDecrements, type SeriesRecord, type Total } from '../../../hub/series/record.ts'
import type { HubView } from '../../../hub/view.ts'
import type { Exact, Exemplar, Kind } from '../../../model/index.ts'
import type { RowPart } from './layout/collisions.ts'
import type { Row } from './layout/families.ts'

/** Total of a kind that is more than one number. */
export type Distribution = Extract<Total, { kind: 'histogram' | 'summary' }>

/** One sample, or the total of a distribution; undefined while there is nothing to say. */
type RowValue = { readonly sample: Exact } | { readonly total: Distribution } | undefined

export function rowValue(view: HubView, { record, part }: Row): RowValue {
  // a series that has left since the layout was made has no total any more
  if (view.series.get(record.id) === undefined || view.isAway(record)) return undefined
  if (part !== undefined && part !== 'native') return sampleOf(partValue(view, record, part))
  const total = view.total(record)
  switch (total.kind) {
    case 'counter':
      if (isDecrements(record) && Number(total.total) === 0) return undefined
      return sampleOf(total.total)
    case 'gauge':
      return sampleOf(total.value)
    default:
      return { total }
  }
}

function sampleOf(value: Exact | undefined): RowValue {
  return value === undefined || Number.isNaN(value) ? undefined : { sample: value }
}

function partValue(
  view: HubView,
  record: SeriesRecord,
  part: Exclude<RowPart, 'native'>,
): Exact | undefined {
  switch (part) {
    case 'm1':
    case 'm5':
    case 'm15':
      return view.rates(record)?.[part]
    case 'increment':
      return record.kind === 'counter' ? record.windows?.last?.delta : undefined
    default: {
      const total = view.total(record)
      return total.kind === 'summary' ? windowValue(total.last, part) : undefined
    }
  }
}

/** Gives the newest exemplar of a row that is a counter's total. */
export function counterExemplar(
  view: HubView,
  { record, part }: Pick<Row, 'record' | 'part'>,
  type: Kind,
): Exemplar | undefined {
  const { exemplars } = view.series
  const isTotal = type === 'counter' && part === undefined && exemplars.size > 0
  return isTotal ? exemplars.of(record.id).at(-1) : undefined
}

/** Gives Unix milliseconds, where samples of the row have a time. */
export function rowTimeMs({ record, isTimed }: Row): number | undefined {
  return isTimed ? record.lastDataMs : undefined
}
