import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { callFromFilter } from '../../../../../test/filters/calling.ts'
import { filterText } from '../../../../../test/filters/hostile.ts'
import { assembleWat } from '../../../../../test/filters/wat.ts'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { Zone } from '../../../../shm/index.ts'
import { openZoneSpace, zoneSpaceSource } from '../../store/space.ts'
import { FilterHost } from '../host.ts'
import { FilterModule } from '../module/module.ts'
import { FilterThread } from '../thread/thread.ts'
import { SHARED_BYTES, SharedData } from './shared-data.ts'

const text = (value: unknown): string => Buffer.from(value as Uint8Array).toString()
const bytes = (value: string): Uint8Array => Buffer.from(value)
const THREADS = 3
const ENTRIES = 4_096
const ADDITIONS = 2_000

test('a value is seen by all, with a number that changes with it', () => {
  const data = new SharedData()
  const other = new SharedData(data.shared)
  assert.equal(data.get(bytes('k')), 'missing')
  assert.equal(data.set(bytes('k'), bytes('one'), 0), undefined)
  const first = other.get(bytes('k'))
  assert.ok(typeof first === 'object')
  assert.equal(text(first.value), 'one')
  assert.notEqual(first.cas, 0)
  assert.equal(other.set(bytes('k'), bytes('two'), first.cas), undefined)
  assert.equal(data.set(bytes('k'), bytes('late'), first.cas), 'cas_mismatch')
  const second = data.get(bytes('k'))
  assert.ok(typeof second === 'object')
  assert.equal(text(second.value), 'two')
  assert.equal(data.set(bytes('k'), bytes(''), 0), undefined)
  assert.deepEqual(Object.keys(data.get(bytes('k'))), ['value', 'cas'])
})

test('a queue gives in its order, and is one for all that know its name', () => {
  const data = new SharedData()
  assert.equal(data.resolve(bytes('q')), 'missing')
  const queue = data.register(bytes('q')) as number
  const other = data.register(bytes('other')) as number
  assert.notEqual(queue, other)
  assert.equal(data.register(bytes('q')), queue)
  assert.equal(data.resolve(bytes('q')), queue)
  assert.equal(data.enqueue(99, bytes('x')), 'missing')
  assert.equal(data.dequeue(99), 'missing')
  for (const each of ['a', 'b', 'c']) data.enqueue(queue, bytes(each))
  data.enqueue(other, bytes('z'))
  assert.equal(data.waiting(queue), 3)
  assert.deepEqual(
    [0, 1, 2].map(() => text(data.dequeue(queue))),
    ['a', 'b', 'c'],
  )
  assert.equal(data.dequeue(queue), 'empty')
  assert.equal(text(data.dequeue(other)), 'z')
})

test('what is over the bounds is refused, and what is given back has room again', () => {
  const data = new SharedData()
  const large = new Uint8Array(SHARED_BYTES / 2)
  assert.equal(data.set(bytes('a'), large, 0), undefined)
  assert.equal(data.set(bytes('b'), large, 0), 'full')
  // one in the place of the other, for which both together have no room
  for (let i = 0; i < 5; i++) assert.equal(data.set(bytes('a'), large.fill(i), 0), undefined)
  assert.equal((data.get(bytes('a')) as { value: Uint8Array }).value[9], 4)
  assert.equal(data.set(bytes('a'), bytes('small'), 0), undefined)
  assert.equal(data.set(bytes('b'), large, 0), undefined)
  const many = new SharedData()
  const queue = many.register(bytes('q')) as number
  let taken = 0
  while (many.enqueue(queue, bytes('x')) === undefined) taken++
  assert.equal(taken, ENTRIES - 1)
  assert.equal(text(many.dequeue(queue)), 'x')
  assert.equal(many.enqueue(queue, bytes('y')), undefined)
  // many times round both halves
  for (let i = 0; i < 20_000; i++) {
    many.dequeue(queue)
    assert.equal(many.enqueue(queue, bytes(`${i}`)), undefined)
    if (i % 1_000 > 0) i += 40
  }
  assert.equal(many.waiting(queue), taken)
})

test('threads that add to one value by its number lose nothing', async () => {
  const data = new SharedData()
  const module = new URL('./shared-data.ts', import.meta.url).href
  const code = `const { workerData } = require('node:worker_threads')
    import(workerData.module).then(({ SharedData }) => {
      const data = new SharedData(workerData.shared)
      for (let done = 0; done < ${ADDITIONS}; ) {
        const now = data.get(Buffer.from('n'))
        const value = now === 'missing' ? 0 : Number(Buffer.from(now.value).toString())
        const cas = now === 'missing' ? 0 : now.cas
        if (data.set(Buffer.from('n'), Buffer.from(String(value + 1)), cas) === undefined) done++
      }
    })`
  data.set(bytes('n'), bytes('0'), 0)
  const workerData = { module, shared: data.shared }
  const workers = Array.from(
    { length: THREADS },
    () => new Worker(code, { eval: true, workerData }),
  )
  await Promise.all(workers.map((worker) => new Promise((done) => worker.once('exit', done))))
  assert.equal(
    text((data.get(bytes('n')) as { value: Uint8Array }).value),
    String(THREADS * ADDITIONS),
  )
})

test('a thread that is gone gives the lock back', () => {
  const data = new SharedData()
  const gone = 4_711
  new Int32Array(data.shared)[0] = gone + 1
  assert.equal(data.get(bytes('k')), 'busy')
  data.releaseOf(gone + 1)
  assert.equal(data.get(bytes('k')), 'busy')
  data.releaseOf(gone)
  assert.equal(data.get(bytes('k')), 'missing')
})

