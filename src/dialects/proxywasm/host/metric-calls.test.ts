import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { FilterCaller } from '../../../../test/filters/caller.ts'
import { compileFilter } from '../../../../test/filters/compile.ts'
import { hostileFilter } from '../../../../test/filters/hostile.ts'
import { Zone, type ZoneOptions } from '../../../shm/index.ts'
import { crc32 } from '../names.ts'
import { openZoneSpace } from '../store/space.ts'
import { type HostMode, STATUS } from './abi.ts'
import { FilterHost } from './host.ts'
import { FilterModule } from './module/module.ts'

const COUNTER = 0
const GAUGE = 1
const HISTOGRAM = 2
const UNKNOWN = 4_000_000_000
const U64_MAX = 18_446_744_073_709_551_615n

interface Calling {
  readonly zone: Zone
  readonly host: FilterHost
  readonly caller: FilterCaller
}

const raw = FilterModule.compile(await compileFilter('raw'))

/** A filter that calls what the test says, over a zone that holds its three standard metrics. */
async function calling(
  mode: HostMode,
  zoneOptions: ZoneOptions = {},
  maxMetricNameLength = 256,
): Promise<Calling> {
  const zone = Zone.create(zoneOptions)
  const space = openZoneSpace({ shared: zone.shared, host: mode, maxMetricNameLength })
  const host = FilterHost.start(await raw, { name: 'f', metricsPerFilterLimit: 100 }, { space })
  return { zone, host, caller: new FilterCaller(host) }
}

for (const backing of ['sab', 'wasm'] as const) {
  test(`spec answers every call with a status of the ABI (${backing})`, async () => {
    const { caller, host } = await calling('spec', { backing })
    const status = async (text: string): Promise<number | undefined> =>
      (await caller.call(text)).status
    assert.equal((await caller.define(COUNTER, 'c')).value, 4n)
    assert.equal((await caller.define(COUNTER, 'c')).value, 4n)
    assert.equal((await caller.define(GAUGE, 'g')).value, 5n)
    assert.equal((await caller.define(HISTOGRAM, 'h')).value, 6n)
    assert.equal(await status('define:1:c'), STATUS.badArgument)
    assert.equal(await status('define:3:x'), STATUS.badArgument)
    assert.equal(await status('increment:4:5'), STATUS.ok)
    assert.equal(await status('increment:4:0'), STATUS.ok)
    assert.equal(await status('increment:4:-1'), STATUS.badArgument)
    assert.equal(await status('increment:6:1'), STATUS.badArgument)
    assert.equal(await status(`increment:${UNKNOWN}:1`), STATUS.notFound)
    assert.equal(await status('increment:0:1'), STATUS.notFound)
    assert.equal((await caller.get(4)).value, 5n)
    assert.equal(await status('record:4:3'), STATUS.ok)
    assert.equal((await caller.get(4)).value, 3n)
    assert.equal(host.statistics().counterResets, 1)
    assert.equal(await status(`record:4:${U64_MAX}`), STATUS.ok)
    assert.equal(await status('increment:4:2'), STATUS.badArgument)
    assert.equal(await status('increment:4:0'), STATUS.ok)
    assert.equal((await caller.get(4)).value, U64_MAX)
    assert.equal(await status(`record:5:${U64_MAX}`), STATUS.ok)
    assert.equal((await caller.get(5)).value, U64_MAX)
    assert.equal(await status('record:6:10'), STATUS.ok)
    assert.equal(await status('get:6'), STATUS.badArgument)
    assert.equal(await status(`record:${UNKNOWN}:1`), STATUS.notFound)
    assert.equal(await status(`get:${UNKNOWN}`), STATUS.notFound)
    assert.equal(host.statistics().badCalls, 10)
  })

  test(`a gauge goes below zero modulo 2^64, which is counted (${backing})`, async () => {
    const { caller, host } = await calling('spec', { backing })
    await caller.define(GAUGE, 'g')
    await caller.increment(4, 2n)
    await caller.increment(4, -5n)
    assert.equal((await caller.get(4)).value, U64_MAX - 2n)
    await caller.increment(4, 5n)
    assert.equal((await caller.get(4)).value, 2n)
    assert.equal(host.statistics().gaugeWraps, 1)
  })

  test(`a pointer outside the memory is refused and changes nothing (${backing})`, async () => {
    const { caller, host, zone } = await calling('spec', { backing })
    for (const call of ['get', 'name', 'id', 'log'] as const) {
      const { status } = await caller.wild(call)
      assert.equal(status, STATUS.invalidMemoryAccess, call)
    }
    assert.equal(zone.find(Buffer.from('pw.f.never_defined')), -1)
    assert.equal(host.isRunning, true)
    assert.equal(host.statistics().badCalls, 4)
  })
}

