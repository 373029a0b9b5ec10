import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import {
  allDigits,
  axisText,
  axisTexts,
  changeText,
  digits,
  digitsApart,
  exact,
  format,
  ownText,
  text,
  totalText,
} from './number.ts'

const CASES: readonly (readonly [
  value: number,
  unit: string,
  number: string,
  shownUnit: string,
])[] = [
  [0, '', '0', ''],
  [12, '', '12', ''],
  [999, '', '999', ''],
  [-7, '', '\u22127', ''],
  [18.84, '', '18.8', ''],
  [9.996, '', '10.0', ''],
  [99.96, '', '100', ''],
  [999.4, '', '999', ''],
  [999.6, '', '1.00', 'k'],
  [1000, '', '1.00', 'k'],
  [1895.5, '', '1.90', 'k'],
  [719_862_581, '', '720', 'M'],
  [0.000_123_4, '', '0.000123', ''],
  [998e18, '', '998', 'E'],
  [1e21, '', '1.00e21', ''],
  [1e82, '', '1.00e82', ''],
  [-2.5e82, '/s', '\u22122.50e82', '/s'],
  [1e82, 'B', '1.00e82', 'B'],
  [21.5, 'Cel', '21.5', '°C'],
  [12, '{request}', '12', 'request'],
  [2500, '{request}/s', '2.50', 'k\u00a0request/s'],
  [4396, 'MBy', '4.09', 'GiB'],
  [2, 'd', '48.0', 'h'],
  [1e30, 'mm', '1.00e30', 'mm'],
  [12, '/s', '12.0', '/s'],
  [0, '/s', '0', '/s'],
  [825, '/s', '825', '/s'],
  [55_012, '/s', '55.0', 'k/s'],
  [512, 'B', '512', 'B'],
  [1000, 'B', '0.977', 'KiB'],
  [6.1e9, 'B', '5.68', 'GiB'],
  [41e6, 'B/s', '39.1', 'MiB/s'],
  [45.7, '%', '45.7', '%'],
  [43, '%', '43.0', '%'],
  [16.84, 'ms', '16.8', 'ms'],
  [0.442, 'ms', '442', 'µs'],
  [999.6, 'us', '1.00', 'ms'],
  [1_048_576, 'ns', '1.05', 'ms'],
  [0, 'us', '0', 'µs'],
  [90, 's', '1.50', 'min'],
  [7200, 's', '2.00', 'h'],
  [-2.5, 'ms', '\u22122.50', 'ms'],
  [9.27, 'A', '9.27', 'A'],
  [0.0042, 'A', '4.20', 'mA'],
  [4396, 'MB', '4.09', 'GiB'],
  [512, 'MB', '488', 'MiB'],
  [0.5, 'KiB', '512', 'B'],
  [1, 'kB', '0.977', 'KiB'],
  [3, 'GiB/s', '3.00', 'GiB/s'],
  [2400, 'MHz', '2.40', 'GHz'],
  [48.2, 'V', '48.2', 'V'],
  [1_500_000, 'bit/s', '1.50', 'Mbit/s'],
  [0, 'kW', '0', 'W'],
  [1_234_567, 'requests', '1.23', 'M\u00a0requests'],
  [12, 'requests', '12', 'requests'],
  [1240, 'm', '1240', 'm'],
  [90, 'min', '1.50', 'h'],
  [3, 'minutes', '3.00', 'min'],
  [Number.NaN, 'ms', '–', ''],
]

for (const [value, unit, number, shownUnit] of CASES) {
  test(`${value} in "${unit}" is shown as ${number} ${shownUnit}`, () => {
    assert.deepEqual(format(value, unit), [number, shownUnit])
  })
}

test('no value is a dash, never 0 or NaN', () => {
  assert.equal(text(null, 'ms'), '–')
  assert.equal(text(undefined), '–')
  assert.equal(changeText(Number.NaN), '–')
})

test('number and unit are held together by a no-break space', () => {
  assert.equal(text(1.25, 'ms'), '1.25\u00a0ms')
  assert.equal(text(45.7, '%'), '45.7\u00a0%')
  assert.equal(text(7), '7')
})

