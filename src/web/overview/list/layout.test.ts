import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Layout, partsWithin, placeGroups } from './layout.ts'

const HEIGHTS = { head: 40, box: 100 }

function shapeOf({ groups }: Layout): string[] {
  return groups.map(({ index, top, column, columns }) => `${index}: ${top}, ${column}+${columns}`)
}

test('small groups share a row, in their order', () => {
  const layout = placeGroups([3, 1, 2, 2], 4, HEIGHTS)
  assert.deepEqual(shapeOf(layout), ['0: 0, 0+3', '1: 0, 3+1', '2: 140, 0+2', '3: 140, 2+2'])
  assert.equal(layout.height, 280)
})

test('a later group fills the gap of a row when the next one does not fit', () => {
  const layout = placeGroups([3, 2, 1, 4], 4, HEIGHTS)
  assert.deepEqual(shapeOf(layout), ['0: 0, 0+3', '2: 0, 3+1', '1: 140, 0+2', '3: 280, 0+4'])
})

test('a group comes before its turn by few places only', () => {
  const orderOf = (sizes: readonly number[]): readonly number[] =>
    placeGroups(sizes, 4, HEIGHTS).groups.map(({ index }) => index)
  assert.deepEqual(orderOf([3, 2, 2, 1]), [0, 3, 1, 2])
  assert.deepEqual(orderOf([3, 2, 2, 2, 1]), [0, 1, 2, 3, 4])
})

test('a large group is as wide as it can be, or leaves a column that others fill', () => {
  assert.deepEqual(shapeOf(placeGroups([5], 4, HEIGHTS)), ['0: 0, 0+4'])
  const shared = placeGroups([5, 2], 4, HEIGHTS)
  assert.deepEqual(shapeOf(shared), ['0: 0, 0+3', '1: 0, 3+1'])
  assert.deepEqual(
    shared.groups.map(({ height, rowEnd }) => [height, rowEnd]),
    [
      [240, 240],
      [240, 240],
    ],
  )
  assert.deepEqual(shapeOf(placeGroups([8, 1], 4, HEIGHTS)), ['0: 0, 0+4', '1: 240, 0+1'])
})

test('only what reaches into the stretch is there', () => {
  const sizes = [10_000, 1, 1, 2]
  const layout = placeGroups(sizes, 4, HEIGHTS)
  const at = (top: number, bottom: number): (readonly [number, readonly number[]])[] =>
    partsWithin(layout, sizes, HEIGHTS, { top, bottom }).map(
      ({ placed, boxes }) => [placed.index, boxes] as const,
    )
  assert.deepEqual(at(0, 40), [[0, []]])
  assert.deepEqual(at(0, 41), [[0, [0, 1, 2, 3]]])
  assert.deepEqual(at(240, 340), [[0, [8, 9, 10, 11]]])
  assert.deepEqual(at(layout.height - 1, layout.height), [
    [1, [0]],
    [2, [0]],
    [3, [0, 1]],
  ])
  assert.deepEqual(at(layout.height, layout.height + 500), [])
})

test('what has the focus stays, in its place among the others', () => {
  const sizes = [400, 400]
  const layout = placeGroups(sizes, 4, HEIGHTS)
  const shown = { top: 240, bottom: 340 }
  const kept = (group: number, box: number): (readonly number[])[] =>
    partsWithin(layout, sizes, HEIGHTS, shown, { group, box }).map(({ boxes }) => boxes)
  assert.deepEqual(kept(0, 3), [[3, 8, 9, 10, 11]])
  assert.deepEqual(kept(0, 9), [[8, 9, 10, 11]])
  assert.deepEqual(kept(0, 99), [[8, 9, 10, 11, 99]])
  assert.deepEqual(kept(1, 7), [[8, 9, 10, 11], [7]])
  const low = { top: layout.height - 100, bottom: layout.height }
  const parts = partsWithin(layout, sizes, HEIGHTS, low, { group: 0, box: 0 })
  assert.deepEqual(
    parts.map(({ boxes }) => boxes[0]),
    [0, 396],
  )
})
