import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeRow, fakeView } from '../../../../test/support/wallaroo-rows.ts'
import type { ListenerStatus } from '../../../http/api.ts'
import { bittenWords, factWords, limitOption, limitTitle } from '../../../web/sources/words.ts'
import type { ApplicationAnswer, WorkerJson } from '../http/api.ts'
import { NO_PLACE } from './address.ts'
import {
  binText,
  boundsText,
  clockWords,
  completeWords,
  countedWords,
  flightText,
  groupWords,
  RANGES,
  skewWords,
  summaryWords,
  tableTitle,
  throughputWords,
  unknownWords,
  WORDS,
  workerAddress,
} from './words.ts'

const plain = (words: string): string => words.replace(/[\u00a0\u202f]/g, ' ')

const WORKER: WorkerJson = {
  application: 'spread',
  worker: 'w1',
  isConnected: true,
  lastSeenMs: 1_700_000_000_000,
  clockOffsetMs: 120,
  isClockOff: false,
}

function answer(part: Partial<ApplicationAnswer> = {}): ApplicationAnswer {
  const { nowMs, fromMs, toMs } = fakeView()
  return {
    application: 'spread',
    nowMs,
    fromMs,
    toMs,
    pipelines: [{ ...fakeRow({ pipeline: 'Orders' }, 1000), ingested: null }],
    workers: [
      { ...fakeRow({ worker: 'w1' }, 1000), worker: WORKER },
      { ...fakeRow({ worker: 'w2' }, 1000), worker: { ...WORKER, isConnected: false } },
    ],
    computations: [],
    computationsByWorker: [],
    others: [],
    ...part,
  }
}

test('an application says its size, its age and its rates; what is not known is a dash', () => {
  assert.equal(
    plain(summaryWords(answer())),
    '1 pipeline, 2 workers (1 disconnected), last window 3 s ago. ' +
      'Ingested –, completed 20.0 /s.',
  )
  const nothing = answer({ pipelines: [], workers: [] })
  assert.equal(
    plain(summaryWords(nothing)),
    '0 pipelines, 0 workers, no window yet. Ingested –, completed –.',
  )
})

test('what is missing is said with its cause, and what to do about that one', () => {
  const at = new Date(2026, 5, 11, 14, 3, 8).getTime()
  const words = (missingFor?: 'memory' | 'retention'): string =>
    completeWords({ completeFromMs: at, ...(missingFor && { missingFor }) }, at + 1000)
  assert.match(words('memory'), /^Complete since 14:03:08: .* memory\. Raise .*windowBytesLimit /)
  assert.match(words('retention'), /^Complete since 14:03:08: .* time\. Raise .*retentionMs /)
  assert.match(completeWords({ completeFromMs: at }, at + 3 * 86_400_000), /since 11 Jun 14:03:/)
  assert.equal(completeWords({}, at), '')
})

test('a clock is said to be off only where it is, and in which direction', () => {
  assert.equal(plain(clockWords(WORKER)), 'agrees within 60 s')
  assert.equal(clockWords({ ...WORKER, clockOffsetMs: null }), 'not known yet')
  const off = { ...WORKER, isClockOff: true }
  assert.match(plain(clockWords({ ...off, clockOffsetMs: 90_000 })), /^off by 2 min, behind;/)
  assert.match(plain(clockWords({ ...off, clockOffsetMs: -7_200_000 })), /^off by 2 h, ahead;/)
})

test('notes are listed with exact counts', () => {
  assert.equal(countedWords([]), '–')
  const notes = [
    ['clock_skew', 12],
    ['empty_window', 40_123],
  ] as const
  assert.equal(plain(countedWords(notes)), 'clock_skew 12, empty_window 40 123')
})

test('a bin is told by its exact bounds', () => {
  const bounds = (bin: number, fromNs: number | string, toNs: number | string): string =>
    plain(boundsText({ bin, fromNs, toNs }))
  assert.equal(bounds(0, 0, 1), 'up to 1 ns')
  assert.equal(bounds(20, 524_288, 1_048_576), 'above 524 288 to 1 048 576 ns')
  assert.match(
    bounds(63, '4611686018427387904', '9223372036854775808'),
    /9 223 372 036 854 775 808/,
  )
})

test('throughput is told by its extremes and its median', () => {
  assert.equal(plain(throughputWords(fakeView().total)), 'min 10.0 /s, median 20.0 /s, max 30.0 /s')
  const none = { ...fakeView().total, throughput: { min: null, median: null, max: null } }
  assert.equal(throughputWords(none), 'no window in this time')
})

