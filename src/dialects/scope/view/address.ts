/**
 * The board's part of the URL, by the names of the original viewer's options, repeatable ones
 * repeated: `/scope?source=10.0.40.12:5001&time-window=30&trigger=current/motor=,9.5`. What of it
 * can't be read is left out, and said.
 */
import { plotText, smaText, triggerText, yRangeText } from '../../../model/board/option-texts.ts'
import {
  CHART_ASPECT,
  CHART_COLUMNS,
  type PlotOption,
  parseBounded,
  parseBoundedCount,
  parsePlot,
  parseSeconds,
  parseSma,
  parseTrigger,
  parseYRange,
  type SmaOption,
  TIME_WINDOW_S,
  type TriggerOption,
  type YRange,
} from '../../../model/board/options.ts'
import { type Part, WHOLE } from '../../../model/board/time-view.ts'
import { parseStatistic, type Statistic, streamIntervalS } from '../../../viewer/board/measures.ts'
import { write } from '../../../web/shell/route.ts'
import type { Address } from '../../../web/shell/view.ts'

/** Registry name of the dialect. */
export const DIALECT = 'scope'

/** Keys of the board alone, by their names in the browser, and what they do. */
export const KEYS = [
  ['l', 'Legend'],
  ['n', 'Next event'],
  ['b', 'Previous event'],
  ['F5', 'Reset views, clear the trigger'],
] as const

export interface ScopeState {
  /** Addresses of sources, or names of dialects, of which all series are shown. */
  readonly sources: readonly string[]
  /** Names of series, or words as in the filter of the overview. */
  readonly series: readonly string[]
  /** Statistics of distributions; none is the standard one. */
  readonly statistics: readonly Statistic[]
  readonly windowS: number
  readonly columns: number
  /** Width of a chart by its height; null where the charts fill the window. */
  readonly aspect: number | null
  readonly isLegendHidden: boolean
  readonly yRanges: readonly YRange[]
  /** Values that were zoomed to, both ends of each. */
  readonly yZooms: readonly YRange[]
  readonly averages: readonly SmaOption[]
  readonly triggers: readonly TriggerOption[]
  readonly plots: readonly PlotOption[]
  /** Lines that are hidden, by their names in options. */
  readonly hidden: readonly string[]
  /** Words that a plot or one of its lines has to contain. */
  readonly filter: string
  /** Seconds between two looks at what its source does not sample; null = as its samples come. */
  readonly samplingS: number | null
  /** Seconds without a sample after which a source counts as offline. */
  readonly timeoutS: number
  readonly theme: 'light' | 'dark' | null
  /** End of the picture that is paused or held, Unix ms; null while it moves. */
  readonly atMs: number | null
  /** Part of the window that was panned or zoomed to, whole ms. */
  readonly part: Part
  /** Parts of the link that could not be read. */
  readonly faults: readonly string[]
}

const STANDARD_TIMEOUT_S = 10

export const STANDARD: ScopeState = {
  sources: [],
  series: [],
  statistics: [],
  windowS: TIME_WINDOW_S.standard,
  columns: CHART_COLUMNS.standard,
  aspect: null,
  isLegendHidden: false,
  yRanges: [],
  yZooms: [],
  averages: [],
  triggers: [],
  plots: [],
  hidden: [],
  filter: '',
  samplingS: null,
  timeoutS: STANDARD_TIMEOUT_S,
  theme: null,
  atMs: null,
  part: WHOLE,
  faults: [],
}

