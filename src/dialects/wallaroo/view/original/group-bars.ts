/**
 * Percent by group of latency bins, as the original Metrics UI draws it (wallaroo.md §8): a bar
 * for each group, up to its upper bound, on a linear axis from 0 to 100.
 */
import type { Painter } from '../../../../web/chart/painter.ts'

const LEFT = 60
const RIGHT = 4
const TOP = 12
const TICKS = [25, 50, 75, 100] as const
const LABEL_FROM = 48
/** Words of the bounds 2^0, 2^10 and 2^19 to 2^30 ns, as the original rounds them. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['1', '1 ns'],
  ['1024', '1 μs'],
  ...['0.5 ms', '1 ms', '2 ms', '4 ms', '8 ms', '16 ms', '34 ms', '66 ms', '134 ms', '260 ms']
    .concat('0.5 s', '1 s')
    .map((words, i) => [String(2 ** (19 + i)), words] as const),
])

/** Writes `≤ 1 ms`; `> 1 s` for the group above all that are named. */
function groupText(boundNs: string): string {
  const words = WORDS.get(boundNs)
  return words === undefined ? '> 1\u00a0s' : `≤ ${words.replace(' ', '\u00a0')}`
}

/** Groups by the upper bound of each, with its share. */
type Groups = readonly (readonly [boundNs: string, percent: number])[]

/** Finds the group at a place of the chart; null beside the bars. */
export function groupAt(groups: Groups, x: number, width: number): number | null {
  const right = width - RIGHT
  if (groups.length === 0 || x < LEFT || x >= right) return null
  return Math.floor(((x - LEFT) / (right - LEFT)) * groups.length)
}

/** Finds the last bin of a group: its bound is a power of two. */
export function lastBin([boundNs]: Groups[number]): number {
  return BigInt(boundNs).toString(2).length - 1
}

export function drawGroupBars(
  painter: Painter,
  groups: Groups,
  marked: number | null = null,
): void {
  const { width, height, context, palette } = painter
  const floor = height - 20
  const right = width - RIGHT
  const tall = floor - TOP
  for (const tick of TICKS) {
    const y = floor - (tick / 100) * tall
    painter.horizontal(y, LEFT, right)
    painter.label(`${tick}\u00a0%`, LEFT - 8, y + 4, { align: 'right' })
  }
  const step = (right - LEFT) / Math.max(1, groups.length)
  const every = Math.max(1, Math.ceil(LABEL_FROM / step))
  groups.forEach(([boundNs, percent], i) => {
    const size = (percent / 100) * tall
    const left = LEFT + i * step
    if (i === marked) {
      context.fillStyle = palette.color('line')
      context.fillRect(left, TOP, step, tall)
    }
    context.fillStyle = palette.color(i === marked ? 'accent' : 'trace')
    context.fillRect(left + 2, floor - size, step - 4, size)
    const middle = left + step / 2
    if (percent >= 0.1) {
      painter.label(percent.toFixed(percent < 10 ? 1 : 0), middle, floor - size - 4, {
        align: 'center',
        color: 'ink-soft',
      })
    }
    if ((groups.length - 1 - i) % every === 0) {
      painter.label(groupText(boundNs), middle, height - 4, { align: 'center' })
    }
  })
  painter.horizontal(floor, LEFT, right, 'edge')
}
