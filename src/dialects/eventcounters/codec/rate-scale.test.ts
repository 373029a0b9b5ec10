/** DisplayRateTimeScale in both spellings. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { decimalText, readDecimal } from './decimal.ts'
import { parseRateScale, rateScaleProfile, rateScaleText } from './rate-scale.ts'

test('the peer writes a TimeSpan with days and a fraction only where there are any', () => {
  const texts: readonly (readonly [number, string])[] = [
    [86_400, '1.00:00:00'],
    [7 * 86_400 + 3723.004, '7.01:02:03.0040000'],
    [1e-7, '00:00:00.0000001'],
    [-5, '-00:00:05'],
    [0.3, '00:00:00.3000000'],
    [59.9999999, '00:00:59.9999999'],
    [922_337_203_685, '10675199.02:48:05'],
  ]
  for (const [seconds, text] of texts) assert.equal(rateScaleText(seconds, 'peer'), text)
})

test('less than half of 100 ns is nothing to the peer, and to the document a long fraction', () => {
  assert.equal(rateScaleText(4e-8, 'peer'), '')
  assert.equal(rateScaleText(6e-8, 'peer'), '00:00:00.0000001')
  assert.equal(rateScaleText(4e-8, 'document'), '0.00000004')
})

test('what a spelling cannot say is refused', () => {
  for (const seconds of [Number.NaN, Number.POSITIVE_INFINITY, -1]) {
    assert.throws(() => rateScaleText(seconds, 'document'), RangeError)
  }
  for (const seconds of [Number.NaN, 922_337_203_686, -922_337_203_686, 1e300]) {
    assert.throws(() => rateScaleText(seconds, 'peer'), RangeError)
  }
})

test('the document’s text has no exponent', () => {
  const texts: readonly (readonly [number, string])[] = [
    [1e21, '1000000000000000000000'],
    [1.5e22, '15000000000000000000000'],
    [1e-7, '0.0000001'],
    [1.25e-10, '0.000000000125'],
    [-0, '0'],
    [-2.5e-9, '-0.0000000025'],
  ]
  for (const [value, text] of texts) assert.equal(decimalText(value), text)
  holds(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = decimalText(value)
      assert.match(text, /^-?\d+(\.\d+)?$/)
      assert.equal(readDecimal(text), value === 0 ? 0 : value)
    }),
  )
})

test('empty is unset to the peer, and other texts are of either spelling or of none', () => {
  assert.equal(parseRateScale('', 'peer'), 0)
  assert.equal(parseRateScale('', 'document'), undefined)
  const wrong = ['soon', '0', '-1', '1e3', '00:00:00', '-00:01:00', '24:00:00', '00:60:00', '1:0:0']
  for (const text of [...wrong, '00:00:60', '00:00:01.00000000', '99999999.00:00:00', ' 1']) {
    assert.equal(parseRateScale(text, 'document'), undefined, text)
    assert.equal(parseRateScale(text, 'peer'), undefined, text)
  }
  assert.equal(rateScaleProfile('60'), 'document')
  assert.equal(rateScaleProfile('-0.5'), 'document')
  assert.equal(rateScaleProfile('00:00:01'), 'peer')
  assert.equal(rateScaleProfile(''), 'peer')
  assert.equal(rateScaleProfile('soon'), undefined)
})

test('what is written is read as the same, to 100 ns by the peer', () => {
  const seconds = fc.double({ min: 1e-6, max: 9e11, noNaN: true })
  holds(
    fc.property(seconds, (value) => {
      assert.equal(parseRateScale(rateScaleText(value, 'document'), 'document'), value)
      const peer = parseRateScale(rateScaleText(value, 'peer'), 'peer')!
      assert.ok(Math.abs(peer - value) <= 0.5e-7 + value * 1e-15, `${peer}`)
    }),
  )
})
