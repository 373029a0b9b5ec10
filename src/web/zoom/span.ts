/**
 * The stretch of time that charts show, and what zooming and panning make of it. All of it is whole
 * seconds; a stretch that reaches the newest one moves on with it.
 */

export const STANDARD_WINDOW = 60
/** Shortest window in seconds: below it there is next to nothing in whole seconds. */
export const WINDOW_LEAST = 5
/** Longest window of any view, in seconds: five years, as a history keeps hours. */
export const WINDOW_MOST = 157_680_000

export interface Span {
  /** Seconds that are shown. */
  readonly window: number
  /** Unix second at the right edge of a held picture; null while it moves. */
  readonly at: number | null
}

export interface Reach {
  /** Unix second that is the newest now: the right edge of a picture that moves. */
  readonly newest: number
  /** Seconds before it that can be looked at. */
  readonly kept: number
}

/** Computes the right edge of a stretch, in Unix seconds. */
export function edgeOf({ at }: Span, { newest }: Reach): number {
  return at ?? newest
}

/**
 * Makes the window shorter or longer, while one instant stays in its place.
 * @param factor of the length: below 1 zooms in
 * @param anchor the instant, a Unix second
 */
export function zoomed(span: Span, factor: number, anchor: number, reach: Reach): Span {
  const edge = edgeOf(span, reach)
  const window = within(span.window * factor, WINDOW_LEAST, reach.kept)
  const after = (edge - anchor) * (window / span.window)
  return placed(window, anchor + after, reach)
}

/** Moves a stretch by some seconds, a negative number into the past. */
export function panned(span: Span, seconds: number, reach: Reach): Span {
  return placed(span.window, edgeOf(span, reach) + seconds, reach)
}

/** Gives the stretch between two instants, or the shortest there is around them. */
export function between(from: number, to: number, reach: Reach): Span {
  const window = within(to - from, WINDOW_LEAST, reach.kept)
  return placed(window, (from + to + window) / 2, reach)
}

/** Rounds a stretch to whole seconds for the picture and the link. */
export function rounded({ window, at }: Span): Span {
  return { window: Math.round(window), at: at === null ? null : Math.round(at) }
}

/** Holds a stretch within what can be looked at; at the newest second it moves. */
function placed(window: number, edge: number, { newest, kept }: Reach): Span {
  if (edge > newest - 0.5) return { window, at: null }
  return { window, at: Math.max(newest - kept + window, edge) }
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}

const UNITS: Readonly<Record<string, number>> = {
  ...{ s: 1, sec: 1, m: 60, min: 60, h: 3600, d: 86_400, w: 604_800 },
}

/**
 * Reads a length of time as people write it: `45`, `45 s`, `7 min`, `7 min 30 s`, `7:30`, `2 d`.
 * @returns seconds; undefined for all else
 */
export function parseLength(text: string): number | undefined {
  const clock = /^\s*(\d{1,4}):([0-5]\d)\s*$/.exec(text)
  if (clock !== null) return Number(clock[1]) * 60 + Number(clock[2])
  if (!/^\s*\d+(\.\d+)?\s*([a-z]+\s*(\d+(\.\d+)?\s*[a-z]+\s*)*)?$/i.test(text)) return undefined
  let seconds = 0
  for (const [, digits, unit] of text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]*)/gi)) {
    const size = unit === '' ? 1 : UNITS[unit!.toLowerCase()]
    if (size === undefined) return undefined
    seconds += Number(digits) * size
  }
  return seconds > 0 ? Math.round(seconds) : undefined
}

/** Writes a length in words that {@link parseLength} reads: `45 s`, `7 min 30 s`, `2 d 6 h`. */
export function lengthText(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const
  return parts.flatMap(([count, unit]) => (count > 0 ? [`${count} ${unit}`] : [])).join(' ')
}
