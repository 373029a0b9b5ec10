/** One scrape: the layout of all series with the totals of this moment, in text or protobuf. */

import type { PrometheusNaming } from '../../dialects/eventcounters/families.ts'
import type { NameStyle } from '../../exposition/names.ts'
import type { ExpositionFormat, TextFormat } from '../../exposition/negotiation.ts'
import type { Task } from '../../hub/tasks/task.ts'
import type { HubView } from '../../hub/view.ts'
import type { Pieces } from '../pieces.ts'
import type { HttpReports } from '../reports.ts'
import { familyProtobuf } from './family-protobuf.ts'
import { familyText } from './family-text.ts'
import { type Layout, type LayoutOptions, layoutSteps } from './layout.ts'
import type { FilterNames } from './names.ts'

export interface PrometheusOptions {
  /** `utf8` keeps names as sent for scrapers that ask for `escaping=allow-utf-8`. */
  readonly names?: NameStyle
  readonly exportRates?: boolean
  readonly observer?: 'histogram' | 'summary'
  /** Proxy-Wasm metrics with a label `filter`, or as `pw_<filter>_<name>`. */
  readonly filterNames?: FilterNames
  /** EventCounters as totals and statistics, or as dotnet-monitor shows them. */
  readonly counterNames?: PrometheusNaming
  /** Native buckets beside the classic ones, for scrapers that take protobuf. */
  readonly nativeHistograms?: boolean
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

  /** Made in turns: each value is that of the moment at which its piece is made. */
  pieces(format: ExpositionFormat, style: NameStyle = 'legacy'): Pieces {
    return format === 'protobuf' ? this.#protobuf(style) : this.#text(format, style)
  }

  *#text(format: TextFormat, style: NameStyle): Pieces<string> {
    const isOpenMetrics = format === 'openmetrics'
    const options = { isOpenMetrics, isTimed: this.#isTimed }
    const { families } = yield* this.#layout(style)
    for (const family of families) yield* familyText(family, this.#view, options)
    if (isOpenMetrics) yield '# EOF\n'
  }

  *#protobuf(style: NameStyle): Pieces<Uint8Array> {
    const options = {
      isTimed: this.#isTimed,
      hasNative: this.#options.nativeHistograms ?? false,
    }
    const { families } = yield* this.#layout(style)
    for (const family of families) yield* familyProtobuf(family, this.#view, options)
  }

  get #isTimed(): boolean {
    return this.#options.counterNames === 'dotnet-monitor'
  }

  *#layout(style: NameStyle): Task<Layout> {
    const { series } = this.#view
    const held = this.#layouts.get(style)
    const { revision } = series
    if (held !== undefined && held.revision === revision) return held.layout
    const options: LayoutOptions = {
      style,
      exportRates: this.#options.exportRates ?? false,
      observer: this.#options.observer ?? 'histogram',
      filterNames: this.#options.filterNames ?? 'labels',
      counterNames: this.#options.counterNames ?? 'standard',
      nativeHistograms: this.#options.nativeHistograms ?? false,
    }
    const layout = yield* layoutSteps(series, options)
    // whatever came meanwhile makes the next scrape lay out anew
    this.#layouts.set(style, { revision, layout })
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
