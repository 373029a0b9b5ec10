import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHub } from '../../../test/support/hub/hub.ts'
import type { Describe } from '../../dialects/ingest.ts'
import { type Kind, keyedHash } from '../../model/index.ts'
import type { ZoneIngest } from '../ingest/ingest.ts'

const KINDS: Kind[] = ['counter', 'gauge', 'histogram']
const ROUNDS = 20
const NAMES_PER_ROUND = 10_000

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
    assert.deepEqual(sizes, Array(ROUNDS).fill(sizes[0]))
    assert.equal(ingest.measurements, ROUNDS * NAMES_PER_ROUND)
    assert.equal(hub.reports.refusalsOf('series_limit_per_source'), 0)
    assert.equal(hub.reports.refusalsOf('zone_full'), 0)
  } finally {
    await hub.stop()
  }
})
