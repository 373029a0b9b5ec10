import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawKeys, keyLine } from './key-help.ts'
import { ScreenBuffer } from './screen-buffer.ts'

const HINTS = ['p pause', 's sort', '↑↓ scroll', '? keys', 'q quit']

test('a line of keys that is short of room keeps the way to all keys, and the way out', () => {
  assert.equal(keyLine(HINTS, 80), 'p pause  s sort  ↑↓ scroll  ? keys  q quit')
  assert.equal(keyLine(HINTS, 40), 'p pause  s sort  ? keys  q quit')
  assert.equal(keyLine(HINTS, 16), '? keys  q quit')
  assert.equal(keyLine(HINTS, 5), '? keys  q quit')
})

test('all keys are listed where they fit; elsewhere it says how many rows would do', () => {
  const linesIn = (rows: number) => {
    const buffer = new ScreenBuffer(60, rows + 3)
    drawKeys(buffer, 2, rows, [['p', 'pause']])
    return Array.from({ length: rows + 3 }, (_, row) => buffer.rowText(row))
  }
  const large = linesIn(5)
  assert.equal(large[2], ' Keys')
  assert.equal(large[3], ' p          pause')
  assert.equal(large[6], ' q          quit; Ctrl-C as well')
  const small = linesIn(4)
  assert.equal(small[4], ' Ctrl-L -Z  draw everything anew; stop as a job, fg goes on')
  assert.equal(small[5], ' … and 2 more: a terminal of 8 rows shows all')
  assert.equal(small[6], '')
})
