import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packet, seriesNamed, startHub } from '../../../test/support/hub/hub.ts'
import { dialect as statshero } from '../../dialects/statshero/dialect.ts'

/** A hub that takes two series of a source, and a server that lines are handed to. */
async function setUp() {
  const { hub, clock } = await startHub({ seriesLimitPerSource: 2 })
  const ingest = hub.createIngest('statshero')
  const server = statshero.createServer!({
    ingest,
    openSnapshot: () => ({ revision: 0, list: () => [], read() {} }),
    reports: hub.reports.for('statshero'),
    clock,
    options: {},
  })
  const send = (body: string, address = '192.0.2.1') =>
    server.datagram!(packet(body), { transport: 'udp', address, port: 9 })
  const total = (name: string) => {
    const record = seriesNamed(hub, name)
    const held = record && hub.total(record)
    return held?.kind === 'counter' ? held.total : undefined
  }
  const refused = () => total('pentameter.ingest.refused')
  return { hub, ingest, send, total, refused }
}

test('each line of a refused key is counted, and goes to the overflow series', async () => {
  const { hub, send, total, refused } = await setUp()
  send('a:1|m\nb:1|m\n')
  for (let i = 0; i < 5; i++) send('c:3|m\nd:1|g\n')
  assert.equal(refused(), 10)
  assert.equal(total('pentameter.overflow'), 15)
  assert.equal(hub.reports.refusedKeys('series_limit_per_source').length, 2)
  await hub.stop()
})

test('a refused key is taken from another source, and then from the first one, too', async () => {
  const { hub, send, total, refused } = await setUp()
  send('a:1|m\nb:1|m\nc:1|m\nc:1|m\n')
  assert.equal(refused(), 2)
  send('c:1|m\n', '198.51.100.1')
  send('c:1|m\n')
  assert.equal(refused(), 2)
  assert.equal(total('c'), 2)
  await hub.stop()
})

test('a refused key is taken once a series of its source has left', async () => {
  const { hub, ingest, send, total, refused } = await setUp()
  send('a:1|m\nb:1|m\nc:1|m\nc:1|m\n')
  ingest.retire(0)
  send('c:1|m\n')
  assert.equal(refused(), 2)
  assert.equal(total('c'), 1)
  await hub.stop()
})