test('every finite number has exactly three significant digits', () => {
  holds(
    fc.property(fc.double({ min: 1e-5, max: 1e20, noNaN: true }), fc.boolean(), (size, isBelow) => {
      const [number] = format(isBelow ? -size : size, '/s')
      const significant = number.replace(/^\u2212?[0.]*/, '').replace('.', '')
      assert.equal(significant.length, 3, `${size} is ${number}`)
    }),
  )
})

test('a shown number is within half a unit of its last digit', () => {
  holds(
    fc.property(fc.double({ min: 1e-5, max: 999, noNaN: true }), (value) => {
      assert.ok(Math.abs(Number(digits(value)) / value - 1) <= 0.0051)
    }),
  )
})

test('axis labels drop the zeros that widths force, and the time of a plain rate', () => {
  assert.equal(axisText(10, 'ms'), '10\u00a0ms')
  assert.equal(axisText(2500, ''), '2.5\u00a0k')
  assert.equal(axisText(20_000, '/s'), '20\u00a0k')
  assert.equal(axisText(100, '/s'), '100')
  assert.equal(axisText(-50, ''), '\u221250')
  assert.equal(axisText(1e82, ''), '1e82')
  assert.equal(axisText(2.5e82, '/s'), '2.5e82')
})

test('axis labels of a rate with a unit keep the time: m/s is no m', () => {
  assert.equal(axisText(20, 'm/s'), '20\u00a0m/s')
  assert.equal(axisText(2048, 'B/s'), '2\u00a0KiB/s')
  assert.equal(axisText(2500, 'requests/s'), '2.5\u00a0k\u00a0requests/s')
  assert.equal(axisText(2500, 'W/min'), '2.5\u00a0kW/min')
})

test('axis labels that do not fit have prefixes and no unit, all of an axis alike', () => {
  const narrow = (words: string): boolean => words.length <= 6
  assert.deepEqual(
    axisTexts([0, 2 ** 20], 'B/s', () => true),
    ['0\u00a0MiB/s', '1\u00a0MiB/s'],
  )
  assert.deepEqual(axisTexts([0, 2 ** 20], 'B/s', narrow), ['0\u00a0MiB', '1\u00a0MiB'])
  assert.deepEqual(axisTexts([0, 2], 'm/s', narrow), ['0\u00a0m/s', '2\u00a0m/s'])
  assert.deepEqual(
    axisTexts([0, 2 ** 19, 2 ** 20], 'B/s', (words) => words.length <= 6),
    ['0', '0.5\u00a0Mi', '1\u00a0Mi'],
  )
  assert.deepEqual(axisTexts([500, 2500], 'requests/s', narrow), ['0.5\u00a0k', '2.5\u00a0k'])
  assert.deepEqual(axisTexts([500, 2500], 'W/min', narrow), ['0.5\u00a0k', '2.5\u00a0k'])
  assert.deepEqual(axisTexts([0, 20_000], '/min', narrow), ['0', '20\u00a0k'])
})

test('labels of one axis have one prefix, but for those of a logarithmic one', () => {
  const isFitting = (): boolean => true
  assert.deepEqual(axisTexts([0, 0.005], 'seconds', isFitting), ['0\u00a0ms', '5\u00a0ms'])
  assert.deepEqual(axisTexts([-5e-4, 1e-3], 's', isFitting), ['\u22120.5\u00a0ms', '1\u00a0ms'])
  assert.deepEqual(axisTexts([0, 0], 'seconds', isFitting), ['0\u00a0s', '0\u00a0s'])
  assert.deepEqual(axisTexts([0, 500, 1000], '', isFitting), ['0', '0.5\u00a0k', '1\u00a0k'])
  assert.deepEqual(axisTexts([1e-4, 1e-3], 's', isFitting, true), ['100\u00a0µs', '1\u00a0ms'])
})

test('exact counts are grouped by thin spaces and keep every digit beyond 2^53', () => {
  assert.equal(exact(8_412_334), '8\u202f412\u202f334')
  assert.equal(exact(999), '999')
  assert.equal(
    exact('18446744073709551615'),
    '18\u202f446\u202f744\u202f073\u202f709\u202f551\u202f615',
  )
  assert.equal(exact(-1234n), '\u22121\u202f234')
})

