/** One distribution of one or several histograms, in figures and as what lines say of it. */
import { exact, format } from '../../viewer/format/number.ts'
import { bucketEnds, deviation, type Merged, quantile } from '../../viewer/store/buckets.ts'
import type { Entry } from '../../viewer/store/catalogue.ts'
import { CommandError } from '../exit.ts'
import { quantityText, wide } from '../series/figures.ts'

export const QUANTILES = [
  ['p50', 0.5],
  ['p75', 0.75],
  ['p90', 0.9],
  ['p95', 0.95],
  ['p99', 0.99],
  ['p99.9', 0.999],
] as const

/** Histograms merged in one picture; each is read second by second. */
const HISTOGRAMS_LIMIT = 200

/**
 * Finds the histograms among the series that a selector matches.
 * @throws {CommandError} where there is none, or where they do not measure the same
 */
export function histogramsOf(entries: readonly Entry[], filter: string): readonly Entry[] {
  const found = entries.filter(({ info }) => info.kind === 'histogram')
  if (found.length === 0) {
    const others = entries.length === 0 ? '' : ` (${entries.length} series of other kinds do)`
    throw new CommandError(`no histogram matches ${filter}${others}`)
  }
  const units = new Set(found.map(({ info }) => info.unit ?? ''))
  if (units.size > 1) {
    const list = [...units].map((unit) => unit || 'none').join(', ')
    throw new CommandError(
      `the histograms that match ${filter} have several units: ${list}\n` +
        '  add words or LABEL=VALUE until one is left',
    )
  }
  if (new Set(found.map(({ info }) => String(info.bounds))).size > 1) {
    throw new CommandError(
      `the histograms that match ${filter} have buckets between different bounds\n` +
        '  add words or LABEL=VALUE until they have the same',
    )
  }
  if (found.length > HISTOGRAMS_LIMIT) {
    throw new CommandError(
      `${found.length} histograms match ${filter}; ${HISTOGRAMS_LIMIT} can be added up\n` +
        '  add words or LABEL=VALUE',
    )
  }
  return found
}

/** Lists the figures of a distribution; those that are not known are left out. */
export function figuresIn(
  merged: Merged,
  seconds: number,
  unit: string,
): (readonly [name: string, words: string])[] {
  const write = (value: number): string => quantityText(format(value, unit))
  const { count, sum, min, max } = merged
  if (count === 0) return [['count', '0']]
  const values: (readonly [string, number])[] = [
    ['min', min],
    ...QUANTILES.map(([name, q]) => [name, quantile(merged, q)] as const),
    ['max', max],
    ['mean', sum / count],
    ['deviation', deviation(merged)],
  ]
  return [
    ['count', wide(exact(count))],
    ['rate', quantityText(format(count / seconds, '/s'))],
    ...values.flatMap(([name, value]) =>
      Number.isNaN(value) ? [] : [[name, write(value)] as const],
    ),
  ]
}

/** Gives a distribution as JSON has it; unknown numbers are null. */
export function distributionJson(merged: Merged): object {
  const { counts, zero, negative, overflow, overflowFrom } = merged
  const known = (value: number): number | null => (Number.isFinite(value) ? value : null)
  const buckets: (readonly [upTo: number | null, count: number])[] = []
  if (zero > 0) buckets.push([0, zero])
  counts.forEach((count, i) => {
    if (count > 0) buckets.push([bucketEnds(merged, i)[1], count])
  })
  if (overflow > 0) buckets.push([null, overflow])
  return {
    ...{ count: merged.count, sum: known(merged.sum) },
    ...{ min: known(merged.min), max: known(merged.max) },
    ...Object.fromEntries(
      QUANTILES.map(([name, q]) => [name.replace('.', ''), known(quantile(merged, q))]),
    ),
    ...{ negative, buckets },
    ...(overflow > 0 ? { overflowFrom } : {}),
  }
}
