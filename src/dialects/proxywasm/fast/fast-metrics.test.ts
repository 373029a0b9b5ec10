import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import fc from 'fast-check'
import { FilterCaller } from '../../../../test/filters/caller.ts'
import { compileFilter } from '../../../../test/filters/compile.ts'
import { HANDED_ON, linked } from '../../../../test/filters/linked.ts'
import { assembleWat } from '../../../../test/filters/wat.ts'
import { assembleZoneHost } from '../../../../test/filters/zone-host.ts'
import { holdsAsync } from '../../../../test/support/property.ts'
import { type Backing, Zone } from '../../../shm/index.ts'
import type { HostMode } from '../host/abi.ts'
import { FilterHost } from '../host/host.ts'
import type { FilterVm } from '../host/instance/vm.ts'
import type { MetricSpace } from '../host/metric-space.ts'
import { FilterModule } from '../host/module/module.ts'
import { openZoneSpace } from '../store/space.ts'
import { linkFastMetrics } from './fast-metrics.ts'
import { ZONE_HOST_BASE64 } from './zone-host.ts'

const raw = FilterModule.compile(await compileFilter('raw'))
const U64_MAX = (1n << 64n) - 1n
const OK = 0

test('the bytes in the package are those of the text', async () => {
  const message = 'run: node test/filters/zone-host.ts'
  assert.equal(ZONE_HOST_BASE64, await assembleZoneHost(), message)
})

test('counters, shared gauges and histograms never reach JavaScript', () => {
  const { space, zone, increment, record, get, put } = linked()
  const counter = space.define('f', Buffer.from('c'), 'counter') + 1
  const gauge = space.define('f', Buffer.from('g'), 'gauge') + 1
  const histogram = space.define('f', Buffer.from('h'), 'histogram') + 1
  space.writer.settableCounter(counter - 1)
  space.writer.dense(histogram - 1)
  assert.equal(increment(counter, 5n), OK)
  assert.equal(record(counter, 9n), OK)
  assert.equal(get(counter, 0), OK)
  assert.equal(put(), 9n)
  assert.equal(record(gauge, U64_MAX), OK)
  assert.equal(increment(gauge, 3n), OK)
  assert.equal(get(gauge, 0), OK)
  assert.equal(put(), 2n)
  assert.equal(get(gauge, 2_000), 6)
  assert.equal(record(histogram, 10n), OK)
  const reader = zone.reader()
  assert.equal(reader.counter(counter - 1), 9n)
  assert.equal(reader.dense(histogram - 1).bins[4], 1n)
})

test('what the path cannot finish is handed on with nothing changed', () => {
  const { space, zone, increment, record, get } = linked()
  const counter = space.define('f', Buffer.from('c'), 'counter') + 1
  const histogram = space.define('f', Buffer.from('h'), 'histogram') + 1
  const saturating = zone.define(Buffer.from('other'), 'counter') + 1
  // No handle yet: this segment has no chunk.
  assert.equal(increment(counter, 1n), HANDED_ON)
  assert.equal(record(histogram, 1n), HANDED_ON)
  space.writer.settableCounter(counter - 1)!.add(10)
  space.writer.counter(saturating - 1)
  space.writer.dense(histogram - 1)
  for (const when of ['when its place is looked for', 'when its place is kept']) {
    assert.equal(increment(counter, -1n), HANDED_ON, when)
    assert.equal(record(counter, 9n), HANDED_ON, `a reset ${when}`)
    assert.equal(increment(histogram, 1n), HANDED_ON, when)
    assert.equal(get(histogram, 0), HANDED_ON, when)
  }
  for (const id of [0, saturating, saturating + 1, -1, 0x7fff_ffff]) {
    assert.equal(increment(id, 1n), HANDED_ON)
    assert.equal(record(id, 1n), HANDED_ON)
    assert.equal(get(id, 0), HANDED_ON)
  }
  assert.equal(zone.reader().counter(counter - 1), 10n)
})

test('once a total is near its end, or was set lower, JavaScript answers in every thread', () => {
  for (const nearing of [2n ** 62n, 2n ** 64n - 1n, 'lower'] as const) {
    const zone = Zone.create({ backing: 'wasm' })
    const space = openZoneSpace({ shared: zone.shared })
    const { increment, record, get, check } = linked(space)
    const counter = space.define('f', Buffer.from('c'), 'counter')
    space.writer.settableCounter(counter)
    assert.equal(increment(counter + 1, 5n), OK)
    const other = zone.attach().settableCounter(counter)!
    if (nearing === 'lower') assert.equal(other.setTotal(3n), 'reset')
    else assert.ok(other.addExact(nearing - 5n))
    assert.equal(record(counter + 1, 2n ** 62n - 1n), HANDED_ON, 'in the same callback')
    assert.equal(get(counter + 1, 0), HANDED_ON, 'in the same callback')
    check()
    assert.equal(increment(counter + 1, 1n), HANDED_ON)
    assert.equal(zone.reader().counter(counter), nearing === 'lower' ? 8n : nearing)
  }
})

