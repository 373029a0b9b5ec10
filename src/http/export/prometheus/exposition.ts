/** One scrape: the families of all series with the totals of this moment, in text or protobuf. */

import type { NameStyle } from '../../../exposition/names.ts'
import type { ExpositionFormat, TextFormat } from '../../../exposition/negotiation.ts'
import type { SeriesRecord } from '../../../hub/series/record.ts'
import { HeldValues } from '../../../hub/tasks/held-values.ts'
import type { Task } from '../../../hub/tasks/task.ts'
import type { HubView } from '../../../hub/view.ts'
import type { HttpReports } from '../../limits.ts'
import type { Pieces } from '../../pieces.ts'
import { familyProtobuf } from './family-protobuf.ts'
import { familyText } from './family-text.ts'
import { Catalog, firstIdOf } from './layout/catalog.ts'
import { type LayoutOptions, plainFamily } from './layout/families.ts'
import type { Conflict, Shown, ShownRow } from './layout/groups.ts'
import type { PlainList } from './layout/plain-list.ts'
import { PlainText } from './plain-text.ts'

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

export class Exposition {
  readonly #view: HubView
  readonly #options: PrometheusOptions
  readonly #reports: HttpReports
  readonly #catalogs = new Map<NameStyle, Catalog>()
  readonly #shown = new HeldValues((style: NameStyle) => this.#update(style))
  /** Series already counted as `name_conflicts`. */
  #conflicting: ReadonlyMap<number, Conflict> = new Map()

  constructor(view: HubView, options: PrometheusOptions, reports: HttpReports) {
    this.#view = view
    this.#options = options
    this.#reports = reports
    const styles: NameStyle[] = options.names === 'utf8' ? ['legacy', 'utf8'] : ['legacy']
    for (const style of styles) {
      this.#catalogs.set(style, new Catalog(view.series, this.#layoutOptions(style)))
    }
  }
  /** Style of the names for scrapers that accept it. */
  get style(): NameStyle {
    return this.#options.names ?? 'legacy'
  }

  /** Writes in slices: each value is that of the moment at which its piece is made. */
  pieces(format: ExpositionFormat, style: NameStyle = 'legacy'): Pieces {
    return format === 'protobuf' ? this.#protobuf(style) : this.#text(format, style)
  }

  /** Finds the families that scrapers get a series in, as the next answer has them. */
  *shownOf(record: SeriesRecord): Task<readonly ShownRow[]> {
    yield* this.#current('legacy')
    return this.#catalogs.get('legacy')!.shownOf(record)
  }

  /**
   * Takes in what series have come and left, so that the next answer begins at once: to be done now
   * and then, whether there are scrapers or not.
   */
  *prepare(): Task {
    for (const style of this.#catalogs.keys()) yield* this.#current(style)
  }

  *#text(format: TextFormat, style: NameStyle): Pieces {
    const isOpenMetrics = format === 'openmetrics'
    const { plain, families } = yield* this.#current(style)
    const names = this.#catalogs.get(style)!.plainNames()
    const writer = new PlainText(this.#view, names, this.#layoutOptions(style), isOpenMetrics)
    let place = 0
    for (const family of families) {
      place = yield* plainText(writer, plain, place, firstIdOf(family))
      yield* writer.take()
      yield* familyText(family, this.#view, isOpenMetrics)
    }
    yield* plainText(writer, plain, place, Number.POSITIVE_INFINITY)
    yield* writer.take()
    if (isOpenMetrics) yield '# EOF\n'
  }

  *#protobuf(style: NameStyle): Pieces<Uint8Array> {
    const hasNative = this.#options.nativeHistograms ?? false
    const { plain, families } = yield* this.#current(style)
    let place = 0
    for (const family of families) {
      place = yield* this.#plainProtobuf(plain, place, firstIdOf(family), style)
      yield* familyProtobuf(family, this.#view, hasNative)
    }
    yield* this.#plainProtobuf(plain, place, Number.POSITIVE_INFINITY, style)
  }

  *#plainProtobuf(
    plain: PlainList,
    from: number,
    endId: number,
    style: NameStyle,
  ): Pieces<Uint8Array, number> {
    const hasNative = this.#options.nativeHistograms ?? false
    const options = this.#layoutOptions(style)
    const names = this.#catalogs.get(style)!.plainNames()
    let place = from
    for (; place < plain.length && plain.idOf(place) < endId; place++) {
      const record = plain.has(place) ? this.#view.series.get(plain.idOf(place)) : undefined
      if (record === undefined || !names.isSame(record, plain.suffixOf(place))) continue
      yield* familyProtobuf(plainFamily(record, options), this.#view, hasNative)
    }
    return place
  }

  /** Gives all series that were there when it was asked for. */
  #current(style: NameStyle): Task<Shown> {
    return this.#shown.get(style, this.#view.series.revision)
  }

  *#update(style: NameStyle): Task<Shown> {
    const catalog = this.#catalogs.get(style)!
    const shown = yield* catalog.update()
    if (style === 'legacy') this.#countConflicts(catalog)
    return shown
  }

  /** Counts every series once, however often it is scraped. */
  #countConflicts({ conflicts }: Catalog): void {
    if (conflicts === this.#conflicting) return
    for (const [id, rule] of conflicts) {
      if (!this.#conflicting.has(id)) this.#reports.count('name_conflicts', rule)
    }
    this.#conflicting = conflicts
  }

  #layoutOptions(style: NameStyle): LayoutOptions {
    return {
      style,
      exportRates: this.#options.exportRates ?? false,
      observer: this.#options.observer ?? 'histogram',
      rulesOf: (dialect) => this.#view.exportRules(dialect),
      nativeHistograms: this.#options.nativeHistograms ?? false,
      createdSamples: this.#options.createdSamples ?? true,
    }
  }
}

/** Writes plain series up to an id. @returns the place after the last one */
function* plainText(
  writer: PlainText,
  plain: PlainList,
  from: number,
  endId: number,
): Pieces<Uint8Array, number> {
  let place = from
  while (place < plain.length && plain.idOf(place) < endId) {
    place = writer.add(plain, place, endId)
    if (writer.isFull) yield* writer.take()
    else yield
  }
  return place
}
