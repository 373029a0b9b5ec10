/**
 * A series as it stands in an engine: the names that a hub wrote it under, the questions for them
 * in PromQL, and what its rows mean.
 */
import type { Kind, Labels } from '../../model/index.ts'

/** Names of a series in an engine; who writes series knows them. */
export interface WrittenSeries {
  readonly kind: Kind
  /** Name of its one row, or what those of its rows begin with. */
  readonly name: string
  /** Name of the native histogram, where that has one of its own. */
  readonly nativeName?: string
  /** Labels without that of the hub. */
  readonly labels: Labels
  /** Values were divided by 10^shift. */
  readonly shift: number
  /** Bounds of its buckets, where they are not powers of two. */
  readonly bounds?: readonly number[]
}

export const HUB_LABEL = 'hub'
export const NAME_LABEL = '__name__'
export const BOUND_LABEL = 'le'

/** Place of a row in its series. */
type Row = 'value' | 'sum' | 'count' | 'bucket' | 'native'

/** Length of a pattern of values; of more of them, none are asked for by their values. */
const PATTERN_LENGTH = 4000

/** Gives the names of the rows of a series with what they are. */
export function rowsOf({ kind, name, nativeName = name }: WrittenSeries): ReadonlyMap<string, Row> {
  switch (kind) {
    case 'counter':
    case 'gauge':
      return new Map([[name, 'value']])
    case 'summary':
      return new Map([
        [`${name}_sum`, 'sum'],
        [`${name}_count`, 'count'],
      ])
    case 'histogram':
      return new Map([
        [`${name}_bucket`, 'bucket'],
        [`${name}_sum`, 'sum'],
        [`${name}_count`, 'count'],
        [nativeName, 'native'],
      ])
  }
}

/** Tells labels apart, in whatever order they come. */
export function labelsKey(labels: Iterable<readonly [string, string]>): string {
  return JSON.stringify([...labels].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Selects rows of series that have the same names, and no fewer; others that it selects besides
 * are told apart by their labels.
 */
export function selectorOf(
  series: readonly WrittenSeries[],
  names: readonly string[],
  hub: string | undefined,
): string {
  const matchers = [
    names.length === 1
      ? `${NAME_LABEL}=${quoted(names[0]!)}`
      : `${NAME_LABEL}=~${quoted(names.map(escaped).join('|'))}`,
    hub === undefined ? `${HUB_LABEL}!=""` : `${HUB_LABEL}=${quoted(hub)}`,
  ]
  const [first, ...others] = series.map(({ labels }) => new Map(labels))
  for (const [key, value] of first ?? []) {
    const values = new Set([value])
    for (const labels of others) values.add(labels.get(key) ?? '')
    const pattern = [...values].map(escaped).join('|')
    if (values.size === 1) matchers.push(`${key}=${quoted(value)}`)
    else if (pattern.length <= PATTERN_LENGTH) matchers.push(`${key}=~${quoted(pattern)}`)
  }
  return `{${matchers.join(',')}}`
}

export function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')}"`
}

export function escaped(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')
}

/**
 * Reads a value in the unit of the hub: times 10^shift, by its text, so that nothing is rounded
 * that had not been when it was written. NaN for what is no number, as a stale marker.
 */
export function sampleValue(text: string, shift: number): number {
  if (text === '+Inf' || text === 'Inf') return Number.POSITIVE_INFINITY
  if (text === '-Inf') return Number.NEGATIVE_INFINITY
  if (text.trim() === '') return Number.NaN
  return shift === 0 || /e/i.test(text) ? Number(text) * 10 ** shift : Number(`${text}e${shift}`)
}
