/**
 * What the rate of a counter is stated per: the time that its sender chose, a second where it chose
 * none, or what the person who looks prefers.
 */
import type { SeriesInfo } from '../../http/api.ts'

export const PERS = ['s', 'min', 'h'] as const
/** Preference of the person for all counters; '' leaves each as its sender states it. */
export type Per = '' | (typeof PERS)[number]

/** Form in which the values of a series' main lane are shown: multiplied, and in which unit. */
export interface Shown {
  readonly unit: string
  readonly factor: number
}

export const SECONDS: Readonly<Record<(typeof PERS)[number], number>> = { s: 1, min: 60, h: 3600 }

/** Writes `/s`, `/min`, `/h`, or `/10 s` for a time that has no name. */
export function perText(seconds: number): string {
  const named = PERS.find((per) => SECONDS[per] === seconds)
  return `/${named ?? `${seconds} s`}`
}

/** Gives the seconds that the sender states the rate per. */
export function statedS({ rateTimeScaleS = 1 }: Pick<SeriesInfo, 'rateTimeScaleS'>): number {
  return rateTimeScaleS > 0 ? rateTimeScaleS : 1
}

/** Tells how a series is shown: a counter is a rate, all others are as they come. */
export function shownAs(
  info: Pick<SeriesInfo, 'kind' | 'unit' | 'rateTimeScaleS'>,
  per: Per = '',
): Shown {
  const { kind, unit = '' } = info
  if (kind !== 'counter') return { unit, factor: 1 }
  const factor = per === '' ? statedS(info) : SECONDS[per]
  return { unit: unit + perText(factor), factor }
}
