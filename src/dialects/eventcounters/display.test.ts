/** Labels and values for viewers, and numbers on a console. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import {
  consoleNumber,
  type DisplayedWindow,
  dotnetCountersDisplay,
  rateOf,
  simpleDisplay,
} from './display.ts'

const SUM: DisplayedWindow = {
  counter: { name: 'exceptions', displayName: 'Exceptions Thrown', units: '', rateScaleSec: 0 },
  seriesMs: 1000,
  intervalSec: 1.01,
  statistics: { kind: 'sum', increment: 2 },
}
const MEAN: DisplayedWindow = {
  ...SUM,
  statistics: { kind: 'mean', count: 0, mean: 0, deviation: 0, min: Infinity, max: -Infinity },
}

test('the document’s example is shown as 118.8 per minute', () => {
  const { label, value } = simpleDisplay(SUM)
  assert.equal(label, 'Exceptions Thrown / Min')
  assert.equal(value?.toFixed(1), '118.8')
})

test('a counter without a display name is called by its name', () => {
  const counter = { ...SUM.counter, displayName: '' }
  assert.equal(simpleDisplay({ ...SUM, counter }).label, 'exceptions / Min')
  assert.equal(dotnetCountersDisplay({ ...MEAN, counter }).label, 'exceptions')
})

test('without a length there is no rate, and the raw increment stays', () => {
  const window = { ...SUM, intervalSec: undefined }
  assert.equal(simpleDisplay(window).value, undefined)
  assert.deepEqual(rateOf(window), { scaleSec: 1, value: undefined })
  assert.equal(dotnetCountersDisplay(window).value, 2)
})

test('an empty interval is shown as 0, and a Mean has no rate', () => {
  assert.equal(simpleDisplay(MEAN).value, 0)
  assert.equal(rateOf(MEAN), undefined)
})

test('dotnet-counters names the whole seconds of the series, none where they are unknown', () => {
  const label = (seriesMs: number | undefined) => dotnetCountersDisplay({ ...SUM, seriesMs }).label
  assert.equal(label(2999), 'Exceptions Thrown (Count / 2 sec)')
  assert.equal(label(500), 'Exceptions Thrown (Count / 0 sec)')
  assert.equal(label(undefined), 'Exceptions Thrown (Count)')
  const counter = { ...SUM.counter, units: 'B' }
  assert.equal(dotnetCountersDisplay({ ...SUM, counter }).label, 'Exceptions Thrown (B / 1 sec)')
})

test('numbers have thousands and up to three decimals, halves away from zero', () => {
  const texts: readonly (readonly [number, string])[] = [
    [0.0005, '0.001'],
    [0.00049, '0'],
    [-0.0001, '0'],
    [2.0005, '2.001'],
    [-2.0005, '-2.001'],
    [999.9996, '1,000'],
    [0.9995, '1'],
    [1e-300, '0'],
    [1_234_567_890_123_456_800, '1,234,567,890,123,460,000'],
    [Number.NaN, 'NaN'],
    [Number.NEGATIVE_INFINITY, '-Infinity'],
  ]
  for (const [value, text] of texts) assert.equal(consoleNumber(value, false), text)
})

test('a tie at the 15th digit goes to the even one, as .NET rounds before it shows', () => {
  const texts: readonly (readonly [number, string])[] = [
    [1_234_567_890_123.125, '1,234,567,890,123.12'],
    [1_234_567_890_123.375, '1,234,567,890,123.38'],
    [1_234_567_890_123_455, '1,234,567,890,123,460'],
    [1_234_567_890_123_445, '1,234,567,890,123,440'],
    [-1_234_567_890_123_445, '-1,234,567,890,123,440'],
    [100_000_000_000_000.5, '100,000,000,000,000'],
    [100_000_000_000_001.5, '100,000,000,000,002'],
  ]
  for (const [value, text] of texts) assert.equal(consoleNumber(value, false), text)
})

test('abbreviated numbers have an exponent of two digits from 1e8 on', () => {
  const texts: readonly (readonly [number, string])[] = [
    [99_999_999.9999, '100,000,000'],
    [1e8, '1e+08'],
    [-1.5e9, '-1.5e+09'],
    [9.99996e9, '1e+10'],
    [9.99994e9, '9.9999e+09'],
    [1.7976931348623157e308, '1.7977e+308'],
  ]
  for (const [value, text] of texts) assert.equal(consoleNumber(value, true), text)
})

test('a number’s text, read again, is the number to half of its last place', () => {
  holds(
    fc.property(fc.double({ min: -1e12, max: 1e12, noNaN: true }), (value) => {
      const full = Number(consoleNumber(value, false).replaceAll(',', ''))
      // Rounded to 15 digits first, and then to 3 decimals.
      const tolerance = 0.000501 + Math.abs(value) * 5e-15 * 10
      assert.ok(Math.abs(full - value) <= tolerance, `${full}`)
      const short = Number(consoleNumber(value, true).replaceAll(',', ''))
      assert.ok(Math.abs(short - value) <= Math.max(tolerance, Math.abs(value) * 0.501e-4))
    }),
    1000,
  )
})
