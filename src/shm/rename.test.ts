import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../test/support/property.ts'
import { createZone, defined, keyOf } from '../../test/support/threads/shm.ts'
import { Zone } from './index.ts'

test('a metric has another key, its number, values and handles as they were', () => {
  const zone = createZone()
  const other = Zone.open(zone.shared)
  const metric = defined(zone, 'a', 'counter', { mode: 'settable' })
  const kept = defined(zone, 'kept', 'counter')
  const handle = other.attach().settableCounter(metric)!
  handle.add(10)
  handle.setTotal(3)
  const key = keyOf('a name that is much longer')
  assert.equal(zone.rename(metric, key), undefined)
  handle.add(1)
  for (const each of [zone, other]) {
    assert.equal(each.find(key), metric)
    assert.equal(each.find(keyOf('a')), -1)
    assert.deepEqual(each.key(metric), key)
    assert.equal(each.find(keyOf('kept')), kept)
  }
  const reader = zone.reader()
  assert.deepEqual([reader.counter(metric), reader.counterReading(metric)], [14n, 4n])
  assert.equal(handle.addUnlooked(1n), false, 'what was set lower stays guarded')
  assert.equal(other.define(key, 'counter', { mode: 'settable' }), metric)
  assert.notEqual(defined(zone, 'a', 'counter'), metric)
})

test('a key that is taken, too long, or of no metric is refused, and nothing changes', () => {
  const zone = createZone({ keyBytesLimit: 8 })
  const [a, b] = [defined(zone, 'a', 'counter'), defined(zone, 'b', 'gauge')]
  assert.equal(zone.rename(a, keyOf('b')), 'type_mismatch')
  assert.equal(zone.rename(a, keyOf('a')), undefined, 'its own')
  assert.equal(zone.rename(a, keyOf('a longer one')), 'key_too_long')
  assert.equal(zone.rename(7, keyOf('c')), 'type_mismatch')
  zone.unlink(b)
  assert.equal(zone.rename(b, keyOf('c')), 'type_mismatch')
  assert.deepEqual([zone.find(keyOf('a')), zone.find(keyOf('c'))], [a, -1])
  assert.equal(zone.usage().refusals.type_mismatch, 3)
})

test('a budget without room for a longer key refuses it', () => {
  const zone = Zone.create({ onFull: 'error', slabSize: 4_096 })
  const metric = defined(zone, 'a', 'counter')
  while (zone.define(keyOf(`filler ${zone.metrics}`), 'counter') >= 0);
  const before = zone.usage().chargedBytes
  assert.equal(zone.rename(metric, keyOf('b'.repeat(1_000))), 'zone_full')
  assert.equal(zone.usage().chargedBytes, before)
  assert.equal(zone.find(keyOf('a')), metric)
  assert.equal(zone.rename(metric, keyOf('b')), undefined)
})

test('many names that go to and fro are each found under the last alone', () => {
  const step = fc.tuple(fc.nat(40), fc.nat(60))
  holds(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const zone = createZone()
      const names = Array.from({ length: 41 }, (_, i) => `metric ${i}`)
      const metrics = names.map((name) => defined(zone, name, 'counter'))
      for (const [i, to] of steps) {
        const name = `${'x'.repeat(to)} metric ${to}`
        const isTaken = names.some((each, j) => each === name && j !== i)
        const refusal = zone.rename(metrics[i]!, keyOf(name))
        assert.equal(refusal, isTaken ? 'type_mismatch' : undefined)
        if (!isTaken) names[i] = name
      }
      zone.reconfigure({ workersLimit: 300 })
      names.forEach((name, i) => {
        assert.equal(zone.find(keyOf(name)), metrics[i])
      })
      assert.equal(zone.find(keyOf('metric 99')), -1)
    }),
    100,
  )
})
