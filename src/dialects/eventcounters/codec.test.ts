/** Messages both ways, through the decoder and encoder that tools use. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EncodeError } from '../../wire/encode-error.ts'
import type { Profile } from '../decoder.ts'
import { createDecoder, encodeEventCounters } from './codec.ts'

const SUM = { kind: 'sum', name: 'a', increment: 1 }
const MEAN = { kind: 'mean', name: 'a', mean: 1, standardDeviation: 0, count: 1, min: 1, max: 1 }

function written(message: object, profile?: Profile): string {
  const [bytes] = encodeEventCounters([message], profile === undefined ? {} : { profile })
  return Buffer.from(bytes!).toString()
}

function decoded(text: string) {
  const decoder = createDecoder()
  decoder.push(Buffer.from(text))
  decoder.end()
  return decoder
}

function refusal(message: unknown): string {
  try {
    return written(message as object)
  } catch (error) {
    assert.ok(error instanceof EncodeError && error instanceof RangeError)
    return error.code
  }
}

test('a message with provider or time has an envelope, others are bare payloads', () => {
  const time = '2026-01-02T03:04:05.006Z'
  const line = written({ ...SUM, provider: 'App', time })
  assert.match(line, /^\{"event":"EventCounters","provider":"App","time":"2026.*","Payload":\{"/)
  assert.deepEqual(decoded(line).notes, [`line 1: provider App, time ${time}`])
  assert.match(written(SUM), /^\{"DisplayName":"",/)
  assert.deepEqual(decoded(written(SUM)).notes, [])
})

test('the profile of the options is that of all lines, else a message says its own', () => {
  assert.match(written(SUM), /"MetaData"/)
  assert.match(written({ ...SUM, profile: 'peer' }), /"Metadata"/)
  assert.match(written(SUM, 'peer'), /"Metadata"/)
  assert.match(written({ ...SUM, profile: 'document' }, 'peer'), /"Metadata"/)
  assert.match(written({ ...SUM, profile: 'peer' }, 'document'), /"MetaData"/)
})

test('what was decoded in one spelling is encoded in the other', () => {
  const lines = [
    written({ ...SUM, rateScaleSec: 60, seriesMs: 2000, intervalSec: 2.5, labels: { k: 'v' } }),
    '{"Name":"a","Increment":1,"IntervalSec":5,"Series":"Interval=5","CounterType":"Sum"}\n',
  ]
  for (const line of lines) {
    const { messages } = decoded(line)
    const [bytes] = encodeEventCounters(messages, { profile: 'peer' })
    const again = decoded(Buffer.from(bytes!).toString()).messages
    assert.deepEqual(again, [{ ...(messages[0] as object), profile: 'peer', warnings: [] }])
  }
})

test('numbers are written as they are, also where a producer of the spelling rounds', () => {
  const line = written({ ...MEAN, profile: 'peer', intervalSec: 1.1, count: 2 ** 40 })
  assert.match(line, /"Count":1099511627776,.*"IntervalSec":1.1,/)
})

test('what a line cannot say is refused with a code, and nothing is written', () => {
  const wrong: readonly (readonly [unknown, string])[] = [
    [[], 'not_an_object'],
    [{ ...SUM, kind: 'rate' }, 'unknown_counter_type'],
    [{ ...SUM, name: undefined }, 'missing_name'],
    [{ ...SUM, name: 'n'.repeat(600) }, 'missing_name'],
    [{ ...SUM, increment: undefined }, 'missing_value'],
    [{ ...SUM, increment: '1' }, 'missing_value'],
    [{ ...SUM, increment: 'Infinity' }, 'not_sayable'],
    [{ ...SUM, profile: 'third' }, 'not_sayable'],
    [{ ...SUM, seriesMs: 1500 }, 'not_sayable'],
    [{ ...SUM, intervalSec: 0 }, 'not_sayable'],
    [{ ...SUM, rateScaleSec: -1 }, 'not_sayable'],
    [{ ...SUM, labels: { k: 5 } }, 'not_sayable'],
    [{ ...SUM, labels: { k: 'a,b=c' } }, 'not_sayable'],
    [{ ...SUM, labels: { 'a=b': 'c' } }, 'not_sayable'],
    [{ ...SUM, units: 'x'.repeat(600) }, 'not_sayable'],
    [{ ...SUM, warnings: ['series', 'later'] }, 'not_sayable'],
    [{ ...SUM, unknown: 1 }, 'not_sayable'],
    [{ ...MEAN, count: 0.5 }, 'not_sayable'],
    [{ ...MEAN, min: 'Infinity' }, 'not_sayable'],
    [
      { ...SUM, labels: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`${i}`, LONG])) },
      'line_too_long',
    ],
  ]
  for (const [message, code] of wrong) assert.equal(refusal(message), code)
})

const LONG = 'v'.repeat(400)

test('a message with an assumed spelling goes only where nothing has shown one', () => {
  const bare = { ...SUM, profile: 'document', warnings: ['profile_assumed', 'series', 'interval'] }
  assert.equal(encodeEventCounters([bare, SUM]).length, 2)
  assert.throws(() => encodeEventCounters([{ ...SUM, profile: 'peer' }, bare]), EncodeError)
})

test('notes say what is no error: keep-alives, other events, faults of metadata', () => {
  const bare = '{"Name":"a","CounterType":"Sum","Increment":1,"MetaData":"x,k=1,k=2"}'
  assert.deepEqual(decoded(`\n{"event":"x"}\n${bare}\n`).notes, [
    'line 1: empty, a keep-alive',
    'line 2: an event of another name',
    'line 3: 2 malformed metadata pairs',
  ])
})

test('errors say that the stream goes on and how far a line was read, notes which it was', () => {
  const { errors, notes } = decoded(`{\n${' '.repeat(70_000)}\n`)
  const facts = errors.map(({ dialect, code, offset, resync }) => [dialect, code, offset, resync])
  assert.deepEqual(facts, [
    ['eventcounters', 'not_json', 0, true],
    ['eventcounters', 'line_too_long', 65_536, true],
  ])
  assert.deepEqual(notes, ['line 1 dropped: not_json', 'line 2 dropped: line_too_long'])
})
