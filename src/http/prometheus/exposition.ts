/** One scrape: the layout of all series with the totals of this moment, in either text format. */

import type { HubView } from '../../hub/view.ts'
import { type Kind, summarySum } from '../../model/index.ts'
import type { HttpReports } from '../reports.ts'
import { bucketLines, quantileLines } from './histogram-text.ts'
import { buildLayout, type Family, type Layout, type LayoutOptions, type Row } from './layout.ts'
import type { FilterNames, NameStyle } from './names.ts'
import { numberText } from './text.ts'

export type ExpositionFormat = 'text' | 'openmetrics'

export interface PrometheusOptions {
  /** `utf8` keeps names as sent for scrapers that ask for `escaping=allow-utf-8`. */
  readonly names?: NameStyle
  readonly exportRates?: boolean
  readonly observer?: 'histogram' | 'summary'
  /** Proxy-Wasm metrics with a label `filter`, or as `pw_<filter>_<name>`. */
  readonly promNames?: FilterNames
}

export class Exposition {
  readonly #view: HubView
  readonly #options: PrometheusOptions
  readonly #reports: HttpReports
  readonly #layouts = new Map<NameStyle, { revision: number; layout: Layout }>()
  /** Series already counted as `name_conflicts`. */
  #conflicting: ReadonlyMap<number, string> = new Map()

  constructor(view: HubView, options: PrometheusOptions, reports: HttpReports) {
    this.#view = view
    this.#options = options
    this.#reports = reports
  }

  render(format: ExpositionFormat, style: NameStyle = 'legacy'): string {
    const isOpenMetrics = format === 'openmetrics'
    let text = ''
    for (const family of this.#layout(style).families) {
      text += familyText(family, this.#view, isOpenMetrics)
    }
    return isOpenMetrics ? `${text}# EOF\n` : text
  }

  #layout(style: NameStyle): Layout {
    const { series } = this.#view
    const held = this.#layouts.get(style)
    if (held !== undefined && held.revision === series.revision) return held.layout
    const { exportRates = false, observer = 'histogram', promNames = 'labels' } = this.#options
    const options: LayoutOptions = { style, exportRates, observer, filterNames: promNames }
    const layout = buildLayout(series, options)
    this.#layouts.set(style, { revision: series.revision, layout })
    if (style === 'legacy') this.#countConflicts(layout)
    return layout
  }

  /** Every series counts once, however often it is scraped. */
  #countConflicts({ conflicts }: Layout): void {
    for (const [id, rule] of conflicts) {
      if (!this.#conflicting.has(id)) this.#reports.count('name_conflicts', rule)
    }
    this.#conflicting = conflicts
  }
}

/** Nothing at all for a family without samples: its rows may have no value yet. */
function familyText(family: Family, view: HubView, isOpenMetrics: boolean): string {
  let samples = ''
  for (const row of family.rows) samples += rowText(row, family.type, view, isOpenMetrics)
  if (samples === '') return ''
  return (isOpenMetrics ? family.openMetricsHead : family.textHead) + samples
}

function rowText(row: Row, type: Kind, view: HubView, isOpenMetrics: boolean): string {
  const { record, rate, shift, distribution } = row
  if (rate !== undefined) {
    const rates = view.rates(record)
    return rates === undefined ? '' : `${row.sample} ${numberText(rates[rate])}\n`
  }
  const total = view.total(record)
  switch (total.kind) {
    case 'counter':
      if (record.isDown && Number(total.total) === 0) return ''
      return `${row.sample} ${numberText(total.total)}\n`
    case 'gauge':
      if (total.value === undefined || Number.isNaN(total.value)) return ''
      return `${row.sample} ${numberText(total.value)}\n`
    case 'histogram':
      return type === 'summary'
        ? quantileLines(total.histogram, distribution!, shift, isOpenMetrics)
        : bucketLines(total.histogram, distribution!, shift, isOpenMetrics)
    case 'summary': {
      const { sum, count } = distribution!
      const value = summarySum(total.summary)
      const sumLine = isOpenMetrics && !(value >= 0) ? '' : `${sum} ${numberText(value)}\n`
      return `${sumLine}${count} ${numberText(total.summary.count)}\n`
    }
  }
}
