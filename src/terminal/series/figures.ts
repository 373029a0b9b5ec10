/**
 * The figures of one series in a line: rate, value now, p99, in the page's words. What is not known
 * is `–`; a percentile of a second without observations is the last one there was, for as long as
 * a minute.
 */
import {
  format,
  join,
  NO_BREAK_SPACE,
  NO_VALUE,
  parseUnit,
  type Quantity,
} from '../../viewer/format/number.ts'
import { shownAs } from '../../viewer/format/rate.ts'
import { ageText } from '../../viewer/format/time.ts'
import { pacedRate } from '../../viewer/series/pace.ts'
import { AGED_SECONDS, changeWords, type ReadingContext } from '../../viewer/series/reading.ts'
import type { Lane } from '../../viewer/store/series-data.ts'
import type { Style } from '../color.ts'
import { textWidth } from '../columns.ts'

/** Numbers of a series by second, as SeriesData has them. */
interface Lanes {
  /** Seconds of a step, where it keeps steps. */
  readonly step?: number
  at(lane: Lane, second: number): number
}

interface Figure {
  readonly text: string
  readonly style: Style
}

export interface Figures {
  /** First letter of the kind. */
  readonly kind: string
  readonly rate: Figure
  readonly now: Figure
  /** The 99th percentile; of kinds without one how far an unusual value is from its usual. */
  readonly last: Figure
  /** `◆` unusual, `–` silent, or a blank. */
  readonly mark: string
  readonly style: Style
}

/** Silence from which on the age is told, ms. */
const SILENT_MS = 60_000
/** Seconds for which the last percentile stands. */
const HELD_SECONDS = 60
/** Room of a rate, as `1.02 MiB/min`. */
export const RATE_WIDTH = 12
/** Room of a value now and of a percentile, as `16.8 ms`. */
export const FIGURE_WIDTH = 9
const NOTHING: Figure = { text: '', style: 'plain' }

export function figuresOf(data: Lanes | undefined, context: ReadingContext): Figures {
  const { info, isStale, hasCursor, lastDataMs, nowMs, finding } = context
  const kind = info.kind[0]!
  const silentMs = nowMs - lastDataMs
  if (!hasCursor && (isStale || silentMs >= SILENT_MS)) {
    const text = wide(ageText(silentMs / 1000))
    const now: Figure = { text, style: 'faint' }
    const rate: Figure = info.kind === 'gauge' ? NOTHING : { text: NO_VALUE, style: 'faint' }
    return { kind, rate, now, last: NOTHING, mark: '–', style: 'faint' }
  }
  const isUnusual = finding.since > 0 && !hasCursor
  const style: Style = hasCursor ? 'cursor' : isUnusual ? 'unusual' : 'plain'
  return {
    ...{ kind, mark: isUnusual ? '◆' : ' ', style },
    rate: rateOf(data, context, style),
    now: nowOf(data, context, style),
    last: lastOf(data, context, isUnusual, style),
  }
}

function rateOf(data: Lanes | undefined, context: ReadingContext, style: Style): Figure {
  const { info, second, per } = context
  if (info.kind === 'gauge') return NOTHING
  const { unit, factor } = info.kind === 'counter' ? shownAs(info, per) : { unit: '/s', factor: 1 }
  const lane = info.kind === 'counter' ? 'rate' : 'count'
  const paced = data && !context.hasCursor ? pacedRate(data, second, lane) : undefined
  const value = paced?.rate ?? data?.at(lane, second) ?? Number.NaN
  if (paced !== undefined && paced.age >= AGED_SECONDS && style === 'plain') style = 'faint'
  return { text: fitted(value * factor, unit, RATE_WIDTH, rateText), style }
}

/** Writes `17.8k/s`, but a unit behind a blank, `4.35 MiB/s`, as far as there is room for one. */
function rateText([number, name]: Quantity): string {
  const isPlain = /^[kMGTPE]?(\/|$)/.test(name)
  const text = wide(number + name)
  return isPlain || text.length >= RATE_WIDTH ? text : quantityText([number, name])
}

const NOW_LANES = { counter: undefined, gauge: 'value', histogram: 'p50', summary: 'mean' } as const

function nowOf(data: Lanes | undefined, context: ReadingContext, style: Style): Figure {
  const lane = NOW_LANES[context.info.kind]
  return lane === undefined ? NOTHING : heldFigure(data, lane, context, style)
}

function lastOf(
  data: Lanes | undefined,
  context: ReadingContext,
  isUnusual: boolean,
  style: Style,
): Figure {
  const { info, finding, per } = context
  if (info.kind === 'histogram') return heldFigure(data, 'p99', context, style)
  if (!isUnusual) return NOTHING
  return { text: wide(changeWords(finding, shownAs(info, per).factor)), style }
}

/** Reads a lane; of a distribution the last second of which something is known. */
function heldFigure(
  data: Lanes | undefined,
  lane: Lane,
  { info, second }: ReadingContext,
  style: Style,
): Figure {
  const held = info.kind === 'gauge' ? 0 : HELD_SECONDS
  for (let age = 0; age <= held; age += 1) {
    const value = data?.at(lane, second - age) ?? Number.NaN
    if (Number.isNaN(value)) continue
    const text = fitted(value, info.unit, FIGURE_WIDTH, quantityText)
    return { text, style: age > 0 ? 'faint' : style }
  }
  return { text: NO_VALUE, style }
}

/**
 * Writes a number with its unit, without the word of what is counted (`requests`) where there is no
 * room for it: a word that is cut says less than none. The series itself has all of it.
 */
function fitted(
  value: number,
  unit: string | undefined,
  width: number,
  write: (quantity: Quantity) => string,
): string {
  const whole = write(format(value, unit))
  if (unit === undefined || textWidth(whole) <= width) return whole
  const { sort, tail } = parseUnit(unit)
  return sort === 'noun' || sort === 'other' ? write(format(value, tail)) : whole
}

export function quantityText(quantity: Quantity): string {
  return wide(join(quantity))
}

/** Makes blanks of the page's: in a terminal they are as wide as any. */
export function wide(text: string): string {
  return text.replaceAll(NO_BREAK_SPACE, ' ').replaceAll('\u202f', ' ').replaceAll('\u2002', '  ')
}
