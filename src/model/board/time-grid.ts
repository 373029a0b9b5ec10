/**
 * The grid of time that all plots of a board share: ten divisions across, as on a scope, with times
 * that count from the newest sample or from the event. A part that was zoomed to has round steps.
 */
import { ticksOf } from '../axis.ts'
import type { Span } from './time-view.ts'

export const DIVISIONS = 10
const MINUS = '\u2212'
const NO_BREAK_SPACE = '\u00a0'
const DECIMALS_LIMIT = 6
/** Times this near to zero, in divisions, are zero. */
const ZERO_PART = 1e-6

export interface TimeTick {
  /** Seconds, as those of the span. */
  readonly time: number
  /** `−4 s`, `0`, `event`; undefined for a line without words. */
  readonly words: string | undefined
}

interface GridView extends Span {
  /** Time from which the words count. */
  readonly zero: number
  /** A part of the window is shown. */
  readonly isZoomed: boolean
  /** The zero is an event. */
  readonly isHeld: boolean
}

/** Lists lines of the grid, from left to right. @param labels that there is room for */
export function timeGrid(view: GridView, labels: number): readonly TimeTick[] {
  return view.isZoomed ? roundSteps(view, labels) : divisions(view, labels)
}

/** Computes the seconds of a division of the whole window. */
export function divisionS({ from, to }: Span): number {
  return (to - from) / DIVISIONS
}

function divisions(view: GridView, labels: number): TimeTick[] {
  const step = divisionS(view)
  const skip = labels > DIVISIONS ? 1 : labels >= DIVISIONS / 2 ? 2 : DIVISIONS / 2
  // words stand at the event, in the middle, or else at both ends
  const first = view.isHeld ? (DIVISIONS / 2) % skip : 0
  return Array.from({ length: DIVISIONS + 1 }, (_, i) => {
    const time = view.from + i * step
    return { time, words: i % skip === first ? wordsOf(time - view.zero, view, step) : undefined }
  })
}

function roundSteps(view: GridView, labels: number): TimeTick[] {
  const { from, to, zero } = view
  const ticks = ticksOf(
    { lo: from - zero, hi: to - zero },
    Math.max(2, Math.min(labels, DIVISIONS)),
  )
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0)
  return ticks.map((seconds) => ({ time: zero + seconds, words: wordsOf(seconds, view, step) }))
}

function wordsOf(seconds: number, { isHeld }: GridView, stepS: number): string {
  if (Math.abs(seconds) < ZERO_PART * stepS) return isHeld ? 'event' : '0'
  return secondsText(seconds, stepS)
}

/**
 * Writes seconds before or behind a time: `−4 s`, `+2.5 s`.
 * @param stepS what has to be told apart
 */
export function secondsText(seconds: number, stepS: number): string {
  const sign = seconds < 0 ? MINUS : '+'
  return `${sign}${Math.abs(seconds).toFixed(decimalsOf(stepS))}${NO_BREAK_SPACE}s`
}

/** Finds how many decimals tell steps apart: one more than their first digit, fewer if round. */
function decimalsOf(stepS: number): number {
  const most = Math.min(DECIMALS_LIMIT, Math.max(0, 1 - Math.floor(Math.log10(stepS))))
  for (let decimals = 0; decimals < most; decimals++) {
    const scaled = stepS * 10 ** decimals
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 && Math.round(scaled) > 0) return decimals
  }
  return most
}
