import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { packet, seriesNamed, startHub } from '../../../../test/support/hub/hub.ts'
import {
  endConnection,
  openConnection,
  startThreads,
  taken,
} from '../../../../test/support/hub/hub-threads.ts'
import { holds } from '../../../../test/support/property.ts'
import type { GaugeSpread } from '../../../model/index.ts'
import type { Frame } from '../../live/frame.ts'
import { Spreads } from '../../live/samples/spreads.ts'
import { runNow } from '../../tasks/task.ts'
import { ValueRows } from './value-pages.ts'
import { WrittenValues } from './written-values.ts'

type GaugeSecond = { readonly value: number; readonly spread: GaugeSpread | undefined }

/** What the newest frame says of a gauge. */
function told(frame: Frame | undefined, id: number): GaugeSecond | undefined {
  const cell = frame?.cell(id, 'gauge')
  if (cell?.kind !== 'gauge') return undefined
  return { value: Number(cell.value), spread: cell.spread }
}

test('a second of a gauge says what was set in it, and the next one none of that', async () => {
  const { hub, clock } = await startHub({ ingestWorkers: 0 })
  const ingest = hub.createIngest('statshero')
  const key = Buffer.from('level')
  const described = () => ({
    identity: { name: 'level', kind: 'gauge' as const, labels: [] },
    metadata: { dialect: 'statshero' },
  })
  ingest.begin('10.0.0.1')
  const slot = ingest.slot(key, 0, key.length, 2, 1, described)
  const value = fc
    .oneof(fc.integer({ min: -50, max: 50 }), fc.double({ noNaN: true }))
    .map((each) => each + 0) // -0 becomes 0
  try {
    holds(
      fc.property(fc.array(fc.array(value, { maxLength: 6 }), { maxLength: 8 }), (seconds) => {
        for (const values of seconds) {
          for (const each of values) ingest.set(slot, each)
          clock.advance(1000)
          const frame = hub.live.newest
          const cell = told(frame, seriesNamed(hub, 'level').id)
          if (values.length === 0) {
            assert.equal(cell, undefined)
            continue
          }
          const [first, min, max] = [values[0], Math.min(...values), Math.max(...values)]
          const spread = { first, min, max, count: values.length, firstAt: frame!.endMs }
          assert.equal(cell!.value, values.at(-1))
          assert.deepEqual(cell!.spread, values.length < 2 ? undefined : spread)
        }
      }),
      100,
    )
  } finally {
    await hub.stop()
  }
})

test('of a gauge that threads set, no value is left out, however the second turns', async () => {
  const started = await startThreads({ ingestWorkers: 2 })
  const { hub, clock, textPort } = started
  const [senders, packets, lines] = [4, 60, 40]
  // whichever threads have them: a page of a thread is known a turn after its first gauge
  const sockets = await Promise.all(Array.from({ length: senders }, () => openConnection(textPort)))
  for (const socket of sockets) socket.write(packet('level:1|g\n'))
  await taken(started, senders)
  clock.advance(1000)
  let sent = false
  const sending = Promise.all(
    sockets.map(async (socket, sender) => {
      const body = Array.from({ length: lines }, (_, i) => `level:${1000 * sender + i}|g\n`).join(
        '',
      )
      await endConnection(socket, Array(packets).fill(packet(body)))
    }),
  ).then(() => taken(started, senders * (1 + packets * lines)))
  void sending.then(() => {
    sent = true
  })
  const { id } = seriesNamed(hub, 'level')
  let [count, max] = [0, 0]
  let [seconds, seenMs] = [0, clock.wallMs()]
  const look = (): void => {
    clock.advance(1000)
    // closing a second may take several turns
    for (const frame of hub.live.since(seenMs)) {
      seconds++
      seenMs = frame.endMs
      const cell = told(frame, id)
      if (cell === undefined) continue
      count += cell.spread?.count ?? 1
      max = Math.max(max, cell.spread?.max ?? cell.value)
    }
  }
  while (!sent) {
    look()
    await setImmediate()
  }
  for (let i = 0; i < 3; i++) look()
  await hub.stop()
  assert.equal(max, 1000 * (senders - 1) + lines - 1)
  // one that was set as the second turned is of both
  const set = senders * packets * lines
  assert.ok(count >= set && count <= set + 2 * seconds, `${count} of ${set} in ${seconds} s`)
})

test('a row of a gauge that left says nothing of the one that has it next', async () => {
  const values = new WrittenValues()
  const former = values.rows.take(7)
  values.rows.see(former, 5, 2)
  values.rows.see(former, 9, 2)
  values.rows.giveBack(former)
  const next = values.rows.take(8)
  assert.equal(next, former)
  values.rows.see(next, 1, 3)
  const read: number[][] = []
  for (const epoch of [2, 3]) runNow(values.reading(epoch, (...each) => read.push(each) > 0))
  assert.deepEqual(read, [[8, 1, 1, 1, 1]])
})

test('more rows than a page has are told apart', () => {
  const values = new WrittenValues()
  for (let metric = 0; metric < 600; metric++) values.rows.see(values.rows.take(metric), metric, 2)
  const read: number[][] = []
  runNow(values.reading(2, (metric, first) => read.push([metric, first]) > 0))
  assert.deepEqual(
    read,
    Array.from({ length: 600 }, (_, metric) => [metric, metric]),
  )
})

test('a value that another one follows before the second is told is in its spread', () => {
  const values = new WrittenValues()
  const row = values.rows.take(7)
  values.rows.see(row, 100, 2)
  values.rows.see(row, 5, 3)
  const spreads = new Spreads()
  runNow(spreads.addingWritten(values, 2, (metric) => metric))
  assert.deepEqual(spreads.of(7, 5), { first: 100, min: 5, max: 100, count: 2 })
  assert.equal(spreads.of(7, 100), undefined)
  assert.equal(spreads.of(7, Number.NaN), undefined)
})

test('pages of a thread that ended are read once more', () => {
  const values = new WrittenValues()
  const rows = new ValueRows((page) => values.add(3, page))
  rows.see(rows.take(7), 5, 2)
  values.release(3)
  const read: number[] = []
  for (let i = 0; i < 2; i++) runNow(values.reading(2, (metric) => read.push(metric) > 0))
  assert.deepEqual(read, [7])
})

test('a page and a series that become known a tick late have what was before', () => {
  const values = new WrittenValues()
  const pages: SharedArrayBuffer[] = []
  const rows = new ValueRows((made) => pages.push(made))
  const row = rows.take(7)
  rows.see(row, 5, 2)
  runNow(values.reading(2, () => assert.fail('no page is known')))
  rows.see(row, 4, 3)
  values.add(0, pages[0]!)
  const read: number[][] = []
  runNow(values.reading(3, () => false))
  runNow(values.reading(4, (...each) => read.push(each) > 0))
  runNow(values.reading(5, (...each) => read.push(each) > 0))
  assert.deepEqual(read, [
    [7, 5, 5, 5, 1],
    [7, 4, 4, 4, 1],
  ])
})
