import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  ConnectionStatus,
  DialectStatus,
  ExportStatus,
  LimitStatus,
  ListenerStatus,
  SourcesAnswer,
} from '../../http/api.ts'
import {
  bittenWords,
  factWords,
  limitOption,
  limitTitle,
  partWords,
  receiverWords,
  receiveWords,
  summaryWords,
  zoneRefusalWords,
} from './words.ts'

const plain = (words: string): string => words.replace(/[\u202f\u00a0]/g, ' ')

test('facts of a connection are words with units', () => {
  const facts = { framing: 'framed', intervalMs: 20, isClamped: true, skipped: 1, bytesHeld: 2048 }
  assert.equal(
    plain(factWords(facts)),
    'framed, every 20.0 ms, slower than asked for, 1 snapshot skipped, ' +
      '2.00 KiB of an unfinished frame',
  )
  assert.equal(factWords({ isClamped: false, frames: 12 }), '12 frames')
  assert.equal(factWords({ bad: 0, series: 3, skipped: 0, isLate: false }), '3 series')
})

test('facts that the page does not know are shown as they are named', () => {
  const facts = { codec: 'zstd', isNew: true, constructor: 3 }
  assert.equal(factWords(facts), 'codec zstd, isNew, constructor 3')
})

test('limits have titles; that of a listener keeps its name', () => {
  assert.equal(limitTitle('seriesLimit'), 'Series')
  assert.equal(limitTitle('connectionsLimit of stream 2'), 'Connections of stream 2')
  assert.equal(limitTitle('live streams'), 'Live streams')
  assert.equal(limitTitle('shelfBytesLimit'), 'Shelf bytes')
  const sources = { dialects: [{ name: 'eggs', title: 'Fresh Eggs' }] }
  const titleOf = (name: string) => limitTitle(name, {}, sources as never)
  assert.equal(titleOf('eggs.basketLimitPerSource'), 'Basket per source of Fresh Eggs')
  assert.equal(titleOf('eggs.streams'), 'Streams of Fresh Eggs')
  assert.equal(titleOf('other.streams'), 'Other.streams')
  assert.equal(bittenWords('seriesLimit', 3), '3 refused.')
  assert.equal(bittenWords('liveBytesLimit', 3), '3 left early.')
})

test('a limit names the option that sets it, where there is one', () => {
  const names = ['seriesLimitPerSource', 'eggs.basketLimit', 'connectionsLimit of stream']
  assert.deepEqual(names.map(limitOption), [names[0], names[1], 'connectionsLimit'])
  assert.equal(limitOption('Views being made'), '')
})

test('an export that fails says why, what to do, and what is not lost', () => {
  const status = { state: 'failing', message: 'ECONNREFUSED; is it running' } as ExportStatus
  assert.match(receiverWords(status), /^ECONNREFUSED; is it running\. Totals go on: /)
  assert.equal(receiverWords({ state: 'exporting' } as ExportStatus), '')
})

const CONNECTION: ConnectionStatus = {
  dialect: 'scope',
  peer: 'tcp 127.0.0.1:40112',
  openedBy: 'peer',
  sinceMs: 0,
  facts: {},
}
const limit = (name: string, refused: number): LimitStatus => ({
  name,
  limit: 10,
  used: 1,
  refused,
  behaviour: '',
})
const HEARD: DialectStatus = {
  ...{ name: 'scope', title: 'Scope', ratePerSecond: 0, recent: [], address: '', lastDataMs: 1 },
  ...{ errors: 0, connections: 0, series: 0, role: 'receive', tryIt: '' },
}
const LISTENER: ListenerStatus = {
  ...{ name: 'text', host: '::1', port: 1, transports: ['udp'], dialects: ['scope'] },
  ...{ state: 'listening', connections: 0 },
}
const answer = (
  errors: number,
  limits: readonly LimitStatus[] = [],
  refused: readonly number[] = [],
): SourcesAnswer => ({
  startedMs: 0,
  dialects: [HEARD],
  listeners: [],
  sources: [],
  connections: [CONNECTION],
  limits,
  errors: errors === 0 ? [] : [{ dialect: 'scope', code: 'x', count: errors, last: [] }],
  refusals: refused.map((count, i) => ({ dialect: 'scope', code: `code${i}`, count })),
})

test('what was lost is said: messages unread, measurements and connections refused', () => {
  const head = '0 listeners, 1 connection. '
  const cases: readonly (readonly [SourcesAnswer, string])[] = [
    [answer(0), 'Everything that arrived could be read.'],
    [answer(0, [limit('liveBytesLimit', 9)]), 'Everything that arrived could be read.'],
    [answer(1), '1 message could not be read since the start; nothing beside them was lost.'],
    [
      answer(2, [limit('seriesLimit', 3)], [3, 1]),
      '2 messages could not be read, 4 measurements not taken since the start.',
    ],
    [answer(0, [limit('connectionsLimit of a', 1)]), '1 connection refused since the start.'],
  ]
  const of = (parts: Partial<SourcesAnswer>): SourcesAnswer => ({ ...answer(0), ...parts })
  const at = (drops: Partial<ListenerStatus>) => of({ listeners: [{ ...LISTENER, ...drops }] })
  const others: typeof cases = [
    [of({ dialects: [{ ...HEARD, lastDataMs: null }] }), 'Nothing has arrived yet.'],
    [at({ kernelDrops: 2, datagramsDropped: 1 }), '3 datagrams dropped since the start.'],
    [
      at({ kernelDrops: null }),
      'Everything that arrived could be read. What the system dropped before is not known here.',
    ],
    [
      of({ limits: [limit('unfinishedBytesLimitPerAddress', 2)] }),
      '2 unfinished messages cut off since the start.',
    ],
  ]
  for (const [sources, words] of others) {
    assert.equal(summaryWords(sources).replace(/^.*?connections?\. /, ''), words)
  }
  for (const [sources, words] of cases) assert.equal(summaryWords(sources), head + words)
})

test('how a thread receives is said once it has told', () => {
  const words = (udpReceive?: 'dgram' | 'recvmmsg'): string =>
    receiveWords({ ...(udpReceive && { udpReceive }) })
  assert.deepEqual(
    [words(), words('dgram'), words('recvmmsg')],
    ['–', 'one per system call', 'many per system call'],
  )
})

test('parts of the zone stand by size, and refusals by reason, unknown ones included', () => {
  const bytes = { fixed: 65_536, segments: 1_048_576, blocks: 0, shelves: 512 }
  const refusals = { type_mismatch: 0, zone_full: 1200, newerReason: 1 }
  const zone = { bytes, refusals }
  assert.equal(plain(partWords(zone)), 'totals 1.00 MiB, header 64.0 KiB, shelves 512 B')
  assert.equal(plain(zoneRefusalWords(zone)), '1 200 no memory left, 1 newerReason')
  assert.equal(zoneRefusalWords({ ...zone, refusals: { zone_full: 0 } }), '')
})
