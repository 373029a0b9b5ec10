/**
 * Totals of a series of the hub as samples of Prometheus, named as on /metrics. What was sent last
 * is kept, so that a series that stands still can be told again; one that begins, or comes again
 * after it was away, is told half a second before as it stood then, for functions as `increase`
 * only see growth between samples.
 */
import { exportedSum, forEachBound } from '../../../exposition/distribution.ts'
import { nativeFamily } from '../../../exposition/names.ts'
import { nativeForm } from '../../../exposition/native-histogram.ts'
import type { PrometheusName } from '../../../exposition/series-names.ts'
import { numberText } from '../../../exposition/text.ts'
import {
  addExact,
  type Cell,
  type Exact,
  Histogram,
  type Kind,
  type Labels,
  type Summary,
} from '../../../model/index.ts'
import { type WindowPart, windowValue } from '../../export-rules.ts'
import { METRIC_TYPES } from '../spec.ts'
import { writeNative, writeStaleNative } from './native.ts'
import { familyWords, type SeriesFacts } from './record.ts'
import { labelBytes, type RequestWriter, type WrittenSeries } from './request-writer.ts'

/** Form of distributions: buckets as series of their own, native histograms, or both. */
export type HistogramForm = 'classic' | 'native' | 'both'

const BEFORE_MS = 500
const INFINITY = '+Inf'

/** One series of Prometheus, with the value that it had last. */
interface Row extends WrittenSeries {
  facts: SeriesFacts
  readonly isNative: boolean
  value: number
}

/** Totals of a series at one instant; of each kind its own. */
interface Totals {
  counter: Exact
  histogram: Histogram | undefined
  summary: { readonly count: number; readonly sum: number }
}

export class EmittedSeries {
  readonly isAway: () => boolean
  readonly #form: HistogramForm
  #names: readonly PrometheusName[] = []
  /** Rows by the place of their name, and what is behind it. */
  readonly #rows = new Map<string, Row>()
  readonly #totals: Totals = { counter: 0, histogram: undefined, summary: { count: 0, sum: 0 } }
  /** Totals that are not written: those before the first cell, or when it was said to be away. */
  #former: Totals | undefined
  #gauge: Exact | undefined
  /** Summary of the last second that had one, of which some families are parts. */
  #last: Summary | undefined
  #increment: Exact | undefined
  #help = ''
  /** Facts of each name, once something was written of it. */
  #facts: SeriesFacts[] = []
  /** Time at which its totals began, Unix ms; 0 where it is not known, undefined before any. */
  #startMs: number | undefined
  /** Time of the samples that were written last, Unix ms; 0 before any. */
  sentMs = 0

  /** @param total of what it was before */
  constructor(form: HistogramForm, isAway: () => boolean, total: Cell | undefined) {
    this.#form = form
    this.isAway = isAway
    if (total !== undefined) {
      this.#startMs = 0
      this.add(total)
    }
    this.#last = undefined
    this.#increment = undefined
    this.#former = this.#copy()
  }

  get names(): readonly PrometheusName[] {
    return this.#names
  }

  /** Has these names from now on, with the label of the hub. */
  rename(names: readonly PrometheusName[], help = ''): void {
    this.#names = names
    this.#rows.clear()
    this.describe(help)
  }

  /** Is described so from now on. */
  describe(help: string): void {
    this.#help = help
    this.#facts = []
  }

  #factsOf(name: PrometheusName, place: number): SeriesFacts {
    const known = this.#facts[place]
    if (known !== undefined) return known
    const type = METRIC_TYPES.indexOf(name.type.toUpperCase() as (typeof METRIC_TYPES)[number])
    const isTotal = name.type !== 'gauge' && name.part === undefined
    const facts = {
      words: familyWords(type, this.#help, name.unit ?? ''),
      startMs: isTotal ? (this.#startMs ?? 0) : 0,
    }
    this.#facts[place] = facts
    return facts
  }

  /** @param told total or sum as it is told elsewhere, where fractions make it depend on order */
  add(cell: Cell, told?: Exact): void {
    const totals = this.#totals
    switch (cell.kind) {
      case 'counter':
        totals.counter = told ?? addExact(totals.counter, cell.delta)
        this.#increment = cell.delta
        break
      case 'gauge':
        this.#gauge = cell.value
        break
      case 'histogram':
        if (totals.histogram === undefined) totals.histogram = cell.histogram.clone()
        else totals.histogram.mergeFrom(cell.histogram)
        if (told !== undefined) totals.histogram.sum = told
        break
      case 'summary': {
        const { count, mean } = cell.summary
        // kept apart: mean times count may fall by a rounding, and a total may not
        const sum = totals.summary.sum + (count === 0 ? 0 : mean * count)
        totals.summary = { count: totals.summary.count + count, sum: Number(told ?? sum) }
        this.#last = cell.summary
      }
    }
  }

  /** Writes all there is, as of a time. */
  write(writer: RequestWriter, timeMs: number): void {
    this.sentMs = timeMs
    this.#startMs ??= timeMs - BEFORE_MS
    const former = this.#former
    this.#former = undefined
    this.#names.forEach((name, place) => {
      const facts = this.#factsOf(name, place)
      const row = (atMs: number) => new RowWriter(this.#rows, name, place, facts, writer, atMs)
      if (name.part !== undefined) {
        row(timeMs).number('', name.sample, this.#partOf(name.part))
      } else if (name.type === 'gauge') {
        row(timeMs).number('', name.sample, this.#gauge)
      } else {
        if (former !== undefined && this.#isNewSince(former, name.type)) {
          this.#writeTotals(row(timeMs - BEFORE_MS), former, true)
        }
        this.#writeTotals(row(timeMs), this.#totals, false)
      }
    })
  }

  #partOf(part: WindowPart): Exact | undefined {
    if (part === 'increment') return this.#increment
    return this.#last && windowValue(this.#last, part)
  }

  #isNewSince(former: Totals, kind: Kind): boolean {
    const { counter, histogram, summary } = this.#totals
    if (kind === 'counter') return counter !== former.counter
    if (kind === 'summary') return summary.count !== former.summary.count
    return (histogram?.count ?? 0n) !== (former.histogram?.count ?? 0n)
  }