test('nginx traps on every mistake, with its text', async () => {
  const { caller } = await calling('nginx', {}, 20)
  const c = crc32(Buffer.from('pw.f.a_counter'))
  const g = crc32(Buffer.from('pw.f.a_gauge'))
  const h = crc32(Buffer.from('pw.f.a_histogram'))
  const missing = 'metric not found'
  const traps: [call: string, text: string][] = [
    ['define:3:x', 'could not define metric "x": unknown type "3"'],
    ['define:0:much_too_long_a_name', `${tooLong('much_too_long_a_name')}`],
    [`increment:${g}:1`, `could not increment metric id "${g}": metric not a counter`],
    [`increment:${h}:1`, `could not increment metric id "${h}": metric not a counter`],
    ['increment:1:1', `could not increment metric id "1": ${missing}`],
    [`record:${c}:1`, `could not record value in metric id "${c}": metric is a counter`],
    [`record:${UNKNOWN}:1`, `could not record value in metric id "${UNKNOWN}": ${missing}`],
    [`get:${h}`, `could not retrieve metric id "${h}": metric is a histogram`],
    ['get:0', `could not retrieve metric id "0": ${missing}`],
    ['wild:get', 'invalid memory access'],
  ]
  for (const [call, text] of traps.slice(0, 5)) assert.equal((await caller.call(call)).trap, text)
  const others = await calling('nginx')
  for (const [call, text] of traps.slice(5)) {
    assert.equal((await others.caller.call(call)).trap, text)
  }
})

function tooLong(name: string): string {
  return `could not define metric: name "${name}" too long`
}

test('nginx takes any delta, and keeps the first type of a name', async () => {
  const { caller } = await calling('nginx')
  const c = crc32(Buffer.from('pw.f.a_counter'))
  const other = await caller.define(HISTOGRAM, 'a_counter')
  assert.equal(other.status, STATUS.ok)
  assert.equal(other.value, BigInt(c))
  const before = (await caller.get(c)).value
  await caller.increment(c, -10n)
  // The requests themselves add 1 each, before the call that they carry.
  assert.equal((await caller.get(c)).value, BigInt.asUintN(64, before - 10n + 2n))
  const gauge = crc32(Buffer.from('pw.f.a_gauge'))
  assert.equal((await caller.get(gauge)).value, 42n)
})

test('nginx says what to do when the zone is full', async () => {
  const { caller } = await calling('nginx', { metricsLimit: 3 })
  const advice = 'no memory (increase "slab_size" directive)'
  const { trap } = await caller.define(COUNTER, 'x')
  assert.equal(trap, `could not define metric "x": ${advice}`)
})

test('nginx gives the second of two names with one CRC-32 the next id, in any thread', async () => {
  const { caller, zone, host } = await calling('nginx')
  // Of the golden cases: both are 2133300022 with their prefix.
  const [first, second] = ['trlweuzi', 'pemhskbk']
  const a = await caller.define(COUNTER, first)
  const b = await caller.define(COUNTER, second)
  assert.equal(crc32(Buffer.from(`pw.f.${first}`)), crc32(Buffer.from(`pw.f.${second}`)))
  assert.equal(b.value, BigInt.asUintN(32, a.value + 1n))
  assert.equal(host.statistics().idCollisions, 1)
  const space = openZoneSpace({ shared: zone.shared, host: 'nginx' })
  const other = new FilterCaller(FilterHost.start(await raw, { name: 'f' }, { space }))
  assert.equal((await other.define(COUNTER, second)).value, b.value)
  assert.equal((await other.define(COUNTER, first)).value, a.value)
})

