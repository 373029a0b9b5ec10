import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { CounterRegistry } from '../../../instrument/index.ts'
import { Depot } from './depot.ts'

test('what is sorted is delivered, and a jam shows in the parcels that wait', () => {
  const clock = new FakeClock()
  const registry = new CounterRegistry({ clock })
  const depot = new Depot(registry)
  const seconds: Map<string, number>[] = []
  registry.open({ intervalMs: 1000, deliver: 'own' }, ({ windows }) => {
    const values = new Map<string, number>()
    for (const { counter, statistics } of windows) {
      const value = statistics.kind === 'sum' ? statistics.increment : statistics.mean
      values.set(counter.name, (values.get(counter.name) ?? 0) + value)
    }
    seconds.push(values)
  })
  for (let step = 0; step < 590; step++) {
    depot.step(0.1)
    clock.advance(100)
  }
  assert.equal(seconds.length, 59)
  for (const values of seconds) {
    assert.equal(values.get('parcels-delivered'), values.get('parcels'))
  }
  const [moving, jammed] = [seconds[30]!, seconds[55]!]
  assert.ok(moving.get('parcels')! > 20 && moving.get('sorting-time')! > 20)
  assert.ok(Math.abs(moving.get('belt-distance')! - 1.8) < 1e-9)
  assert.deepEqual([jammed.get('parcels'), jammed.get('belt-distance')], [0, 0])
  assert.ok(jammed.get('parcels-waiting')! > moving.get('parcels-waiting')! + 200)
})
