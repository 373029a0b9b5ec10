/** Views that are made while windows go on arriving, and what they say of what is missing. */

import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { CountJson, RowJson } from '../../http/api.ts'
import { withFrame } from '../../test/frames.ts'
import { type PipelineHub, startPipelineHub } from '../../test/pipelines.ts'
import { WallarooResident, wallarooOf } from '../resident.ts'

const APPLICATION = 'golden-app'
const PEER = { transport: 'tcp', address: '10.0.0.1', port: 1 } as const
const WHOLE = { application: APPLICATION, key: { category: 'computation' }, seconds: 300 }

interface Fed extends PipelineHub {
  /** Takes one window of each of so many series, which ended so many seconds ago. */
  readonly feed: (series: number, ageS?: number, fields?: Record<string, unknown>) => void
}

async function started(context: TestContext, options = {}): Promise<Fed> {
  const hub = await startPipelineHub(context, options)
  hub.clock.advance(10_000)
  const receiver = wallarooOf(hub.hub)!.open(PEER)
  return {
    ...hub,
    feed(series, ageS = 0, fields = {}) {
      const endMs = hub.clock.wallMs() - ageS * 1000
      for (let i = 0; i < series; i++) {
        const names = { pipeline: `P${i % 3}`, worker: `w${i % 7}`, name: `N${i}` }
        const window = { ...names, bins: { [i % 20]: '2', 64: '1' }, end_ns: `${endMs}000000` }
        withFrame({ ...window, ...fields }, (frame) => receiver.metrics(frame, hub.clock.wallMs()))
      }
    },
  }
}

/** Its passes are interrupted wherever they can be, and something happens each time. */
function interrupted({ hub }: PipelineHub, happens: (turn: number) => void): WallarooResident {
  let turn = 0
  const nextLoop = (callback: () => void): void => {
    happens(turn++)
    setImmediate(callback)
  }
  return new WallarooResident(wallarooOf(hub)!.state, () => [], { budgetNs: 0n, nextLoop })
}

/** Messages of rows: those in the latencies of the last 5 minutes, and all. */
function sums(rows: readonly RowJson[]): [latencies: number, messages: number] {
  const sum = (of: (row: RowJson) => CountJson): number => {
    return rows.reduce((total, row) => total + Number(of(row)), 0)
  }
  return [sum(({ latency }) => latency.count), sum(({ messages }) => messages)]
}

describe('a view, while windows arrive', () => {
  it('has the same windows in its total, in every table and in its charts', async (context) => {
    const hub = await started(context)
    for (let i = 0; i < 3; i++) hub.feed(300, i)
    let turns = 0
    const pipelines = interrupted(hub, (turn) => {
      turns = turn
      // once all series have been looked at: more of each second, and new series
      if (turn % 50 === 10) hub.feed(320, turn % 5)
    })
    const answer = (await pipelines.view(WHOLE))!
    assert.ok(turns > 500, `${turns} turns`)
    // nothing had to be read twice, nothing is in two of them: two latencies and one in bin 64
    const expected = [3 * 300 * 3, 3 * 300 * 3]
    assert.equal(answer.series, 300)
    assert.deepEqual(sums([answer.total]), expected)
    const [byWorker, byPipeline] = answer.tables
    assert.deepEqual([byWorker?.name, byPipeline?.name], ['by_worker', 'by_pipeline'])
    assert.deepEqual(sums(byWorker!.rows), expected)
    assert.deepEqual(sums(byPipeline!.rows), expected)
    const inCharts = answer.charts.bins.flatMap((column) => column ?? [])
    assert.equal(
      inCharts.reduce((sum, [, count]) => sum + Number(count), 0),
      expected[0],
    )
    const perSecond = answer.charts.throughput.filter((count) => count !== null)
    assert.equal(
      perSecond.reduce<number>((sum, count) => sum + Number(count), 0),
      expected[1],
    )
  })

  it('of an application has equal sums by computation and by worker', async (context) => {
    const hub = await started(context)
    hub.feed(100)
    hub.feed(100, 1)
    const pipelines = interrupted(hub, (turn) => {
      if (turn % 20 === 0) hub.feed(100)
    })
    const answer = (await pipelines.application(APPLICATION))!
    assert.deepEqual(sums(answer.computations), [2 * 100 * 3, 2 * 100 * 3])
    assert.deepEqual(sums(answer.computationsByWorker), [2 * 100 * 3, 2 * 100 * 3])
    const names = answer.computationsByWorker.map(({ key }) => [key.pipeline, key.worker, key.name])
    assert.deepEqual(names, names.toSorted(compareLists))
  })

  it('has windows of one time in the numbers and tables of the original', async (context) => {
    const hub = await started(context)
    hub.feed(1)
    let fed = 0
    const pipelines = interrupted(hub, () => hub.feed(1, fed++ % 5, { bins: { 30: '1000' } }))
    const answer = (await pipelines.compatible(WHOLE))!
    assert.ok(fed > 0)
    const { percentiles, throughput, texts } = answer
    for (const { name, rows } of answer.tables) {
      const [row] = rows
      const found = {
        percentiles: row!.percentiles,
        throughput: row!.throughput,
        texts: row!.texts,
      }
      assert.deepEqual(found, { percentiles, throughput, texts }, name)
    }
    assert.equal(answer.tables.length, 2)
  })

  it('goes on where series, workers and their windows leave meanwhile', async (context) => {
    const hub = await started(context)
    hub.feed(50)
    const receiver = wallarooOf(hub.hub)!.open(PEER)
    const pipelines = interrupted(hub, (turn) => {
      if (turn === 20) {
        receiver.close()
        hub.clock.advance(3_700_000)
      }
    })
    const answer = (await pipelines.view(WHOLE))!
    assert.equal(answer.series, 50)
    assert.deepEqual(sums([answer.total])[1], 50 * 3)
  })
})

