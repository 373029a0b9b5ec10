import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FakeClock } from '../../../test/support/fake-clock.ts'
import { startHub } from '../../../test/support/hub/hub.ts'
import type { Describe } from '../../dialects/ingest.ts'
import { type Kind, keyedHash } from '../../model/index.ts'
import type { ZoneIngest } from '../ingest/zone-ingest.ts'

const KINDS: Kind[] = ['counter', 'gauge', 'histogram']
const ROUNDS = 20
const NAMES_PER_ROUND = 10_000
/** Pages of the index that so many names fill by more than half, and their size. */
const INDEX_PAGES = 2
const PAGE_BYTES = 65_536

/** Sends one measurement for each of the names of a round. */
function sendNames(ingest: ZoneIngest, round: number): void {
  let name = ''
  const describe: Describe = (_key, type) => ({
    identity: { name, kind: KINDS[type]!, labels: [] },
    metadata: { dialect: 'statshero' },
  })
  ingest.begin('10.0.0.1')
  for (let i = 0; i < NAMES_PER_ROUND; i++) {
    name = `request.${1_000_000 + round * NAMES_PER_ROUND + i}`
    const key = Buffer.from(name, 'latin1')
    const type = i % 100 === 0 ? 2 : i % 2 // few histograms, which are large
    const slot = ingest.slot(key, 0, key.length, type, keyedHash(key, 0, key.length), describe)
    if (type === 0) ingest.count(slot, 1, 1)
    if (type === 1) ingest.set(slot, 1)
    if (type === 2) ingest.observe(slot, -1, 1)
  }
}

/** Counts one for each name of a source. */
function count(ingest: ZoneIngest, source: string, names: readonly string[]): void {
  ingest.begin(source)
  for (const name of names) {
    const key = Buffer.from(name)
    const hash = keyedHash(key, 0, key.length)
    const describe: Describe = () => ({
      identity: { name, kind: 'counter', labels: [] },
      metadata: { dialect: 'statshero' },
    })
    const slot = ingest.slot(key, 0, key.length, 0, hash, describe)
    ingest.count(slot, 1, 1)
  }
}

const namesOf = (prefix: string, length: number) =>
  Array.from({ length }, (_, i) => `${prefix}.${i}`)

/** Lets time pass in one long interval, and at its end a few in which limits are looked at. */
function silence(clock: FakeClock, ms: number): void {
  clock.advance(1000)
  clock.stall(ms - 21_000)
  clock.advance(20_000)
}

test('200,000 names that come and go leave the zone no bigger than the first ones', async () => {
  const { hub, clock } = await startHub({ expireAfterS: 1 })
  try {
    const ingest = hub.createIngest('statshero')
    const sizes: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      sendNames(ingest, round)
      clock.advance(3_000)
      assert.equal(hub.series.countedSize, 0)
      sizes.push(hub.sources().limits.find(({ name }) => name === 'zoneBytesLimit')!.used)
    }
    // a page of the index that is more than half full is split once by chance, and then stays so
    const [first, last] = [sizes[0]!, sizes.at(-1)!]
    assert.ok(last - first <= INDEX_PAGES * PAGE_BYTES, `${first} to ${last} bytes`)
    assert.ok(sizes.every((size) => size <= last))
    assert.equal(ingest.measurements, ROUNDS * NAMES_PER_ROUND)
    assert.equal(hub.reports.refusalsOf('series_limit_per_source'), 0)
    assert.equal(hub.reports.refusalsOf('zone_full'), 0)
  } finally {
    await hub.stop()
  }
})

test('where a limit presses, series silent for an hour leave, oldest first', async () => {
  const { hub, clock, log } = await startHub({ seriesLimit: 1000, seriesLimitPerSource: 2000 })
  const ingest = hub.createIngest('statshero')
  count(ingest, '10.0.0.1', namesOf('old', 300))
  silence(clock, 600_000)
  count(ingest, '10.0.0.2', namesOf('young', 300))
  count(ingest, '10.0.0.3', namesOf('busy', 500))
  assert.equal(hub.reports.refusalsOf('series_limit'), 100)
  silence(clock, 3_000_000)
  assert.equal(hub.series.countedSize, 1000, 'nothing is silent for an hour yet')
  count(ingest, '10.0.0.3', namesOf('busy', 400))
  clock.advance(20_000)
  assert.equal(hub.series.countOf('10.0.0.1'), 200, 'as many as it takes to have a tenth free')
  assert.equal(hub.series.countOf('10.0.0.2'), 300)
  assert.equal(hub.series.countOf('10.0.0.3'), 400)
  assert.ok(log.some((line) => line.includes('a limit of series presses')))
  const first = hub.series.lastId
  count(ingest, '10.0.0.1', ['old.0'])
  const again = [...hub.series].find(({ identity }) => identity.name === 'old.0')!
  assert.ok(again.id > first, 'it comes back as a new series')
  assert.deepEqual(hub.total(again), { kind: 'counter', total: 1, decrements: 0 })
})

test('a limit is relieved as soon after the wall clock was set back as without that', async () => {
  const { hub, clock } = await startHub({ seriesLimit: 100, relieveAfterS: 60 })
  count(hub.createIngest('statshero'), '10.0.0.1', namesOf('a', 100))
  clock.advance(55_000)
  assert.equal(hub.series.countedSize, 100, 'a look has found none that is silent enough')
  clock.setWall(-3_600_000)
  clock.advance(20_000)
  assert.equal(hub.series.countedSize, 90)
})

test('where the limit of one source presses, only its own series leave', async () => {
  const { hub, clock } = await startHub({ seriesLimitPerSource: 100 })
  const ingest = hub.createIngest('statshero')
  count(ingest, '10.0.0.1', namesOf('a', 100))
  count(ingest, '10.0.0.2', namesOf('b', 90))
  silence(clock, 3_700_000)
  assert.equal(hub.series.countOf('10.0.0.1'), 90)
  assert.equal(hub.series.countOf('10.0.0.2'), 90)
})

test('where the zone is nearly full, silent series make room for others', async () => {
  const { hub, clock } = await startHub({ zoneBytesLimit: 2_097_152, zonePercentPerSource: 100 })
  const ingest = hub.createIngest('statshero')
  const long = (i: number) => `${'n'.repeat(4000)}${i}`
  count(
    ingest,
    '10.0.0.1',
    Array.from({ length: 600 }, (_, i) => long(i)),
  )
  assert.ok(hub.reports.refusalsOf('zone_full') > 0)
  const before = hub.series.countedSize
  silence(clock, 3_700_000)
  assert.ok(hub.series.countedSize < before && hub.series.countedSize > 0.8 * before)
  const refused = hub.reports.refusalsOf('zone_full')
  count(ingest, '10.0.0.1', namesOf('new', 10))
  assert.equal(hub.reports.refusalsOf('zone_full'), refused)
})

test('a limit that presses removes nothing where relieveAfterS is 0', async () => {
  const { hub, clock } = await startHub({ seriesLimit: 100, relieveAfterS: 0 })
  count(hub.createIngest('statshero'), '10.0.0.1', namesOf('a', 100))
  silence(clock, 7_200_000)
  assert.equal(hub.series.countedSize, 100)
})
