import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import {
  between,
  edgeOf,
  lengthText,
  panned,
  parseLength,
  rounded,
  WINDOW_LEAST,
  zoomed,
} from './span.ts'

const NEWEST = 1_700_000_000
const REACH = { newest: NEWEST, kept: 1200 }

test('the instant under the pointer stays where it is', () => {
  const shown = { window: 100, at: NEWEST - 300 }
  const anchor = NEWEST - 325
  const half = zoomed(shown, 0.5, anchor, REACH)
  assert.deepEqual(half, { window: 50, at: NEWEST - 312.5 })
  assert.deepEqual(zoomed(half, 2, anchor, REACH), shown)
})

test('a picture that moves goes on moving while its edge stays the newest second', () => {
  const live = { window: 60, at: null }
  assert.deepEqual(zoomed(live, 2, NEWEST - 20, REACH), { window: 120, at: null })
  assert.deepEqual(zoomed(live, 0.5, NEWEST, REACH), { window: 30, at: null })
  assert.deepEqual(zoomed(live, 0.5, NEWEST - 20, REACH), { window: 30, at: NEWEST - 10 })
})

test('panning into the past holds the picture, panning to the newest second lets it go', () => {
  const earlier = panned({ window: 60, at: null }, -15, REACH)
  assert.deepEqual(earlier, { window: 60, at: NEWEST - 15 })
  assert.deepEqual(panned(earlier, 15, REACH), { window: 60, at: null })
  assert.deepEqual(panned(earlier, 900, REACH), { window: 60, at: null })
  assert.deepEqual(panned(earlier, -9000, REACH), { window: 60, at: NEWEST - 1200 + 60 })
})

test('a part that is chosen fills the picture, one too short its middle', () => {
  assert.deepEqual(between(NEWEST - 300, NEWEST - 280, REACH), { window: 20, at: NEWEST - 280 })
  const least = between(NEWEST - 301, NEWEST - 300, REACH)
  assert.deepEqual(least, { window: WINDOW_LEAST, at: NEWEST - 300.5 + WINDOW_LEAST / 2 })
})

test('no gesture leaves what can be looked at', () => {
  const step = fc.oneof(
    fc.double({ min: 0.01, max: 100, noNaN: true }).map((factor) => ({ factor })),
    fc.double({ min: -5000, max: 5000, noNaN: true }).map((seconds) => ({ seconds })),
  )
  holds(
    fc.property(fc.array(step, { maxLength: 20 }), fc.integer({ min: 0, max: 60 }), (steps, at) => {
      let span = { window: 60, at: null } as Parameters<typeof rounded>[0]
      for (const each of steps) {
        span =
          'factor' in each
            ? zoomed(span, each.factor, edgeOf(span, REACH) - at, REACH)
            : panned(span, each.seconds, REACH)
        const { window } = rounded(span)
        const edge = edgeOf(rounded(span), REACH)
        assert.ok(window >= WINDOW_LEAST && window <= REACH.kept, `window ${window}`)
        assert.ok(edge <= NEWEST && edge - window >= NEWEST - REACH.kept - 1, `edge ${edge}`)
      }
    }),
  )
})

test('lengths are read as people write them', () => {
  const read = {
    '45': 45,
    ' 45 s ': 45,
    '7m': 420,
    '7 min 30 s': 450,
    '7:30': 450,
    '1.5 min': 90,
    '1h': 3600,
  }
  for (const [text, seconds] of Object.entries(read)) assert.equal(parseLength(text), seconds)
  for (const text of ['', 'soon', '7 metres', '-5', '0', '7:90', '1 min of it', '5 s!']) {
    assert.equal(parseLength(text), undefined, text)
  }
})

test('a length that is written is read again', () => {
  holds(
    fc.property(fc.integer({ min: 1, max: 3600 }), (seconds) => {
      assert.equal(parseLength(lengthText(seconds)), seconds)
    }),
  )
})
