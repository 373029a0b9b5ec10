/** The past that is told before a stream: whole intervals in their order, each once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holdsAsync } from '../../../test/support/property.ts'
import type { RangeAnswer, RangeColumn } from '../../http/api.ts'
import type { WatchedEvent } from './cell-lanes.ts'
import { pastCells } from './past.ts'

const NOW_S = 1_800_000_007

type Asked = Parameters<Parameters<typeof pastCells>[0]['range']>[0]

/**
 * A hub whose counters grow each second by its number, whose gauges have it for ten seconds.
 * @param lives first and last seconds of those that were not there all the time, by id
 */
function hubOf(keptS = 1, lives: Readonly<Record<number, readonly [number, number]>> = {}) {
  const asked: Asked[] = []
  const range = async (request: Asked): Promise<RangeAnswer> => {
    asked.push(request)
    const stepMs = Math.max(keptS * 1000, request.stepMs)
    const fromMs = Math.floor(request.fromMs / stepMs) * stepMs
    const length = Math.ceil((request.toMs - fromMs) / stepMs)
    const ends = Array.from({ length }, (_, i) => (fromMs + (i + 1) * stepMs) / 1000)
    const columns = request.series.map((id): RangeColumn => {
      if (id % 2 === 0) {
        const value = ends.map((end) => (end > NOW_S ? null : Math.floor(end / 10)))
        return { id, kind: 'gauge', value, min: value, max: value }
      }
      const [from, to] = lives[id] ?? [0, NOW_S]
      const delta = ends.map((end) => {
        const [first, last] = [Math.max(from, end - stepMs / 1000), Math.min(to, end)]
        return first >= last ? null : sumOf(first, last)
      })
      return { id, kind: 'counter', delta }
    })
    return { fromMs, stepMs, length, closedMs: NOW_S * 1000, gaps: [], columns }
  }
  return { api: { range }, asked }
}

function sumOf(from: number, to: number): number {
  let sum = 0
  for (let second = from + 1; second <= to; second++) sum += second % 1000
  return sum
}

async function told(api: ReturnType<typeof hubOf>['api'], ids: number[], agoS: number, s: number) {
  const events: WatchedEvent[] = []
  const sinceMs = (NOW_S - agoS) * 1000
  const asked = { ids, sinceMs, intervalS: s, nowMs: NOW_S * 1000 }
  for await (const event of pastCells(api, asked)) events.push(event)
  return events
}

test('every second is in one interval, up to the newest one that is whole', async () => {
  const ago = fc.integer({ min: 0, max: 20_000 })
  await holdsAsync(
    fc.asyncProperty(ago, fc.constantFrom(1, 2, 7, 60, 3600), async (agoS, intervalS) => {
      const { api } = hubOf()
      const events = await told(api, [1], agoS, intervalS)
      let end = Math.floor((NOW_S - agoS) / intervalS) * intervalS
      for (const event of events) {
        const [cell] = event.counters
        assert.equal(event.endMs, (end + intervalS) * 1000)
        assert.equal(cell?.[1] ?? 0, sumOf(end, end + intervalS))
        end += intervalS
      }
      assert.ok(end <= NOW_S && end > NOW_S - intervalS, `until ${NOW_S - end} s ago`)
    }),
    40,
  )
})

test('of a time that is kept in minutes an interval is one, and says so', async () => {
  const events = await told(hubOf(60).api, [1], 600, 1)
  assert.equal(events.length, 10)
  assert.ok(events.every(({ intervalMs }) => intervalMs === 60_000))
})

test('a gauge is told when it changes, and many series in requests of some each', async () => {
  const { api, asked } = hubOf()
  const ids = Array.from({ length: 25 }, (_, i) => i + 1)
  const events = await told(api, ids, 30, 1)
  assert.deepEqual(
    asked.map(({ series }) => series.length),
    [10, 10, 5],
  )
  const changes = events.filter(({ gauges }) => gauges.length > 0)
  assert.deepEqual(
    changes.map(({ endMs, gauges }) => [NOW_S - endMs / 1000, gauges.length]),
    [
      [29, 12],
      [27, 12],
      [17, 12],
      [7, 12],
    ],
  )
})

test('a gauge that went away and came back is told, with how far', async () => {
  const { api } = hubOf()
  const range: typeof api.range = async (request) => {
    const answer = await api.range(request)
    const columns = answer.columns.map((column): RangeColumn => {
      if (column.kind !== 'gauge') return column
      const value = column.value.map((each) => (each === null ? null : 0))
      const max = value.map((each, i) => (each !== null && i % 7 === 3 ? 1000 : each))
      return { ...column, value, min: value, max }
    })
    return { ...answer, columns }
  }
  const changes = (await told({ range }, [2], 14, 1)).map(({ gauges }) => gauges)
  const peak = [[2, 0, { min: 0, max: 1000 }]]
  assert.deepEqual(
    changes.filter((gauges) => gauges.length > 0),
    [[[2, 0]], peak, peak],
  )
})

test('time in which there was nothing of a series is not read', async () => {
  const [born, died] = [NOW_S - 86_400 * 3, NOW_S - 86_400 * 3 + 1800]
  const { api, asked } = hubOf(1, { 1: [born, died], 3: [NOW_S - 30, NOW_S] })
  const events = await told(api, [1, 3], 86_400 * 30, 1)
  const sumFor = (id: number): number => {
    const cells = events.flatMap(({ counters }) => counters.filter(([each]) => each === id))
    return cells.reduce((sum, [, delta]) => sum + Number(delta), 0)
  }
  assert.deepEqual([sumFor(1), sumFor(3)], [sumOf(born, died), sumOf(NOW_S - 30, NOW_S)])
  assert.ok(asked.length < 60, `${asked.length} requests`)
  const ofSeconds = asked.filter(({ stepMs }) => stepMs === 1000)
  const both = ofSeconds.filter(({ series }) => series.length === 2)
  assert.ok(
    both.every(({ toMs }) => toMs > (NOW_S - 3600) * 1000),
    'each where it was',
  )
})

test('of very many series the first lines come before much has been read', async () => {
  const { api, asked } = hubOf()
  const ids = Array.from({ length: 1000 }, (_, i) => 2 * i + 1)
  const request = { ids, sinceMs: (NOW_S - 3000) * 1000, intervalS: 1, nowMs: NOW_S * 1000 }
  const { value: first } = await pastCells(api, request).next()
  assert.equal(first?.counters.length, 1000)
  assert.ok(asked.length <= 10, `${asked.length} requests`)
  assert.ok(asked.every(({ series }) => series.length <= 200))
})
