/** Interval texts in both grammars, and Series texts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { parseInterval, parseSeries, seriesText } from './interval.ts'

/** `run N` or the kind. */
function said(text: string | undefined, profile: 'document' | 'peer'): string {
  const argument = parseInterval(text, profile)
  if (argument.kind === 'run') return `run ${argument.intervalMs}`
  return argument.kind === 'stop' && argument.isInvalid ? 'stop, invalid' : argument.kind
}

test('document: whole seconds of 32 bits, with white space, sign and leading zeros', () => {
  const runs: Readonly<Record<string, number>> = {
    '1': 1,
    '+7': 7,
    '\t\n\v\f\r 42 \t': 42,
    '0000000000000000000009': 9,
    '4294967295': 4_294_967_295,
  }
  for (const [text, seconds] of Object.entries(runs)) {
    assert.equal(said(text, 'document'), `run ${seconds * 1000}`, text)
  }
})

test('document: a missing argument and zero stop, all else is counted as invalid too', () => {
  for (const text of [undefined, '0', '-0', '+000', ' 0 ']) {
    assert.equal(said(text, 'document'), 'stop', `${text}`)
  }
  const wrong = ['', ' ', '-1', '4294967296', '1.0', '1e1', '1,000', '0x10', '+', '1 2', '١', '1\0']
  for (const text of [...wrong, '\u00a01', '1\u2003', '- 1', 'fast']) {
    assert.equal(said(text, 'document'), 'stop, invalid', JSON.stringify(text))
  }
})

test('peer: floating point with thousands, exponent and white space', () => {
  const runs: Readonly<Record<string, number>> = {
    '0.001': 1,
    '.5': 500,
    '5.': 5000,
    '1,0,0': 100_000,
    '1,000.5': 1_000_500,
    '1,': 1000,
    '+1E-1': 100,
    '\v2e0\f': 2000,
    '2147483.5': 2_147_483_520,
    // Nine digits are more than a float32 has.
    '1.23456789': 1234,
  }
  for (const [text, ms] of Object.entries(runs)) assert.equal(said(text, 'peer'), `run ${ms}`, text)
})

test('peer: zero and below stop, no number is ignored, other numbers are invalid', () => {
  for (const text of ['0', '-0', '-5', '-1e99', '1e-99', '-Infinity', '-infinity', '0,0.0']) {
    assert.equal(said(text, 'peer'), 'stop', text)
  }
  const none = [undefined, '', ' ', '.', ',1', '1.5,0', '1 000', '- 1', '1e', '1e+', 'e1', 'Inf']
  for (const text of [...none, '1..2', '1s', '++1', '-', '\u00a01', '1\0', '0x1', '∞']) {
    assert.equal(said(text, 'peer'), 'ignored', JSON.stringify(text))
  }
  const outside = ['0.0009', '1e-9', '2147483.7', '4294967295', '1e999', 'Infinity', '+infinity']
  for (const text of [...outside, 'nan', '-NaN']) assert.equal(said(text, 'peer'), 'invalid', text)
})

test('texts of a million letters are read in one pass', () => {
  const many = 1_000_000
  assert.equal(said(`${'0'.repeat(many)}x`, 'document'), 'stop, invalid')
  assert.equal(said(`${' '.repeat(many)}x${' '.repeat(many)}x`, 'document'), 'stop, invalid')
  assert.equal(said(`${'0,'.repeat(many)}x`, 'peer'), 'ignored')
  assert.equal(said(`1${' '.repeat(many)}x${' '.repeat(many)}`, 'peer'), 'ignored')
  assert.equal(said(`1e${'0'.repeat(many)}1`, 'peer'), 'run 10000')
})

test('Series says seconds in the document’s spelling and milliseconds in the peer’s', () => {
  assert.equal(seriesText(1000, 'document'), 'Interval=1')
  assert.equal(seriesText(1000, 'peer'), 'Interval=1000')
  assert.equal(seriesText(4_294_967_295_000, 'document'), 'Interval=4294967295')
  // Only where a session by milliseconds and one by seconds share a source under deliver=all.
  assert.equal(seriesText(1, 'document'), 'Interval=0.001')
})

test('a Series is read without regard to the case of its prefix, and is an integer', () => {
  assert.equal(parseSeries('INTERVAL=10', 'document'), 10_000)
  assert.equal(parseSeries('interval=007', 'peer'), 7)
  const wrong = ['Interval=', 'Interval=1.5', 'Interval=-1', 'Interval= 1', 'fast', '1', 5, null]
  for (const text of [...wrong, undefined, 'Interval=9007199254740993', ' Interval=1']) {
    assert.equal(parseSeries(text, 'document'), undefined, `${text}`)
  }
})

test('every interval that runs has a Series text that leads back to it', () => {
  holds(
    fc.property(fc.integer({ min: 1, max: 4_294_967_295 }), (seconds) => {
      const argument = parseInterval(`${seconds}`, 'document')
      assert.ok(argument.kind === 'run')
      const series = seriesText(argument.intervalMs, 'document')
      assert.equal(parseSeries(series, 'document'), seconds * 1000)
    }),
  )
  holds(
    fc.property(fc.integer({ min: 1, max: 2_147_483_647 }), (ms) => {
      assert.equal(parseSeries(seriesText(ms, 'peer'), 'peer'), ms)
    }),
  )
})

test('any text has an answer in both grammars', () => {
  const letters = fc.string({ unit: fc.constantFrom(...' \t0123456789+-.,eEnaifty\0') })
  holds(
    fc.property(letters, (text) => {
      const document = parseInterval(text, 'document')
      assert.ok(document.kind === 'run' || document.kind === 'stop')
      const peer = parseInterval(text, 'peer')
      if (peer.kind !== 'run') return
      assert.ok(peer.intervalMs >= 1 && peer.intervalMs <= 2_147_483_647)
      assert.ok(Number.isInteger(peer.intervalMs))
    }),
    2000,
  )
})
