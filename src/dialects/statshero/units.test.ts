import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { GAUGE, HISTOGRAM, METER, METER_READER } from './spec.ts'
import { compileUnits, UNIT_PATTERN } from './units.ts'

suite('units by key', () => {
  test('a histogram whose key says that it is a time is in ms', () => {
    const unitOf = compileUnits({})
    const times = ['myWebservice.requestTime', 'a.queue_time', 'a.ms', 'dbMs', 'a.latency']
    const others = ['a.size', 'time', 'bytes', 'items', 'time.zone', 'uptime', 'requestTimes']
    for (const key of times) assert.equal(unitOf(key, HISTOGRAM), 'ms', key)
    for (const key of others) assert.equal(unitOf(key, HISTOGRAM), undefined, key)
    for (const type of [METER, METER_READER, GAUGE]) {
      assert.equal(unitOf('myWebservice.requestTime', type), undefined)
    }
  })

  test('what stats_hero sends is in ms, but for its counts', () => {
    const unitOf = compileUnits({})
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
    const unitOf = compileUnits({ 'a.*Time': 's', 'h:*Time': '', 'mr:*jiffies': '{jiffy}' })
    assert.equal(unitOf('a.requestTime', HISTOGRAM), 's')
    assert.equal(unitOf('a.requestTime', GAUGE), 's')
    assert.equal(unitOf('b.requestTime', HISTOGRAM), undefined)
    assert.equal(unitOf('cpu.jiffies', METER_READER), '{jiffy}')
    assert.equal(unitOf('cpu.jiffies', METER), undefined)
    for (const bad of ['', 'x:*', 'h:', 'h:a:b', 'a|b']) assert.doesNotMatch(bad, UNIT_PATTERN)
  })
})
