/** The time that charts show, and what keys make of it. */

/** Windows that keys 1 to 6 choose, seconds. */
export const WINDOWS = [10, 30, 60, 120, 300, 600] as const

/** Windows of the past beyond a hub's memory: an hour, six, a day, a week. */
const PAST_WINDOWS = [3600, 21_600, 86_400, 604_800] as const

/** All of them, the shortest first. */
export const ALL_WINDOWS: readonly number[] = [...WINDOWS, ...PAST_WINDOWS]

/** Gives the next shorter window of a list. */
export function shorterWindow(seconds: number, windows: readonly number[] = WINDOWS): number {
  return windows.findLast((each) => each < seconds) ?? WINDOWS[0]
}

/** Gives the next longer window of a list; the longest stays. */
export function longerWindow(seconds: number, windows: readonly number[] = WINDOWS): number {
  return windows.find((each) => each > seconds) ?? seconds
}

/** Seconds of series that a hub has in memory: all there is without a history. */
export const MEMORY_S = 1200
/** Most steps of a picture: seconds of the longest window that a hub has in memory. */
const STEPS_MOST = MEMORY_S
/** Steps in seconds, each a part of the next minute, hour, day: those fit into what is kept. */
const STEPS = [
  ...[1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14_400, 43_200, 86_400, 172_800],
] as const

/** Gives the step of a picture of so many seconds. */
export function stepOf(window: number): number {
  return STEPS.find((step) => window <= step * STEPS_MOST) ?? STEPS.at(-1)!
}

/**
 * Computes one press of an arrow key: a sixtieth of the window, at least a second, within what is
 * shown.
 */
export function stepCursor(
  second: number | null,
  direction: -1 | 1,
  edge: number,
  window: number,
): number {
  const next = (second ?? edge) + direction * Math.max(1, Math.round(window / 60))
  return Math.min(edge, Math.max(edge - window, next))
}
