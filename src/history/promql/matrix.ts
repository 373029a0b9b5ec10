/**
 * Samples of series as an engine answers them: `{"resultType":"matrix","result":[{"metric":{…},
 * "values":[[seconds,"value"],…],"histograms":[[seconds,{…}],…]}]}`, each part of it checked.
 */
import { HistoryError } from '../store.ts'
import type { NativeSample } from './native.ts'

/** Samples of one series in the order of time, times in Unix seconds. */
export interface SampledSeries {
  readonly labels: ReadonlyMap<string, string>
  readonly times: readonly number[]
  /** Values as text: a double that is shifted by powers of ten is read once. */
  readonly values: readonly string[]
  readonly natives: readonly (readonly [timeS: number, sample: NativeSample])[]
}

/** Series of one answer; more are no answer to what a hub asks. */
const SERIES_LIMIT = 100_000

/** @throws {HistoryError} `bad_answer`, or `too_large` for too many series */
export function matrixOf(data: unknown): SampledSeries[] {
  const { resultType, result } = (data ?? {}) as { resultType?: unknown; result?: unknown }
  if (resultType !== 'matrix' || !Array.isArray(result)) throw bad('no matrix of series')
  if (result.length > SERIES_LIMIT) {
    const message = `answer of ${result.length} series, limit ${SERIES_LIMIT}`
    throw new HistoryError('too_large', message)
  }
  return result.map(seriesOf)
}

function seriesOf(each: unknown): SampledSeries {
  const { metric, values = [], histograms = [] } = (each ?? {}) as Record<string, unknown>
  if (!isObject(metric)) throw bad('a series without labels')
  if (!Array.isArray(values) || !Array.isArray(histograms)) throw bad('samples that are no list')
  const labels = new Map<string, string>()
  for (const [key, value] of Object.entries(metric)) {
    if (typeof value !== 'string') throw bad(`label ${key} that is no text`)
    labels.set(key, value)
  }
  const times: number[] = []
  const texts: string[] = []
  for (const pair of values) {
    const [timeS, value] = Array.isArray(pair) ? (pair as unknown[]) : []
    if (!isTime(timeS, times.at(-1)) || typeof value !== 'string') throw bad('no sample')
    times.push(timeS)
    texts.push(value)
  }
  let before: number | undefined
  const natives = histograms.map((pair: unknown) => {
    const [timeS, sample] = Array.isArray(pair) ? (pair as unknown[]) : []
    if (!isTime(timeS, before) || !isObject(sample)) throw bad('no histogram')
    before = timeS
    return [timeS, sample] as const
  })
  return { labels, times, values: texts, natives }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTime(timeS: unknown, before: number | undefined): timeS is number {
  return Number.isFinite(timeS) && (timeS as number) >= (before ?? 0)
}

function bad(what: string): HistoryError {
  return new HistoryError('bad_answer', `the engine's answer has ${what} in it`)
}
