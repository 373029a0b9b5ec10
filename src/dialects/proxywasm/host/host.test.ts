import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { FilterCaller } from '../../../../test/filters/caller.ts'
import { compileFilter, type FilterName } from '../../../../test/filters/compile.ts'
import { filterText } from '../../../../test/filters/hostile.ts'
import { assembleWat } from '../../../../test/filters/wat.ts'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { type Backing, Zone } from '../../../shm/index.ts'
import { crc32 } from '../names.ts'
import { openZoneSpace } from '../store/space.ts'
import { type HostMode, STATUS } from './abi.ts'
import { FilterHost } from './host.ts'
import { FilterModule } from './module/module.ts'
import type { FilterLogLine, FilterOptions } from './options.ts'

const MODES: readonly HostMode[] = ['spec', 'nginx', 'envoy']
const OPTIONS: FilterOptions = {
  name: 'a_filter',
  rootId: 'a_root',
  configuration: 'some configuration',
}

interface Hosted {
  readonly host: FilterHost
  readonly zone: Zone
  readonly clock: FakeClock
  readonly lines: FilterLogLine[]
}

async function hosted(
  bytes: Uint8Array,
  options: FilterOptions = OPTIONS,
  mode: HostMode = 'spec',
  zone: Zone = Zone.create(),
): Promise<Hosted> {
  const clock = new FakeClock()
  const lines: FilterLogLine[] = []
  const space = openZoneSpace({ shared: zone.shared, host: mode })
  const module = await FilterModule.compile(bytes)
  const onLog = (line: FilterLogLine) => lines.push(line)
  return { host: FilterHost.start(module, options, { space, clock, onLog }), zone, clock, lines }
}

/** What the standard fixture left in the zone. */
function fixture(zone: Zone, mode: HostMode): { counter: bigint; gauge: bigint; bins: bigint[] } {
  const metricOf = (name: string, type: number): number => {
    const typed = mode === 'envoy' ? `wasmcustom.${name}${String.fromCharCode(type)}` : undefined
    return zone.find(Buffer.from(typed ?? `pw.a_filter.${name}`))
  }
  const reader = zone.reader()
  const gauge = metricOf('a_gauge', 1)
  const last = { value: 0, sequence: 0 }
  const writer = zone.attach()
  if (mode === 'nginx') reader.gauge(gauge, last)
  const shared = mode === 'nginx' ? undefined : writer.sharedGauge(gauge)?.value()
  writer.detach()
  return {
    counter: reader.counter(metricOf('a_counter', 0)),
    gauge: shared ?? BigInt(last.value),
    bins: [...reader.dense(metricOf('a_histogram', 2)).bins],
  }
}

for (const name of ['raw', 'sdk'] satisfies FilterName[]) {
  test(`the filter ${name} leaves its requests in the zone, in every host mode`, async () => {
    const bytes = await compileFilter(name)
    for (const mode of MODES) {
      for (const backing of ['sab', 'wasm'] satisfies Backing[]) {
        const { host, zone } = await hosted(bytes, OPTIONS, mode, Zone.create({ backing }))
        for (let i = 0; i < 25; i++) assert.equal(host.request().verdict, 'completed')
        const { counter, gauge, bins } = fixture(zone, mode)
        assert.equal(counter, 25n, mode)
        assert.equal(gauge, 42n, mode)
        // 10 falls into (8, 16], the fifth bin.
        assert.deepEqual(bins, [...Array(4).fill(0n), 25n, ...Array(28).fill(0n)], mode)
        const { requests, traps, badCalls, metrics, memoryBytes } = host.statistics()
        assert.deepEqual(
          { requests, traps, badCalls, metrics },
          {
            requests: 25,
            traps: 0,
            badCalls: 0,
            metrics: 3,
          },
        )
        assert.ok(memoryBytes >= 65_536)
        assert.deepEqual(host.module.unknownImports, [])
      }
    }
  })
}

test('a wrong id is NOT_FOUND under spec, a trap under nginx, no matter to others', async () => {
  const bytes = await compileFilter('raw')
  const zone = Zone.create()
  const spec = await hosted(bytes, { name: 'wrong' }, 'spec', zone)
  const second = await hosted(bytes, { name: 'second' }, 'spec', zone)
  assert.equal((await new FilterCaller(spec.host).increment(4_000_000_000, 1n)).status, 1)
  assert.equal(spec.host.isRunning, true)

  const nginx = await hosted(bytes, { name: 'wrong' }, 'nginx')
  const { trap } = await new FilterCaller(nginx.host).increment(4_000_000_000, 1n)
  const text = 'could not increment metric id "4000000000": metric not found'
  assert.equal(trap, text)
  assert.equal(nginx.lines.at(-1)?.text, `host trap (internal error): ${text}`)
  assert.equal(nginx.host.isRunning, false)
  assert.equal(second.host.request().status, 200)
  const id = crc32(Buffer.from('pw.wrong.a_counter'))
  assert.equal((await new FilterCaller(nginx.host).get(id)).value, 2n)
})

test('a filter without the right root id does not start, and says so', async () => {
  const bytes = await compileFilter('sdk')
  await assert.rejects(hosted(bytes, { name: 'f', rootId: 'other' }), /proc_exit/)
})

test('the SDK reads its configuration and writes a response header', async () => {
  const { host } = await hosted(await compileFilter('sdk'))
  const { response } = host.request({ response: { headers: [[':status', '404']] } })
  assert.deepEqual(response.headers, [
    [':status', '404'],
    ['x-configuration', 'some configuration'],
  ])
})

