import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeHubView, START_MS } from '../../../../test/support/hub/fake-hub-view.ts'
import { holds } from '../../../../test/support/property.ts'
import { boundedHistogram } from '../../../model/index.ts'
import type { Kind, RangeAnswer, RangeColumn } from '../../api.ts'
import { alignWindow } from './past.ts'
import { rangeJson } from './range.ts'

const BASE = START_MS

function range(hub: FakeHubView, ids: number[], fromMs: number, toMs: number, stepS: number) {
  const window = alignWindow(fromMs, toMs, stepS * 1000)
  return JSON.parse([...rangeJson(hub, ids, window)].join('')) as RangeAnswer
}

function column<K extends Kind>(kind: K, answer: RangeAnswer, index = 0) {
  const column = answer.columns[index]!
  assert.equal(column.kind, kind)
  return column as Extract<RangeColumn, { kind: K }>
}

test('a window is rounded outwards to whole steps', () => {
  assert.deepEqual(alignWindow(1500, 3500, 1000), { fromMs: 1000, stepMs: 1000, length: 3 })
  assert.deepEqual(alignWindow(9000, 20000, 10000), { fromMs: 0, stepMs: 10000, length: 2 })
})

test('a counter is 0 where it stood still and null where the hub has nothing', () => {
  const hub = new FakeHubView()
  hub.tick()
  const id = hub.add({ name: 'c', kind: 'counter' })
  hub.tick()
  hub.count(id, 5)
  hub.tick()
  const { delta } = column('counter', range(hub, [id], BASE - 2000, BASE + 5000, 1))
  // Two seconds before the hub, one before the series, its first two, two in the future.
  assert.deepEqual(delta, [null, null, null, 0, 5, null, null])
})

test('an answer says what is closed, and in which columns no hub ran', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'c', kind: 'counter' })
  for (let i = 0; i < 3; i++) hub.tick()
  const fine = range(hub, [id], BASE - 2000, BASE + 5000, 1)
  assert.equal(fine.closedMs, BASE + 3000)
  assert.deepEqual(fine.gaps, [
    [0, 2],
    [5, 2],
  ])
  // a second is all of its parts, also of one that ends behind the window
  assert.deepEqual(range(hub, [id], BASE - 100, BASE + 1500, 0.04).gaps, [[0, 3]])
  assert.deepEqual(range(hub, [id], BASE + 2500, BASE + 3500, 0.1).gaps, [[5, 5]])
  // the column that is open has a hub's seconds
  assert.deepEqual(range(hub, [id], BASE - 10_000, BASE + 3000, 10).gaps, [[0, 1]])
})

test('a counter of a peer that was away did not stand still: nothing is known of it', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'c', kind: 'counter', source: 'h:1' })
  const other = hub.add({ name: 'd', kind: 'counter', source: 'h:2' })
  for (let i = 0; i < 4; i++) {
    if (i === 2) hub.count(id, 5)
    hub.tick()
  }
  // from the middle of the second second on
  hub.away.push({ source: 'h:1', fromMs: BASE + 1500, toMs: Number.POSITIVE_INFINITY })
  const answer = range(hub, [id, other], BASE, BASE + 4000, 1)
  assert.deepEqual(column('counter', answer).delta, [0, null, 5, null])
  assert.deepEqual(column('counter', answer, 1).delta, [0, 0, 0, 0])
})

test('of a step in which its peer went or came a counter is known as far as it counted', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'c', kind: 'counter', source: 'h:1' })
  for (let i = 0; i < 6; i++) {
    if (i === 3) hub.count(id, 2)
    hub.tick()
  }
  hub.away.push({ source: 'h:1', fromMs: BASE + 1999, toMs: BASE + 3001 })
  const { delta } = column('counter', range(hub, [id], BASE, BASE + 6000, 1))
  assert.deepEqual(delta, [0, null, null, 2, 0, 0])
  const coarse = column('counter', range(hub, [id], BASE, BASE + 6000, 2))
  assert.equal(coarse.delta.includes(2), true)
  assert.equal(coarse.delta.includes(null), true)
})

test('deltas beyond 2^53 stay exact', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'c', kind: 'counter' })
  hub.count(id, 2n ** 53n + 1n)
  hub.tick()
  const { delta } = column('counter', range(hub, [id], BASE, BASE + 1000, 1))
  assert.deepEqual(delta, ['9007199254740993'])
})