test('envoy gives ids per VM and type, and one name once per type', async () => {
  const { caller, zone } = await calling('envoy')
  // The filter itself has defined one of each at its start: 4, 5 and 6.
  const ids: [type: number, name: string, id: bigint][] = [
    [COUNTER, 'x', 8n],
    [COUNTER, 'x', 12n],
    [GAUGE, 'x', 9n],
    [HISTOGRAM, 'x', 10n],
    [GAUGE, 'y', 13n],
  ]
  for (const [type, name, id] of ids) assert.equal((await caller.define(type, name)).value, id)
  assert.equal(zone.metrics, 7)
  await caller.increment(8, 1n)
  await caller.increment(12, 2n)
  assert.equal((await caller.get(8)).value, 3n)
  assert.equal((await caller.record(8, 5n)).status, STATUS.ok)
  assert.equal((await caller.get(12)).value, 8n)
  assert.equal((await caller.increment(8, 0n)).status, STATUS.badArgument)
  assert.equal((await caller.increment(10, 1n)).status, STATUS.badArgument)
  assert.equal((await caller.increment(4_000_000_001, 1n)).status, STATUS.notFound)
  assert.equal((await caller.get(4_000_000_003)).status, STATUS.badArgument)
  assert.equal((await caller.record(4_000_000_003, 1n)).status, STATUS.notFound)
  assert.equal((await caller.define(3, 'x')).status, STATUS.badArgument)
})

test('a full zone and a long name are told apart under spec', async () => {
  const full = await calling('spec', { metricsLimit: 3 })
  assert.equal((await full.caller.define(COUNTER, 'x')).status, STATUS.internalFailure)
  const short = await calling('spec', {}, 20)
  const name = 'n'.repeat(16)
  assert.equal((await short.caller.define(COUNTER, name)).status, STATUS.badArgument)
  assert.equal((await short.caller.define(COUNTER, name.slice(1))).status, STATUS.ok)
  assert.equal(short.host.statistics().definitionsRefused, 1)
})

test('a retired metric’s id answers NOT_FOUND', async () => {
  for (const backing of ['sab', 'wasm'] as const) {
    const zone = Zone.create({ backing })
    const space = openZoneSpace({ shared: zone.shared })
    const host = FilterHost.start(await raw, { name: 'f' }, { space })
    const caller = new FilterCaller(host)
    assert.equal((await caller.define(COUNTER, 'c')).value, 4n)
    await caller.increment(4, 1n)
    space.zone.retire(3)
    assert.equal((await caller.increment(4, 1n)).status, STATUS.notFound, backing)
    assert.equal((await caller.get(4)).status, STATUS.notFound, backing)
  }
})

test('metrics of kinds that no filter defines are not found', async () => {
  const { zone, caller } = await calling('spec', { backing: 'wasm' })
  const saturating = zone.define(Buffer.from('a'), 'counter') + 1
  const last = zone.define(Buffer.from('b'), 'gauge') + 1
  const exponential = zone.define(Buffer.from('c'), 'exponential') + 1
  for (const id of [saturating, last, exponential]) {
    assert.equal((await caller.increment(id, 1n)).status, STATUS.notFound)
    assert.equal((await caller.record(id, 1n)).status, STATUS.notFound)
    assert.equal((await caller.get(id)).status, STATUS.notFound)
  }
})

test('under nginx a module has to export what its host insists on', async () => {
  const bytes = await hostileFilter('traps')
  const bare = Buffer.from(bytes)
  // The name of an export, changed where it stands.
  bare.write('proxy_on_confxgure', bare.indexOf('proxy_on_configure'))
  const module = await FilterModule.compile(bare)
  const zone = Zone.create()
  const start = (host: HostMode): FilterHost =>
    FilterHost.start(module, { name: 'f' }, { space: openZoneSpace({ shared: zone.shared, host }) })
  assert.throws(() => start('nginx'), { refusal: 'missing_export' })
  assert.equal(start('spec').isRunning, true)
})
