import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import {
  packet,
  sendTcp,
  sendUdp,
  seriesNamed,
  startHub,
  type TestHub,
  until,
} from '../../test/support/hub/hub.ts'
import { REFUSED } from '../dialects/ingest.ts'
import { dialect as statshero } from '../dialects/statshero/dialect.ts'
import { type Identity, identityKey, keyedHash } from '../model/index.ts'
import { parseConfig } from './config/config.ts'
import { Hub } from './hub.ts'

/** Starts a hub for one test and stops it afterwards. */
function hubTest(
  title: string,
  options: Record<string, unknown>,
  run: (hub: TestHub) => Promise<void>,
): void {
  test(title, async () => {
    const started = await startHub(options)
    try {
      await run(started)
    } finally {
      await started.hub.stop()
    }
  })
}

hubTest('one key as all four types is four series', {}, async (started) => {
  const { hub } = started
  await sendUdp(started, [packet('k:1|m\nk:2|mr\nk:3|g\nk:4|h\n')])
  const kinds = [...hub.series]
    .filter(({ identity }) => identity.name === 'k')
    .map(({ identity, metadata }) => `${identity.kind} ${metadata.type}`)
  assert.deepEqual(kinds, ['counter m', 'counter mr', 'gauge g', 'histogram h'])
})

hubTest('udp and tcp of one key add up', {}, async (started) => {
  await sendUdp(started, [packet('a:1|m\n')])
  await sendTcp(started, [packet('a:2|m\n'), packet('a:4|m')])
  const { hub } = started
  assert.deepEqual(hub.total(seriesNamed(hub, 'a')), { kind: 'counter', total: 7, decrements: 0 })
})

hubTest('negative meters are a second part that only grows', {}, async (started) => {
  const { hub, clock } = started
  await sendUdp(started, [packet('a:10|m\na:-3|m\n'), packet('a:-4|m|@0.5\n')])
  const record = seriesNamed(hub, 'a')
  assert.deepEqual(hub.total(record), { kind: 'counter', total: 10, decrements: 11 })
  clock.advance(1000)
  const frame = hub.live.newest!
  assert.deepEqual(frame.cell(record.id, 'counter'), { kind: 'counter', delta: 10 })
  assert.ok(record.kind === 'counter')
  assert.deepEqual(frame.cell(record.decrements!.id, 'counter'), { kind: 'counter', delta: 11 })
})

hubTest(
  'a refused negative meter is counted and nothing else',
  {
    statshero: { negativeMeter: 'refuse' },
  },
  async (started) => {
    const { hub } = started
    await sendUdp(started, [packet('a:10|m\na:-3|m\n')])
    assert.deepEqual(hub.total(seriesNamed(hub, 'a')), {
      kind: 'counter',
      total: 10,
      decrements: 0,
    })
    assert.equal(hub.reports.refusalsOf('negative_meter'), 1)
  },
)

hubTest(
  'above the series limit new names are refused, named and summed up',
  {
    seriesLimit: 2,
  },
  async (started) => {
    const { hub } = started
    await sendUdp(started, [packet('a:1|m\nb:1|g\nc:5|m\nd:7|m\ne:9|h\nf:1|g\na:1|m\n')])
    assert.deepEqual(hub.total(seriesNamed(hub, 'a')), { kind: 'counter', total: 2, decrements: 0 })
    const { limits } = hub.sources()
    const limit = limits.find(({ name }) => name === 'seriesLimit')!
    assert.equal(limit.used, 2)
    assert.equal(limit.refused, 4)
    assert.deepEqual(
      limit.examples?.map(({ key }) => key),
      ['c', 'd', 'e', 'f'],
    )
    const overflow = seriesNamed(hub, 'pentameter.overflow', 'counter')
    assert.deepEqual(hub.total(overflow), { kind: 'counter', total: 12, decrements: 0 })
    const spread = hub.total(seriesNamed(hub, 'pentameter.overflow', 'histogram'))
    assert.equal(spread.kind === 'histogram' && spread.histogram.sum, 9)
  },
)

hubTest('no peer writes into what the hub says of itself', {}, async (started) => {
  const { hub, clock } = started
  clock.advance(1000)
  await sendUdp(started, [packet('pentameter.sessions:4242|g\nok:1|m\n')])
  assert.equal(hub.reports.refusalsOf('reserved_name'), 1)
  assert.deepEqual(hub.total(seriesNamed(hub, 'pentameter.sessions')), { kind: 'gauge', value: 0 })
})

