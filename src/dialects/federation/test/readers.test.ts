import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { EventReader } from '../../../../test/support/http-client.ts'
import { until } from '../../../../test/support/hub/hub.ts'
import { PATH } from '../spec.ts'
import { addressOf, attached, servedHub, stateOf } from './hubs.ts'

test('one hub more than there are places is told so, and gets one once it is free', async () => {
  const clock = new FakeClock()
  const b = await servedHub({ federation: { readersLimit: 1 } }, clock)
  const first = await servedHub({ attach: [addressOf(b)] }, clock)
  await attached(first, b)
  const second = await servedHub({ attach: [addressOf(b)] }, clock)
  await until(() => /status 503: as many hubs are attached/.test(stateOf(second, b).message ?? ''))
  const limit = b.hub.sources().limits.find(({ name }) => name === 'federation.readersLimit')
  assert.deepEqual([limit?.used, limit?.limit], [1, 1])
  await first.stop()
  await attached(second, b)
})

test('a request of another version, or with a sequence that is none, is refused', async () => {
  const { port } = await servedHub()
  for (const query of ['', '?version=2', '?version=1&start=a&after=x', '?version=1&version=1']) {
    await assert.rejects(EventReader.open(port, `${PATH}${query}`), /status 400/, query)
  }
})
