/** Places of labels in a picture, so that none covers another. */

/**
 * Pushes labels apart that stand at the ends of lines.
 * @param wanted places in CSS pixels, rising
 * @param most last place that there is
 * @param step least distance
 * @returns places in the same order: down from where they are wanted, and up from the end
 */
export function pushApart(wanted: readonly number[], most: number, step: number): number[] {
  const places: number[] = []
  for (const at of wanted) places.push(Math.max(at, (places.at(-1) ?? -Infinity) + step))
  let end = most
  for (let i = places.length - 1; i >= 0 && places[i]! > end; i -= 1) {
    places[i] = end
    end -= step
  }
  return places
}

/** Label of an axis of time. */
interface Placed<T> {
  readonly tick: T
  /** Middle of the label, CSS pixels. */
  readonly at: number
}

/**
 * Places labels below their ticks, within an axis; of two that would touch, the newer one stays.
 * @param ticks with their places, rising
 * @param axis its ends, and half the width of a label with the space beside it
 */
export function placeTimes<T>(
  ticks: readonly (readonly [tick: T, x: number])[],
  { left, right, half }: { readonly left: number; readonly right: number; readonly half: number },
): readonly Placed<T>[] {
  const placed: Placed<T>[] = []
  let free = Number.POSITIVE_INFINITY
  for (const [tick, x] of ticks.toReversed()) {
    const at = Math.min(right - half, Math.max(left + half, x))
    if (at < left + half || at + half > free) continue
    placed.push({ tick, at })
    free = at - half
  }
  return placed.reverse()
}
