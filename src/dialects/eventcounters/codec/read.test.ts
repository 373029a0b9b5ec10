/** Reading payloads: how the spelling is told, what is assumed, what is refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Profile } from '../../decoder.ts'
import type { MeanStatistics } from '../window.ts'
import { type ReadWindow, readLine } from './read.ts'

const SUM = { Name: 'a', CounterType: 'Sum', Increment: 1, IntervalSec: 1, Series: 'Interval=1' }
const MEAN = {
  ...SUM,
  CounterType: 'Mean',
  Mean: 2,
  StandardDeviation: 1,
  Count: 3,
  Min: 1,
  Max: 4,
}

function read(payload: object, fixed?: Profile): ReadWindow {
  const result = readLine(JSON.stringify(payload), fixed)
  assert.ok(result.kind === 'window', JSON.stringify(result))
  return result.window
}

function refused(text: string): string {
  const result = readLine(text)
  return result.kind === 'error' ? result.code : result.kind
}

function meanOf(fields: object): MeanStatistics {
  const { statistics } = read({ ...MEAN, MetaData: '', ...fields })
  assert.ok(statistics.kind === 'mean')
  return statistics
}

test('the first mark in the order of section 4.9 tells the spelling', () => {
  const profileOf = (fields: object) => read({ ...SUM, ...fields }, undefined).profile
  assert.equal(profileOf({ MetaData: '', Metadata: '', DisplayUnits: '' }), 'document')
  assert.equal(profileOf({ Metadata: '', DisplayRateTimeScale: '1' }), 'peer')
  assert.equal(profileOf({ DisplayUnits: '', DisplayRateTimeScale: '1' }), 'peer')
  assert.equal(profileOf({ DisplayRateTimeScale: '00:00:01' }), 'peer')
  assert.equal(profileOf({ DisplayRateTimeScale: '' }), 'peer')
  assert.equal(profileOf({ DisplayRateTimeScale: '60' }), 'document')
  assert.equal(read({ ...MEAN, DisplayRateTimeScale: '00:00:01' }).profile, 'document')
})

test('without a mark it is what the connection has shown, else assumed, with a warning', () => {
  assert.deepEqual(read(SUM).warnings, ['profile_assumed'])
  const { profile, warnings, seriesMs } = read(SUM, 'peer')
  assert.deepEqual([profile, warnings, seriesMs], ['peer', [], 1])
  assert.equal(read({ ...SUM, DisplayRateTimeScale: 'soon' }, 'peer').profile, 'peer')
  assert.equal(read({ ...SUM, MetaData: '' }, 'peer').profile, 'document')
})

test('names of fields are matched with case, and their order means nothing', () => {
  const turned = Object.fromEntries(Object.entries({ ...SUM, metadata: 'k:v' }).reverse())
  const { profile, warnings } = read(turned)
  assert.deepEqual([profile, warnings], ['document', ['profile_assumed']])
})

test('warnings come together, in the order of the rules', () => {
  const fields = { Series: 5, DisplayRateTimeScale: 'soon', IntervalSec: null }
  const window = read({ ...SUM, ...fields })
  assert.deepEqual(window.warnings, ['profile_assumed', 'series', 'rate_scale', 'interval'])
  assert.deepEqual([window.seriesMs, window.intervalSec], [undefined, undefined])
  assert.equal(window.counter.rateScaleSec, 0)
})

test('a length that is no positive number is unknown', () => {
  for (const IntervalSec of [0, -1, null, '1', undefined]) {
    const { intervalSec, warnings } = read({ ...SUM, MetaData: '', IntervalSec })
    assert.deepEqual([intervalSec, warnings], [undefined, ['interval']])
  }
  assert.deepEqual(readLine('{"Name":"a","CounterType":"Sum","Increment":1,"IntervalSec":1e999}'), {
    ...readLine('{"Name":"a","CounterType":"Sum","Increment":1}'),
  })
})

test('null is a value the sender did not have, and of an empty interval the infinities', () => {
  const nothing = { Mean: null, StandardDeviation: null, Min: null, Max: null }
  const { mean, deviation, min, max } = meanOf(nothing)
  assert.deepEqual([mean, deviation, min, max], [NaN, NaN, NaN, NaN])
  const empty = meanOf({ ...nothing, Count: 0, Mean: 0 })
  assert.deepEqual([empty.min, empty.max], [Infinity, -Infinity])
  const { statistics } = read({ ...SUM, MetaData: '', Increment: null })
  assert.deepEqual(statistics, { kind: 'sum', increment: NaN })
})

test('a Mean that states no count of samples is one value, with a warning', () => {
  for (const Count of [undefined, null, -1, 1.5, '7', 2 ** 53]) {
    const { statistics, warnings } = read({ ...MEAN, MetaData: '', Count })
    assert.equal(statistics.kind === 'mean' && statistics.count, 1)
    assert.deepEqual(warnings, ['count'])
  }
})

test('minus zero is zero', () => {
  const result = readLine('{"Name":"a","CounterType":"Sum","Increment":-0,"MetaData":""}')
  assert.ok(result.kind === 'window' && result.window.statistics.kind === 'sum')
  assert.ok(Object.is(result.window.statistics.increment, 0))
})

test('the unit is a pair of the document’s metadata and a field of the peer’s', () => {
  const document = read({ ...SUM, MetaData: 'a=1,DisplayUnits=MB', DisplayUnits: 'x' })
  assert.equal(document.counter.units, 'MB')
  assert.deepEqual(document.counter.metaData, [['a', '1']])
  const peer = read({ ...SUM, Metadata: 'a:1,DisplayUnits:MB', DisplayUnits: 'B' })
  assert.equal(peer.counter.units, 'B')
  assert.equal(peer.counter.metaData.length, 2)
})

test('faults of the metadata are counted, and the payload is good', () => {
  const { malformed, warnings } = read({ ...SUM, MetaData: 'x,=v,k=1,k=2' })
  assert.deepEqual([malformed, warnings], [3, []])
})

test('errors are looked for in the order of their list', () => {
  const wrong: readonly (readonly [string, string])[] = [
    ['x', 'not_json'],
    ['{"Name":"a"', 'not_json'],
    ['5', 'not_an_object'],
    ['null', 'not_an_object'],
    ['[{"Name":"a","CounterType":"Sum"}]', 'not_an_object'],
    ['{}', 'no_payload'],
    ['{"Name":"a"}', 'no_payload'],
    ['{"event":"EventCounters","Payload":null}', 'no_payload'],
    ['{"event":"EventCounters","Payload":[]}', 'no_payload'],
    ['{"Payload":{}}', 'missing_name'],
    ['{"Name":"","CounterType":"?"}', 'missing_name'],
    [`{"Name":"${'n'.repeat(513)}","CounterType":"?"}`, 'missing_name'],
    ['{"provider":5,"Payload":{"Name":"a","CounterType":"Sum","Increment":1}}', 'missing_name'],
    ['{"Payload":{"Name":"a"}}', 'unknown_counter_type'],
    ['{"Name":"a","CounterType":"SUM","Increment":1}', 'unknown_counter_type'],
    ['{"Name":"a","CounterType":"Sum","Mean":1}', 'missing_value'],
    ['{"Name":"a","CounterType":"Mean","Increment":1,"Mean":true}', 'missing_value'],
  ]
  for (const [text, code] of wrong) assert.equal(refused(text), code, text)
})

test('events of other names and lines of white space are ignored', () => {
  for (const text of ['', ' ', '\r', ' \t\r']) {
    assert.deepEqual(readLine(text), { kind: 'ignored', reason: 'keep_alive' })
  }
  const others = ['{"event":"Message"}', '{"event":null}', JSON.stringify({ ...SUM, event: 'x' })]
  for (const text of others) {
    assert.deepEqual(readLine(text), { kind: 'ignored', reason: 'other_event' })
  }
})

test('the time is RFC 3339 or unknown', () => {
  const timeOf = (time: unknown) => read({ time, provider: 'p', Payload: SUM }).timeMs
  assert.equal(timeOf('2026-01-02T03:04:05.006Z'), Date.UTC(2026, 0, 2, 3, 4, 5, 6))
  assert.equal(timeOf('2026-01-02t05:04:05+02:00'), Date.UTC(2026, 0, 2, 3, 4, 5))
  for (const time of ['2026-01-02', '2026-13-02T03:04:05Z', 'now', 5, undefined]) {
    assert.equal(timeOf(time), undefined)
  }
})

test('names that objects have of themselves are names like others', () => {
  const text = '{"Name":"__proto__","CounterType":"Sum","Increment":1,"MetaData":"__proto__=x"}'
  const result = readLine(text)
  assert.ok(result.kind === 'window')
  assert.deepEqual(result.window.counter.metaData, [['__proto__', 'x']])
  assert.equal(refused('{"__proto__":{"Name":"a","CounterType":"Sum"}}'), 'no_payload')
})
