/** The original's numbers, in every row, against a calculation of its own (wallaroo.md §8.2). */

import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import type { CompatibleNumbers, ViewKey } from '../../http/api.ts'
import { withFrame } from '../../test/frames.ts'
import { type PipelineHub, startPipelineHub } from '../../test/pipelines.ts'
import { wallarooOf } from '../resident.ts'

const APPLICATION = 'golden-app'
const PEER = { transport: 'tcp', address: '10.0.0.1', port: 1 } as const

interface Sent {
  readonly category: string
  readonly pipeline: string
  readonly worker: string
  readonly name: string
  readonly bins: Readonly<Record<string, string>>
  /** Of the hub's clock at arrival before the end, in ms. */
  readonly lateMs: number
  readonly periodMs: number
  /** Between the arrival of the window before and that of this one. */
  readonly pauseMs: number
}

/** As it arrived. */
interface Arrived extends Sent {
  readonly hubMs: number
  readonly endMs: number
}

const label = fc.constantFrom('a', 'b', 'c')
const sent: fc.Arbitrary<Sent> = fc.record({
  category: fc.constantFrom('computation', 'computation', 'start-to-end', 'node-ingress-egress'),
  pipeline: label,
  worker: label,
  name: label,
  bins: fc.dictionary(
    fc.nat({ max: 64 }).map(String),
    fc
      .oneof(fc.bigInt({ min: 1n, max: 9999n }), fc.bigInt({ min: 1n, max: 1n << 58n }))
      .map(String),
    { maxKeys: 5 },
  ),
  lateMs: fc.oneof(fc.nat({ max: 4000 }), fc.integer({ min: -3_000_000, max: 4_000_000 })),
  periodMs: fc.constantFrom(0, 300, 500, 1000, 1500, 2000, 3000, 7499),
  pauseMs: fc.nat({ max: 900 }),
})

async function arrivedAt(hub: PipelineHub, windows: readonly Sent[]): Promise<Arrived[]> {
  const receiver = wallarooOf(hub.hub)!.open(PEER)
  const arrived: Arrived[] = []
  for (const each of windows) {
    hub.clock.advance(each.pauseMs)
    const hubMs = hub.clock.wallMs()
    const endMs = hubMs - each.lateMs
    const { category, pipeline, worker, name, bins, periodMs } = each
    const times = { end_ns: `${endMs}000000`, period_ns: `${periodMs}000000` }
    withFrame({ category, pipeline, worker, name, bins, ...times }, (frame) => {
      receiver.metrics(frame, hubMs)
    })
    arrived.push({ ...each, hubMs, endMs })
  }
  return arrived
}

/** Steps 1 to 8 of the algorithm, as they are written. */
function expectedOf(windows: readonly Arrived[], hubS: number): Omit<CompatibleNumbers, 'texts'> {
  const halfUp = (ms: number): number => Math.floor((ms + 500) / 1000)
  const first = windows[0]!
  const nowS = hubS - (Math.floor(first.hubMs / 1000) - halfUp(first.endMs))
  const firstEndS = halfUp(first.endMs)
  const bins = new Array<bigint>(65).fill(0n)
  const seconds = new Map<number, bigint>()
  for (const window of windows) {
    const endS = halfUp(window.endMs)
    const periodS = Math.max(halfUp(window.periodMs), 1)
    let total = 0n
    for (const [bin, count] of Object.entries(window.bins)) {
      total += BigInt(count)
      if (endS >= nowS - 300 && endS >= hubS - 3600) bins[Number(bin)]! += BigInt(count)
    }
    const quotient = total / BigInt(periodS)
    const each = 2n * (total % BigInt(periodS)) >= BigInt(periodS) ? quotient + 1n : quotient
    for (let second = endS - periodS + 1; second <= endS; second++) {
      seconds.set(second, (seconds.get(second) ?? 0n) + each)
    }
  }
  const counted = [...seconds]
    .filter(([second]) => second >= hubS - 3600)
    .filter(([second]) => second >= Math.max(firstEndS, nowS - 300) && second < nowS)
    .map(([, count]) => count)
  return { percentiles: percentilesOf(bins), throughput: statisticsOf(counted) }
}

function percentilesOf(bins: readonly bigint[]): CompatibleNumbers['percentiles'] {
  const total = Number(bins.reduce((a, b) => a + b, 0n))
  const found = { '50.0': '0', '95.0': '0', '99.0': '0', '99.9': '0', '99.99': '0' }
  const rounded = (value: number): number => Number(value.toFixed(4))
  for (const name of Object.keys(found) as (keyof typeof found)[]) {
    let running = 0
    bins.forEach((count, bin) => {
      if (total === 0 || found[name] !== '0') return
      running = Math.min(rounded(running + rounded((Number(count) / total) * 100)), 100)
      if (running >= Number(name)) found[name] = (2n ** BigInt(bin)).toString()
    })
  }
  return found
}

function statisticsOf(counts: readonly bigint[]): CompatibleNumbers['throughput'] {
  if (counts.length === 0) return { min: 0, med: 0, max: 0 }
  const sorted = counts.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const json = (count: bigint) => {
    return count <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(count) : `${count}`
  }
  const half = sorted.length / 2
  const both = Number.isInteger(half) ? sorted[half - 1]! + sorted[half]! : 0n
  const isLarge = both > BigInt(Number.MAX_SAFE_INTEGER)
  // a half that no double of its size has is left out
  const mean = isLarge ? json(both / 2n) : Number(both) / 2
  const med = Number.isInteger(half) ? mean : json(sorted[Math.floor(half)]!)
  return { min: json(sorted[0]!), med, max: json(sorted.at(-1)!) }
}