test('a total that gone threads have left near its end is found out with the next place', () => {
  const zone = Zone.create({ backing: 'wasm' })
  const space = openZoneSpace({ shared: zone.shared })
  const { increment, check } = linked(space)
  const counter = space.define('f', Buffer.from('c'), 'counter')
  space.writer.settableCounter(counter)
  assert.equal(increment(counter + 1, 5n), OK)
  const below = 2n ** 52n - 1n // of a thread that does not look
  for (let left = 2n ** 62n; left > 0n; left -= below) {
    const gone = zone.attach()
    assert.ok(gone.settableCounter(counter)!.addUnlooked(left < below ? left : below))
    gone.detach()
  }
  check()
  assert.equal(increment(counter + 1, 1n), HANDED_ON)
})

test('a total is that of all segments, those of gone threads included', () => {
  const zone = Zone.create({ backing: 'wasm' })
  const space = openZoneSpace({ shared: zone.shared })
  const { record, get, put } = linked(space)
  const counter = space.define('f', Buffer.from('c'), 'counter')
  const second = zone.attach()
  second.settableCounter(counter)!.add(100)
  const third = zone.attach()
  third.settableCounter(counter)!.add(1_000)
  third.detach()
  space.writer.settableCounter(counter)!.add(1)
  assert.equal(get(counter + 1, 0), OK)
  assert.equal(put(), 1_101n)
  assert.equal(record(counter + 1, 2_000n), OK)
  assert.equal(zone.reader().counter(counter), 2_000n)
})

test('metrics in further chunks and descriptor pages are found', () => {
  const { space, zone, increment, record } = linked()
  const histograms: number[] = []
  for (let i = 0; i < 3_000; i++) {
    const metric = space.define('f', Buffer.from(`h${i}`), 'histogram')
    space.writer.dense(metric)
    assert.equal(record(metric + 1, BigInt(i)), OK)
    histograms.push(metric)
  }
  const counter = space.define('f', Buffer.from('c'), 'counter')
  space.writer.settableCounter(counter)
  assert.equal(increment(counter + 1, 7n), OK)
  const reader = zone.reader()
  assert.ok(histograms.every((metric, i) => reader.dense(metric).sum === BigInt(i)))
  assert.equal(reader.counter(counter), 7n)
})

test('nothing is lost where a callback itself notices that the zone was replaced', async () => {
  const zone = Zone.create({ backing: 'wasm' })
  const space = openZoneSpace({ shared: zone.shared })
  const module = await FilterModule.compile(await assembleWat(DEFINES_BETWEEN))
  const host = FilterHost.start(module, { name: 'f' }, { space })
  const counter = space.find('f', Buffer.from('a'))
  host.request()
  // This space learns of it only when the filter's definition makes it look.
  zone.reconfigure({ workersLimit: 8 })
  host.request()
  assert.equal(zone.reader().counter(counter), 22n)
})

test('a gauge is what a filter set it to that had not noticed the new zone', async () => {
  const zone = Zone.create({ backing: 'wasm' })
  const space = openZoneSpace({ shared: zone.shared })
  const gauge = space.define('f', Buffer.from('g'), 'gauge')
  const caller = new FilterCaller(FilterHost.start(await raw, { name: 'f' }, { space }))
  await caller.record(gauge + 1, 5n)
  zone.reconfigure({ workersLimit: 8 })
  zone.attach().sharedGauge(gauge)!.add(1n)
  const { status } = await caller.record(gauge + 1, 7n)
  assert.equal(status, OK)
  assert.equal(zone.attach().sharedGauge(gauge)!.value(), 7n)
})

/** At each request: counter a + 1, a definition of b, counter a + 10. */
const DEFINES_BETWEEN = `(module
  (import "env" "proxy_define_metric" (func $define (param i32 i32 i32 i32) (result i32)))
  (import "env" "proxy_increment_metric" (func $increment (param i32 i64) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "ab")
  (func (export "proxy_abi_version_0_2_1"))
  (func (export "proxy_on_memory_allocate") (param i32) (result i32) (i32.const 1024))
  (func (export "proxy_on_vm_start") (param i32 i32) (result i32)
    (call $define (i32.const 0) (i32.const 16) (i32.const 1) (i32.const 32))
    i32.eqz)
  (func (export "proxy_on_request_headers") (param i32 i32 i32) (result i32)
    (drop (call $increment (i32.load (i32.const 32)) (i64.const 1)))
    (drop (call $define (i32.const 0) (i32.const 17) (i32.const 1) (i32.const 36)))
    (call $increment (i32.load (i32.const 32)) (i64.const 10))))`

