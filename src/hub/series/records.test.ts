import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Identity, Metadata } from '../../model/index.ts'
import { Zone } from '../../shm/index.ts'
import { SERIES_LIMITS } from '../ingest/quota.ts'
import { CounterWindows } from '../ingest/windows/counter-windows.ts'
import { runNow } from '../tasks/task.ts'
import type { SeriesRecord } from './record.ts'
import { SeriesStore } from './series.ts'

function startStore() {
  const time = { nowMs: 5000 }
  const store = new SeriesStore(Zone.create(), SERIES_LIMITS, () => time.nowMs)
  const define = (identity: Identity, metadata: Metadata = { dialect: 'test' }): SeriesRecord => {
    const record = store.define({ identity, metadata, source: '192.0.2.1' })
    if (typeof record === 'string') throw new Error(record)
    return record
  }
  return { time, store, define }
}

test('a record says its identity as it was given, bytes that are no UTF-8 included', () => {
  const { define } = startStore()
  const identities: Identity[] = [
    { name: 'é', kind: 'gauge', labels: [['host', 'web-1']] },
    { name: 'a', kind: 'counter', labels: [], qualifier: ['shp.type', 'm'] },
    { name: 'b\ufffd', kind: 'histogram', labels: [], nameBytes: Uint8Array.of(98, 255) },
  ]
  const records = identities.map((identity) => define(identity))
  assert.deepEqual(
    records.map(({ identity }) => identity),
    identities,
  )
})

test('decrements have the name that people read, and bytes that meet no series', () => {
  const { store, define } = startStore()
  const record = define({ name: 'a', kind: 'counter', labels: [] })
  const part = store.defineDecrements(record, '192.0.2.1')
  assert.ok(typeof part !== 'string' && record.kind === 'counter')
  assert.equal(record.decrements?.id, part.id)
  assert.equal(part.kind === 'counter' && part.wholeId, record.id)
  const nameBytes = new TextEncoder().encode('a\ndecrement')
  assert.deepEqual(part.identity, { name: 'a.decrement', kind: 'counter', labels: [], nameBytes })
})

test('series with equal metadata share one object, until one of them is told others', () => {
  const { store, define } = startStore()
  const named = (name: string): Identity => ({ name, kind: 'gauge', labels: [] })
  const [a, b] = [define(named('a')), define(named('b'))]
  assert.equal(a.metadata, b.metadata)
  store.annotate(a, { dialect: 'test', unit: 's' })
  assert.deepEqual([a.metadata.unit, b.metadata.unit], ['s', undefined])
})

test('metadata that differ in their bounds alone are not shared', () => {
  const { define } = startStore()
  const bounds = [[1, 5], [1, 6], [1, 5], [1, 5, 6], undefined]
  const records = bounds.map((each, i) => {
    const metadata = { dialect: 'test', ...(each === undefined ? {} : { bounds: each }) }
    return define({ name: `${i}`, kind: 'histogram', labels: [] }, metadata)
  })
  assert.deepEqual(
    records.map(({ metadata }) => metadata.bounds),
    bounds,
  )
  assert.equal(records[0]!.metadata, records[2]!.metadata)
})

