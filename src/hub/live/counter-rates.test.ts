import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packet, sendUdp, seriesNamed, startHub } from '../../../test/support/hub/hub.ts'

test('three events, then idle: the moving averages of the meters libraries', async () => {
  const started = await startHub()
  const { hub, clock } = started
  await sendUdp(started, [packet('a:3|m\nq:1|g\n')])
  clock.advance(6000)
  const record = seriesNamed(hub, 'a')
  const first = hub.rates(record)!
  assert.deepEqual([first.m1, first.m5, first.m15], [0.6, 0.6, 0.6])
  clock.advance(60_000)
  const later = hub.rates(record)!
  assert.equal(Math.abs(later.m1 - 0.2207276647028656) < 1e-9, true)
  assert.equal(Math.abs(later.m15 - 0.5613041910189704) < 1e-9, true)
  assert.equal(Math.abs(later.mean - 3 / 66) < 1e-9, true)
  assert.equal(hub.rates(seriesNamed(hub, 'q')), undefined)
  await hub.stop()
})