function compareLists(a: readonly unknown[], b: readonly unknown[]): number {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

describe('the charts of a view', () => {
  it('say how long the longest window was that ended in a second', async (context) => {
    const hub = await started(context)
    hub.feed(1, 5, { period_ns: '2000000000' })
    hub.feed(1, 5, { period_ns: '500000000' })
    hub.feed(1, 0, { period_ns: '500000000' })
    const { charts } = (await wallarooOf(hub.hub)!.view(WHOLE))!
    assert.deepEqual(charts.windowS.slice(-7), [null, 2, null, null, null, null, 0.5])
    assert.equal(charts.windowS.length, charts.bins.length)
  })
})

describe('what is missing in a view', () => {
  it('is told by the end of the last window that left for want of memory', async (context) => {
    const hub = await started(context, { wallaroo: { windowBytesLimit: 4096 } })
    hub.feed(1, 200)
    const whole = (await wallarooOf(hub.hub)!.view(WHOLE))!
    assert.deepEqual(['completeFromMs' in whole, 'missingFor' in whole], [false, false])
    for (let ageS = 199; ageS >= 0; ageS--) hub.feed(1, ageS)
    const pipelines = wallarooOf(hub.hub)!
    const answer = (await pipelines.view(WHOLE))!
    const firstShownMs =
      answer.fromMs + answer.charts.bins.findIndex((each) => each !== null) * 1000
    assert.equal(answer.completeFromMs, firstShownMs)
    assert.equal(answer.missingFor, 'memory')
    assert.equal((await pipelines.application(APPLICATION))?.completeFromMs, firstShownMs)
    // what is asked of the time since then is complete
    const seconds = (answer.toMs - firstShownMs) / 1000
    assert.ok(seconds >= 10)
    const since = await pipelines.view({ ...WHOLE, seconds })
    assert.equal(since?.completeFromMs, undefined)
    // and so is another view
    hub.feed(1, 0, { pipeline: 'other', name: 'other' })
    const other = { ...WHOLE, key: { category: 'computation', pipeline: 'other' } }
    assert.equal((await pipelines.view(other))?.completeFromMs, undefined)
    const limit = hub.hub.sources().limits.find(({ name }) => name === 'wallaroo.windowBytesLimit')
    assert.ok(limit!.refused > 50, `${limit?.refused} left`)
  })

  it('counts what leaves while a view is being made, also of its tables', async (t) => {
    const hub = await started(t, { wallaroo: { windowBytesLimit: 4096 } })
    const place = { pipeline: 'P', worker: 'w' }
    const through = { ...place, category: 'start-to-end', name: 'P' }
    hub.feed(1, 200, through)
    hub.feed(1, 200, { ...place, category: 'computation', name: 'N' })
    let fed = 0
    const pipelines = interrupted(hub, () => {
      for (let i = 0; i < 20 && fed < 100; i++) hub.feed(1, 199 - fed++, through)
    })
    const key = { category: 'start-to-end' }
    const answer = (await pipelines.view({ application: APPLICATION, key, seconds: 300 }))!
    assert.equal(fed, 100)
    assert.ok(answer.completeFromMs !== undefined, 'the only window has left')
    for (let ageS = 99; ageS >= 0; ageS--) {
      hub.feed(1, ageS, { ...place, category: 'computation', name: 'N' })
    }
    const later = (await wallarooOf(hub.hub)!.view({
      application: APPLICATION,
      key,
      seconds: 300,
    }))!
    assert.ok(later.completeFromMs! > answer.completeFromMs, 'computations are in a table of it')
  })

  it('is what is asked of a time before windows are kept', async (context) => {
    const hub = await started(context, { wallaroo: { retentionMs: 60_000 } })
    hub.feed(1)
    const answer = (await wallarooOf(hub.hub)!.view(WHOLE))!
    assert.equal(answer.completeFromMs, answer.toMs - 60_000)
    assert.equal(answer.missingFor, 'retention')
    assert.equal((await wallarooOf(hub.hub)!.application(APPLICATION))?.missingFor, 'retention')
    const minute = (await wallarooOf(hub.hub)!.view({ ...WHOLE, seconds: 60 }))!
    assert.equal(minute.completeFromMs, undefined)
  })
})
