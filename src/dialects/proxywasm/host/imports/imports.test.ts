import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { assembleWat } from '../../../../../test/filters/wat.ts'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { holds } from '../../../../../test/support/property.ts'
import { Zone } from '../../../../shm/index.ts'
import { openZoneSpace } from '../../store/space.ts'
import type { HostMode } from '../abi.ts'
import { FilterHost } from '../host.ts'
import { FilterModule } from '../module/module.ts'
import { isServed } from './index.ts'

/** Imports whose arguments are all i32, and how many each has. */
const ARITIES: Readonly<Record<string, number>> = {
  'env.proxy_define_metric': 4,
  'env.proxy_get_metric': 2,
  'env.proxy_log': 3,
  'env.proxy_get_log_level': 1,
  'env.proxy_get_current_time_nanoseconds': 1,
  'env.proxy_set_tick_period_milliseconds': 1,
  'env.proxy_set_effective_context': 1,
  'env.proxy_done': 0,
  'env.proxy_continue_stream': 1,
  'env.proxy_continue_request': 0,
  'env.proxy_continue_response': 0,
  'env.proxy_clear_route_cache': 0,
  'env.proxy_send_local_response': 8,
  'env.proxy_get_header_map_value': 5,
  'env.proxy_add_header_map_value': 5,
  'env.proxy_replace_header_map_value': 5,
  'env.proxy_remove_header_map_value': 3,
  'env.proxy_get_header_map_pairs': 3,
  'env.proxy_set_header_map_pairs': 3,
  'env.proxy_get_header_map_size': 2,
  'env.proxy_get_buffer_bytes': 5,
  'env.proxy_get_buffer_status': 3,
  'env.proxy_set_buffer_bytes': 5,
  'env.proxy_get_property': 4,
  'env.proxy_set_property': 4,
  'env.proxy_get_shared_data': 5,
  'env.proxy_set_shared_data': 5,
  'env.proxy_register_shared_queue': 3,
  'env.proxy_resolve_shared_queue': 5,
  'env.proxy_enqueue_shared_queue': 3,
  'env.proxy_dequeue_shared_queue': 3,
  'wasi_snapshot_preview1.fd_write': 4,
  'wasi_snapshot_preview1.random_get': 2,
  'wasi_snapshot_preview1.environ_sizes_get': 2,
  'wasi_snapshot_preview1.environ_get': 2,
  'wasi_snapshot_preview1.args_sizes_get': 2,
  'wasi_snapshot_preview1.args_get': 2,
  'wasi_snapshot_preview1.clock_res_get': 2,
  'wasi_snapshot_preview1.fd_read': 4,
  'wasi_snapshot_preview1.fd_close': 1,
  'wasi_snapshot_preview1.fd_fdstat_get': 2,
  'wasi_snapshot_preview1.fd_prestat_get': 2,
  'wasi_snapshot_preview1.poll_oneoff': 4,
  'wasi_snapshot_preview1.sched_yield': 0,
  'wasi_unstable.fd_write': 4,
  'wasi_unstable.poll_oneoff': 4,
  'env.nobody_serves_this': 3,
}
const NAMES = Object.keys(ARITIES)
const ARGUMENTS = 8
/** Where the filter finds its calls: [index:u32][argument:i32 x 8] each. */
const CALLS_AT = 4_096
const CALL_BYTES = 4 * (1 + ARGUMENTS)

/** Makes the calls that its configuration holds. */
function callingFilter(): string {
  const imports = NAMES.map((name, i) => {
    const [module, field] = name.split('.')
    const params = Array(ARITIES[name]).fill('i32').join(' ')
    return `(import "${module}" "${field}" (func $f${i} (param ${params}) (result i32)))`
  })
  const cases = NAMES.map((name, i) => {
    const load = (k: number) => `(i32.load offset=${4 * (k + 1)} (local.get $at))`
    const values = Array.from({ length: ARITIES[name]! }, (_, k) => load(k))
    const isAsked = `(i32.eq (i32.load (local.get $at)) (i32.const ${i}))`
    return `(if ${isAsked} (then (drop (call $f${i} ${values.join(' ')}))))`
  })
  return `(module ${imports.join('\n')}
    (memory (export "memory") 1)
    (func (export "proxy_abi_version_0_1_0"))
    (func (export "malloc") (param i32) (result i32) (i32.const ${CALLS_AT}))
    (func (export "proxy_on_context_create") (param i32 i32))
    (func (export "proxy_on_vm_start") (param i32 i32) (result i32) (i32.const 1))
    (func (export "proxy_on_configure") (param i32 i32) (result i32) (i32.const 1))
    (func (export "proxy_on_request_headers") (param i32 i32) (result i32)
      (local $at i32) (local $end i32)
      (drop (call $f${NAMES.indexOf('env.proxy_get_buffer_bytes')}
        (i32.const 7) (i32.const 0) (i32.const 60000) (i32.const 0) (i32.const 4)))
      (local.set $at (i32.const ${CALLS_AT}))
      (local.set $end (i32.add (local.get $at) (i32.load (i32.const 4))))
      (loop $next
        ${cases.join('\n')}
        (local.set $at (i32.add (local.get $at) (i32.const ${CALL_BYTES})))
        (br_if $next (i32.lt_u (local.get $at) (local.get $end))))
      (i32.const 0)))`
}

const module = FilterModule.compile(await assembleWat(callingFilter()))

const argument = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 64 }), weight: 4 },
  fc.integer({ min: 65_500, max: 65_600 }),
  fc.integer(),
  fc.constantFrom(-1, 0x7fff_ffff, -0x8000_0000),
)
const call = fc.tuple(
  fc.nat({ max: NAMES.length - 1 }),
  fc.array(argument, { minLength: ARGUMENTS, maxLength: ARGUMENTS }),
)
const mode = fc.constantFrom<HostMode>('spec', 'nginx', 'envoy')

test('every name of the list is served, but for the one nobody serves', () => {
  const unserved = NAMES.filter((name) => {
    const [from, field] = name.split('.')
    return !isServed(from!, field!)
  })
  assert.deepEqual(unserved, ['env.nobody_serves_this'])
})

test('whatever a filter passes to its imports, requests are answered, others unhurt', async () => {
  const filter = await module
  holds(
    fc.property(mode, fc.array(call, { minLength: 1, maxLength: 20 }), (host, calls) => {
      const zone = Zone.create({ metricsLimit: 1_000 })
      const neighbour = zone.define(Buffer.from('neighbour'), 'counter')
      const space = openZoneSpace({ shared: zone.shared, host })
      space.writer.counter(neighbour)!.add(7)
      const configuration = new Uint8Array(
        Int32Array.from(calls.flatMap(([index, values]) => [index, ...values])).buffer,
      )
      const parts = { space, clock: new FakeClock(), sleep: () => {} }
      const options = { name: 'f', configuration, environment: { A: 'b' } }
      const hosted = FilterHost.start(filter, options, parts)
      const outcome = hosted.request({ headers: [[':path', '/']], body: 'body' })
      // Only nginx's host traps; elsewhere a trap would be an exception of the host's own.
      if (host !== 'nginx') assert.notEqual(outcome.verdict, 'failed', outcome.reason)
      assert.equal(hosted.isRunning, outcome.verdict !== 'failed')
      assert.equal(zone.reader().counter(neighbour), 7n)
      hosted.close()
      assert.equal(space.writer.detach(), true)
    }),
    300,
  )
})