test('a fraction is what it is, and in a long frame divided by seconds', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'c', kind: 'counter' })
  hub.count(id, 0.1)
  hub.tick()
  hub.count(id, 4.5)
  hub.tick(3)
  const { delta } = column('counter', range(hub, [id], BASE, BASE + 4000, 1))
  assert.deepEqual(delta, [0.1, 1.5, 1.5, 1.5])
  const coarse = column('counter', range(hub, [id], BASE, BASE + 4000, 4))
  assert.equal(coarse.delta.find(Boolean), 4.6)
})

test('a long frame is spread evenly, what is left over goes to the last column', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'c', kind: 'counter' })
  hub.count(id, 11)
  hub.tick(3)
  const { delta } = column('counter', range(hub, [id], BASE, BASE + 3000, 1))
  assert.deepEqual(delta, [3, 3, 5])
})

test('a frame across a boundary is shared by its seconds', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'c', kind: 'counter' })
  hub.count(id, 100)
  hub.tick(10)
  const { delta } = column('counter', range(hub, [id], BASE, BASE + 12000, 4))
  assert.deepEqual(delta, [40, 40, 20])
})

test('sums over columns equal what was counted, whatever frames and step', () => {
  const property = fc.property(
    fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 1000 })), {
      minLength: 1,
      maxLength: 20,
    }),
    fc.integer({ min: 1, max: 60 }),
    (frames, stepS) => {
      const hub = new FakeHubView()
      const counter = hub.add({ name: 'c', kind: 'counter' })
      const histogram = hub.add({ name: 'h', kind: 'histogram' })
      let total = 0
      for (const [seconds, count] of frames) {
        total += count
        hub.count(counter, count)
        hub.observe(histogram, 3, count)
        hub.observe(histogram, -3, count)
        hub.observe(histogram, 0, count)
        hub.tick(seconds)
      }
      const answer = range(hub, [counter, histogram], BASE, hub.clock.wallMs(), stepS)
      const { delta } = column('counter', answer)
      assert.equal(
        delta.reduce<number>((sum, each) => sum + Number(each ?? 0), 0),
        total,
      )
      const { cells } = column('histogram', answer, 1)
      let positive = 0
      let zero = 0
      let negative = 0
      for (const cell of cells) {
        positive += cell?.counts.reduce((sum, count) => sum + count, 0) ?? 0
        if (cell === null) continue
        zero += cell.zero
        negative += cell.negative
        const inBuckets = cell.counts.reduce((a, b) => a + b, 0)
        assert.equal(cell.count, cell.zero + cell.negative + inBuckets)
      }
      assert.deepEqual([positive, zero, negative], [total, total, total])
    },
  )
  holds(property)
})

test('a gauge is held until it is stale, also from before the window', () => {
  const hub = new FakeHubView()
  hub.staleAfterMs = 3000
  const id = hub.add({ name: 'g', kind: 'gauge' })
  hub.set(id, 7)
  for (let i = 0; i < 6; i++) hub.tick()
  const { value } = column('gauge', range(hub, [id], BASE + 1000, BASE + 8000, 1))
  // Written in second 1, held for 3 s; the last column has not happened yet.
  assert.deepEqual(value, [7, 7, 7, null, null, null, null])
})

test('a gauge whose value has ended is held no longer', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'g', kind: 'gauge' })
  hub.set(id, 4)
  hub.tick()
  hub.tick()
  hub.set(id, Number.NaN)
  for (let i = 0; i < 2; i++) hub.tick()
  const { value } = column('gauge', range(hub, [id], BASE, BASE + 4000, 1))
  assert.deepEqual(value, [4, 4, null, null])
})

test('a gauge of a coarse step is its last value in the step', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'g', kind: 'gauge' })
  for (let i = 1; i <= 4; i++) {
    hub.set(id, i)
    hub.tick()
  }
  const { value, min, max } = column('gauge', range(hub, [id], BASE, BASE + 4000, 2))
  assert.deepEqual(value, [2, 4])
  assert.deepEqual([min, max], [[1, 3], value])
})

test('no step hides what a sampled gauge went through', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'g', kind: 'gauge' })
  hub.set(id, 5, { first: 0, min: -2, max: 49, count: 10 })
  hub.tick()
  hub.set(id, 6)
  hub.tick()
  hub.set(id, Number.NaN, { first: 1, min: 1, max: 7, count: 3 })
  hub.tick()
  hub.tick()
  const fine = column('gauge', range(hub, [id], BASE, BASE + 4000, 1))
  assert.deepEqual(
    [fine.min, fine.max],
    [
      [-2, 6, 1, null],
      [49, 6, 7, null],
    ],
  )
  assert.deepEqual(fine.value, [5, 6, null, null])
  // ended within the step
  const held = column('gauge', range(hub, [id], BASE + 2000, BASE + 4000, 2))
  assert.deepEqual([held.value, held.min, held.max], [[null], [1], [7]])
  const coarse = column('gauge', range(hub, [id], BASE, BASE + 2000, 2))
  assert.deepEqual([coarse.value, coarse.min, coarse.max], [[6], [-2], [49]])
})

