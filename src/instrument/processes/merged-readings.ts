/**
 * Readings of several processes as those of one: counters add up, histograms and summaries merge,
 * a gauge stays that of its process, told by a label. What a process counted before it ended stays,
 * its exemplars do not.
 */
import {
  addExact,
  EMPTY_SUMMARY,
  type Exemplar,
  type Labels,
  mergeExemplars,
  mergeSummaries,
  sortLabels,
} from '../../model/index.ts'
import { identityText, type Reading } from '../readings/reading.ts'

/** Label that says which process a gauge is of. */
const WORKER = 'worker'
/** Identities of processes that ended; counts under further ones are forgotten with them. */
const DEPARTED_LIMIT = 100_000

export class MergedReadings {
  readonly #merged = new Map<string, Reading>()

  /** @param worker name of the process; undefined for one that has ended, which has no gauges */
  add(reading: Reading, worker: string | undefined): void {
    if (reading.kind === 'gauge') {
      if (worker !== undefined) this.#merged.set(`${this.#merged.size}`, ofWorker(reading, worker))
      return
    }
    const key = identityText(reading)
    const known = this.#merged.get(key)
    this.#merged.set(key, known === undefined ? copyOf(reading) : sum(known, reading))
  }

  /** Adds what a process that ended has left. */
  addDeparted(readings: Iterable<Reading>): void {
    for (const reading of readings) {
      if (this.#merged.size < DEPARTED_LIMIT || this.#merged.has(identityText(reading))) {
        this.add(atRest(reading), undefined)
      }
    }
  }

  values(): Reading[] {
    return [...this.#merged.values()]
  }
}

/** Copies what is merged in place. */
function copyOf(reading: Reading): Reading {
  return reading.kind === 'histogram'
    ? { ...reading, histogram: reading.histogram.clone() }
    : reading
}

function sum(a: Reading, b: Reading): Reading {
  if (a.kind === 'counter' && b.kind === 'counter') {
    return { ...a, total: addExact(a.total, b.total), ...exemplarsOf(a, b) }
  }
  if (a.kind === 'histogram' && b.kind === 'histogram') {
    a.histogram.mergeFrom(b.histogram)
    return { ...a, ...exemplarsOf(a, b) }
  }
  if (a.kind === 'summary' && b.kind === 'summary') {
    // quantiles of parts say nothing of the whole
    const { quantiles: _, ...rest } = a
    const last = mergeSummaries(a.last, b.last)
    return { ...rest, sum: a.sum + b.sum, count: a.count + b.count, last }
  }
  throw new TypeError(`no sum of ${a.kind} and ${b.kind}`)
}

function exemplarsOf(a: Reading, b: Reading): { readonly exemplars?: readonly Exemplar[] } {
  const exemplars = mergeExemplars(a.exemplars ?? [], b.exemplars ?? [])
  return exemplars.length === 0 ? {} : { exemplars }
}

/** Leaves out what a process that ended has not any more: its last window, and its exemplars. */
function atRest({ exemplars: _, ...reading }: Reading): Reading {
  return reading.kind === 'summary' ? { ...reading, last: EMPTY_SUMMARY } : reading
}

function ofWorker(reading: Reading, worker: string): Reading {
  const labels: Labels = reading.labels ?? reading.description.metaData
  let key = WORKER
  while (labels.some(([taken]) => taken === key)) key += '_'
  return { ...reading, labels: sortLabels([...labels, [key, worker]]) }
}
