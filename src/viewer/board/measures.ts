/**
 * What a board draws of a series: a gauge as it is sampled, a counter as its rate, a distribution
 * as the statistics that are chosen.
 */
import type { HistogramCellJson, Kind, SeriesInfo, SummaryCellJson } from '../../http/api.ts'
import type { LineAbout } from '../../model/board/line/line.ts'
import { describeSeries } from '../../model/index.ts'
import { mergedOf, quantile } from '../store/buckets.ts'
import type { Entry } from '../store/catalogue.ts'
import type { CellJson } from '../store/series-data.ts'

/** Statistic of a distribution: `p99`, `p99.9`, `mean`, `min` or `max`. */
export type Statistic = `p${number}` | 'mean' | 'min' | 'max'

export const STANDARD_STATISTIC: Statistic = 'p99'

/** One line of a board, and where its values come from. */
export interface BoardSeries {
  /** Series of the hub. */
  readonly id: number
  /** Name of the line: no two of a board have the same. */
  readonly name: string
  /** Name without the labels that all lines of the board have alike. */
  readonly caption: string
  readonly kind: Kind
  /** Source of the series, as the hub names it. */
  readonly source: string
  readonly about: LineAbout
  /** Statistic that is drawn of a distribution. */
  readonly statistic: Statistic | undefined
}

/** Reads a statistic; undefined for what is none. */
export function parseStatistic(text: string): Statistic | undefined {
  if (text === 'mean' || text === 'min' || text === 'max') return text
  const [, digits] = /^p(\d{1,2}(?:\.\d{1,3})?|100)$/.exec(text) ?? []
  return digits === undefined ? undefined : `p${Number(digits)}`
}

/** Lists the lines of some series. @param statistics of distributions; at least one */
export function boardSeries(
  entries: readonly Entry[],
  statistics: readonly Statistic[],
): BoardSeries[] {
  const names = namesOf(entries)
  return entries.flatMap((entry, i): BoardSeries[] => {
    const { info, id } = entry
    const { kind } = info
    const { name, caption } = names[i]!
    const about = aboutOf(info)
    const source = sourceOf(entry)
    if (kind !== 'histogram' && kind !== 'summary') {
      return [{ id, name, caption, kind, source, about, statistic: undefined }]
    }
    const known = kind === 'histogram' ? statistics : summaryStatistics(statistics)
    // lines of one series share a plot, which has its name; in one colour they would be one
    const color = known.length === 1 ? about.color : undefined
    return known.map((statistic) => ({
      ...{ id, kind, source, statistic },
      name: withStatistic(name, statistic),
      caption: withStatistic(caption, statistic),
      about: { ...about, color, plot: about.plot ?? name },
    }))
  })
}

function aboutOf({ kind, unit, plot, color, displayName }: SeriesInfo): LineAbout {
  const shown = kind === 'counter' ? `${unit ?? ''}/s` : unit
  return { plot, color, displayName, unit: shown }
}

/** Summaries know no quantiles: their mean stands for them. */
function summaryStatistics(statistics: readonly Statistic[]): readonly Statistic[] {
  return [...new Set(statistics.map((each) => (each.startsWith('p') ? 'mean' : each)))]
}

/** Writes `name.p99{labels}`, as the statistics of a distribution are named elsewhere. */
function withStatistic(name: string, statistic: Statistic): string {
  const at = name.indexOf('{')
  return at < 0 ? `${name}.${statistic}` : `${name.slice(0, at)}.${statistic}${name.slice(at)}`
}

interface LineNames {
  readonly name: string
  readonly caption: string
}

/** Names entries as shortly as they can be told apart: without whose they are, with it, by kind. */
function namesOf(entries: readonly Entry[]): LineNames[] {
  const short = entries.map(shortName)
  const full = entries.map(({ text }) => text)
  const [isShortTaken, isFullTaken] = [repeated(short), repeated(full)]
  const named = entries.map(({ info }, i) => {
    const isShort = !isShortTaken.has(short[i]!)
    const isExact = !isShort && isFullTaken.has(full[i]!)
    return {
      name: isShort ? short[i]! : full[i]!,
      labels: isShort ? labelsBesidesSource(info) : info.labels,
      mark: isExact ? ` (${info.kind} ${info.type ?? ''})` : '',
    }
  })
  const isShared = sharedBy(named.map(({ labels }) => labels))
  return named.map(({ name, labels, mark }, i) => {
    const own = { ...entries[i]!.info, labels: labels.filter((label) => !isShared(label)) }
    return { name: name + mark, caption: describeSeries(own) + mark }
  })
}

type Labels = SeriesInfo['labels']

/** Finds the labels that all of several have, with the same values. */
function sharedBy(all: readonly Labels[]): (label: Labels[number]) => boolean {
  const counts = new Map<string, number>()
  const textOf = (label: Labels[number]): string => label.join('\0')
  for (const labels of all) {
    for (const label of labels) counts.set(textOf(label), (counts.get(textOf(label)) ?? 0) + 1)
  }
  return (label) => all.length > 1 && counts.get(textOf(label)) === all.length
}

/** Finds the peer whose series it is: an attached one by address, another by its host. */
export function sourceOf({ info }: Entry): string {
  return info.labels.find(([key]) => key === info.sourceLabel)?.[1] ?? info.source
}

/** Writes a name without the label that says whose it is. */
function shortName({ info, text }: Entry): string {
  const { kind, name } = info
  const labels = labelsBesidesSource(info)
  return labels.length === info.labels.length ? text : describeSeries({ kind, name, labels })
}

function labelsBesidesSource({ labels, sourceLabel }: SeriesInfo): Labels {
  return labels.filter(([key]) => key !== sourceLabel)
}

function repeated(names: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>()
  return new Set(names.filter((name) => seen.size === seen.add(name).size))
}

/**
 * Reads what a line shows of a cell.
 * @param seconds of the cell's interval
 */
export function measure(
  { kind, statistic }: BoardSeries,
  cell: CellJson | null,
  seconds: number,
): number {
  if (cell === null) return Number.NaN
  if (typeof cell !== 'object') return kind === 'counter' ? Number(cell) / seconds : Number(cell)
  return cell.count > 0 ? statisticOf(cell, statistic ?? STANDARD_STATISTIC) : Number.NaN
}

function statisticOf(cell: HistogramCellJson | SummaryCellJson, statistic: Statistic): number {
  if (statistic === 'min' || statistic === 'max') return cell[statistic] ?? Number.NaN
  if (!('p50' in cell)) return cell.mean
  if (statistic === 'mean') return (cell.sum ?? Number.NaN) / cell.count
  if (statistic === 'p50' || statistic === 'p90' || statistic === 'p99') return cell[statistic]
  return quantile(mergedOf(cell), Number(statistic.slice(1)) / 100)
}

/** Bounds of the interval at which a stream tells samples, seconds: at whole ones it has none. */
const INTERVAL_S = { min: 0.01, max: 0.999 } as const

/** Moves an interval to one at which a hub can be asked to tell samples, seconds. */
export function streamIntervalS(seconds: number): number {
  const ms = Math.round(seconds * 1000)
  return Math.min(INTERVAL_S.max, Math.max(INTERVAL_S.min, ms / 1000))
}
