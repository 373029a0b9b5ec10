import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DialectStatus } from '../../http/api.ts'
import { meterReading } from './meter.ts'

const STATUS: DialectStatus = {
  ...{ name: 'opentelemetry', title: 'OpenTelemetry', address: '', tryIt: '', recent: [] },
  ...{ ratePerSecond: 0, lastDataMs: 100_000, errors: 0, connections: 0, series: 1 },
  role: 'receive',
}

/** Rates of a sender that pushes 50 each ten seconds, up to a last time. */
function pushed(last: number) {
  return { at: (second: number) => (second <= last && second % 10 === 0 ? 50 : 0) }
}

test('between pushes a meter has their mean, and is silent once one is late', () => {
  const at = (second: number) => {
    return meterReading(STATUS, pushed(100), { second, nowMs: second * 1000, interval: 1 })
  }
  assert.deepEqual(at(104), { rate: 5, age: 4, isSilent: false })
  assert.deepEqual(at(110), { rate: 5, age: 10, isSilent: false })
  assert.deepEqual(at(113), { rate: 0, age: 13, isSilent: true })
})

test('what comes each second is silent after three intervals, where it is asked for', () => {
  const each = { at: (second: number) => (second <= 100 ? 7 : 0) }
  const time = { second: 103, nowMs: 103_000, interval: 1 }
  assert.equal(meterReading(STATUS, each, time).isSilent, true)
  assert.equal(meterReading(STATUS, each, { ...time, interval: 2 }).isSilent, false)
  assert.equal(meterReading(STATUS, each, { ...time, nowMs: 102_900 }).isSilent, false)
  const sender: DialectStatus = { ...STATUS, role: 'emit' }
  assert.equal(meterReading(sender, each, time).isSilent, false)
  assert.equal(meterReading({ ...sender, connections: 1 }, each, time).isSilent, true)
  const waiting = meterReading({ ...STATUS, lastDataMs: null }, each, time)
  assert.deepEqual(waiting, { rate: Number.NaN, age: 0, isSilent: false })
})
