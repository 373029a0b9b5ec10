/** A family's lines in either text format. */

import { bucketLines, quantileLines } from '../../../exposition/histogram-text.ts'
import { exemplarText, numberText } from '../../../exposition/text.ts'
import { beganMs, isWindowed } from '../../../hub/series/record.ts'
import type { HubView } from '../../../hub/view.ts'
import { type Pieces, ROWS_PER_STEP } from '../../pieces.ts'
import type { Family, Row } from './layout/families.ts'
import { counterExemplar, type Distribution, rowTimeMs, rowValue } from './row-value.ts'

/** Writes a family; nothing at all for one without samples: its rows may have no value yet. */
export function* familyText(family: Family, view: HubView, isOpenMetrics: boolean): Pieces<string> {
  let head = isOpenMetrics ? family.openMetricsHead : family.textHead
  for (let from = 0; from < family.rows.length; from += ROWS_PER_STEP) {
    let samples = ''
    for (const row of family.rows.slice(from, from + ROWS_PER_STEP)) {
      samples += rowText(row, family, view, isOpenMetrics)
    }
    yield samples === '' ? undefined : head + samples
    if (samples !== '') head = ''
  }
}

function rowText(row: Row, family: Family, view: HubView, isOpenMetrics: boolean): string {
  // no text format has native histograms
  if (row.part === 'native') return ''
  const value = rowValue(view, row)
  if (value === undefined) return ''
  const hasCreated = isOpenMetrics && row.created !== undefined
  if ('total' in value) {
    const lines = distributionLines(row, family, value.total, view, isOpenMetrics)
    return hasCreated ? `${lines}${createdText(row)}\n` : lines
  }
  const time = timestamp(row, isOpenMetrics)
  const exemplar = isOpenMetrics ? counterExemplar(view, row, family.type) : undefined
  const mark = exemplar === undefined ? '' : exemplarText(exemplar, row.shift)
  const line = `${row.sample} ${numberText(value.sample, row.shift)}${time}${mark}\n`
  return hasCreated ? `${line}${createdText(row)}${time}\n` : line
}

function distributionLines(
  { shift, distribution, record }: Row,
  { type }: Family,
  total: Distribution,
  view: HubView,
  isOpenMetrics: boolean,
): string {
  if (total.kind === 'summary') {
    const { sum, count } = distribution!
    const hasSum = !isOpenMetrics || total.sum >= 0
    const sumLine = hasSum ? `${sum} ${numberText(total.sum, shift)}\n` : ''
    return `${sumLine}${count} ${numberText(total.summary.count)}\n`
  }
  const { histogram } = total
  if (type === 'summary') return quantileLines(histogram, distribution!, shift, isOpenMetrics)
  const exemplars = view.series.exemplars.of(record.id)
  const isWindow = isWindowed(record)
  return bucketLines(histogram, distribution!, shift, isOpenMetrics, isWindow, exemplars)
}

/** Writes when a total began, in seconds; behind the other samples of its row, as is usual. */
function createdText({ created, record }: Row): string {
  return `${created} ${Math.round(beganMs(record)) / 1000}`
}

function timestamp(row: Row, isOpenMetrics: boolean): string {
  const timeMs = rowTimeMs(row)
  if (timeMs === undefined) return ''
  return ` ${isOpenMetrics ? timeMs / 1000 : timeMs}`
}