test('log lines come with their level, the configuration is what was given', async () => {
  const { host, lines } = await hosted(await compileFilter('raw'))
  host.request()
  assert.deepEqual(lines, [
    { level: 'info', text: 'configured with some configuration' },
    { level: 'info', text: 'request is over' },
  ])
})

test('a buffer asked for with a bad pointer is given to nobody', async () => {
  const { host } = await hosted(await compileFilter('raw'))
  const { status } = await new FilterCaller(host).wild('buffer')
  assert.equal(status, STATUS.invalidMemoryAccess)
})

test('counts of one filter are its own', async () => {
  const zone = Zone.create()
  const bytes = await compileFilter('raw')
  const one = await hosted(bytes, { name: 'one' }, 'spec', zone)
  const two = await hosted(bytes, { name: 'two' }, 'spec', zone)
  for (let i = 0; i < 3; i++) one.host.request()
  assert.equal(one.host.statistics().requests, 3)
  assert.equal(two.host.statistics().requests, 0)
  assert.equal(zone.metrics, 6)
})

const TICKS = `
  (import "env" "proxy_set_tick_period_milliseconds" (func $tick (param i32) (result i32)))
  (import "env" "proxy_log" (func $log (param i32 i32 i32) (result i32)))`

test('ticks come in their period, and missed ones collapse', async () => {
  const text = filterText({
    imports: TICKS,
    onStart: '(i32.eqz (call $tick (i32.const 100)))',
    more: '(func (export "proxy_on_tick") (param i32))',
  })
  const { host, clock } = await hosted(await assembleWat(text))
  clock.advance(350)
  assert.equal(host.statistics().ticks, 3)
  clock.stall(1_000)
  assert.equal(host.statistics().ticks, 4)
  clock.advance(100)
  assert.equal(host.statistics().ticks, 5)
  host.close()
  clock.advance(1_000)
  assert.equal(host.statistics().ticks, 5)
  assert.equal(clock.pending, 0)
})

test('a trap in a tick ends the ticks until a request brings a new instance', async () => {
  const text = filterText({
    imports: TICKS,
    onStart: '(i32.eqz (call $tick (i32.const 100)))',
    more: '(func (export "proxy_on_tick") (param i32) unreachable)',
  })
  const { host, clock } = await hosted(await assembleWat(text))
  clock.advance(1_000)
  assert.equal(host.statistics().ticks, 1)
  assert.equal(host.isRunning, false)
  assert.equal(clock.pending, 0)
  assert.equal(host.request().verdict, 'completed')
  clock.advance(100)
  assert.equal(host.statistics().ticks, 2)
})

test('main runs after _initialize, else _start alone, before the root context', async () => {
  const say = (at: number) => `(drop (call $log (i32.const 2) (i32.const ${at}) (i32.const 1)))`
  const data = '(memory (export "memory") 1) (data (i32.const 0) "ims")'
  const start = async (more: string): Promise<string> => {
    const { lines } = await hosted(
      await assembleWat(filterText({ imports: TICKS, memory: data, more })),
    )
    return lines.map(({ text }) => text).join('')
  }
  const initialize = `(func (export "_initialize") ${say(0)})`
  const main = `(func (export "main") (param i32 i32) (result i32) ${say(1)} (i32.const 0))`
  const begin = `(func (export "_start") ${say(2)})`
  assert.equal(await start(`${initialize} ${main} ${begin}`), 'im')
  assert.equal(await start(begin), 's')
})

const IMPORTED = (pages: string) => `
  (import "env" "memory" (memory ${pages}))
  (import "env" "proxy_log" (func $log (param i32 i32 i32) (result i32)))`

test('a module may import its memory, which the host then limits', async () => {
  const text = filterText({
    imports: IMPORTED('2'),
    memory: '(export "memory" (memory 0)) (data (i32.const 8) "hello")',
    onRequest: `
      (drop (call $log (i32.const 2) (i32.const 8) (i32.const 5)))
      (loop $next (br_if $next (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
      (call $log (i32.const 3) (i32.const 8) (i32.const 5))`,
  })
  const { host, lines } = await hosted(await assembleWat(text))
  assert.equal(host.request().verdict, 'completed')
  assert.deepEqual(lines, [
    { level: 'info', text: 'hello' },
    { level: 'warn', text: 'hello' },
  ])
  assert.equal(host.statistics().memoryBytes, 1_024 * 65_536)
  const much = filterText({ imports: IMPORTED('1025'), memory: '(export "memory" (memory 0))' })
  await assert.rejects(hosted(await assembleWat(much)), { refusal: 'memory_too_large' })
})

test('a start section may not call the host before there is a memory', async () => {
  const text = filterText({
    imports: TICKS,
    more: `(func $begin (drop (call $log (i32.const 2) (i32.const 0) (i32.const 1))))
      (start $begin)`,
  })
  await assert.rejects(hosted(await assembleWat(text)), /before the instance has its memory/)
})

test('contexts are told apart by their ids, the root is 1', async () => {
  const text = filterText({
    imports: TICKS,
    memory: '(memory (export "memory") 1)',
    more: `
      (func $say (param $id i32)
        (i32.store8 (i32.const 16) (i32.add (i32.const 48) (local.get $id)))
        (drop (call $log (i32.const 2) (i32.const 16) (i32.const 1))))
      (func (export "proxy_on_done") (param i32) (result i32)
        (call $say (local.get 0)) (i32.const 1))
      (func (export "proxy_on_log") (param i32) (call $say (local.get 0)))
      (func (export "proxy_on_delete") (param i32) (call $say (local.get 0)))`,
  })
  const { host, lines } = await hosted(await assembleWat(text))
  host.request()
  host.request()
  host.close()
  assert.equal(lines.map(({ text: id }) => id).join(''), '22233311')
  assert.equal(host.request().reason, 'filter is closed')
})
