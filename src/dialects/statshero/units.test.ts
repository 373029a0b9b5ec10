import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { GAUGE, HISTOGRAM, METER, METER_READER } from './spec.ts'
import { compileUnits, UNIT_PATTERN } from './units.ts'

/** Asks for the unit of a key in both ways, which have to agree. */
function unitOfBoth(rules: Readonly<Record<string, string>>) {
  const units = compileUnits(rules)
  return (key: string, type: number): string | undefined => {
    const unit = units.of(key, type)
    const bytes = Buffer.from(`x${key}y`)
    assert.equal(units.ofBytes(bytes, 1, bytes.length - 1, type), unit, key)
    return unit
  }
}

suite('units by key', () => {
  test('a histogram whose key says that it is a time is in ms', () => {
    const unitOf = unitOfBoth({})
    const times = ['myWebservice.requestTime', 'a.queue_time', 'a.ms', 'dbMs', 'a.latency']
    const others = ['a.size', 'time', 'bytes', 'items', 'time.zone', 'uptime', 'requestTimes']
    for (const key of times) assert.equal(unitOf(key, HISTOGRAM), 'ms', key)
    for (const key of others) assert.equal(unitOf(key, HISTOGRAM), undefined, key)
    for (const type of [METER, METER_READER, GAUGE]) {
      assert.equal(unitOf('myWebservice.requestTime', type), undefined)
    }
  })

  test('what stats_hero sends is in ms, but for its counts', () => {
    const unitOf = unitOfBoth({})
    for (const key of [
      'app.application.allRequests',
      'app.host1.allRequests',
      'app.application.byRequestType.nodes.PUT',
      'app.upstreamRequests.rdbms.fetch_node',
      'app.application.byRequestType.nodes.PUT.upstreamRequests.rdbms',
    ]) {
      assert.equal(unitOf(key, HISTOGRAM), 'ms', key)
      assert.equal(unitOf(key, METER), undefined, key)
    }
  })

  test('rules of a user come first, for one type or all; an empty unit is none', () => {
    const unitOf = unitOfBoth({ 'a.*Time': 's', 'h:*Time': '', 'mr:*jiffies': '{jiffy}' })
    assert.equal(unitOf('a.requestTime', HISTOGRAM), 's')
    assert.equal(unitOf('a.requestTime', GAUGE), 's')
    assert.equal(unitOf('b.requestTime', HISTOGRAM), undefined)
    assert.equal(unitOf('cpu.jiffies', METER_READER), '{jiffy}')
    assert.equal(unitOf('cpu.jiffies', METER), undefined)
    for (const bad of ['', 'x:*', 'h:', 'h:a:b', 'a|b']) assert.doesNotMatch(bad, UNIT_PATTERN)
  })
})