function matching(windows: readonly Arrived[], key: ViewKey): readonly Arrived[] {
  return windows.filter((window) => {
    return Object.entries(key).every(([name, value]) => window[name as 'name'] === value)
  })
}

function checkRow(
  { key, percentiles, throughput }: CompatibleNumbers & { readonly key: ViewKey },
  windows: readonly Arrived[],
  hubS: number,
): void {
  const expected = expectedOf(matching(windows, key), hubS)
  assert.deepEqual({ percentiles, throughput }, expected, JSON.stringify(key))
}

async function sample(context: TestContext, seed: number): Promise<[PipelineHub, Arrived[]]> {
  const hub = await startPipelineHub(context)
  const windows = fc.sample(sent, { numRuns: 250, seed })
  return [hub, await arrivedAt(hub, windows)]
}

describe('mode compatible', () => {
  for (const seed of [1, 2, 3, 4]) {
    it(`has the original's numbers in every row of an application, sample ${seed}`, async (t) => {
      const [{ hub, clock }, windows] = await sample(t, seed)
      for (const laterMs of [0, 5000, 200_000]) {
        clock.advance(laterMs)
        const hubS = Math.floor(clock.wallMs() / 1000)
        const answer = (await wallarooOf(hub)!.compatibleApplication(APPLICATION))!
        assert.equal(answer.hubS, hubS)
        const { pipelines, workers, computations } = answer
        const lengths = [pipelines, workers, computations].map(({ length }) => length)
        assert.deepEqual(lengths, [3, 3, 3])
        for (const row of [...pipelines, ...workers, ...computations]) checkRow(row, windows, hubS)
      }
    })

    it(`has in every row what its own view says, sample ${seed}`, async (t) => {
      const [{ hub, clock }, windows] = await sample(t, seed)
      clock.advance(3000)
      const hubS = Math.floor(clock.wallMs() / 1000)
      const viewOf = (key: ViewKey) => {
        return wallarooOf(hub)!.compatible({ application: APPLICATION, key, seconds: 300 })
      }
      for (const key of VIEWS) {
        const view = (await viewOf(key))!
        checkRow(view, windows, hubS)
        for (const row of view.tables.flatMap(({ rows }) => rows)) {
          checkRow(row, windows, hubS)
          const { percentiles, throughput, texts } = (await viewOf(row.key))!
          assert.deepEqual(row, { key: row.key, percentiles, throughput, texts })
        }
      }
    })
  }

  it('leads on from table to table as the original does', async (context) => {
    const [{ hub }] = await sample(context, 5)
    const tables: unknown[] = []
    for (const key of VIEWS) {
      const view = await wallarooOf(hub)!.compatible({
        application: APPLICATION,
        key,
        seconds: 300,
      })
      tables.push(
        view!.tables.map(({ name, rows }) => [name, Object.keys(rows[0]!.key).sort().join(' ')]),
      )
    }
    const toComputationByWorker = 'category name pipeline worker'
    assert.deepEqual(tables, [
      [
        ['by_worker', 'category pipeline worker'],
        ['computations', 'category name'],
      ],
      [
        ['pipelines', 'category pipeline worker'],
        ['computations', toComputationByWorker],
      ],
      [
        ['by_worker', toComputationByWorker],
        ['by_pipeline', 'category name pipeline'],
      ],
      [['computations', toComputationByWorker]],
      [['computations', toComputationByWorker]],
      [],
    ])
  })

  it('shows what came into a pipeline beside what left it', async (context) => {
    const hub = await startPipelineHub(context)
    const one = { pipeline: 'P', worker: 'w', lateMs: 0, periodMs: 2000, pauseMs: 0 }
    await arrivedAt(hub, [
      { ...one, category: 'start-to-end', name: 'P', bins: { 10: '20000' } },
      { ...one, category: 'start-to-end', name: 'Q', pipeline: 'Q', bins: { 10: '1' } },
      { ...one, category: 'pipeline-ingestion', name: 'P source', bins: { 0: '41' } },
    ])
    hub.clock.advance(1000)
    const { pipelines } = (await wallarooOf(hub.hub)!.compatibleApplication(APPLICATION))!
    assert.deepEqual(
      pipelines.map(({ key, texts, ingested }) => [key.pipeline, texts.throughput.med, ingested]),
      [
        ['P', '10k', { throughput: { min: 21, med: 21, max: 21 }, texts: { ...TEXTS } }],
        ['Q', '0k', null],
      ],
    )
  })
})

const TEXTS = { min: '0.02k', med: '0.02k', max: '0.02k' }

/** V5 to V10. */
const VIEWS: readonly ViewKey[] = [
  { category: 'start-to-end', pipeline: 'a' },
  { category: 'node-ingress-egress', worker: 'b' },
  { category: 'computation', name: 'c' },
  { category: 'start-to-end', pipeline: 'b', worker: 'a' },
  { category: 'node-ingress-egress', pipeline: 'c', worker: 'b' },
  { category: 'computation', pipeline: 'a', worker: 'b', name: 'c' },
]
