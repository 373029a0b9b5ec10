/** How the messages of a row ran over its window: few enough points for a small line. */
import type { SecondCounts } from '../../rollup/second-counts.ts'

/** A line of 100 px has no room for more. */
const LINE_POINTS = 60

/**
 * Means per second over equal parts of a window, rounded to whole messages; null for a part in
 * which no second has a window.
 */
export function lineOf(messages: SecondCounts): readonly (number | null)[] {
  const seconds = messages.length
  const points = Math.min(LINE_POINTS, seconds)
  return Array.from({ length: points }, (_, point) => {
    const end = Math.floor(((point + 1) * seconds) / points)
    let sum = 0
    let known = 0
    for (let i = Math.floor((point * seconds) / points); i < end; i++) {
      const count = messages.at(i)
      if (count === undefined) continue
      sum += Number(count)
      known++
    }
    return known === 0 ? null : Math.round(sum / known)
  })
}