test('filters reach values and queues, and lies about them are refused', async () => {
  const outside = 65_536
  const data = Buffer.from('key value  name')
  const { answers, memory, host } = await callFromFilter(
    [
      ['env', 'proxy_get_shared_data', 0, 3, 64, 68, 72],
      ['env', 'proxy_set_shared_data', 0, 3, 4, 5, 0],
      ['env', 'proxy_get_shared_data', 0, 3, 64, 68, 72],
      ['env', 'proxy_set_shared_data', 0, 3, 4, 5, 12_345],
      ['env', 'proxy_register_shared_queue', 11, 4, 80],
      ['env', 'proxy_resolve_shared_queue', 0, 0, 11, 4, 84],
      ['env', 'proxy_resolve_shared_queue', 0, 3, 11, 4, 84],
      ['env', 'proxy_enqueue_shared_queue', 2, 4, 5],
      ['env', 'proxy_dequeue_shared_queue', 2, 88, 92],
      ['env', 'proxy_dequeue_shared_queue', 2, 88, 92],
      ['env', 'proxy_dequeue_shared_queue', 9, 88, 92],
      ['env', 'proxy_enqueue_shared_queue', 9, 4, 5],
      ['env', 'proxy_set_shared_data', outside, 3, 4, 5, 0],
      ['env', 'proxy_set_shared_data', 0, 3, 4, -1, 0],
      ['env', 'proxy_get_shared_data', 0, 3, 64, 68, outside - 3],
      ['env', 'proxy_get_shared_data', 0, 3, outside, 68, 72],
      ['env', 'proxy_register_shared_queue', 11, 4, -1],
      ['env', 'proxy_enqueue_shared_queue', 2, outside, 1],
      ['env', 'proxy_dequeue_shared_queue', 2, 88, -4],
    ],
    data,
  )
  assert.deepEqual(answers, [1, 0, 0, 8, 0, 0, 1, 0, 0, 7, 1, 1, 6, 6, 6, 6, 6, 6, 6])
  assert.equal(memory.getUint32(68, true), 5)
  assert.equal(memory.getUint32(80, true), memory.getUint32(84, true))
  assert.equal(memory.getUint32(92, true), 5)
  assert.equal(host.statistics().sharedRefused, 0)
})

/** Registers a queue at its start, puts a byte into it at each request, counts what comes out. */
const QUEUEING = filterText({
  imports: `
    (import "env" "proxy_register_shared_queue"
      (func $register (param i32 i32 i32) (result i32)))
    (import "env" "proxy_enqueue_shared_queue"
      (func $enqueue (param i32 i32 i32) (result i32)))
    (import "env" "proxy_dequeue_shared_queue"
      (func $dequeue (param i32 i32 i32) (result i32)))
    (import "env" "proxy_define_metric" (func $define (param i32 i32 i32 i32) (result i32)))
    (import "env" "proxy_increment_metric" (func $increment (param i32 i64) (result i32)))`,
  memory: '(memory (export "memory") 1) (data (i32.const 16) "q")',
  onStart: `(i32.eqz (i32.or
    (call $register (i32.const 16) (i32.const 1) (i32.const 32))
    (call $define (i32.const 0) (i32.const 16) (i32.const 1) (i32.const 36))))`,
  onRequest: '(call $enqueue (i32.load (i32.const 32)) (i32.const 16) (i32.const 1))',
  more: `(func (export "proxy_on_queue_ready") (param i32 i32)
    (if (i32.ne (local.get 1) (i32.load (i32.const 32))) (then unreachable))
    (if (i32.eqz (call $dequeue (local.get 1) (i32.const 40) (i32.const 44)))
      (then (drop (call $increment (i32.load (i32.const 36)) (i64.const 1))))))`,
})

test('a filter is called for each thing that waits in a queue it has registered', async () => {
  const module = await FilterModule.compile(await assembleWat(QUEUEING))
  const zone = Zone.create()
  const space = openZoneSpace({ shared: zone.shared })
  const host = FilterHost.start(module, { name: 'f' }, { space, clock: new FakeClock() })
  for (let i = 0; i < 5; i++) assert.equal(host.request().reason, '')
  const total = (): bigint => zone.reader().counter(zone.find(Buffer.from('pw.f.q')))
  for (let i = 0; i < 1_000 && total() < 5n; i++) await setImmediate()
  assert.equal(total(), 5n)
  host.close()
  await setImmediate()
  space.writer.detach()
})

test('threads of one filter share a queue: each thing is taken once', async () => {
  const module = await FilterModule.compile(await assembleWat(QUEUEING))
  const zone = Zone.create({ backing: 'wasm' })
  const space = zoneSpaceSource({ shared: zone.shared })
  const first = await FilterThread.start(module, { name: 'f' }, { space })
  const { sharedData } = first
  const threads = [first, await FilterThread.start(module, { name: 'f' }, { space, sharedData })]
  const requests = 50
  await Promise.all(Array.from({ length: requests }, (_, i) => threads[i % 2]!.request()))
  const total = (): bigint => zone.reader().counter(zone.find(Buffer.from('pw.f.q')))
  while (total() < BigInt(requests)) await setImmediate()
  await Promise.all(threads.map((thread) => thread.close()))
  assert.equal(total(), BigInt(requests))
})
