import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { Peer } from '../../dialects/endpoints.ts'
import { countAnnounced, forEachAnnounced } from '../series/announcements.ts'
import type { Batch } from './messages.ts'
import { Outbox } from './outbox.ts'
import { SharedCounts } from './shared-counts.ts'

/** Series of one batch. */
const ANNOUNCED_LIMIT = 512

/** Commands of one thread that may wait for the main thread. */
const ORDERED_WAITING_LIMIT = 65_536
const PEER: Peer = { transport: 'udp', address: '192.0.2.1', port: 40_000 }

function startOutbox() {
  const batches: Batch[] = []
  const clock = new FakeClock()
  const counts = SharedCounts.create(2)
  const outbox = new Outbox(1, counts, clock, (batch) => batches.push(batch), 1)
  const refused: string[] = []
  const queue = outbox.queue(0, { refused: (code) => refused.push(code) })
  return { batches, clock, counts, outbox, queue, refused }
}

function announce(outbox: Outbox, metric: number): void {
  const identity = { name: `n${metric}`, kind: 'counter', labels: [] } as const
  outbox.announce({ identity, metadata: { dialect: 'statshero' }, source: '192.0.2.1' }, metric)
}

function metricsOf({ series }: Batch): number[] {
  const metrics: number[] = []
  forEachAnnounced(structuredClone(series), (_, metric) => metrics.push(metric))
  return metrics
}

test('what a turn of the loop gathers is one message, in its order', async () => {
  const { batches, outbox, queue } = startOutbox()
  queue.read(1, 5, 'a')
  outbox.annotate(1, { dialect: 'statshero', unit: 's' })
  queue.count(2, 10n ** 18n, 2.5, 'b')
  queue.read(1, 6, 'a')
  assert.equal(batches.length, 0)
  await setImmediate()
  const [batch] = batches
  assert.equal(batches.length, 1)
  assert.deepEqual(batch!.commands, {
    operations: ['read', 'count', 'read'],
    dialects: [0, 0, 0],
    metrics: [1, 2, 1],
    values: [5, 10n ** 18n, 6],
    weights: [1, 2.5, 1],
    sourceRows: [0, 1, 0],
    sources: ['a', 'b'],
  })
  assert.deepEqual(batch!.annotations, [[1, { dialect: 'statshero', unit: 's' }]])
  await setImmediate()
  assert.equal(batches.length, 1, 'nothing new is no message')
})

test('a new series is told at once, before anything can be counted into it', async () => {
  const { batches, outbox } = startOutbox()
  announce(outbox, 1)
  assert.deepEqual(batches.map(metricsOf), [[1]])
  await setImmediate()
  assert.equal(batches.length, 1)
})

test('many new series of a turn are a few messages', async () => {
  const { batches, outbox } = startOutbox()
  for (let metric = 0; metric < 2000; metric++) announce(outbox, metric)
  await setImmediate()
  assert.ok(batches.length < 10, `${batches.length} messages`)
  assert.deepEqual(
    batches.flatMap(metricsOf),
    Array.from({ length: 2000 }, (_, metric) => metric),
  )
})

test('commands without room while the main thread is stuck are refused until it goes on', () => {
  const { counts, queue, refused } = startOutbox()
  counts.addCommands(1, ORDERED_WAITING_LIMIT - 1)
  queue.read(1, 1, 'a')
  queue.read(1, 2, 'a')
  assert.deepEqual(refused, ['ordered_waiting_limit'])
  counts.addCommands(1, -1)
  queue.read(1, 3, 'a')
  assert.equal(refused.length, 1)
})

test('a thread waits with its next batch while the main thread is behind', async () => {
  const { batches, clock, counts, outbox } = startOutbox()
  counts.addBatches(1, 64)
  announce(outbox, 1)
  await setImmediate()
  assert.equal(batches.length, 0)
  announce(outbox, 2)
  counts.addBatches(1, -1)
  clock.advance(5)
  assert.deepEqual(batches.map(metricsOf), [[1, 2]])
})