test('other host modes and other memories have no such path', () => {
  const link = (backing: Backing, host: HostMode) => {
    const zone = Zone.create({ backing })
    const space = openZoneSpace({ shared: zone.shared, host })
    const slow = () => HANDED_ON
    return linkFastMetrics({} as FilterVm, space, {
      proxy_define_metric: slow,
      proxy_increment_metric: slow,
      proxy_record_metric: slow,
      proxy_get_metric: slow,
    })
  }
  assert.equal(link('sab', 'spec'), undefined)
  assert.equal(link('wasm', 'nginx'), undefined)
  assert.equal(link('wasm', 'envoy'), undefined)
})

const word = fc.oneof(
  fc.bigInt({ min: 0n, max: U64_MAX }),
  fc.bigInt({ min: 0n, max: 70n }),
  fc.nat({ max: 63 }).chain((k) => fc.constantFrom((1n << BigInt(k)) - 1n, 1n << BigInt(k))),
)
const id = fc.integer({ min: 0, max: 9 })
const call = fc.oneof(
  fc
    .record({ type: fc.integer({ min: 0, max: 2 }), name: fc.constantFrom('a', 'b', 'c') })
    .map(({ type, name }) => `define:${type}:${name}`),
  fc.record({ id, delta: word }).map((c) => `increment:${c.id}:${BigInt.asIntN(64, c.delta)}`),
  fc.record({ id, value: word }).map((c) => `record:${c.id}:${c.value}`),
  fc.record({ id }).map((c) => `get:${c.id}`),
)

type Change = (zone: Zone, space: MetricSpace, metric: number) => void
const CHANGES: Readonly<Record<string, Change>> = {
  unlink: (zone, _space, metric) => zone.unlink(metric),
  release: (_zone, { writer }, metric) => writer.release(metric),
  retire: (_zone, space, metric) => space.zone.retire(metric),
  retireElsewhere(zone, { writer }, metric) {
    writer.release(metric)
    zone.retire(metric)
  },
  replace(zone, space) {
    zone.reconfigure({ workersLimit: 300 + zone.usage().replacements })
    space.zone.unlink(0) // takes the lock, and so follows
  },
}
const change = fc
  .record({ what: fc.constantFrom(...Object.keys(CHANGES)), id })
  .map((c) => `${c.what}:${c.id}`)

test('both paths answer and count the same, whatever is called', async () => {
  await holdsAsync(fc.asyncProperty(fc.array(call, { maxLength: 40 }), isSameOnBothPaths), 150)
})

test('… and whatever becomes of the metrics and the zone meanwhile', async () => {
  const step = fc.oneof({ weight: 5, arbitrary: call }, { weight: 1, arbitrary: change })
  await holdsAsync(fc.asyncProperty(fc.array(step, { maxLength: 60 }), isSameOnBothPaths), 150)
})

async function isSameOnBothPaths(steps: readonly string[]): Promise<void> {
  const slow = await answers('sab', steps)
  const fast = await answers('wasm', steps)
  assert.deepEqual(fast, slow)
}

/** Statuses and values of all calls, then the zone's values and the filter's counts. */
async function answers(backing: Backing, steps: readonly string[]): Promise<unknown[]> {
  const zone = Zone.create({ backing })
  const space = openZoneSpace({ shared: zone.shared })
  const host = FilterHost.start(await raw, { name: 'f' }, { space })
  const caller = new FilterCaller(host)
  const seen: unknown[] = []
  for (const step of steps) {
    const [what, id] = step.split(':')
    const change = CHANGES[what!]
    if (change === undefined) seen.push(await caller.call(step))
    else change(zone, space, Number(id) - 1)
  }
  const reader = zone.reader()
  for (let metric = 0; metric < zone.metrics; metric++) {
    if (!zone.has(metric)) continue
    const type = zone.type(metric)
    if (type === 'counter') seen.push(reader.counter(metric), reader.counterReading(metric))
    if (type === 'gauge') seen.push(space.writer.sharedGauge(metric)?.value())
    if (type === 'dense') seen.push(structuredClone(reader.dense(metric)))
  }
  const { callbackNs: _, ...counts } = host.statistics()
  seen.push(counts)
  host.close()
  space.writer.detach()
  return seen
}