hubTest('keys of the full length are taken', {}, async (started) => {
  const key = 'k'.repeat(4096)
  await sendUdp(started, [packet(`${key}:1|m\n${key}:2|g\n${key}x:1|m\n`)])
  const { hub } = started
  assert.deepEqual(hub.total(seriesNamed(hub, key, 'gauge')), { kind: 'gauge', value: 2 })
  assert.equal(hub.reports.refusalsOf('zone_full'), 0)
  assert.equal(hub.reports.refusalsOf('key_too_long'), 1)
})

hubTest('a source has its own limit', { seriesLimitPerSource: 1 }, async (started) => {
  const { hub } = started
  await sendUdp(started, [packet('a:1|m\nb:1|m\n')])
  assert.equal(hub.reports.refusalsOf('series_limit_per_source'), 1)
})

/** Offers a counter as a source; its slot. */
function offer({ hub }: TestHub, source: string, identity: Partial<Identity>): number {
  const whole: Identity = { name: 'n', kind: 'counter', labels: [], ...identity }
  const ingest = hub.createIngest('scope')
  const key = identityKey(whole)
  ingest.begin(source)
  return ingest.slot(key, 0, key.length, 0, keyedHash(key, 0, key.length), () => {
    return { identity: whole, metadata: { dialect: 'scope', type: 'counter' } }
  })
}

hubTest(
  'a source has its share of the zone, however few names it fills it with',
  { zoneBytesLimit: 4_194_304, zonePercentPerSource: 25 },
  async (started) => {
    const { hub } = started
    for (let i = 0; i < 1500; i++) offer(started, '10.0.0.1', { name: `${i}`.padStart(4000, 'n') })
    const limit = hub.sources().limits.find(({ name }) => name === 'zonePercentPerSource')!
    assert.equal(limit.limit, 1_048_576)
    assert.ok(limit.used <= limit.limit && limit.used > limit.limit - 4100)
    assert.ok(limit.refused > 1200)
    assert.equal(hub.reports.refusalsOf('zone_full'), 0)
    for (let i = 0; i < 100; i++) offer(started, '10.0.0.2', { name: `other ${i}` })
    assert.equal(hub.series.countOf('10.0.0.2'), 100)

    const known = [...hub.series].filter(({ source }) => source === '10.0.0.1')
    for (const record of known) hub.series.retire(record)
    const { used } = hub.sources().limits.find(({ name }) => name === 'zonePercentPerSource')!
    assert.ok(used < 20_000)
    offer(started, '10.0.0.1', { name: 'again' })
    assert.equal(hub.series.countOf('10.0.0.1'), 1)
  },
)

hubTest(
  'names and labels have a length, whatever the dialect',
  { nameBytesLimit: 10, labelBytesLimit: 5 },
  async (started) => {
    const { hub } = started
    await sendUdp(started, [packet(`${'a'.repeat(10)}:-1|m\n${'b'.repeat(11)}:1|m\n`)])
    assert.equal(hub.reports.refusalsOf('name_too_long'), 1)
    seriesNamed(hub, 'a'.repeat(10))
    // bytes of UTF-8 count
    assert.equal(offer(started, '10.0.0.1', { name: 'ääääää' }), REFUSED)
    assert.notEqual(offer(started, '10.0.0.1', { labels: [['host', 'web-1']] }), REFUSED)
    assert.equal(offer(started, '10.0.0.1', { labels: [['host', 'web-10']] }), REFUSED)
    assert.equal(offer(started, '10.0.0.1', { labels: [['server', 'a']] }), REFUSED)
    assert.equal(hub.reports.refusalsOf('label_too_long'), 2)
  },
)

hubTest(
  'silent series leave after their time, and come back as new ones',
  {
    expireAfterS: 60,
  },
  async (started) => {
    const { hub, clock } = started
    await sendUdp(started, [packet('a:1|m\na:-1|m\nb:2|h\n')])
    clock.advance(30_000)
    await sendUdp(started, [packet('b:2|h\n')])
    clock.advance(40_000)
    assert.deepEqual(
      [...hub.series].filter(({ source }) => source !== 'hub').map(({ identity }) => identity.name),
      ['b'],
    )
    await sendUdp(started, [packet('a:5|m\n')])
    clock.advance(1000)
    const record = seriesNamed(hub, 'a')
    const cell = hub.live.newest?.cell(record.id, 'counter')
    assert.deepEqual(cell, { kind: 'counter', delta: 5 })
    assert.deepEqual(hub.total(record), { kind: 'counter', total: 5, decrements: 0 })
  },
)

