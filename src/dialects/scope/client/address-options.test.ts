import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOptions } from './address-options.ts'

test('an address says how often its exporter is asked to send', () => {
  for (const [query, samplingIntervalMs] of [
    ['interval=20ms', 20],
    ['interval=.5s', 500],
    ['interval=1s', 1000],
    ['interval=0.1ms', 0.1],
    ['interval=250us', 0.25],
    ['interval=1000000ns', 1],
  ] as const) {
    assert.deepEqual(addressOptions(query), { samplingIntervalMs })
  }
  assert.deepEqual(addressOptions(''), {})
})

test('what means nothing is refused, with what is wanted', () => {
  for (const [query, message] of [
    ['intervall=20ms', 'unknown option intervall: want interval=, as in ?interval=20ms'],
    ['interval=20', 'interval "20", want a time as 20ms, 0.5s or 500us'],
    ['interval=-1ms', 'interval "-1ms", want a time as 20ms, 0.5s or 500us'],
    ['interval=1ms&interval=2ms', 'interval is there twice'],
  ] as const) {
    assert.throws(() => addressOptions(query), { name: 'TypeError', message })
  }
})