test('a flood of errors makes counts larger, not messages', async () => {
  const { batches, outbox } = startOutbox()
  const reports = outbox.reports.for('statshero')
  const error = { dialect: 'statshero', code: 'parse_error', offset: 3, resync: true }
  const events = outbox.reports.eventsOf('statshero')
  for (let i = 0; i < 10_000; i++) {
    const address = `10.0.${i >> 8}.${i & 255}`
    reports.decodeError(error, Buffer.alloc(500, 'x'), { ...PEER, address }, 'no line')
    reports.log('warn', `line ${i}`, { cause: new Error('inside') })
    reports.count('left.out', 'too long')
    reports.decodeNote('odd')
    events.refused('series_limit', address, () => `name ${i}`)
    events.noted('inexact')
  }
  await setImmediate()
  assert.equal(batches.length, 1)
  const { errors, errorsOfSources, refusals, names, notes, decodeNotes, counts, log } =
    batches[0]!.reports
  assert.deepEqual([errors.length, errors[0]!.count, errors[0]!.last.length], [1, 10_000, 20])
  assert.equal(errors[0]!.last[19]!.peer, 'udp 10.0.39.15:40000')
  assert.equal(errors[0]!.last[0]!.hex.length, 256)
  assert.equal(errorsOfSources.length, 256)
  assert.deepEqual(refusals, [{ dialect: 'statshero', code: 'series_limit', count: 10_000 }])
  assert.equal(names.length, 20)
  assert.deepEqual(notes, [{ dialect: 'statshero', code: 'inexact', count: 10_000 }])
  assert.deepEqual(decodeNotes, [{ dialect: 'statshero', code: 'odd', count: 10_000 }])
  assert.deepEqual(
    counts.map(({ name, reason, count }) => [name, reason, count]),
    [['left.out', 'too long', 10_000]],
  )
  assert.equal(log.length, 51)
  assert.equal(log[50]!.message, 'log lines of an ingest thread were left out')
  assert.deepEqual(log[50]!.facts, { lines: 9950 })
  assert.deepEqual(log[0]!.facts, { dialect: 'statshero', cause: 'Error: inside' })
  structuredClone(batches[0])
})

test('what a thread had not sent when it ended is known to the counts', async () => {
  const { counts, outbox, queue, batches } = startOutbox()
  const rest = { connections: 0, commands: 0, series: 0, reports: 0 }
  queue.read(1, 5, 'a')
  outbox.reports.for('statshero').decodeNote('odd')
  assert.deepEqual(counts.release(1), { ...rest, commands: 1, reports: 1 })
  assert.deepEqual(counts.release(1), rest)
  await setImmediate()
  const waiting = 64
  counts.addBatches(1, waiting)
  announce(outbox, 1)
  assert.equal(batches.length, 1, 'the main thread is behind')
  assert.deepEqual(counts.release(1), { ...rest, series: 1 })
})

test('series that have waited go in short batches, and ahead of what names them', async () => {
  const { batches, clock, counts, outbox, queue } = startOutbox()
  const sizes = (each: readonly Batch[]) =>
    each.map(({ series, commands }) => [countAnnounced(series), commands.operations.length])
  counts.addBatches(1, 8)
  for (let metric = 1; metric <= 3 * ANNOUNCED_LIMIT + 8; metric++) announce(outbox, metric)
  queue.read(200, 1, 'a')
  const [early, waiting] = [batches.length, 3 * ANNOUNCED_LIMIT + 8 - batches.length]
  counts.addBatches(1, -counts.batches(1) + 8)
  await setImmediate()
  assert.equal(batches.length, early)
  counts.addBatches(1, -2)
  clock.advance(5)
  assert.deepEqual(sizes(batches.slice(early)), [
    [ANNOUNCED_LIMIT, 0],
    [ANNOUNCED_LIMIT, 0],
  ])
  counts.addBatches(1, -2)
  clock.advance(5)
  assert.deepEqual(sizes(batches.slice(early + 2)), [
    [ANNOUNCED_LIMIT, 0],
    [waiting - 3 * ANNOUNCED_LIMIT, 1],
  ])
})
