import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  DialectStatus,
  LimitStatus,
  ListenerStatus,
  PeerStatus,
  SourcesAnswer,
} from '../../http/api.ts'
import {
  absentPeers,
  emptyWords,
  errorCount,
  isLimited,
  limitAmount,
  limitWords,
  listenerAddress,
  listenersWords,
  ownDialects,
  peersWords,
  reachedSeriesLimits,
  reasonWords,
  unclaimedWords,
} from './status.ts'

const LIMIT: LimitStatus = {
  name: 'seriesLimitPerSource',
  limit: 2000,
  used: 2000,
  refused: 311,
  behaviour: 'New names are refused.',
  examples: [{ key: 'session.events{user=9c41f2}', source: '127.0.0.1' }],
}
const FREE: LimitStatus = { ...LIMIT, name: 'seriesLimit', limit: 100_000, refused: 0 }
const LISTENER: ListenerStatus = {
  name: 'stream',
  host: '127.0.0.1',
  port: 5001,
  transports: ['tcp'],
  dialects: ['wallaroo', 'scope'],
  state: 'failed',
  message: 'port is taken by another process',
  nextTryMs: 112_000,
  connections: 0,
}
const SOURCES: SourcesAnswer = {
  startedMs: 0,
  dialects: [],
  listeners: [LISTENER],
  sources: [
    { address: '127.0.0.1', dialect: 'statshero', series: 2000, errors: 0, lastDataMs: 0 },
    { address: '10.0.0.7', dialect: 'wallaroo', series: 3, errors: 0, lastDataMs: 0 },
  ],
  connections: [],
  limits: [FREE, { ...FREE, name: 'sessionsLimit', refused: 5 }, LIMIT],
  refusals: [],
  errors: [
    { dialect: 'statshero', code: 'a', count: 2, last: [] },
    { dialect: 'scope', code: 'b', count: 3, last: [] },
  ],
}
const plain = (words: string): string => words.replace(/[\u202f\u00a0]/g, ' ')

test('a reached limit is one that has refused series', () => {
  assert.deepEqual(reachedSeriesLimits(SOURCES), [LIMIT])
  assert.deepEqual(reachedSeriesLimits(undefined), [])
})

test('the meter of the dialect whose names were refused says so, the others do not', () => {
  assert.ok(isLimited(SOURCES, 'statshero'))
  assert.ok(!isLimited(SOURCES, 'wallaroo'))
})

test('the words of a limit end with what goes on and what was refused', () => {
  assert.equal(
    plain(limitWords(LIMIT)),
    'Series limit of 127.0.0.1 reached: 2 000 of 2 000. New names are refused, known ones go on. ' +
      'First refused: session.events{user=9c41f2}.',
  )
  assert.match(limitWords({ ...FREE, refused: 1 }), /^Series limit of all sources reached/)
})

test('the words of a listener say why, what is not affected, and when it tries again', () => {
  assert.equal(
    plain(listenersWords([LISTENER], 100_000)),
    'Listener wallaroo, scope on 127.0.0.1:5001 did not start: port is taken by another process. ' +
      'The other sources are not affected. Next try in 12 s.',
  )
})

test('of listeners that did not start each is named, and the rest is said to listen', () => {
  const other: ListenerStatus = { ...LISTENER, dialects: ['statshero'], port: 8125 }
  const { message: _, nextTryMs: _next, ...well } = LISTENER
  const listening: ListenerStatus = { ...well, dialects: ['signal'], state: 'listening' }
  const both = '2 of 3 listeners did not start: wallaroo, scope on 127.0.0.1:5001 ('
  const words = plain(
    listenersWords([LISTENER, { ...other, nextTryMs: 130_000 }, listening], 100_000),
  )
  assert.ok(words.startsWith(both), words)
  assert.match(words, / and statshero on 127\.0\.0\.1:8125 \(.*\)\. The other one listens\. /)
  assert.match(words, /Next try in 12 s\.$/)
  assert.doesNotMatch(plain(listenersWords([LISTENER, other], 0)), /The other/)
})

test('addresses of IPv6 listeners are written with brackets', () => {
  assert.equal(listenerAddress({ ...LISTENER, host: '::1' }), 'tcp [::1]:5001')
})

test('errors are counted over all dialects', () => {
  assert.equal(errorCount(SOURCES), 5)
})

test('limits of bytes are shown as bytes', () => {
  assert.equal(plain(limitAmount('zoneBytesLimit', 268_435_456)), '256 MiB')
  assert.equal(plain(limitAmount('seriesLimit', 100_000)), '100 000')
})

test('a peer that is not there is said with the reason, what it means and the next try', () => {
  const peer: PeerStatus = {
    ...{ name: 'scope://10.0.4.7:5001', dialect: 'scope', direction: 'attach', state: 'lost' },
    ...{ sinceMs: 0, message: 'read ECONNRESET', nextTryMs: 12_000 },
  }
  const listeners = [{ ...LISTENER, state: 'listening' } as const]
  const words = (...peers: PeerStatus[]) => plain(peersWords(peers, listeners, 10_000))
  const well: PeerStatus = { ...peer, name: 'a:1', state: 'connected' }
  assert.match(
    words(peer, well, well),
    /^scope:\/\/10\.0\.4\.7:5001 is gone since \d\d:\d\d:\d\d: it broke the connection\. /,
  )
  assert.match(
    words(peer, well, well),
    / have a gap from then on\. The other 2 are connected\. Next try in 2 s\.$/,
  )
  assert.match(words(peer), / What is sent to the hub goes on\. /)
  assert.doesNotMatch(plain(peersWords([peer], [LISTENER], 0)), /goes on/)
  const never: PeerStatus = { ...peer, state: 'never', direction: 'relay', message: 'status 503' }
  assert.match(words(never), /5001 was not reached yet: status 503\. What waits for it is/)
  assert.equal(reasonWords('connect ECONNREFUSED 1:2'), 'it refuses the connection; is it running?')
  const sources = { peers: [peer, { ...peer, state: 'connected' }] } as unknown as SourcesAnswer
  assert.deepEqual(absentPeers(sources), [peer])
})

