import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filterText } from '../../../../test/filters/hostile.ts'
import { seriesNamed } from '../../../../test/support/hub/hub.ts'
import { startFilterHub, withFile } from '../test/filter-hub.ts'

const IMPORTS = `
  (import "env" "proxy_define_metric" (func $define (param i32 i32 i32 i32) (result i32)))
  (import "env" "proxy_increment_metric" (func $increment (param i32 i64) (result i32)))
  (import "env" "proxy_record_metric" (func $record (param i32 i64) (result i32)))
  (import "env" "proxy_get_metric" (func $get (param i32 i32) (result i32)))`

/** Defines counters `c` and `r`, whose ids it keeps at 64 and 68, and a gauge `g`, at 72. */
function countingFilter(onRequest: string): string {
  return filterText({
    imports: IMPORTS,
    more: '(data (i32.const 16) "crg")',
    onStart: `(i32.eqz (i32.or (i32.or
      (call $define (i32.const 0) (i32.const 16) (i32.const 1) (i32.const 64))
      (call $define (i32.const 0) (i32.const 17) (i32.const 1) (i32.const 68)))
      (call $define (i32.const 1) (i32.const 18) (i32.const 1) (i32.const 72))))`,
    onRequest,
  })
}

/** Adds 2^62 to `c`; counts in `r` when that is refused as a bad argument. */
const ADDING = countingFilter(`
  (if (i32.eq (call $increment (i32.load (i32.const 64)) (i64.const 0x4000000000000000))
              (i32.const 2))
    (then (drop (call $increment (i32.load (i32.const 68)) (i64.const 1)))))
  (i32.const 0)`)

/** Records 7 to `c` after it has added 10, and shows in `g` what it reads then. */
const LOWERING = countingFilter(`
  (drop (call $increment (i32.load (i32.const 64)) (i64.const 10)))
  (drop (call $record (i32.load (i32.const 64)) (i64.const 7)))
  (drop (call $get (i32.load (i32.const 64)) (i32.const 80)))
  (drop (call $record (i32.load (i32.const 72)) (i64.load (i32.const 80))))
  (i32.const 0)`)

test('the end of a counter is that of the sum over all threads of its filter', async (t) => {
  await withFile('f.wat', ADDING, async (path) => {
    const { hub, requests, closeSecond, filter, stop } = await startFilterHub(
      t,
      [{ name: 'f', path }],
      {},
      { workers: 5 },
    )
    await requests(12)
    await closeSecond()
    const totalOf = (name: string) => hub.total(seriesNamed(hub, name))
    assert.deepEqual(totalOf('c'), { kind: 'counter', total: 3n << 62n, decrements: 0 })
    const refused = filter('f').requests - 3
    assert.deepEqual(totalOf('r'), { kind: 'counter', total: refused, decrements: 0 })
    assert.equal(filter('f').problems.bad_call, refused)
    await stop()
  })
})

test('a counter recorded lower is that for its filter, and its total never falls', async (t) => {
  await withFile('f.wat', LOWERING, async (path) => {
    const { hub, requests, closeSecond, filter, stop } = await startFilterHub(
      t,
      [{ name: 'f', path }],
      {},
      { workers: 2 },
    )
    await requests(5)
    await closeSecond()
    const record = seriesNamed(hub, 'c')
    const { requests: count } = filter('f')
    // 10 and 7 are counted each time: a lower reading is one that began anew
    assert.deepEqual(hub.total(record), { kind: 'counter', total: 17 * count, decrements: 0 })
    assert.deepEqual(hub.total(seriesNamed(hub, 'g')), { kind: 'gauge', value: 7 })
    assert.ok(record.kind === 'counter')
    assert.equal(record.falls, undefined)
    await stop()
  })
})
