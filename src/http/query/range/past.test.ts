/** Columns of the history beside those of the ring: each second once, as fine as it is kept. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeHubView, START_MS } from '../../../../test/support/hub/fake-hub-view.ts'
import type { CellAnswer, CellQuery } from '../../../history/store.ts'
import { PastSeries } from '../../../hub/history/past-series.ts'
import { decrementsOf } from '../../../hub/ingest/definition.ts'
import { type Cell, identityKey } from '../../../model/index.ts'
import type { RangeAnswer } from '../../api.ts'
import { findPast } from './past.ts'
import { rangeJson } from './range.ts'

const START_S = START_MS / 1000
const RING = { fineSeconds: 60, coarseSeconds: 60, coarseStep: 10, bytesLimit: 2 ** 24 }

/** A hub whose counter grows by the number of each second, with a history of most of them. */
class Bench {
  readonly hub = new FakeHubView(RING)
  readonly id = this.hub.add({ name: 'c', kind: 'counter' })
  readonly asked: CellQuery[] = []
  /** Second up to which the history has all, and those that it has lost. */
  untilS = 0
  readonly lost = new Set<number>()
  readonly #down: number

  /** @param down decrement of each second, where there are any: the history has these, too */
  constructor(seconds: number, down = 0) {
    this.#down = down
    Object.assign(this.hub, { history: { read: (query: CellQuery) => this.#read(query) } })
    for (let second = 1; second <= seconds; second++) {
      this.hub.count(this.id, second)
      if (down > 0) this.hub.countDown(this.id, down)
      this.hub.tick()
    }
    this.untilS = seconds
  }

  async #read(query: CellQuery): Promise<CellAnswer> {
    this.asked.push(query)
    const { stepS } = query
    const fromS = Math.floor(query.fromS / stepS) * stepS
    const length = Math.ceil((query.toS - fromS) / stepS)
    const sums = new Array<number>(length).fill(0)
    const covered = new Uint8Array(length)
    for (let second = 1; second <= this.untilS; second++) {
      const step = Math.ceil((START_S + second - fromS) / stepS) - 1
      if (step < 0 || step >= length || this.lost.has(second)) continue
      sums[step]! += second
      covered[step] = 1
    }
    const cells = sums.map((delta): Cell | undefined => {
      return delta === 0 ? undefined : { kind: 'counter', delta }
    })
    const decrements = Array.from(covered, (isCovered): Cell | undefined => {
      return isCovered === 0 ? undefined : { kind: 'counter', delta: this.#down * stepS }
    })
    const parts = [cells, decrements].slice(0, query.groups.length)
    const columns = parts.map((each) => ({ kind: 'counter', cells: each }) as const)
    return { fromS, stepS, length, covered, untilS: START_S + this.untilS, columns }
  }

  async deltas(from: number, to: number, stepS: number, id = this.id) {
    const [fromMs, toMs] = [START_MS + from * 1000, START_MS + to * 1000]
    const asked = { ids: [id], fromMs, toMs, stepMs: stepS * 1000 }
    const { window, past } = await findPast(this.hub, asked)
    const text = [...rangeJson(this.hub, [id], window, past)].join('')
    const [column] = (JSON.parse(text) as RangeAnswer).columns
    assert.equal(column?.kind, 'counter')
    return (column as { readonly delta: readonly unknown[] }).delta
  }
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + 1 + i)
}

test('seconds that the ring has in tens come from the history, each once', async () => {
  const bench = new Bench(150)
  assert.deepEqual(await bench.deltas(40, 150, 1), numbers(40, 150))
  assert.equal(bench.asked.length, 1)
  const end = bench.asked[0]!.toS - START_S
  assert.ok(end >= 80 && end <= 100, `asked up to ${end}`)
  // of ten seconds the ring has all that it ever had
  assert.deepEqual((await bench.deltas(40, 150, 10)).length, 11)
  assert.equal(bench.asked.length, 1)
})

test('decrements are taken off, in seconds of the history as in those of the ring', async () => {
  const bench = new Bench(150, 60)
  const net = numbers(40, 150).map((each) => each - 60)
  assert.deepEqual(await bench.deltas(40, 150, 1), net)
  assert.equal(bench.asked[0]?.groups.length, 2)
})

test('a series that has just ended is told by the history, where the ring is, too', async () => {
  const bench = new Bench(50)
  const id = 2 ** 31
  const identity = { name: 'gone', kind: 'counter', labels: [] } as const
  const record = { id, key: identityKey(identity), kind: 'counter', identity, source: '' }
  const life = { firstSeenMs: START_MS, lastDataMs: START_MS + 40_000, goneMs: START_MS + 40_000 }
  const past = { get: (asked: number) => (asked === id ? { ...record, ...life } : undefined) }
  Object.assign(bench.hub, { past })
  assert.deepEqual(await bench.deltas(20, 50, 1, id), numbers(20, 50))
  assert.deepEqual(await bench.deltas(20, 50, 10, id), [255, 355, 455])
})

test('decrements are taken off a series that is over, as the history has them', async () => {
  const bench = new Bench(50, 60)
  const identity = { name: 'gone', kind: 'counter', labels: [] } as const
  const key = identityKey(identity)
  const life = { firstS: START_S + 1, lastS: START_S + 40 }
  const told = { key, metadata: { dialect: 'test' }, ...life }
  const past = new PastSeries({ find: async () => ({ series: [told], total: 1 }) })
  const { series } = await past.find({ filter: '', fromS: 0, toS: START_S + 50, limit: 10 })
  Object.assign(bench.hub, { past })
  const net = numbers(20, 50).map((each) => each - 60)
  assert.deepEqual(await bench.deltas(20, 50, 1, series[0]!.id), net)
  const metadata = { dialect: 'test' }
  const part = decrementsOf(identity, metadata, '').identity
  assert.deepEqual(bench.asked[0]?.groups, [[key], [identityKey(part)]])
})

test('a step that the history has only part of yet has the newest seconds, too', async () => {
  const bench = new Bench(200)
  for (const until of [200, 198, 195]) {
    bench.untilS = until
    const [delta] = await bench.deltas(0, 200, 3600)
    assert.equal(delta, (200 * 201) / 2)
  }
})

test('what the history has lost is told as the ring has it', async () => {
  const bench = new Bench(150)
  for (const second of numbers(50, 70)) bench.lost.add(second)
  const deltas = await bench.deltas(40, 150, 1)
  const sum = deltas.reduce<number>((total, delta) => total + Number(delta), 0)
  assert.equal(
    sum,
    numbers(40, 150).reduce((total, each) => total + each, 0),
  )
})

test('seconds ahead of the clock are told by the history', async () => {
  const bench = new Bench(50)
  bench.untilS = 100
  assert.deepEqual(await bench.deltas(40, 100, 1), numbers(40, 100))
  bench.untilS = 3000
  assert.deepEqual(await bench.deltas(2500, 2600, 1), numbers(2500, 2600))
})

test('of an engine that lacks a second, past series have what it knows, and no zeros', async () => {
  const bench = new Bench(10)
  const identity = { name: 'gone', kind: 'counter', labels: [] } as const
  const gone = { id: 2 ** 31, key: identityKey(identity), kind: 'counter', identity, source: '' }
  const past = { get: (id: number) => (id === gone.id ? { ...gone, firstSeenMs: 0 } : undefined) }
  /** Seconds that the engine has of both. */
  let known: readonly number[] = []
  const read = async ({ fromS, toS, groups }: CellQuery): Promise<CellAnswer> => {
    const ends = Array.from({ length: toS - fromS }, (_, i) => fromS + 1 + i - START_S)
    const cells = ends.map((end): Cell | undefined => {
      return known.includes(end) && end % 2 === 0 ? { kind: 'counter', delta: end } : undefined
    })
    const covered = Uint8Array.from(ends, (end) => (known.includes(end) ? 1 : 0))
    const columns = groups.map(() => ({ kind: 'counter' as const, cells }))
    return { fromS, stepS: 1, length: ends.length, covered, columns }
  }
  Object.assign(bench.hub, { past, history: { read } })
  const deltas = async () => {
    const ids = [bench.id, gone.id]
    const asked = { ids, fromMs: START_MS, toMs: START_MS + 10_000, stepMs: 1000 }
    const { window, past: found } = await findPast(bench.hub, asked)
    const text = [...rangeJson(bench.hub, ids, window, found)].join('')
    return (JSON.parse(text) as RangeAnswer).columns.map((column) => {
      return (column as { readonly delta: readonly unknown[] }).delta
    })
  }
  known = [1, 2, 3, 4, 5, 7, 8, 9, 10]
  const [living, over] = await deltas()
  assert.deepEqual(living, numbers(0, 10))
  assert.deepEqual(over, [0, 2, 0, 4, 0, null, 0, 8, 0, 10])
  Object.assign(bench.hub, { history: undefined })
  assert.deepEqual((await deltas())[1], new Array(10).fill(null))
})