hubTest('a datagram that no dialect knows is counted and told once', {}, async (started) => {
  const { hub, log } = started
  await sendUdp(started, [Buffer.from('2|6\na:1|m\n'), Buffer.from('bar:1|c')])
  const told = log.filter((line) => line.includes('first bytes that no dialect claims'))
  assert.equal(told.length, 1)
  assert.match(told[0]!, /looks like another Stats Hero version/)
  const unclaimed = [...hub.series].find(
    ({ identity }) => identity.name === 'pentameter.unclaimed',
  )!
  assert.deepEqual(hub.total(unclaimed), { kind: 'counter', total: 2, decrements: 0 })
})

test('a port that is taken stops nothing else, is told, and is tried again', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as { port: number }
  const { hub, clock } = await startHub({ textPort: port })
  const state = (): string => hub.sources().listeners.find(({ name }) => name === 'text')!.state
  assert.equal(state(), 'failed')
  assert.equal(hub.sources().listeners[0]!.message, 'port is taken by another process')
  assert.equal(hub.isReady, hub.sources().listeners.length > 1)
  await new Promise((resolve) => other.close(resolve))
  clock.advance(15_000)
  await until(() => state() === 'listening')
  await hub.stop()
})

test('a late wake-up closes one longer second on the grid, a standstill leaves a gap', async () => {
  const started = await startHub()
  const { hub, clock, log } = started
  const lengths: [number, number][] = []
  hub.sessions.open({
    intervalS: 1,
    onFrame: ({ endMs, seconds }) => lengths.push([(endMs - clock.startMs) / 1000, seconds]),
  })
  clock.advance(2000)
  clock.stall(1600)
  clock.advance(1400)
  assert.deepEqual(lengths.splice(0), [
    [1, 1],
    [2, 1],
    [4, 2],
    [5, 1],
  ])
  await sendUdp(started, [packet('a:1|m\n')])
  clock.stall(10_400)
  await sendUdp(started, [packet('a:2|m\n')])
  clock.advance(1600)
  assert.deepEqual(lengths, [
    [16, 1],
    [17, 1],
  ])
  const { id } = seriesNamed(hub, 'a')
  const frames = hub.live.between(0, Number.MAX_SAFE_INTEGER)
  assert.equal(frames.at(-2)!.deltaAt(frames.at(-2)!.row(id, 'counter')), 3)
  assert.ok(log.some((line) => line.includes('the hub stood still')))
  assert.equal(hub.metrics.counter('pentameter.tick.gap').value, 10)
  await hub.stop()
})

test('a stop delivers the unfinished second and leaves no timer', async () => {
  const started = await startHub()
  const { hub, clock } = started
  const delivered: bigint[] = []
  hub.addSink({
    name: 'test',
    *deliver(frame) {
      yield
      const row = frame.row(seriesNamed(hub, 'a').id, 'counter')
      if (row >= 0) delivered.push(frame.counterDeltas[row]!)
    },
    close: async () => {},
  })
  await sendUdp(started, [packet('a:3|m\n')])
  await hub.stop()
  assert.deepEqual(delivered, [3n])
  assert.equal(clock.pending, 0)
})

test('a dialect that no thread can load is taken in the main thread', async () => {
  const { threadModule: _, ...foreign } = statshero
  const config = parseConfig({ textPort: 0, ingestWorkers: 2 }, [statshero])
  const hub = new Hub({ config, clock: new FakeClock(), log() {}, guests: [{ dialect: foreign }] })
  await hub.start()
  const textPort = hub.addresses().text!.port
  await sendTcp({ textPort }, [packet('a:3|m\n')])
  assert.deepEqual(hub.total(seriesNamed(hub, 'a')), { kind: 'counter', total: 3, decrements: 0 })
  assert.deepEqual(hub.sources().workers, [])
  await hub.stop()
})

test('a hub for more than a million series has numbers for them', async () => {
  const metricsLimitOf = async (options: object) =>
    (await startHub({ ...options })).hub.sources().zone?.metricsLimit
  assert.equal(await metricsLimitOf({}), 1_000_000)
  assert.equal(await metricsLimitOf({ seriesLimit: 2_000_000 }), 2_200_000)
})
