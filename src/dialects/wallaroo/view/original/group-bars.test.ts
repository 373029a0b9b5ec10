import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Painter } from '../../../../web/chart/painter.ts'
import { drawGroupBars, groupAt, lastBin } from './group-bars.ts'

/** What is written below the bars of empty groups. */
function labelsOf(boundsNs: readonly bigint[]): string[] {
  const labels: string[] = []
  const painter = {
    width: 2000,
    height: 100,
    context: { fillRect: () => {} },
    palette: { color: () => '' },
    horizontal: () => {},
    label: (words: string, _x: number, y: number) => {
      if (y === 96) labels.push(words.replaceAll('\u00a0', ' '))
    },
  }
  const groups = boundsNs.map((bound) => [String(bound), 0] as const)
  drawGroupBars(painter as unknown as Painter, groups)
  return labels
}

test('the group under the pointer is found, and its last bin', () => {
  const groups = [1n, 1n << 10n, 1n << 64n].map((bound) => [String(bound), 0] as const)
  // three groups between 60 and 4 pixels at the sides
  const at = (x: number) => groupAt(groups, x, 364)
  assert.deepEqual([59, 60, 159, 160, 259, 260, 359, 360].map(at), [
    ...[null, 0, 0, 1, 1, 2, 2, null],
  ])
  assert.equal(groupAt([], 100, 364), null)
  assert.deepEqual(groups.map(lastBin), [0, 10, 64])
})

test('groups are named as the original names them', () => {
  assert.deepEqual(
    labelsOf([1n, 1n << 10n, 1n << 19n, 1n << 26n, 1n << 27n, 1n << 30n, 1n << 64n]),
    ['≤ 1 ns', '≤ 1 μs', '≤ 0.5 ms', '≤ 66 ms', '≤ 134 ms', '≤ 1 s', '> 1 s'],
  )
})