export const SCOPE: Address<ScopeState> = {
  path: 'scope',
  standard: STANDARD,
  hasOwnTime: true,
  parse(rest, query) {
    if (rest.replace(/^\/$/, '') !== '') return undefined
    const read = new Reader(query)
    const whole = (text: string): number | undefined => {
      const seconds = parseBounded(text, TIME_WINDOW_S)
      return seconds === undefined ? undefined : Math.max(1, Math.round(seconds))
    }
    return {
      sources: read.texts('source'),
      series: read.texts('series'),
      statistics: read.all('quantile', parseStatistic),
      windowS: read.last('time-window', whole) ?? STANDARD.windowS,
      columns:
        read.last('chart-cols', (text) => parseBoundedCount(text, CHART_COLUMNS)) ??
        read.last('chart-columns', (text) => parseBoundedCount(text, CHART_COLUMNS)) ??
        STANDARD.columns,
      aspect: read.last('chart-aspect', (text) => parseBounded(text, CHART_ASPECT)) ?? null,
      isLegendHidden: read.last('hide-legend', parseSwitch) ?? false,
      yRanges: read.all('y-range', parseYRange),
      yZooms: read.all('y-zoom', parseYZoom),
      averages: read.all('sma', parseSma),
      triggers: read.all('trigger', parseTrigger),
      plots: read.all('plot', parsePlot),
      hidden: read.texts('hide'),
      filter: query.get('q') ?? '',
      samplingS: read.last('sampling-interval', parseSampling) ?? null,
      timeoutS: read.last('timeout', parseSeconds) ?? STANDARD_TIMEOUT_S,
      theme: read.last('theme', parseTheme) ?? null,
      atMs: read.last('at', parseInstant) ?? null,
      part: {
        backS: read.last('back', parseSeconds) ?? WHOLE.backS,
        spanS: read.last('zoom', parseSeconds) ?? WHOLE.spanS,
      },
      faults: read.faults,
    }
  },
  format(state, query) {
    for (const each of state.sources) query.append('source', each)
    for (const each of state.series) query.append('series', each)
    for (const each of state.statistics) query.append('quantile', each)
    const { windowS, columns, aspect, samplingS, timeoutS, atMs, part } = state
    if (windowS !== STANDARD.windowS) query.set('time-window', String(windowS))
    if (columns !== STANDARD.columns) query.set('chart-cols', String(columns))
    if (aspect !== null) query.set('chart-aspect', String(aspect))
    if (state.isLegendHidden) query.set('hide-legend', 'true')
    for (const each of state.yRanges) query.append('y-range', yRangeText(each))
    for (const each of state.yZooms) query.append('y-zoom', yRangeText(each))
    for (const each of state.averages) query.append('sma', smaText(each.key, each))
    for (const each of state.triggers) query.append('trigger', triggerText(each))
    for (const each of state.plots) query.append('plot', plotText(each))
    for (const each of state.hidden) query.append('hide', each)
    write(query, 'q', state.filter)
    if (samplingS !== null) query.set('sampling-interval', String(samplingS))
    if (timeoutS !== STANDARD_TIMEOUT_S) query.set('timeout', String(timeoutS))
    write(query, 'theme', state.theme ?? '')
    if (atMs !== null) query.set('at', new Date(atMs).toISOString())
    if (part.spanS !== null) query.set('zoom', String(part.spanS))
    if (part.backS !== 0) query.set('back', String(part.backS))
    return ''
  },
}

/** Reads parameters, and keeps what they say wrongly. */
class Reader {
  readonly faults: string[] = []
  readonly #query: URLSearchParams

  constructor(query: URLSearchParams) {
    this.#query = query
  }

  texts(name: string): readonly string[] {
    return [...new Set(this.#query.getAll(name))].filter((text) => text !== '')
  }

  all<T>(name: string, parse: (text: string) => T | undefined): readonly T[] {
    return this.#query.getAll(name).flatMap((text) => {
      const value = parse(text)
      if (value === undefined) this.faults.push(`${name}=${text}`)
      return value === undefined ? [] : [value]
    })
  }

  last<T>(name: string, parse: (text: string) => T | undefined): T | undefined {
    return this.all(name, parse).at(-1)
  }
}

function parseSwitch(text: string): boolean | undefined {
  if (text === '' || text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : undefined
}

function parseTheme(text: string): 'light' | 'dark' | undefined {
  return text === 'light' || text === 'dark' ? text : undefined
}

/** Reads a range that has both ends. */
function parseYZoom(text: string): YRange | undefined {
  const range = parseYRange(text)
  return range?.min == null || range.max == null ? undefined : range
}

function parseInstant(text: string): number | undefined {
  const ms = Date.parse(text)
  return Number.isNaN(ms) || ms <= 0 ? undefined : ms
}

function parseSampling(text: string): number | undefined {
  const seconds = parseSeconds(text)
  return seconds && streamIntervalS(seconds)
}
