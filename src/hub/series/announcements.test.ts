import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type NewSeries, WINDOWED } from '../ingest/definition.ts'
import {
  type AnnouncedSeries,
  AnnouncementQueue,
  countAnnounced,
  forEachAnnounced,
} from './announcements.ts'

/** Series of one batch. */
const ANNOUNCED_LIMIT = 512

const METADATA = { dialect: 'statshero', type: 'm' }
const COMMON = { metadata: METADATA, source: '192.0.2.1' }

test('what is told of a series arrives, its identity left out', () => {
  const named = (kind: NewSeries['identity']['kind']) => ({ name: 'a', kind, labels: [] }) as const
  const queue = new AnnouncementQueue()
  queue.add({ ...COMMON, identity: named('counter'), isCumulative: true, counterBits: 64 }, 7)
  queue.add({ ...COMMON, identity: named('counter'), isDecrements: true, source: 'b' }, 9, 0)
  queue.add(
    {
      ...COMMON,
      identity: named('histogram'),
      storage: WINDOWED,
      metadata: {
        ...METADATA,
        unit: 's',
      },
    },
    4_000_000_000,
  )
  queue.add({ ...COMMON, identity: named('gauge') }, 8)
  const told: [AnnouncedSeries, number, number | undefined][] = []
  forEachAnnounced(structuredClone(queue.take()), (...each) => told.push(each))
  const counter = { ...COMMON, kind: 'counter', isCumulative: false, isDecrements: false }
  assert.deepEqual(told, [
    [{ ...counter, isCumulative: true, counterBits: 64 }, 7, undefined],
    [{ ...counter, source: 'b', isDecrements: true }, 9, 0],
    [
      { ...counter, kind: 'histogram', metadata: { ...METADATA, unit: 's' }, storage: WINDOWED },
      4_000_000_000,
      undefined,
    ],
    [{ ...counter, kind: 'gauge' }, 8, undefined],
  ])
  assert.equal(countAnnounced(queue.take()), 0)
})

test('very many series are batches of numbers, with one source and one metadata each', () => {
  const queue = new AnnouncementQueue()
  const identity = { name: 'a', kind: 'counter', labels: [] } as const
  for (let metric = 0; metric < 2000; metric++) queue.add({ ...COMMON, identity }, metric)
  const told: number[] = []
  for (let left = 2000; left > 0; ) {
    assert.equal(queue.isFull, left >= ANNOUNCED_LIMIT)
    const columns = queue.take()
    assert.deepEqual([columns.sources, columns.metadata], [['192.0.2.1'], [METADATA]])
    forEachAnnounced(columns, (_, metric) => told.push(metric))
    left -= countAnnounced(columns)
  }
  assert.deepEqual(
    told,
    Array.from({ length: 2000 }, (_, metric) => metric),
  )
})
