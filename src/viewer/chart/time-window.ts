/** The time that charts show, and what keys make of it. */

/** Windows that keys 1 to 6 choose, seconds. */
export const WINDOWS = [10, 30, 60, 120, 300, 600] as const

/** Gives the next shorter window of the list. */
export function shorterWindow(seconds: number): number {
  return WINDOWS.findLast((each) => each < seconds) ?? WINDOWS[0]
}

/** Gives the next longer window of the list; the longest stays. */
export function longerWindow(seconds: number): number {
  return WINDOWS.find((each) => each > seconds) ?? seconds
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
