import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packet, startHub } from '../../../../test/support/hub/hub.ts'
import { nativeFamily } from '../../../exposition/names.ts'
import { prometheusNames } from '../../../exposition/series-names.ts'
import { dialect } from '../dialect.ts'

test('classic buckets of a time are of seconds, native ones of milliseconds', async () => {
  const { hub } = await startHub({ statshero: { units: { 'h:*.size': 'By' } } })
  const ingest = hub.createIngest('statshero')
  const server = dialect.createServer!({
    ingest,
    openSnapshot: () => assert.fail(),
    reports: hub.reports.for('statshero'),
    clock: { monotonicNs: () => 0n, wallMs: () => 0, after: () => () => {} },
    options: { units: { 'h:*.size': 'By' } },
  })
  const body = 'web.requestTime:85|h\nweb.requestTime:1|m\nweb.size:7|h\n'
  const peer = { transport: 'udp', address: '127.0.0.1', port: 1 } as const
  server.datagram!(packet(body), peer)
  const found = [...hub.series].filter(({ metadata }) => metadata.dialect === 'statshero')
  const named = found.map(({ identity, metadata }) => {
    const [name] = prometheusNames(identity, metadata, dialect.exportRules!({}))
    return [metadata.type, metadata.unit, name!.family, nativeFamily(name!)?.family]
  })
  assert.deepEqual(named, [
    ['h', 'ms', 'web_requestTime_hist_seconds', 'web_requestTime_hist_milliseconds'],
    ['m', undefined, 'web_requestTime', undefined],
    ['h', 'By', 'web_size_hist', undefined],
  ])
  await hub.stop()
})