test('a series has another name under its id, with its beginning and its metric', () => {
  const { store, define, time } = startStore()
  const labels = [['filter', 'f']] as const
  const a = define({ name: 'a', kind: 'counter', labels })
  const kept = store.keep(define({ name: 'b', kind: 'gauge', labels }))
  define({ name: 'pw.f.taken', kind: 'counter', labels: [] })
  const { revision } = store
  time.nowMs = 9000
  const changed: string[] = []
  store.watch({ leaves() {}, changes: ({ identity }) => changed.push(identity.name) })
  const renamed = { name: 'pw.f.a', kind: 'counter', labels: [] } as const
  assert.equal(
    store.quota.exclusively(() => store.rename(a, renamed)),
    undefined,
  )
  assert.deepEqual([store.get(a.id)?.identity, a.identity], [renamed, renamed])
  assert.deepEqual([a.firstSeenMs, store.idOf(a.metric)], [5000, a.id])
  assert.deepEqual(changed, ['a'], 'told before it has changed')
  assert.ok(store.revision > revision)
  assert.equal(define(renamed).id, a.id)
  assert.notEqual(define({ name: 'a', kind: 'counter', labels }).id, a.id)
  const rename = (name: string) =>
    store.quota.exclusively(() => store.rename(kept, { name, kind: 'gauge', labels: [] }))
  assert.equal(rename('n'.repeat(5000)), 'name_too_long')
  assert.equal(rename('pw.f.b'), undefined)
  assert.equal(kept.identity.name, 'pw.f.b')
  const taken = { name: 'pw.f.taken', kind: 'counter', labels: [] } as const
  assert.equal(
    store.quota.exclusively(() => store.rename(a, taken)),
    'type_mismatch',
  )
  assert.equal(a.identity.name, 'pw.f.a')
  store.unlink([kept])
  assert.equal(rename('again'), 'type_mismatch')
})

test('all records of a series say the same, whichever of them was told', () => {
  const { store, define } = startStore()
  const a = define({ name: 'a', kind: 'counter', labels: [] })
  const b = store.get(a.id)
  assert.ok(a.kind === 'counter' && b?.kind === 'counter')
  assert.notEqual(a, b)
  a.windows = new CounterWindows()
  a.falls = { count: 1, lastMs: 7000, lost: 0n }
  a.isWaiting = true
  b.lastDataMs = 6000
  assert.equal(b.windows, a.windows)
  assert.deepEqual([b.falls, b.isWaiting, a.lastDataMs], [a.falls, true, 6000])
  const kept = store.keep(a)
  assert.deepEqual([store.keep(b), store.get(a.id), store.ofMetric(a.metric)], [kept, kept, kept])
})

test('a record that is not kept says nothing of the series that follows it', () => {
  const { store, define } = startStore()
  const old = define({ name: 'a', kind: 'gauge', labels: [] })
  const leaving = store.get(old.id)!
  store.unlink([leaving])
  store.remove([leaving])
  const next = define({ name: 'b', kind: 'gauge', labels: [] })
  assert.deepEqual([leaving.identity.name, leaving.metric], ['a', next.metric])
  old.lastDataMs = 9000
  assert.deepEqual([old.identity.name, old.source, old.lastDataMs], ['', '', 0])
  assert.equal(next.lastDataMs, 5000)
  assert.equal(store.retire(old), false)
  assert.deepEqual([store.get(next.id)?.identity.name, store.size], ['b', 1])
})

test('who keeps the record of a series that has left still reads what it was', () => {
  const { time, store, define } = startStore()
  const old = store.keep(define({ name: 'a', kind: 'gauge', labels: [] }))
  old.lastDataMs = 6000
  store.unlink([old])
  store.remove([old])
  time.nowMs = 9000
  const next = define({ name: 'b', kind: 'gauge', labels: [] })
  assert.equal(next.metric, old.metric, 'its number is given again')
  assert.deepEqual([old.identity.name, old.firstSeenMs, old.lastDataMs], ['a', 5000, 6000])
  assert.deepEqual([next.identity.name, next.firstSeenMs, next.lastDataMs], ['b', 9000, 9000])
})

test('when the clock is set, times of all series move by as much, none into the future', () => {
  const { time, store, define } = startStore()
  const records = Array.from({ length: 3000 }, (_, i) =>
    define({ name: `n${i}`, kind: 'gauge', labels: [] }),
  )
  time.nowMs = 3000
  runNow(store.shifting(-2000))
  for (const { firstSeenMs, lastDataMs } of records) {
    assert.deepEqual([firstSeenMs, lastDataMs], [3000, 3000])
  }
})
