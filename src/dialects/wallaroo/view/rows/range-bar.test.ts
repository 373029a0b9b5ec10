import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Painter } from '../../../../web/chart/painter.ts'
import { drawRangeAxis } from './range-bar.ts'

/** Decades of four that have a label, and where it begins, if their ticks are so far apart. */
function decadeLabels(
  distance: number,
  widths: readonly number[],
): [index: number, from: number][] {
  const labels: [number, number][] = []
  const words: string[] = []
  const painter = {
    width: 3 * distance + 28,
    height: 20,
    textWidth: (word: string) => widths[words.push(word) - 1],
    label: (word: string, from: number) => {
      labels.push([words.indexOf(word), Math.round(from)])
    },
  }
  drawRangeAxis(painter as unknown as Painter, { lo: 1e3, hi: 1e6 })
  return labels
}

test('decades are named where there is room, however narrow the axis is', () => {
  const widths = [30, 36, 30, 36]
  assert.deepEqual(decadeLabels(100, widths), [
    [0, 0],
    [1, 84],
    [2, 187],
    [3, 284],
  ])
  // the first label stands right of its tick: the second has no room
  assert.deepEqual(decadeLabels(46, widths), [
    [0, 0],
    [2, 79],
    [3, 122],
  ])
  // of narrower ones only every second or third
  assert.deepEqual(decadeLabels(30, widths), [
    [0, 0],
    [2, 47],
  ])
})
