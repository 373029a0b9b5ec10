/** One scrape: the layout of all series with the totals of this moment, in text or protobuf. */

import type { NameStyle } from '../../../exposition/names.ts'
import type { ExpositionFormat, TextFormat } from '../../../exposition/negotiation.ts'
import type { SeriesRecord } from '../../../hub/series/record.ts'
import { HeldValues } from '../../../hub/tasks/held-values.ts'
import { forEachItem, type Task } from '../../../hub/tasks/task.ts'
import type { HubView } from '../../../hub/view.ts'
import type { HttpReports } from '../../limits.ts'
import { type Pieces, ROWS_PER_STEP } from '../../pieces.ts'
import { familyProtobuf } from './family-protobuf.ts'
import { familyText } from './family-text.ts'
import { extendLayout, type Layout, type LayoutOptions, layoutTask } from './layout.ts'

export interface PrometheusOptions {
  /** `utf8` keeps names as sent for scrapers that ask for `escaping=allow-utf-8`. */
  readonly names?: NameStyle
  readonly exportRates?: boolean
  readonly observer?: 'histogram' | 'summary'
  /** Native buckets beside the classic ones, for scrapers that take protobuf. */
  readonly nativeHistograms?: boolean
  /** Whether OpenMetrics says with `_created` when each total began; as a rule it does. */
  readonly createdSamples?: boolean
}

interface LayoutOfRevision {
  readonly revision: number
  /** Series at that revision. */
  readonly size: number
  readonly layout: Layout
}

/** New series that are put into a layout at once, each in some 10 µs; more are laid out anew. */
const EXTENSION_LIMIT = 256

export class Exposition {
  readonly #view: HubView
  readonly #options: PrometheusOptions
  readonly #reports: HttpReports
  readonly #layouts = new HeldValues((style: NameStyle, held?: LayoutOfRevision) =>
    this.#layout(style, held),
  )
  /** Series already counted as `name_conflicts`. */
  #conflicting: ReadonlyMap<number, string> = new Map()

  constructor(view: HubView, options: PrometheusOptions, reports: HttpReports) {
    this.#view = view
    this.#options = options
    this.#reports = reports
  }

  /** Writes in slices: each value is that of the moment at which its piece is made. */
  pieces(format: ExpositionFormat, style: NameStyle = 'legacy'): Pieces {
    return format === 'protobuf' ? this.#protobuf(style) : this.#text(format, style)
  }

  *#text(format: TextFormat, style: NameStyle): Pieces<string> {
    const isOpenMetrics = format === 'openmetrics'
    const { families } = yield* this.#current(style)
    for (const family of families) yield* familyText(family, this.#view, isOpenMetrics)
    if (isOpenMetrics) yield '# EOF\n'
  }

  *#protobuf(style: NameStyle): Pieces<Uint8Array> {
    const hasNative = this.#options.nativeHistograms ?? false
    const { families } = yield* this.#current(style)
    for (const family of families) yield* familyProtobuf(family, this.#view, hasNative)
  }

  /** Gives a layout with all series that were there when it was asked for. */
  *#current(style: NameStyle): Task<Layout> {
    return (yield* this.#layouts.get(style, this.#view.series.revision)).layout
  }

  /** Makes a layout as of the revision at which it begins, of the one before where it can. */
  *#layout(style: NameStyle, held?: LayoutOfRevision): Task<LayoutOfRevision> {
    const { series } = this.#view
    const { revision, size } = series
    const options: LayoutOptions = {
      style,
      exportRates: this.#options.exportRates ?? false,
      observer: this.#options.observer ?? 'histogram',
      rulesOf: (dialect) => this.#view.exportRules(dialect),
      nativeHistograms: this.#options.nativeHistograms ?? false,
      createdSamples: this.#options.createdSamples ?? true,
    }
    const extended = held && (yield* this.#extend(held, options))
    if (extended !== undefined) return extended
    const layout = yield* layoutTask(series, options)
    // what came meanwhile is not known to be in it: the next scrape puts it there
    if (style === 'legacy') this.#countConflicts(layout)
    return { revision, size, layout }
  }

  /** Puts in the series that are new; undefined where more than that has changed. */
  *#extend(held: LayoutOfRevision, options: LayoutOptions): Task<LayoutOfRevision | undefined> {
    const { series } = this.#view
    const { revision, size } = series
    // every new series raises both by one; what else raises the revision never raises the size
    if (revision - held.revision !== size - held.size) return undefined
    const { lastId } = held.layout
    const added: SeriesRecord[] = []
    const collect = (record: SeriesRecord): void => {
      if (record.id > lastId && added.length <= EXTENSION_LIMIT) added.push(record)
    }
    yield* forEachItem(series, collect, 16 * ROWS_PER_STEP)
    if (series.revision !== revision || added.length > EXTENSION_LIMIT) return undefined
    const layout = extendLayout(held.layout, added, options)
    return layout && { revision, size, layout }
  }

  /** Counts every series once, however often it is scraped. */
  #countConflicts({ conflicts }: Layout): void {
    for (const [id, rule] of conflicts) {
      if (!this.#conflicting.has(id)) this.#reports.count('name_conflicts', rule)
    }
    this.#conflicting = conflicts
  }
}
