/**
 * Totals of a series of the hub as samples of Prometheus, named as on /metrics. What was sent last
 * is kept, so that a series that stands still can be told again; one that begins is told half a
 * second before as it stood then, for functions as `increase` only see growth between samples.
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
  type Histogram,
  type Labels,
  type Summary,
} from '../../../model/index.ts'
import { type WindowPart, windowValue } from '../../export-rules.ts'
import { writeNative, writeStaleNative } from './native.ts'
import { labelBytes, type RequestWriter } from './request-writer.ts'

/** Form of distributions: buckets as series of their own, native histograms, or both. */
export type HistogramForm = 'classic' | 'native' | 'both'

const BEFORE_MS = 500
const INFINITY = '+Inf'

/** One series of Prometheus, with the value that it had last. */
interface Row {
  readonly labels: Uint8Array
  readonly isNative: boolean
  value: number
}

export class EmittedSeries {
  readonly isAway: () => boolean
  readonly #form: HistogramForm
  #names: readonly PrometheusName[] = []
  /** Rows by the place of their name, and what is behind it. */
  readonly #rows = new Map<string, Row>()
  #counter: Exact = 0
  #before: Exact | undefined = 0
  #gauge: Exact | undefined
  #histogram: Histogram | undefined
  readonly #summary = { count: 0, sum: 0 }
  /** Summary of the last second that had one, of which some families are parts. */
  #last: Summary | undefined
  #increment: Exact | undefined
  /** Time of the samples that were written last, Unix ms; 0 before any. */
  sentMs = 0

  /** @param total of what it was before */
  constructor(form: HistogramForm, isAway: () => boolean, total: Cell | undefined) {
    this.#form = form
    this.isAway = isAway
    if (total === undefined) return
    this.add(total)
    this.#last = undefined
    this.#increment = undefined
  }

  get names(): readonly PrometheusName[] {
    return this.#names
  }

  /** Has these names from now on, with the label of the hub. */
  rename(names: readonly PrometheusName[]): void {
    this.#names = names
    this.#rows.clear()
  }

  add(cell: Cell): void {
    switch (cell.kind) {
      case 'counter':
        this.#before = this.#counter
        this.#counter = addExact(this.#counter, cell.delta)
        this.#increment = cell.delta
        break
      case 'gauge':
        this.#gauge = cell.value
        break
      case 'histogram':
        if (this.#histogram === undefined) this.#histogram = cell.histogram.clone()
        else this.#histogram.mergeFrom(cell.histogram)
        break
      case 'summary':
        this.#summary.count += cell.summary.count
        // kept apart: mean times count may fall by a rounding, and a total may not
        this.#summary.sum += cell.summary.count === 0 ? 0 : cell.summary.mean * cell.summary.count
        this.#last = cell.summary
    }
  }

  /** Writes all there is, as of a time. */
  write(writer: RequestWriter, timeMs: number): void {
    const isFirst = this.sentMs === 0
    this.sentMs = timeMs
    this.#names.forEach((name, place) => {
      const row = new RowWriter(this.#rows, name, place, writer, timeMs)
      if (name.part !== undefined) {
        row.number('', name.sample, this.#partOf(name.part))
      } else if (name.type === 'counter') {
        row.number('', name.sample, this.#counter, this.#before)
      } else if (name.type === 'gauge') {
        row.number('', name.sample, this.#gauge)
      } else if (name.type === 'summary') {
        row.number('sum', `${name.family}_sum`, this.#summary.sum, 0)
        row.count('count', `${name.family}_count`, this.#summary.count)
      } else if (this.#histogram !== undefined) {
        this.#writeHistogram(row, this.#histogram, isFirst)
      }
    })
    this.#before = undefined
  }

  #partOf(part: WindowPart): Exact | undefined {
    if (part === 'increment') return this.#increment
    return this.#last && windowValue(this.#last, part)
  }

  #writeHistogram(row: RowWriter, histogram: Histogram, isFirst: boolean): void {
    const native = this.#form === 'classic' ? undefined : nativeForm(histogram)
    if (native !== undefined) row.native(histogram, native)
    if (native !== undefined && this.#form === 'native') return
    row.buckets(histogram)
    row.number('sum', `${row.name.family}_sum`, exportedSum(histogram), isFirst ? 0 : undefined)
    row.count('count', `${row.name.family}_count`, Number(histogram.count))
  }

  /** Writes that it has ended. */
  stale(writer: RequestWriter, timeMs: number): void {
    for (const { labels, isNative } of this.#rows.values()) {
      if (isNative) writer.histogram(labels, (each) => writeStaleNative(each, timeMs))
      else writer.stale(labels, timeMs)
    }
    this.#rows.clear()
  }
}

/** Writer of the rows of one name. */
class RowWriter {
  readonly name: PrometheusName
  readonly #rows: Map<string, Row>
  readonly #place: number
  readonly #writer: RequestWriter
  readonly #timeMs: number

  constructor(
    rows: Map<string, Row>,
    name: PrometheusName,
    place: number,
    writer: RequestWriter,
    timeMs: number,
  ) {
    this.#rows = rows
    this.name = name
    this.#place = place
    this.#writer = writer
    this.#timeMs = timeMs
  }

  /**
   * Writes a value in the unit of the export, and what it was before where it is a new row.
   * @param key of the row among those of this name
   */
  number(key: string, sample: string, value: Exact | undefined, before?: Exact): void {
    if (value === undefined || Number.isNaN(value)) return
    const scale = 10 ** this.name.shift
    const former = before === undefined ? undefined : Number(before) / scale
    this.#row(key, sample, Number(value) / scale, former)
  }

  /** Writes a number of observations. */
  count(key: string, sample: string, value: number): void {
    this.#row(key, sample, value, 0)
  }

  #row(key: string, sample: string, value: number, before?: number, bound?: string): Row {
    const place = `${this.#place} ${key}`
    let row = this.#rows.get(place)
    if (row === undefined) {
      row = { labels: labelBytes(sample, this.#labels(bound)), isNative: false, value }
      this.#rows.set(place, row)
      if (before !== undefined && before !== value) {
        this.#writer.sample(row.labels, before, this.#timeMs - BEFORE_MS)
      }
    }
    row.value = value
    this.#writer.sample(row.labels, value, this.#timeMs)
    return row
  }

  #labels(bound: string | undefined): Labels {
    return bound === undefined ? this.name.labels : [...this.name.labels, ['le', bound]]
  }

  /** Writes the buckets of a classic histogram, each under its upper bound. */
  buckets(histogram: Histogram): void {
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
      this.#row(`le ${text}`, sample, Number(seen), former, text)
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
        isNative: true,
        value: 0,
      }
      this.#rows.set(place, row)
    }
    this.#writer.histogram(row.labels, (each) => {
      writeNative(each, histogram, form, this.#timeMs)
    })
  }
}