test('a computation on one worker stands beside itself on the others', () => {
  const place = { ...NO_PLACE, application: 'spread', pipeline: 'Orders', name: 'Check' }
  assert.equal(tableTitle({ name: 'by_worker' }, place), 'On each worker')
  assert.match(tableTitle({ name: 'by_worker' }, { ...place, worker: 'w2' }), /other workers$/)
  assert.equal(tableTitle({ name: 'computations' }, place), 'Computations')
})

test('what is in flight is short, however much it is', () => {
  const row = fakeRow({}, 1e9)
  const words = (median: number | null): string =>
    plain(flightText({ ...row, throughput: { ...row.throughput, median } }))
  assert.deepEqual([0.25, 20, 3_260_954_456, null].map(words), ['0.25', '20', '3.26 G', '–'])
})

test('workers are given the address they can reach, also of a hub that listens everywhere', () => {
  const at = (host: string): string =>
    workerAddress({ host, port: 5001 } as ListenerStatus, 'metrics.example')
  const hosts = ['127.0.0.1', '0.0.0.0', '::', '::1']
  assert.deepEqual(hosts.map(at), [
    '127.0.0.1:5001',
    'metrics.example:5001',
    'metrics.example:5001',
    '[::1]:5001',
  ])
})

test('what is not known is said with where to look, and its name turns no text', () => {
  const words = unknownWords('no application \u202eevil')
  assert.match(words, /^No application \\u202eevil\. It appears when a worker sends it; /)
})

test('a connection says what its frames give away', () => {
  const facts = { windows: 1, joins: 1, connects: 2, rejected: 0, order: 'peer' }
  const all = { ...facts, binning: 'unknown', lengths: 'exclusive', empty_window: 1200 }
  assert.equal(
    plain(factWords(all, WORDS)),
    '1 window, 1 Join, 2 Connects, min and max: peer, binning: unknown, ' +
      'lengths without their own field, empty_window 1 200',
  )
  assert.equal(factWords({ lengths: 'undecided' }, WORDS), '')
})

test('limits of what workers send have titles, and words for what they did', () => {
  assert.equal(bittenWords('wallaroo.windowBytesLimit', 3, WORDS), '3 windows left early.')
  assert.equal(limitTitle('wallaroo.windowBytesLimit', WORDS), 'Windows of Wallaroo')
  assert.equal(
    limitTitle('workers of one Wallaroo connection', WORDS),
    'Workers of one Wallaroo connection',
  )
  assert.equal(limitOption('wallaroo.workersLimit'), 'wallaroo.workersLimit')
})

test('the range of every bin can be said, with its number and its messages', () => {
  const bin = { bin: 20, fromNs: 524_288, toNs: 1_048_576, count: 4120, percent: 1.8 }
  assert.equal(plain(binText(bin)), 'bin 20, above 524 288 to 1 048 576 ns: 4 120 messages, 1.80 %')
  const skewed = { ...RANGES[64]!, count: 9, percent: 0.249 }
  assert.equal(plain(binText(skewed)), 'bin 64, above 2^63 to 2^64 ns: 9 messages, 0.249 %')
  assert.equal(RANGES.length, 65)
  assert.equal(plain(boundsText(RANGES[0]!)), 'up to 1 ns')
  assert.equal(plain(boundsText(RANGES[10]!)), 'above 512 to 1 024 ns')
  const last = 'above 9 223 372 036 854 775 808 to 18 446 744 073 709 551 616 ns'
  assert.equal(plain(boundsText(RANGES[64]!)), last)
})

test('a group of the original says which bins it has, and their range', () => {
  assert.equal(plain(groupWords(0, -1, 0)), 'bin 0, up to 1 ns: 0 %')
  assert.equal(plain(groupWords(10, 0, 12.5)), 'bins 1 to 10, above 1 to 1 024 ns: 12.5 %')
  assert.equal(plain(groupWords(20, 19, 3)), 'bin 20, above 524 288 to 1 048 576 ns: 3.00 %')
})

test('messages of bin 64 are said to count, or to be skew', () => {
  assert.match(plain(skewWords(5, true)), /^5 messages in bin 64: .* They count here, and have no/)
  assert.match(plain(skewWords(1, false)), /^1 message in bin 64: .* count as messages only, and/)
})
