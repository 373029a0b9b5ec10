import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BrailleCanvas } from './braille.ts'
import { styleCode } from './color.ts'
import { ScreenBuffer } from './screen-buffer.ts'

const rowsOf = (canvas: BrailleCanvas): string[] =>
  Array.from({ length: canvas.rows }, (_, row) => canvas.rowText(row))

test('each dot of a cell has its place, and a cell without one is a blank', () => {
  const all = [[...'⠁⠈'], [...'⠂⠐'], [...'⠄⠠'], [...'⡀⢀']]
  all.forEach((row, y) => {
    row.forEach((character, x) => {
      const canvas = new BrailleCanvas(2, 1)
      canvas.dot(x, y)
      assert.equal(canvas.rowText(0), `${character} `)
    })
  })
})

test('what lies outside is left out', () => {
  const canvas = new BrailleCanvas(1, 1)
  for (const [x, y] of [
    [-1, 0],
    [2, 0],
    [0, -1],
    [0, 4],
    [Number.NaN, 0],
    [0, Number.POSITIVE_INFINITY],
  ] as const) {
    canvas.dot(x, y)
  }
  assert.equal(canvas.rowText(0), ' ')
  canvas.column(0, -1e9, 1e9)
  canvas.column(1, Number.NEGATIVE_INFINITY, 0)
  assert.equal(canvas.rowText(0), '⡏')
})

test('a line joins neighbours, and ends where there is no value', () => {
  const canvas = new BrailleCanvas(3, 2)
  canvas.line([7, 7, 0, Number.NaN, 3, 4])
  assert.deepEqual(rowsOf(canvas), [' ⡇⡀', '⣀⠇⠈'])
})

test('a peak within a column survives', () => {
  const canvas = new BrailleCanvas(1, 2)
  canvas.line([7, 7], [7, 0])
  assert.deepEqual(rowsOf(canvas), ['⢸', '⣸'])
})

test('each cell has the style of what was drawn last, and what is under blanks stays', () => {
  const buffer = new ScreenBuffer(4, 1)
  buffer.write(0, 0, 'abcd')
  const canvas = new BrailleCanvas(2, 1)
  canvas.column(0, 0, 3, 'data')
  canvas.dot(1, 0, 'lost')
  canvas.drawInto(buffer, 0, 1)
  assert.equal(buffer.rowText(0), 'a⡏cd')
  assert.equal(buffer.styles[1]!, styleCode('lost'))
  assert.equal(buffer.styles[2]!, styleCode('plain'))
})
