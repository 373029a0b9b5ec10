import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packet, sendUdp, startHub, type TestHub } from '../../../test/support/hub/hub.ts'
import { Zone } from '../../shm/index.ts'
import { ZoneUse } from './zone-use.ts'

const MEBIBYTE = 1_048_576

/** A series of the hub itself, by name and the value of its label. */
function ownValue({ hub }: Pick<TestHub, 'hub'>, name: string, label?: string): number {
  const record = [...hub.series].find(
    ({ identity }) => identity.name === name && identity.labels[0]?.[1] === label,
  )
  assert.ok(record, `no ${name} ${label ?? ''}`)
  const held = hub.total(record)
  if (held.kind === 'counter') return Number(held.total)
  return held.kind === 'gauge' ? Number(held.value) : Number.NaN
}

test('a full zone says what it is full of and what it refused, in both ways', async () => {
  const started = await startHub({ zoneBytesLimit: MEBIBYTE, zonePercentPerSource: 100 })
  const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4']
  const { hub, clock } = started
  const lines = Array.from({ length: 2_000 }, (_, i) => `latency.${i}:1|h\n`)
  for (let i = 0; i < lines.length; i += 100) {
    const address = addresses[(i / 100) % addresses.length]!
    await sendUdp(started, [packet(lines.slice(i, i + 100).join(''))], address)
  }
  clock.advance(1000)
  const { zone, limits } = hub.sources()
  assert.ok(zone)
  assert.deepEqual([zone.bytesTotal, zone.bytesLimit], [MEBIBYTE, MEBIBYTE])
  assert.equal(
    Object.values(zone.bytes).reduce((sum, bytes) => sum + bytes, 0),
    zone.bytesTotal,
  )
  assert.equal(ownValue(started, 'pentameter.zone.size'), MEBIBYTE)
  assert.equal(ownValue(started, 'pentameter.zone.limit'), MEBIBYTE)
  assert.equal(ownValue(started, 'pentameter.zone.metrics'), zone.metrics)
  assert.equal(ownValue(started, 'pentameter.zone.segments'), 1)
  for (const [part, bytes] of Object.entries(zone.bytes)) {
    assert.equal(ownValue(started, 'pentameter.zone.part.size', part), bytes)
  }
  assert.ok(zone.refusals.zone_full! > 0)
  assert.equal(ownValue(started, 'pentameter.zone.refused', 'zone_full'), zone.refusals.zone_full)
  assert.equal(ownValue(started, 'pentameter.zone.refused', 'type_mismatch'), 0)
  const limit = limits.find(({ name }) => name === 'zoneBytesLimit')
  assert.deepEqual([limit?.used, limit?.limit], [MEBIBYTE, MEBIBYTE])
  await hub.stop()
})

test('the zone is read once a second, however often it is asked for', async () => {
  let readings = 0
  const zone = Zone.create()
  const use = new ZoneUse({
    usage: () => {
      readings++
      return zone.usage()
    },
  })
  const { hub } = await startHub()
  zone.define(Buffer.from('a'), 'counter')
  for (let i = 0; i < 10; i++) assert.equal(use.status().metrics, 0)
  use.observe(hub.metrics)
  assert.equal(use.status().metrics, 1)
  assert.equal(use.usage.bytesTotal, zone.usage().bytesTotal)
  assert.equal(readings, 2)
  await hub.stop()
})

test('what happened to a zone with a budget is counted, and a count never falls', async () => {
  const zone = Zone.create({ onFull: 'error', slabSize: 4_096 })
  zone.define(Buffer.from('a'), 'dense')
  const happened = { orphansFolded: 2, lockTakeovers: 1, lockWaits: 9, binFallbacks: 4 }
  let usage = { ...zone.usage(), ...happened, replacements: 3 }
  const use = new ZoneUse({ usage: () => usage })
  const started = await startHub()
  const { metrics } = started.hub
  use.observe(metrics)
  const { chargedBytes } = usage
  assert.ok(chargedBytes > 0)
  assert.deepEqual(use.status().budget, { bytes: 4_096, charged: chargedBytes })
  usage = { ...usage, orphansFolded: 1 }
  use.observe(metrics)
  const own = (name: string): number => ownValue(started, `pentameter.zone.${name}`)
  assert.deepEqual([own('budget'), own('charged')], [4_096, chargedBytes])
  assert.deepEqual([own('orphans.folded'), own('lock.takeovers')], [2, 1])
  assert.deepEqual([own('lock.waits'), own('bin.fallbacks'), own('replacements')], [9, 4, 3])
  await started.hub.stop()
})

test('a zone that may grow to its limit has no budget to tell of', async () => {
  const started = await startHub()
  started.clock.advance(1000)
  const { zone } = started.hub.sources()
  assert.equal(zone && 'budget' in zone, false)
  assert.throws(() => ownValue(started, 'pentameter.zone.budget'), /no pentameter.zone.budget/)
  await started.hub.stop()
})
