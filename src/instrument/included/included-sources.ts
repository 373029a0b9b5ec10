/**
 * Metrics that other libraries keep, shown wherever a registry's totals are: on `/metrics`, in
 * pushes and in what a cluster adds up. Nothing is copied: a source is asked when ours are read.
 */
import { EMPTY_SUMMARY, type Exact, type Histogram, type Labels } from '../../model/index.ts'
import type { Reading } from '../readings/reading.ts'
import { errorText, type Report } from '../reports.ts'

interface AnySeries {
  /** Name as its library has it: it gets no group, and no unit that it ends with already. */
  readonly name: string
  /** Unit of UCUM: `By`, `s`, `ms`. */
  readonly unit?: string
  readonly description?: string
  readonly labels?: Labels
}

/** One series of a {@link MetricsSource}, as it is now. */
export type SourceSeries = AnySeries &
  (
    | { readonly kind: 'counter'; readonly value: Exact }
    | { readonly kind: 'gauge'; readonly value: number }
    | { readonly kind: 'histogram'; readonly value: Histogram }
    | {
        readonly kind: 'summary'
        readonly sum: number
        readonly count: number
        readonly quantiles: readonly (readonly [quantile: number, value: number])[]
      }
  )

/** Metrics that something else keeps: totals since its start, asked for when ours are read. */
export interface MetricsSource {
  /** Gives every series as it is now. */
  read(): Iterable<SourceSeries> | Promise<Iterable<SourceSeries>>
}

/** Source that is shown until it is closed. */
export interface IncludedSource {
  /** Takes it out; idempotent. */
  close(): void
}

/** Series of all sources together; what comes beyond them is counted and not shown. */
const SERIES_LIMIT = 100_000
/** Time for a source to answer: one that takes longer is shown as it was. */
const ANSWER_MS = 1000

interface Entry {
  readonly source: MetricsSource
  readings: readonly Reading[]
  isFailing: boolean
}

export class IncludedSources {
  readonly #entries = new Set<Entry>()
  readonly #report: Report
  #round: Promise<void> | undefined
  #next: Promise<void> | undefined
  #isDropLogged = false

  constructor(report: Report) {
    this.#report = report
  }

  add(source: MetricsSource): IncludedSource {
    const entry: Entry = { source, readings: [], isFailing: false }
    this.#entries.add(entry)
    void this.gather()
    return { close: () => void this.#entries.delete(entry) }
  }

  /**
   * Asks all sources how they stand. What is recorded before the call is in what they answer: who
   * comes while they are asked shares the next time with others.
   * @returns a promise where one of them takes its time; it never rejects
   */
  gather(): Promise<void> | undefined {
    if (this.#round === undefined) return this.#begin()
    this.#next ??= this.#round.then(() => {
      this.#next = undefined
      return this.#begin()
    })
    return this.#next
  }

  #begin(): Promise<void> | undefined {
    const late: Promise<void>[] = []
    for (const entry of this.#entries) {
      const waiting = this.#ask(entry)
      if (waiting !== undefined) late.push(waiting)
    }
    if (late.length === 0) return undefined
    this.#round = inTime(Promise.all(late)).finally(() => {
      this.#round = undefined
    })
    return this.#round
  }

  /**
   * Gives the readings of all sources as they were gathered last.
   * @param but source that is left out
   */
  readings(but?: MetricsSource): Reading[] {
    const all: Reading[] = []
    for (const { source, readings } of this.#entries) {
      if (source === but) continue
      const room = SERIES_LIMIT - all.length
      for (const reading of readings.slice(0, room)) all.push(reading)
      if (readings.length > room) this.#drop()
    }
    return all
  }

  #drop(): void {
    const message = `sources have more than ${SERIES_LIMIT} series: the others are not shown`
    this.#report('dropped_sources', this.#isDropLogged ? undefined : message)
    this.#isDropLogged = true
  }

  #ask(entry: Entry): Promise<void> | undefined {
    try {
      const answer = entry.source.read()
      if (!(answer instanceof Promise)) return this.#take(entry, answer)
      return answer
        .then((series) => this.#take(entry, series))
        .catch((error: unknown) => this.#fail(entry, error))
    } catch (error) {
      this.#fail(entry, error)
    }
    return undefined
  }

  #take(entry: Entry, series: Iterable<SourceSeries>): undefined {
    const readings: Reading[] = []
    for (const each of series) {
      if (readings.length >= SERIES_LIMIT) {
        this.#drop()
        break
      }
      readings.push(readingOf(each))
    }
    entry.readings = readings
    entry.isFailing = false
  }

  /** Shows nothing of a source that fails: values of another time would look like those of now. */
  #fail(entry: Entry, error: unknown): void {
    const message = `a source of metrics fails: ${errorText(error)}`
    this.#report('failed_sources', entry.isFailing ? undefined : message)
    entry.isFailing = true
    entry.readings = []
  }
}

async function inTime(answers: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ANSWER_MS)
  await Promise.race([answers, late])
  clearTimeout(timer)
}

function readingOf(series: SourceSeries): Reading {
  const { name, unit = '', description: displayName = '', labels = [] } = series
  const texts = { provider: '', name, displayName, units: unit }
  const description = { ...texts, rateScaleSec: 0, metaData: labels, hasTags: true }
  switch (series.kind) {
    case 'counter':
      return { description, labels, kind: 'counter', total: series.value }
    case 'gauge':
      return { description, labels, kind: 'gauge', value: series.value }
    case 'histogram':
      return { description, labels, kind: 'histogram', histogram: series.value }
    case 'summary': {
      const { sum, count, quantiles } = series
      return { description, labels, kind: 'summary', sum, count, quantiles, last: EMPTY_SUMMARY }
    }
  }
}
