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
    return meterReading(STATUS, pushed(100), second, second * 1000)
  }
  assert.deepEqual(at(104), { rate: 5, age: 4, isSilent: false })
  assert.deepEqual(at(110), { rate: 5, age: 10, isSilent: false })
  assert.deepEqual(at(113), { rate: 0, age: 13, isSilent: true })
})

test('what comes each second is silent after three, where it is asked for', () => {
  const each = { at: (second: number) => (second <= 100 ? 7 : 0) }
  const at = (status: DialectStatus, nowMs = 103_000) => meterReading(status, each, 103, nowMs)
  assert.equal(at(STATUS).isSilent, true)
  assert.equal(at(STATUS, 102_900).isSilent, false)
  const sender: DialectStatus = { ...STATUS, role: 'emit' }
  assert.equal(at(sender).isSilent, false)
  assert.equal(at({ ...sender, connections: 1 }).isSilent, true)
  const waiting = at({ ...STATUS, lastDataMs: null })
  assert.deepEqual(waiting, { rate: Number.NaN, age: 0, isSilent: false })
})
