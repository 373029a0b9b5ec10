import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { compileFilter } from '../../../../test/filters/compile.ts'
import { type HostileName, hostileFilter } from '../../../../test/filters/hostile.ts'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { Zone } from '../../../shm/index.ts'
import { openZoneSpace } from '../store/space.ts'
import type { HostMode } from './abi.ts'
import { FilterHost } from './host.ts'
import type { MetricSpace } from './metric-space.ts'
import { FilterModule, FilterRefusedError } from './module/module.ts'
import type { FilterLogLine, FilterOptions } from './options.ts'

interface Hosted {
  readonly host: FilterHost
  readonly space: MetricSpace
  readonly zone: Zone
  readonly clock: FakeClock
  readonly lines: FilterLogLine[]
}

async function hosted(
  name: HostileName,
  options: Partial<FilterOptions> = {},
  mode: HostMode = 'spec',
): Promise<Hosted> {
  const zone = Zone.create()
  const space = openZoneSpace({ shared: zone.shared, host: mode })
  const clock = new FakeClock()
  const lines: FilterLogLine[] = []
  const module = await FilterModule.compile(await hostileFilter(name), { memoryPagesLimit: 64 })
  const parts = { space, clock, onLog: (line: FilterLogLine) => lines.push(line) }
  return { host: FilterHost.start(module, { name, ...options }, parts), space, zone, clock, lines }
}

async function refusal(name: HostileName): Promise<string> {
  const error = await hosted(name).then(
    () => assert.fail(`${name} was started`),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof FilterRefusedError, String(error))
  return error.refusal
}

test('a module that cannot be a filter is refused, with the reason', async () => {
  const expected: [HostileName, string][] = [
    ['hasNoAbi', 'no_abi'],
    ['hasNoAllocator', 'no_allocator'],
    ['hasNoMemory', 'no_memory'],
    ['wantsMuchMemory', 'memory_too_large'],
    ['wantsSharedMemory', 'no_memory'],
    ['wantsGlobal', 'bad_import'],
    ['wantsTag', 'bad_import'],
    ['wantsTables', 'table_too_large'],
    ['hasTwoMemories', 'memories'],
    ['trapsAtStart', 'start_failed'],
    ['answersFalse', 'start_failed'],
  ]
  for (const [name, reason] of expected) assert.equal(await refusal(name), reason, name)
})

test('a file that is no module, or too large, is refused', async () => {
  const refusalOf = async (bytes: Uint8Array, moduleBytesLimit = 1_000): Promise<string> => {
    const compiled = FilterModule.compile(bytes, { moduleBytesLimit })
    return compiled.then(
      () => '',
      (error) => (error as FilterRefusedError).refusal,
    )
  }
  const whole = await hostileFilter('traps')
  assert.equal(await refusalOf(Buffer.from('#!/bin/sh\n')), 'not_wasm')
  // a table behind the memory: written in this order, limits would have no place
  const inverted = '0061736d01000000' + '050b8180808000008180808000' + '040401700001'
  assert.equal(await refusalOf(Buffer.from(inverted, 'hex')), 'not_wasm')
  assert.equal(await refusalOf(whole, whole.length - 1), 'too_large')
  for (let size = 0; size < whole.length; size++) {
    assert.notEqual(await refusalOf(whole.subarray(0, size)), '', `cut at ${size}`)
  }
})

test('a trap fails the request with 500, and the next request gets a new instance', async () => {
  const { host, lines } = await hosted('traps')
  const outcome = host.request()
  assert.equal(outcome.verdict, 'failed')
  assert.equal(outcome.status, 500)
  assert.equal(outcome.reason, 'unreachable')
  assert.equal(host.isRunning, false)
  host.request()
  const { instances, traps, requests, requestsFailed } = host.statistics()
  assert.deepEqual(
    { instances, traps, requests, requestsFailed },
    {
      instances: 2,
      traps: 2,
      requests: 2,
      requestsFailed: 2,
    },
  )
  assert.deepEqual(lines[0], { level: 'error', text: 'trap: unreachable' })
})

test('at most ten instances are built within a second', async () => {
  const { host, clock } = await hosted('traps')
  for (let i = 0; i < 30; i++) host.request()
  assert.equal(host.statistics().instances, 10)
  assert.equal(host.statistics().startsRefused, 20)
  assert.match(host.request().reason, /too often/)
  clock.advance(1_000)
  for (let i = 0; i < 30; i++) host.request()
  assert.equal(host.statistics().instances, 20)
})

test('proc_exit and an endless recursion are traps', async () => {
  const exits = await hosted('exits')
  assert.equal(exits.host.request().reason, 'filter ended itself: proc_exit(3)')
  const recurses = await hosted('recurses')
  assert.match(recurses.host.request().reason, /stack/)
})

