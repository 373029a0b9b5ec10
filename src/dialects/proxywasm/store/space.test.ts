/** A filter in a thread of its own writes into the store of another. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assembleWat } from '../../../../test/filters/wat.ts'
import { FilterModule } from '../host/module/module.ts'
import { FilterThread } from '../host/thread/thread.ts'
import { MetricStore, storeSpaceSource } from './metric-store.ts'

/** Defines the counter `hits` as it starts, and counts each request. */
const FILTER = `(module
  (import "env" "proxy_define_metric" (func $define (param i32 i32 i32 i32) (result i32)))
  (import "env" "proxy_increment_metric" (func $increment (param i32 i64) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "hits")
  (func (export "proxy_abi_version_0_2_1"))
  (func (export "proxy_on_memory_allocate") (param i32) (result i32) (i32.const 1024))
  (func (export "proxy_on_context_create") (param i32 i32))
  (func (export "proxy_on_vm_start") (param i32 i32) (result i32)
    (i32.eqz (call $define (i32.const 0) (i32.const 16) (i32.const 4) (i32.const 0))))
  (func (export "proxy_on_configure") (param i32 i32) (result i32) (i32.const 1))
  (func (export "proxy_on_request_headers") (param i32 i32 i32) (result i32)
    (call $increment (i32.load (i32.const 0)) (i64.const 1))))`

test('what a filter counts in its own thread is in the store, also once it is closed', async () => {
  const store = MetricStore.create({ profile: 'peer' })
  const module = await FilterModule.compile(await assembleWat(FILTER))
  const space = storeSpaceSource(store)
  const filter = await FilterThread.start(module, { name: 'f' }, { space })
  for (let i = 0; i < 3; i++) assert.equal((await filter.request()).verdict, 'completed')
  assert.deepEqual(store.getByName('pw:f:hits'), { type: 'counter', value: 3 })
  await filter.close()
  assert.deepEqual(store.snapshot(), { 'pw:f:hits': { type: 'counter', value: 3 } })
})