test('of several peers that are not there the number and the names are said, and who is', () => {
  const lost: PeerStatus = {
    ...{ name: 'scope://10.0.4.7:5001', dialect: 'scope', direction: 'attach', state: 'lost' },
    ...{ sinceMs: 0, message: 'read ECONNRESET', nextTryMs: 22_000 },
  }
  const { message: _, ...silent } = lost
  const never: PeerStatus = { ...silent, name: 'http://b:1', state: 'never', nextTryMs: 12_000 }
  const well: PeerStatus = { ...silent, name: 'http://c:1', state: 'connected' }
  const relay: PeerStatus = { ...never, name: 'statshero://d:1', direction: 'relay' }
  const words = (...peers: PeerStatus[]) => {
    return plain(peersWords(peers, [LISTENER], 10_000))
  }
  assert.match(
    words(lost, well, never),
    new RegExp(
      '^2 of 3 peers are not there: scope://10\\.0\\.4\\.7:5001 \\(gone since ' +
        '\\d\\d:\\d\\d:\\d\\d: it broke the connection\\) and ' +
        'http://b:1 \\(not reached yet\\)\\. ' +
        'What they have is missing meanwhile\\. The other one is connected\\. Next try in 2 s\\.$',
    ),
  )
  assert.match(
    words(lost, relay),
    /missing meanwhile; what waits for the others is kept within its/,
  )
  assert.match(words(lost, never), /\. What they have is missing meanwhile\. Next try in 2 s\.$/)
  const names = Array.from({ length: 5 }, (_, i) => ({ ...never, name: `http://e:${i}` }))
  assert.match(words(...names), /^5 of 5 peers .* http:\/\/e:2 \(not reached yet\) and 2 more\. /)
  assert.doesNotMatch(words(...names), /The other|e:3/)
})

test('a hub without series says whether nothing came, or nothing that could be taken', () => {
  const none = { ...SOURCES, errors: [] }
  const dialect = { name: 'a', title: 'A', ratePerSecond: 0, recent: [], address: '', errors: 0 }
  const heard = { ...dialect, connections: 0, series: 0, tryIt: '', lastDataMs: 5 }
  const titleOf = (sources: SourcesAnswer) => plain(emptyWords(sources).title)
  const waiting = 'Nothing has arrived yet'
  assert.deepEqual(emptyWords(undefined), { title: waiting, isLoss: false })
  assert.equal(titleOf(none), waiting)
  assert.equal(titleOf({ ...none, dialects: [{ ...heard, role: 'emit' }] }), waiting)
  const gone = { ...none, dialects: [{ ...heard, role: 'receive' as const }] }
  assert.equal(titleOf(gone), 'There are no series any more')
  const refusals = [{ dialect: 'a', code: 'series_limit', count: 1 }]
  assert.equal(titleOf({ ...gone, refusals }), '1 measurement arrived and was not taken')
  const unread = emptyWords({ ...SOURCES, refusals })
  assert.deepEqual(unread, { title: '5 messages arrived and could not be read', isLoss: true })
})

test('what is of no dialect is said of a port that several share', () => {
  const listener: ListenerStatus = { ...LISTENER, unclaimed: 26 }
  const words = '26 messages at tcp 127.0.0.1:5001 are of no dialect.'
  assert.equal(plain(unclaimedWords(listener)), words)
  assert.match(plain(unclaimedWords({ ...listener, unclaimed: 1 })), /^1 message at .* is of no/)
  assert.equal(unclaimedWords({ ...listener, unclaimed: 0 }), '')
  // the meter of the only one counts them
  assert.equal(unclaimedWords({ ...listener, dialects: ['scope'] }), '')
})

test('a listener has the rates of what comes there alone', () => {
  const dialects = ['wallaroo', 'scope', 'statshero'].map((name) => {
    return { name, role: name === 'scope' ? 'emit' : 'receive' } as DialectStatus
  })
  const text: ListenerStatus = { ...LISTENER, name: 'text', dialects: ['statshero'] }
  const sources = { ...SOURCES, dialects, listeners: [LISTENER, text] }
  assert.deepEqual(ownDialects(sources, LISTENER), ['wallaroo'], 'scope is sent there')
  assert.deepEqual(ownDialects(sources, text), ['statshero'])
  const twice = { ...sources, listeners: [LISTENER, text, { ...text, name: 'other' }] }
  assert.deepEqual(ownDialects(twice, text), [], 'it may have come to the other one')
  const peer = { dialect: 'statshero', direction: 'attach' } as PeerStatus
  assert.deepEqual(ownDialects({ ...sources, peers: [peer] }, text), [], 'some of it is read')
})