test('a definition from the last frame of a stack does not leave the zone locked', async () => {
  const { host, zone, space } = await hosted('definesAtStackEnd', {
    metricsPerFilterLimit: 1_000_000,
  })
  assert.match(host.request().reason, /stack/)
  assert.ok(zone.metrics > 0)
  assert.ok(space.zone.define(Buffer.from('neighbour'), 'counter') >= 0)
  assert.equal(zone.usage().refusals.lock_timeout, 0)
})

test('definitions above the limit of a filter are refused and counted', async () => {
  const { host, zone } = await hosted('definesMillions', { metricsPerFilterLimit: 100 })
  assert.equal(host.request().verdict, 'completed')
  assert.equal(zone.metrics, 100)
  assert.equal(host.statistics().definitionsRefused, 999_900)
  assert.equal(host.statistics().metrics, 100)
})

test('the limit of definitions holds over instances', async () => {
  const { host, zone } = await hosted('definesAtStackEnd', { metricsPerFilterLimit: 5 })
  for (let i = 0; i < 3; i++) host.request()
  assert.equal(zone.metrics, 5)
})

test('memory grows to the limit of the host, whatever the module declares', async () => {
  const { host } = await hosted('takesMemory')
  assert.equal(host.request().verdict, 'completed')
  assert.equal(host.statistics().memoryBytes, 64 * 65_536)
})

test('invented imports answer UNIMPLEMENTED, are listed and logged once each', async () => {
  const { host, lines } = await hosted('invents')
  assert.deepEqual(host.module.unknownImports, [
    'env.proxy_make_coffee',
    'elsewhere.wide',
    'elsewhere.quiet',
  ])
  for (let i = 0; i < 3; i++) assert.equal(host.request().verdict, 'completed')
  assert.deepEqual(
    host.statistics().unknownImports.map(({ calls }) => calls),
    [3, 3, 3],
  )
  assert.deepEqual(
    lines.map(({ text }) => text).sort(),
    [...host.module.unknownImports].map((name) => `import ${name} is not served`).sort(),
  )
})

test('log lines are cut, and passed on up to a thousand a second', async () => {
  const { host, lines, clock } = await hosted('floodsLog')
  host.request()
  assert.equal(lines.length, 1_000)
  assert.equal(lines[0]!.text.length, 4_096)
  assert.equal(host.statistics().logLines, 5_000)
  assert.equal(host.statistics().logLinesDropped, 4_000)
  clock.advance(1_000)
  host.request()
  assert.equal(lines.length, 2_000)
})

test('an allocator that lies gets nothing, and changes nothing', async () => {
  const { host } = await hosted('liesAboutMemory')
  assert.equal(host.request().verdict, 'completed')
})

test('guessed ids reach no metric of the zone’s other users', async () => {
  for (const mode of ['spec', 'nginx', 'envoy'] as const) {
    const { host, zone, space } = await hosted('guessesIds', {}, mode)
    const counter = zone.define(Buffer.from('pw.fake'), 'counter')
    const gauge = zone.define(Buffer.from('other'), 'gauge')
    space.writer.gauge(gauge)!.set(7)
    host.request()
    assert.equal(zone.reader().counter(counter), 0n, mode)
    const reading = { value: 0, sequence: 0 }
    zone.reader().gauge(gauge, reading)
    assert.equal(reading.value, 7, mode)
  }
})

test('a filter that traps leaves a second one answering', async () => {
  const { host, space, zone } = await hosted('traps')
  const module = await FilterModule.compile(await compileFilter('raw'))
  const second = FilterHost.start(module, { name: 'second' }, { space })
  for (let i = 0; i < 20; i++) {
    assert.equal(host.request().status, 500)
    assert.equal(second.request().status, 200)
  }
  const counter = zone.find(Buffer.from('pw.second.a_counter'))
  assert.equal(zone.reader().counter(counter), 20n)
})

test('a table grows to the limit of the host, whatever the module declares', async () => {
  const { host } = await hosted('growsTable')
  assert.equal(host.request().verdict, 'completed')
})

test('imports named as what objects inherit are stubs and change nothing of the host', async () => {
  const { keys } = Object
  const { host } = await hosted('importsInherited')
  assert.equal(Object.keys, keys)
  assert.equal('polluted' in {}, false)
  assert.equal(host.request().verdict, 'completed')
})

test('an exception that the filter does not catch is a trap that says so', async () => {
  const { host } = await hosted('throwsItself')
  assert.equal(host.request().reason, 'exception that the filter did not catch')
})

test('a filter that asks for ticks when it is told of its end gets none', async () => {
  const { host, clock } = await hosted('ticksAtEnd')
  host.close()
  clock.advance(10)
  assert.equal(host.statistics().ticks, 0)
})
