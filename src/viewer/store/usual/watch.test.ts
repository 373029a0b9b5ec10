import assert from 'node:assert/strict'
import { mock, type TestContext, test } from 'node:test'
import { packUsual } from '../../../../test/support/usual-answer.ts'
import type { Kind, UsualAnswer } from '../../../http/api.ts'
import { SeriesData } from '../series-data.ts'
import { Watch } from './watch.ts'

const NOW = 1_800_000_000

interface Bench {
  readonly watch: Watch
  readonly asked: string[]
  readonly data: Map<number, SeriesData>
  answer: UsualAnswer | undefined
  pass(ms: number): Promise<void>
}

function createBench(context: TestContext, kind: Kind = 'counter'): Bench {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: NOW * 1000 })
  context.after(() => mock.timers.reset())
  const asked: string[] = []
  const data = new Map<number, SeriesData>()
  const bench: Pick<Bench, 'answer'> = { answer: undefined }
  const api = {
    get: async (path: string): Promise<unknown> => {
      asked.push(path)
      if (bench.answer === undefined) throw new Error('away')
      return bench.answer
    },
  }
  const watch = new Watch(api, {
    kindOf: () => kind,
    dataOf: (id) => data.get(id),
    shown: () => data.keys(),
  })
  const pass = async (ms: number): Promise<void> => {
    mock.timers.tick(ms)
    for (let i = 0; i < 10; i += 1) await Promise.resolve()
  }
  return Object.assign(bench, { watch, asked, data, pass })
}

/** A counter that has had these rates in the seconds up to now. */
function counterOf(rates: readonly number[]): SeriesData {
  const data = new SeriesData('counter')
  const from = NOW - rates.length
  rates.forEach((rate, i) => {
    data.write(from + i + 1, rate)
  })
  data.cover(from, NOW)
  return data
}

test('the hub is asked for what is on screen, and again when it says', async (t) => {
  const { watch, asked, data, pass } = createBench(t)
  data.set(4, counterOf([1]))
  watch.restart()
  await pass(0)
  assert.deepEqual(asked, ['/usual?series=4'], 'without an answer it is asked again later')
  await pass(10_000)
  assert.equal(asked.length, 2)
})

test('findings of all series are those of the hub', async (t) => {
  const bench = createBench(t)
  const { watch, pass } = bench
  bench.answer = packUsual(
    NOW * 1000,
    [
      { id: 7, recent: 90, usual: 20, spread: 1, rate: 90, unusualS: 30 },
      { id: 8, recent: 20, usual: 20, spread: 1, rate: 20 },
    ],
    [9],
  )
  const { value } = watch.version
  watch.restart()
  await pass(0)
  assert.equal(watch.version.value, value + 1)
  const { ratio, usual, since } = watch.finding(7)
  assert.deepEqual([ratio, usual, since], [4.5, 20, NOW - 30])
  assert.equal(watch.finding(8).since, 0)
  assert.equal(watch.finding(1).since, 0)
  assert.deepEqual(watch.unusual(), [7])
  assert.deepEqual([watch.rate(7), watch.lastValue(8), watch.rate(1)], [90, 20, Number.NaN])
  assert.deepEqual([watch.isStale(9), watch.isStale(7)], [true, false])
})

test('the hub learns what is usual, and reads the past for who asks first', async (t) => {
  const bench = createBench(t)
  const { watch, pass } = bench
  assert.equal(watch.isLearning(), false, 'nothing was said')
  bench.answer = { ...packUsual(NOW * 1000, []), endMs: null, nextMs: 1000 }
  watch.restart()
  await pass(0)
  assert.equal(watch.isLearning(), true)
  const nothing = Number.NaN
  bench.answer = packUsual(NOW * 1000, [{ id: 1, recent: 5, usual: nothing, spread: nothing }])
  await pass(1000)
  assert.equal(watch.isLearning(), true)
  bench.answer = packUsual(NOW * 1000, [
    { id: 1, recent: 5, usual: nothing, spread: nothing },
    { id: 2, recent: 5, usual: 5, spread: 1 },
  ])
  await pass(10_000)
  assert.equal(watch.isLearning(), false)
})

test('a series on screen is compared by its own seconds', async (t) => {
  const bench = createBench(t)
  const { watch, data, pass } = bench
  bench.answer = packUsual(NOW * 1000, [
    { id: 1, recent: 20, usual: 20, spread: 1 },
    { id: 2, recent: 90, usual: 20, spread: 1, unusualS: 20 },
  ])
  const quiet = new Array<number>(100).fill(20)
  data.set(1, counterOf([...quiet, ...new Array<number>(7).fill(90)]))
  data.set(2, counterOf([...quiet, ...new Array<number>(7).fill(90), ...new Array(8).fill(21)]))
  watch.restart()
  await pass(0)
  watch.round(NOW)
  // The mean of five seconds is beyond half way, 44.5, from the second second on.
  assert.deepEqual([watch.finding(1).since, watch.finding(2).since], [NOW - 6, 0])
  assert.deepEqual(watch.unusual(), [1])
})

test('what swings is compared by its mean, as the hub does', async (t) => {
  const bench = createBench(t, 'gauge')
  const { watch, data, pass } = bench
  bench.answer = packUsual(NOW * 1000, [
    { id: 1, recent: 24.5, usual: 24.5, spread: 0 },
    { id: 2, recent: 3.4e38, usual: 3.4e38, spread: 0 },
    { id: 3, recent: 20, usual: 20, spread: 0 },
    { id: 4, recent: 10, usual: 10, spread: 0 },
  ])
  const fast = new SeriesData('gauge')
  const huge = new SeriesData('gauge')
  const bursts = new SeriesData('counter')
  const spike = new SeriesData('gauge')
  for (let second = NOW - 99; second <= NOW; second += 1) {
    fast.write(second, 49, 1, { min: 0, max: 49 })
    huge.write(second, 1.7e308)
    bursts.write(second, second % 5 === 0 ? 100 : 0)
    spike.write(second, second === NOW - 3 ? 900 : 10)
  }
  for (const [i, each] of [fast, huge, bursts, spike].entries()) {
    each.cover(NOW - 100, NOW)
    data.set(i + 1, each)
  }
  watch.restart()
  await pass(0)
  watch.round(NOW)
  assert.deepEqual(watch.unusual(), [4])
  assert.deepEqual(
    [1, 2, 3].map((id) => watch.finding(id).recent),
    [24.5, 3.4e38, 20],
  )
})

test('orders by values need those of all series, at once', async (t) => {
  const bench = createBench(t)
  const { watch, asked, data, pass } = bench
  bench.answer = packUsual(NOW * 1000, [])
  data.set(1, counterOf([1]))
  watch.restart()
  await pass(0)
  watch.needAll(true)
  await pass(0)
  watch.needAll(true)
  await pass(9000)
  assert.deepEqual(asked, ['/usual?series=1', '/usual'])
  watch.needAll(false)
  await pass(1000)
  assert.deepEqual(asked.slice(2), ['/usual?series=1'])
})

test('series that come on screen are asked for soon, those of a moment together', async (t) => {
  const bench = createBench(t)
  const { watch, asked, data, pass } = bench
  bench.answer = packUsual(NOW * 1000, [])
  watch.restart()
  await pass(0)
  for (const id of [1, 2, 3]) {
    data.set(id, counterOf([1]))
    watch.shownChanged()
  }
  await pass(1000)
  assert.deepEqual(asked, ['/usual?series=', '/usual?series=1,2,3'])
})
