/** What has expired, or was deleted, is gone from all outputs with one second. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { packet, sendUdp, startHub, type TestHub } from '../support/hub/hub.ts'
import { ALL, AllOutputs, ANSWERS, listed, outputsWith } from '../support/outputs/all-outputs.ts'

const EXPIRE_S = 3
const NAMES = ['leaving.a', 'leaving.b', 'leaving.c', 'leaving.d']
/** A counter with decrements, one that is read, a gauge and a histogram. */
const LINES = 'leaving.a:1|m\nleaving.a:-1|m\nleaving.b:3|mr\nleaving.c:3|g\nleaving.d:4|h\n'
function isThere({ hub }: TestHub): boolean {
  return [...hub.series].some(({ identity }) => identity.name.startsWith('leaving'))
}

async function followed(t: TestContext, options: Record<string, unknown>) {
  const started = await startHub(options)
  const outputs = await AllOutputs.open(t, started)
  await sendUdp(started, [packet(LINES)])
  // a snapshot has counters as of the second before
  await outputs.second()
  assert.deepEqual(outputsWith(NAMES, await outputs.second()), ALL)
  return { started, outputs }
}

test('what has expired is gone from all outputs with one second', async (t) => {
  const { started, outputs } = await followed(t, { expireAfterS: EXPIRE_S })
  let told = await outputs.second()
  let before = 0
  for (let second = 0; isThere(started); second++) {
    assert.ok(second <= EXPIRE_S, 'they do not expire')
    assert.deepEqual(outputsWith(NAMES, await outputs.answers()), ANSWERS)
    before = listed(told)
    told = await outputs.second()
  }
  // the last second that they were in has been told; whatever is asked for now has none
  assert.deepEqual(outputsWith(NAMES, await outputs.answers()), [])
  told = await outputs.second()
  assert.deepEqual(outputsWith(NAMES, told), [])
  // the count of expired series is a new one
  assert.equal(listed(told), before - NAMES.length + 1)
})

test('what was deleted is gone from all outputs with one second', async (t) => {
  const { started, outputs } = await followed(t, {})
  const before = listed(await outputs.second())
  await outputs.remove('leaving.*')
  await outputs.second()
  assert.equal(isThere(started), false)
  const told = await outputs.second()
  assert.deepEqual(outputsWith(NAMES, told), [])
  assert.equal(listed(told), before - NAMES.length)
})
