import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { parseRate, rateText } from './rate.ts'

function parse(text: string): number {
  const bytes = Buffer.from(`@${text}|9.9`)
  return parseRate(bytes, 1, 1 + text.length)
}

suite('rates', () => {
  test('a decimal reads as the double nearest to it, however long', () => {
    holds(
      fc.property(
        fc.stringMatching(/^[+-]?[0-9]{1,25}\.[0-9]{1,40}([eE][+-]?[0-9]{1,2})?$/),
        (text) => assert.equal(parse(text), Number(text) + 0),
      ),
      2000,
    )
  })

  test('what has no digits on both sides of one dot is no rate', () => {
    for (const text of ['', '.', '1', '1.', '.5', '-', '+.5', '1.5e', '1.5e+', '1.5f1', '1.2.3']) {
      assert.ok(Number.isNaN(parse(text)), text)
    }
  })

  test('overflow is no rate, underflow is zero, and minus zero is zero', () => {
    assert.ok(Number.isNaN(parse('1.0e309')))
    assert.ok(Object.is(parse('1.0e-400'), 0))
    assert.ok(Object.is(parse('-0.0'), 0))
    assert.ok(Object.is(parse('-1.0e-400'), 0))
  })

  test('every rate below 1 is written without exponent and reads back as itself', () => {
    const rate = fc.double({ min: 0, max: 1, minExcluded: true, maxExcluded: true, noNaN: true })
    holds(
      fc.property(rate, (value) => {
        const text = rateText(value)
        assert.match(text, /^0\.[0-9]+$/)
        assert.equal(parse(text), value)
      }),
      2000,
    )
    assert.equal(rateText(1e-7), '0.0000001')
    assert.equal(rateText(1.5e-7), '0.00000015')
  })
})
