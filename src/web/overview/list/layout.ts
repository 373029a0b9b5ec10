/**
 * Places groups of boxes of equal size in rows of columns, so that of a list of any length only the
 * part that is on screen has to be there. Small groups share rows: they keep their order, but for a
 * neighbour that fills a gap.
 */

/** Heights in CSS pixels, as the styles have them. */
export interface Heights {
  /** Space of a group above its boxes: its heading. */
  readonly head: number
  readonly box: number
}

interface Placed {
  /** Position of the group in the list that was placed. */
  readonly index: number
  readonly top: number
  readonly height: number
  /** End of the row, which its first group reaches. */
  readonly rowEnd: number
  /** First column, and how many there are of them. */
  readonly column: number
  readonly columns: number
}

export interface Layout {
  /** Groups from top to bottom, in each row from left to right. */
  readonly groups: readonly Placed[]
  readonly columns: number
  readonly height: number
}

/** Groups that one may come before, to fill the rest of a row. */
const LOOK_AHEAD = 3

/** @param sizes boxes of each group, 1 or more */
export function placeGroups(sizes: readonly number[], columns: number, heights: Heights): Layout {
  const groups: Placed[] = []
  const queue = new Queue(sizes.length)
  let top = 0
  for (;;) {
    const [first] = queue.take(() => 1, 1)
    if (first === undefined) return { groups, columns, height: top }
    const lines = Math.ceil(sizes[first]! / columns)
    const rowEnd = top + heights.head + lines * heights.box
    const widthOf = (index: number): number => Math.ceil(sizes[index]! / lines)
    const sharing = queue.take(widthOf, columns - widthOf(first))
    // Alone in its row, a large group takes all of it.
    const isAlone = sharing.length === 0 && lines > 1
    let column = 0
    for (const index of [first, ...sharing]) {
      const width = isAlone ? columns : widthOf(index)
      const height = heights.head + Math.ceil(sizes[index]! / width) * heights.box
      groups.push({ index, top, height, rowEnd, column, columns: width })
      column += width
    }
    top = rowEnd
  }
}

/** Groups that have no place yet, in their order. */
class Queue {
  readonly #count: number
  /** Groups that others were taken before. */
  readonly #skipped: number[] = []
  #next = 0

  constructor(count: number) {
    this.#count = count
  }

  /** Takes the next ones that fit into a room, together; few are skipped for that. */
  take(widthOf: (index: number) => number, room: number): readonly number[] {
    const taken: number[] = []
    let left = room
    for (let i = 0; left > 0 && i < LOOK_AHEAD; ) {
      if (i === this.#skipped.length) {
        if (this.#next === this.#count) break
        this.#skipped.push(this.#next++)
      }
      const width = widthOf(this.#skipped[i]!)
      if (width > left) {
        i += 1
        continue
      }
      taken.push(...this.#skipped.splice(i, 1))
      left -= width
    }
    return taken
  }
}

/** Part of a group that is to be there. */
export interface Part {
  readonly placed: Placed
  /** Positions of the boxes in the group, rising. */
  readonly boxes: readonly number[]
}

/** Place of a box that stays although it is off screen: it has the focus. */
export interface Kept {
  readonly group: number
  readonly box: number
}

/** Lists what reaches into a stretch of the plane, and what is kept besides. */
export function partsWithin(
  layout: Layout,
  sizes: readonly number[],
  { head, box }: Heights,
  { top, bottom }: { readonly top: number; readonly bottom: number },
  kept?: Kept,
): readonly Part[] {
  const { groups } = layout
  const parts: Part[] = []
  const first = firstEndingAfter(groups, top)
  const isKept = (placed: Placed): boolean => placed.index === kept?.group
  const add = (placed: Placed): void => {
    const { columns, index } = placed
    const size = sizes[index]!
    const lineAt = (y: number): number => Math.max(0, (y - placed.top - head) / box)
    const from = Math.min(size, Math.floor(lineAt(top)) * columns)
    const to = Math.max(from, Math.min(size, Math.ceil(lineAt(bottom)) * columns))
    const boxes = Array.from({ length: to - from }, (_, i) => from + i)
    if (isKept(placed) && kept!.box < from) boxes.unshift(kept!.box)
    if (isKept(placed) && kept!.box >= to && kept!.box < size) boxes.push(kept!.box)
    parts.push({ placed, boxes })
  }
  const before = groups.findIndex(isKept)
  if (before >= 0 && before < first) add(groups[before]!)
  let at = first
  for (; at < groups.length && groups[at]!.top < bottom; at += 1) add(groups[at]!)
  if (before >= at) add(groups[before]!)
  return parts
}

/** Finds the first group whose row ends below a line; rows follow each other. */
function firstEndingAfter(groups: readonly Placed[], y: number): number {
  let low = 0
  let high = groups.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (groups[middle]!.rowEnd > y) high = middle
    else low = middle + 1
  }
  return low
}