  /** @param isFormer nothing before it is known */
  #writeTotals(row: RowWriter, totals: Totals, isFormer: boolean): void {
    const { counter, histogram, summary } = totals
    const { type, family, sample } = row.name
    if (type === 'counter') {
      row.number('', sample, counter)
    } else if (type === 'summary') {
      row.number('sum', `${family}_sum`, summary.sum)
      row.number('count', `${family}_count`, summary.count, 0)
    } else {
      const now = this.#totals.histogram
      if (now !== undefined) this.#writeHistogram(row, histogram ?? emptyAs(now), isFormer)
    }
  }

  #writeHistogram(row: RowWriter, histogram: Histogram, isFormer: boolean): void {
    const native = this.#form === 'classic' ? undefined : nativeForm(histogram)
    if (native !== undefined) row.native(histogram, native)
    if (native !== undefined && this.#form === 'native') return
    row.buckets(histogram, isFormer)
    row.number('sum', `${row.name.family}_sum`, exportedSum(histogram))
    row.number('count', `${row.name.family}_count`, histogram.count, 0)
  }

  /** Writes that it has ended, or is away: when it comes again, it goes on from its totals. */
  stale(writer: RequestWriter, timeMs: number): void {
    if (this.#rows.size === 0) return
    for (const row of this.#rows.values()) {
      if (row.isNative) writer.histogram(row, (each) => writeStaleNative(each, timeMs))
      else writer.stale(row, timeMs)
    }
    this.#rows.clear()
    this.#former = this.#copy()
  }

  #copy(): Totals {
    const { counter, histogram, summary } = this.#totals
    return { counter, histogram: histogram?.clone(), summary }
  }
}

/** Makes the histogram that another one was before anything was observed. */
function emptyAs({ scale, bounds }: Histogram): Histogram {
  const empty = new Histogram(scale)
  empty.bounds = bounds
  return empty
}

/** Writer of the rows of one name. */
class RowWriter {
  readonly name: PrometheusName
  readonly #rows: Map<string, Row>
  readonly #place: number
  readonly #facts: SeriesFacts
  readonly #writer: RequestWriter
  readonly #timeMs: number

  constructor(
    rows: Map<string, Row>,
    name: PrometheusName,
    place: number,
    facts: SeriesFacts,
    writer: RequestWriter,
    timeMs: number,
  ) {
    this.#rows = rows
    this.name = name
    this.#place = place
    this.#facts = facts
    this.#writer = writer
    this.#timeMs = timeMs
  }

  /**
   * Writes a value.
   * @param key of the row among those of this name
   * @param shift places by which it is divided, in the unit of the export unless stated
   */
  number(key: string, sample: string, value: Exact | undefined, shift = this.name.shift): void {
    if (value === undefined || Number.isNaN(value)) return
    this.#row(key, sample, Number(value) / 10 ** shift)
  }

  #row(key: string, sample: string, value: number, before?: number, bound?: string): Row {
    const place = `${this.#place} ${key}`
    let row = this.#rows.get(place)
    if (row === undefined) {
      const labels = labelBytes(sample, this.#labels(bound))
      row = { labels, facts: this.#facts, isNative: false, value }
      this.#rows.set(place, row)
      if (before !== undefined && before !== value) {
        this.#writer.sample(row, before, this.#timeMs - BEFORE_MS)
      }
    }
    row.value = value
    row.facts = this.#facts
    this.#writer.sample(row, value, this.#timeMs)
    return row
  }

  #labels(bound: string | undefined): Labels {
    return bound === undefined ? this.name.labels : [...this.name.labels, ['le', bound]]
  }

  /** Writes the buckets of a classic histogram, each under its upper bound. */
  buckets(histogram: Histogram, isFormer: boolean): void {
    const { family, shift } = this.name
    const sample = `${family}_bucket`
    const bounds = new Map<string, bigint>()
    // bounds that read alike are one: the later has the observations of the earlier
    const count = forEachBound(histogram, false, (bound, seen) => {
      bounds.set(numberText(bound, shift), seen)
    })
    bounds.set(INFINITY, count)
    // what a new bound had before is what the one below it had
    let former = 0
    for (const [text, seen] of bounds) {
      const known = this.#rows.get(`${this.#place} le ${text}`)?.value
      this.#row(`le ${text}`, sample, Number(seen), isFormer ? undefined : former, text)
      former = known ?? former
    }
  }

  native(histogram: Histogram, form: NonNullable<ReturnType<typeof nativeForm>>): void {
    const place = `${this.#place} native`
    let row = this.#rows.get(place)
    if (row === undefined) {
      const family = this.name.shift === 0 ? this.name.family : nativeFamily(this.name)?.family
      row = {
        labels: labelBytes(family ?? this.name.family, this.name.labels),
        facts: this.#facts,
        isNative: true,
        value: 0,
      }
      this.#rows.set(place, row)
    }
    row.facts = this.#facts
    this.#writer.histogram(row, (each) => {
      writeNative(each, histogram, form, this.#timeMs)
    })
  }
}
