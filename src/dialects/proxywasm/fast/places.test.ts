import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { HANDED_ON, linked } from '../../../../test/filters/linked.ts'
import { Zone } from '../../../shm/index.ts'
import type { FilterMetricType } from '../spec.ts'
import { openZoneSpace } from '../store/space.ts'

const OK = 0

/** The path over a zone of another view, as that of another thread is, with one metric kept. */
function keeping(type: FilterMetricType) {
  const zone = Zone.create({ backing: 'wasm' })
  const space = openZoneSpace({ shared: zone.shared })
  const path = linked(space)
  const metric = space.define('f', Buffer.from('kept'), type)
  if (type === 'counter') space.writer.settableCounter(metric)
  if (type === 'histogram') space.writer.dense(metric)
  const call = () => (type === 'counter' ? path.increment : path.record)(metric + 1, 3n)
  assert.equal(call(), OK)
  return { zone, space, path, metric, call }
}

const TYPES = ['counter', 'gauge', 'histogram'] as const

for (const type of TYPES) {
  test(`a ${type} that this thread retires is handed on at once`, () => {
    const { space, metric, call, path } = keeping(type)
    space.zone.retire(metric)
    assert.equal(call(), HANDED_ON)
    assert.equal(path.get(metric + 1, 0), HANDED_ON)
  })

  test(`a ${type} that another thread retires is handed on from the next callback on`, () => {
    const { zone, metric, call, path } = keeping(type)
    zone.retire(metric)
    path.check()
    assert.equal(call(), HANDED_ON)
    assert.equal(path.get(metric + 1, 0), HANDED_ON)
  })

  test(`a ${type} unlinked during a callback keeps its place until released`, () => {
    const { zone, space, metric, call } = keeping(type)
    zone.unlink(metric)
    assert.equal(call(), OK)
    space.writer.release(metric)
    assert.equal(call(), HANDED_ON)
  })

  test(`a ${type} is handed on once the writer is detached`, () => {
    const { zone, space, metric, call } = keeping(type)
    space.writer.detach()
    const next = zone.attach()
    assert.equal(next.segment, space.writer.segment)
    if (type === 'counter') next.settableCounter(metric)
    assert.equal(call(), HANDED_ON)
    if (type === 'counter') assert.equal(zone.reader().counter(metric), 3n)
  })

  test(`a ${type} is handed on once the writer has left for another zone`, () => {
    const { space, call } = keeping(type)
    space.zone.reconfigure({ workersLimit: 8 })
    assert.equal(call(), HANDED_ON)
  })
}

test('a number that is given out again leads to the new metric', () => {
  const { zone, space, metric, call } = keeping('counter')
  space.zone.retire(metric)
  assert.equal(space.define('f', Buffer.from('new'), 'counter'), metric)
  assert.equal(call(), OK)
  assert.equal(zone.reader().counter(metric), 3n)
})

test('a release ends the place of that metric alone', () => {
  const { space, path, call, metric } = keeping('counter')
  const other = space.define('f', Buffer.from('other'), 'counter')
  assert.equal(path.increment(other + 1, 1n), OK)
  space.zone.unlink(metric)
  space.zone.unlink(other)
  space.writer.release(other)
  assert.equal(call(), OK)
  assert.equal(path.increment(other + 1, 1n), HANDED_ON)
})

test('all filters of a writer share its places, and lose them together', () => {
  const { space, metric, path } = keeping('counter')
  const second = linked(space)
  space.zone.unlink(metric)
  assert.equal(second.increment(metric + 1, 1n), OK, 'found by the first')
  space.writer.release(metric)
  assert.equal(path.increment(metric + 1, 1n), HANDED_ON)
  assert.equal(second.increment(metric + 1, 1n), HANDED_ON)
})

test('an instance that starts after a reconfiguration has places in the new zone', () => {
  const { zone, space, metric } = keeping('counter')
  space.zone.reconfigure({ workersLimit: 8 })
  const { increment } = linked(space)
  assert.equal(increment(metric + 1, 5n), OK)
  assert.equal(zone.reader().counter(metric), 8n)
})

test('a gauge set after another thread replaced the zone is set by JavaScript, too', () => {
  const { zone, metric, path } = keeping('gauge')
  zone.reconfigure({ workersLimit: 8 })
  assert.equal(path.record(metric + 1, 7n), HANDED_ON)
})

test('a gauge with parts in two zones is read and set by JavaScript', () => {
  const { space, metric } = keeping('gauge')
  space.zone.reconfigure({ workersLimit: 8 })
  const { record, get, increment } = linked(space)
  assert.equal(increment(metric + 1, 1n), OK)
  assert.equal(record(metric + 1, 7n), HANDED_ON)
  assert.equal(get(metric + 1, 0), HANDED_ON)
})