test('a peak among samples is in its own step alone, and a step without one has the last', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'g', kind: 'gauge' })
  const log = hub.samples.open()
  const samples = [
    [120, 10],
    [320, 97],
    [330, 10],
    [820, 20],
  ] as const
  for (const [ms, value] of samples) {
    log.add(BASE + ms, Int32Array.of(id), Float64Array.of(value))
  }
  hub.set(id, 20, { first: 10, min: 10, max: 97, count: 4 })
  hub.tick()
  const { value, max } = column('gauge', range(hub, [id], BASE, BASE + 1000, 0.1))
  assert.deepEqual(value, [null, 10, 10, 10, 10, 10, 10, 10, 20, 20])
  assert.deepEqual(max, [null, 10, 10, 97, 10, 10, 10, 10, 20, 20])
})

test('histogram cells of a step are merged, with percentiles and rows for the heat map', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'h', kind: 'histogram' })
  hub.observe(id, 2, 3)
  hub.tick()
  hub.observe(id, 4)
  hub.observe(id, -1)
  hub.tick()
  hub.tick()
  const { cells } = column('histogram', range(hub, [id], BASE, BASE + 4000, 2))
  assert.equal(cells[1], null)
  const cell = cells[0]!
  assert.deepEqual([cell.count, cell.sum, cell.min, cell.max], [5, 9, -1, 4])
  assert.deepEqual([cell.zero, cell.negative], [0, 1])
  assert.equal(cell.scale, 2)
  // 2 ends bucket 3, 4 ends bucket 7 of four per octave.
  assert.deepEqual([cell.offset, cell.counts], [3, [3, 0, 0, 0, 1]])
  assert.ok(Math.abs(cell.p99 - 4) < 0.02)
})

test('cells of bounds of one’s own name them, also where a long frame is split', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'h', kind: 'histogram' })
  const bounds = [1, 5, 50]
  const counts = BigUint64Array.of(0n, 4n, 0n, 2n)
  for (const seconds of [1, 2]) {
    hub.merge(id, boundedHistogram({ bounds, counts, sum: 300n }))
    hub.tick(seconds)
  }
  const { cells } = column('histogram', range(hub, [id], BASE, BASE + 3000, 1))
  const seen = cells.map((cell) => [cell?.bounds, cell?.offset, cell?.counts, cell?.sum])
  const half = [bounds, 1, [2, 0, 1], 150]
  assert.deepEqual(seen, [[bounds, 1, [4, 0, 2], 300], half, half])
  assert.deepEqual([cells[0]!.p50, cells[0]!.p99], [3.5, 50])
})

test('a summary is merged per step and split by count', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 's', kind: 'summary' })
  for (const value of [1, 2, 3]) hub.sample(id, value)
  hub.tick(2)
  const answer = range(hub, [id], BASE, BASE + 2000, 1)
  const cells = column('summary', answer).cells
  assert.deepEqual(
    cells.map((cell) => [cell!.count, cell!.mean]),
    [
      [1, 2],
      [2, 2],
    ],
  )
})

test('series that are not there are left out', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'c', kind: 'counter' })
  hub.tick()
  const { columns } = range(hub, [99, id], BASE, BASE + 1000, 1)
  assert.deepEqual(
    columns.map((each) => each.id),
    [id],
  )
})

test('coarse frames of the ring fill the columns of the past', () => {
  const ring = { fineSeconds: 20, coarseSeconds: 100, coarseStep: 10, bytesLimit: 1e9 }
  const hub = new FakeHubView(ring)
  const id = hub.add({ name: 'c', kind: 'counter' })
  for (let i = 0; i < 60; i++) {
    hub.count(id, 2)
    hub.tick()
  }
  const { delta } = column('counter', range(hub, [id], BASE, BASE + 60_000, 1))
  assert.deepEqual(delta, new Array(60).fill(2))
})

test('many columns of one histogram are made in steps of few cells', () => {
  const hub = new FakeHubView()
  const id = hub.add({ name: 'h', kind: 'histogram' })
  for (let second = 0; second < 600; second++) {
    hub.observe(id, second)
    hub.tick()
  }
  const pieces = [...rangeJson(hub, [id], alignWindow(BASE, BASE + 600_000, 1000))]
  const pauses = pieces.filter((piece) => piece === undefined).length
  // 600 frames and 600 cells, 32 at once
  assert.ok(pauses >= 36, `${pauses} pauses`)
})
