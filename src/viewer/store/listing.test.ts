/** What the store reads of the hub's list, and when. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { counterInfo, started } from '../../../test/support/store-bench.ts'

test('what is new is read alone, the whole list where that explains too little', async (t) => {
  const bench = await started(t)
  const { store, lists } = bench
  await bench.pass(1000)
  lists.length = 0
  bench.list = [...bench.list, counterInfo(3), counterInfo(4)]
  await bench.tell(3)
  assert.deepEqual(lists, [{ ids: undefined, after: 2 }])
  assert.equal(store.catalogue.entries.length, 4)
  assert.equal(store.catalogue.revision, 3)
  // One has come, and one has left.
  bench.list = [...bench.list.slice(1), counterInfo(5)]
  await bench.tell(5)
  assert.deepEqual(lists.slice(1), [
    { ids: undefined, after: 4 },
    { ids: undefined, after: 0 },
  ])
  assert.deepEqual(
    store.catalogue.entries.map(({ id }) => id),
    [2, 3, 4, 5],
  )
})

test('totals of what is on screen are read again, and of what was scrolled to', async (t) => {
  const bench = await started(t)
  const { store, lists } = bench
  const hide = store.screen.show(1)
  await bench.pass(1000)
  lists.length = 0
  bench.list = bench.list.map((info) => ({ ...info, current: 77 }))
  for (let i = 0; i < 4; i += 1) await bench.pass(10_000)
  assert.deepEqual(lists, [{ ids: [1], after: 0 }])
  assert.equal(store.catalogue.get(1)?.info.current, 77)
  hide()
  store.screen.show(2)
  await bench.pass(1000)
  assert.deepEqual(lists.slice(1), [{ ids: [2], after: 0 }])
})
