/** One scrape: the layout of all series with the totals of this moment, in either text format. */

import type { SeriesRecord } from '../../hub/series.ts'
import type { HubView } from '../../hub/view.ts'
import type { Exact, Kind } from '../../model/index.ts'
import type { HttpReports } from '../reports.ts'
import { EVENT_COUNTERS, type PrometheusNaming, windowValue } from './event-counters.ts'
import { bucketLines, quantileLines } from './histogram-text.ts'
import {
  buildLayout,
  type Family,
  type Layout,
  type LayoutOptions,
  type Row,
  type RowPart,
} from './layout.ts'
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
  /** EventCounters as totals and statistics, or as dotnet-monitor shows them. */
  readonly counterNames?: PrometheusNaming
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
    const isTimed = this.#options.counterNames === 'dotnet-monitor'
    let text = ''
    for (const family of this.#layout(style).families) {
      text += familyText(family, this.#view, { isOpenMetrics, isTimed })
    }
    return isOpenMetrics ? `${text}# EOF\n` : text
  }

  #layout(style: NameStyle): Layout {
    const { series } = this.#view
    const held = this.#layouts.get(style)
    if (held !== undefined && held.revision === series.revision) return held.layout
    const options: LayoutOptions = {
      style,
      exportRates: this.#options.exportRates ?? false,
      observer: this.#options.observer ?? 'histogram',
      filterNames: this.#options.promNames ?? 'labels',
      counterNames: this.#options.counterNames ?? 'standard',
    }
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

interface TextOptions {
  readonly isOpenMetrics: boolean
  /** EventCounters carry the end of their last window. */
  readonly isTimed: boolean
}

/** Nothing at all for a family without samples: its rows may have no value yet. */
function familyText(family: Family, view: HubView, options: TextOptions): string {
  let samples = ''
  for (const row of family.rows) samples += rowText(row, family.type, view, options)
  if (samples === '') return ''
  return (options.isOpenMetrics ? family.openMetricsHead : family.textHead) + samples
}

function rowText(row: Row, type: Kind, view: HubView, options: TextOptions): string {
  const { record, part, shift, distribution } = row
  const { isOpenMetrics } = options
  if (part !== undefined) return sampleLine(row, partValue(view, record, part), options)
  const total = view.total(record)
  switch (total.kind) {
    case 'counter':
      if (record.isDown && Number(total.total) === 0) return ''
      return sampleLine(row, total.total, options)
    case 'gauge':
      return sampleLine(row, total.value, options)
    case 'histogram':
      return type === 'summary'
        ? quantileLines(total.histogram, distribution!, shift, isOpenMetrics)
        : bucketLines(total.histogram, distribution!, shift, isOpenMetrics)
    case 'summary': {
      const { sum, count } = distribution!
      const hasSum = !isOpenMetrics || total.sum >= 0
      const sumLine = hasSum ? `${sum} ${numberText(total.sum, shift)}\n` : ''
      return `${sumLine}${count} ${numberText(total.summary.count)}\n`
    }
  }
}

/** The one sample of a counter or gauge; nothing while there is no value. */
function sampleLine(row: Row, value: Exact | undefined, options: TextOptions): string {
  if (value === undefined || Number.isNaN(value)) return ''
  const { sample, record, shift } = row
  return `${sample} ${numberText(value, shift)}${timestamp(record, options)}\n`
}

function timestamp({ metadata, lastDataMs }: SeriesRecord, options: TextOptions): string {
  if (!options.isTimed || metadata.dialect !== EVENT_COUNTERS) return ''
  return ` ${options.isOpenMetrics ? lastDataMs / 1000 : lastDataMs}`
}

function partValue(view: HubView, record: SeriesRecord, part: RowPart): Exact | undefined {
  switch (part) {
    case 'm1':
    case 'm5':
    case 'm15':
      return view.rates(record)?.[part]
    case 'increment':
      return record.counterWindows?.last?.delta
    default: {
      const total = view.total(record)
      return total.kind === 'summary' ? windowValue(total.last, part) : undefined
    }
  }
}
