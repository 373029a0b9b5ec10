import assert from 'node:assert/strict'
import { test } from 'node:test'
import { secondsText, timeGrid } from './time-grid.ts'

function words(from: number, to: number, rest: Partial<Parameters<typeof timeGrid>[0]> = {}) {
  const view = { from, to, zero: to, isZoomed: false, isHeld: false, ...rest }
  return timeGrid(view, 8).map((tick) => tick.words ?? '·')
}

test('a window has ten divisions, and words for every other one', () => {
  const nine = ['−10 s', '·', '−8 s', '·', '−6 s', '·', '−4 s', '·', '−2 s', '·', '0']
  assert.deepEqual(
    words(90, 100),
    nine.map((each) => each.replace(' ', '\u00a0')),
  )
  assert.deepEqual(words(93, 100).slice(0, 3), ['−7.0\u00a0s', '·', '−5.6\u00a0s'])
})

test('a held window has its words around the event', () => {
  const held = words(95, 105, { zero: 100, isHeld: true })
  assert.deepEqual(
    held
      .filter((each) => each !== '·')
      .join(' ')
      .replaceAll('\u00a0', ' '),
    '−4 s −2 s event +2 s +4 s',
  )
})

test('a part that was zoomed to has round steps from the zero', () => {
  const zoomed = words(97.13, 98.27, { zero: 100, isZoomed: true })
  assert.deepEqual(
    zoomed.map((each) => each.replace('\u00a0', ' ')),
    ['−2.8 s', '−2.6 s', '−2.4 s', '−2.2 s', '−2.0 s', '−1.8 s'],
  )
})

test('where there is little room, there are fewer words', () => {
  const view = { from: 0, to: 10, zero: 10, isZoomed: false, isHeld: false }
  const found = timeGrid(view, 4).filter((tick) => tick.words !== undefined)
  assert.deepEqual(
    found.map(({ time }) => time),
    [0, 5, 10],
  )
})

test('seconds have the decimals that tell steps apart', () => {
  const texts = [
    [-2, 1],
    [0.25, 0.25],
    [-0.003, 0.001],
    [1.23456, 0.333],
  ] as const
  assert.deepEqual(
    texts.map(([seconds, step]) => secondsText(seconds, step).replace('\u00a0', ' ')),
    ['−2 s', '+0.25 s', '−0.003 s', '+1.23 s'],
  )
})
