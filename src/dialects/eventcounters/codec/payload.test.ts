/** Payloads in both spellings. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import type { Profile } from '../../decoder.ts'
import type { CounterDescription, CounterWindow, Statistics } from '../window.ts'
import { boundaryText } from './line.ts'
import { toPayload } from './payload.ts'

const PROFILES: readonly Profile[] = ['document', 'peer']

const COUNTER: CounterDescription = {
  provider: 'App',
  name: 'c',
  displayName: 'C',
  units: 'B',
  rateScaleSec: 60,
  metaData: [['k', 'v']],
}
const MEAN: Statistics = { kind: 'mean', count: 7, mean: 1, deviation: 0, min: 1, max: 1 }

function windowOf(fields: Partial<CounterWindow>): CounterWindow {
  return { counter: COUNTER, seriesMs: 1000, intervalSec: 1, statistics: MEAN, ...fields }
}

test('members stand in the order of the spelling', () => {
  const names = (statistics: Statistics, profile: Profile) =>
    Object.keys(toPayload(windowOf({ statistics }), profile)).join(' ')
  const sum: Statistics = { kind: 'sum', increment: 1 }
  assert.equal(
    names(MEAN, 'document'),
    'DisplayName DisplayRateTimeScale Name Mean StandardDeviation Count Min Max IntervalSec ' +
      'Series CounterType MetaData',
  )
  assert.equal(
    names(sum, 'document'),
    'DisplayName DisplayRateTimeScale Name Increment IntervalSec Series CounterType MetaData',
  )
  assert.equal(
    names(MEAN, 'peer'),
    'Name DisplayName Mean StandardDeviation Count Min Max IntervalSec Series CounterType ' +
      'Metadata DisplayUnits',
  )
  assert.equal(
    names(sum, 'peer'),
    'Name DisplayName DisplayRateTimeScale Increment IntervalSec Metadata Series CounterType ' +
      'DisplayUnits',
  )
})

test('a Mean of the document has the time scale 1, whatever its counter says', () => {
  assert.equal(toPayload(windowOf({}), 'document').DisplayRateTimeScale, '1')
})

test('the peer’s count stops at the largest i32, the document’s goes on', () => {
  const window = windowOf({ statistics: { ...MEAN, count: 2 ** 31 } as Statistics })
  assert.equal(toPayload(window, 'peer').Count, 2_147_483_647)
  assert.equal(toPayload(window, 'document').Count, 2_147_483_648)
})

test('the peer’s length is a float32, written as the double that it is', () => {
  const window = windowOf({ intervalSec: 1.00324 })
  assert.equal(toPayload(window, 'peer').IntervalSec, 1.0032399892807007)
  assert.equal(toPayload(window, 'document').IntervalSec, 1.00324)
})

const text = fc.string({ unit: 'binary', maxLength: 10 })
const counters = fc.record({
  provider: text,
  name: text,
  displayName: text,
  units: text,
  rateScaleSec: fc.double({ min: 0, max: 1e9, noNaN: true }),
  metaData: fc.array(fc.tuple(text, text), { maxLength: 3 }),
})
const numbers = fc.double()
const statistics = fc.oneof(
  fc.record({ kind: fc.constant('sum' as const), increment: numbers }),
  fc.record({
    kind: fc.constant('mean' as const),
    count: fc.nat(2 ** 32),
    mean: numbers,
    deviation: numbers,
    min: numbers,
    max: numbers,
  }),
)
const windows = fc.record({
  counter: counters,
  seriesMs: fc.integer({ min: 1, max: 4_294_967_295_000 }),
  intervalSec: fc.double({ min: 0, noNaN: true }),
  statistics,
})

test('the text is exactly that of JSON, also where its fixed parts were kept', () => {
  holds(
    fc.property(windows, statistics, (window, next) => {
      for (const profile of PROFILES) {
        for (const each of [window, { ...window, statistics: next, seriesMs: 1 }]) {
          const line = boundaryText({ timeMs: 0, windows: [each] }, profile)
          const payload = JSON.stringify(toPayload(each, profile))
          assert.ok(line.endsWith(`Z","Payload":${payload}}\n`), line)
        }
      }
    }),
    500,
  )
})