test('a total has its fraction to thousandths, and none where it is whole', () => {
  assert.equal(totalText(12_345.25), '12\u202f345.25')
  assert.equal(totalText(0.1 + 0.2), '0.3')
  assert.equal(totalText(2.0004), '2')
  assert.equal(totalText(1000), '1\u202f000')
  assert.equal(totalText('18446744073709551615'), exact('18446744073709551615'))
})

test('all digits of a value are there on hover', () => {
  assert.equal(allDigits(1895.5352136786287, ''), '1895.5352136786287')
  assert.equal(allDigits(-0.25, 'ms'), '\u22120.25\u00a0ms')
  assert.equal(ownText(8_412_334), '8\u202f412\u202f334')
  assert.equal(ownText(1895.5352136786287, 'ms'), '1895.54\u00a0ms')
  assert.equal(ownText(Number.NaN, 'ms'), '–')
})

test('a change is a factor from 2 up, per cent below, and "from 0" where usual is nothing', () => {
  assert.equal(changeText(19.2), '19×')
  assert.equal(changeText(4.04), '4.0×')
  assert.equal(changeText(1.996), '2.0×')
  assert.equal(changeText(1.12), '+12\u00a0%')
  assert.equal(changeText(0.25), '\u221275\u00a0%')
  assert.equal(changeText(1.001), '0\u00a0%')
  assert.equal(changeText(0), '\u2212100\u00a0%')
  assert.equal(changeText(Number.POSITIVE_INFINITY), 'from 0')
})

test('a rate per any time is scaled as its unit is', () => {
  assert.deepEqual(format(36_000, '/h'), ['36.0', 'k/h'])
  assert.deepEqual(format(2048, 'B/min'), ['2.00', 'KiB/min'])
  assert.deepEqual(format(12, '/10 s'), ['12.0', '/10 s'])
  assert.equal(axisText(20_000, '/min'), '20\u00a0k')
})

test('labels of an axis that would read alike have more digits, or say how far up they are', () => {
  const clock = [1.7075e9, 1.707505e9, 1.70751e9, 1.707515e9]
  const wide = () => true
  assert.deepEqual(axisTexts(clock, '', wide), [
    '1.7075\u00a0G',
    '1.707505\u00a0G',
    '1.70751\u00a0G',
    '1.707515\u00a0G',
  ])
  const narrow = (words: string) => words.length <= 8
  const steps = ['1.7075\u00a0G', '+5\u00a0k', '+10\u00a0k', '+15\u00a0k']
  assert.deepEqual(axisTexts(clock, '', narrow), steps)
  const least = (words: string) => words.length <= 6
  assert.equal(axisTexts(clock, '', least)[0], '≈1.71\u00a0G')
  const ticks = [99.9998, 99.9999, 100, 100.0001]
  assert.deepEqual(axisTexts(ticks, 'ms', wide), [
    '99.9998\u00a0ms',
    '99.9999\u00a0ms',
    '100\u00a0ms',
    '100.0001\u00a0ms',
  ])
  const mib = [2 ** 30, 2 ** 30 + 2 ** 16, 2 ** 30 + 2 ** 17]
  assert.equal(new Set(axisTexts(mib, 'B', (words) => words.length <= 8)).size, 3)
})

test('values of one span have the digits that tell them apart', () => {
  assert.equal(digitsApart([12, 88, 40]), 3)
  assert.equal(digitsApart([5, 5, 5]), 3)
  assert.equal(digitsApart([Number.NaN, 5, Number.POSITIVE_INFINITY]), 3)
  assert.equal(digitsApart([]), 3)
  const times = [1_707_510_000, 1_707_514_000]
  const significant = digitsApart(times)
  assert.deepEqual(
    times.map((time) => text(time, '', significant)),
    ['1.707510\u00a0G', '1.707514\u00a0G'],
  )
  assert.equal(text(1_707_510_000, 'ns', significant), '1.707510\u00a0s')
})
