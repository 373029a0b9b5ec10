import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { SERIES_LIMITS, SeriesQuota } from './quota.ts'

/** Defines a series of a source; whether there was a place for it. */
function take(quota: SeriesQuota, source: string): string {
  return quota.exclusively(() => {
    const refusal = quota.refusal(source, 100)
    if (refusal === undefined) quota.add(source, 100, 0)
    return refusal ?? 'taken'
  })
}

test('the last place of all, and of a source, is given once', () => {
  const quota = SeriesQuota.create({ ...SERIES_LIMITS, seriesLimit: 3, seriesLimitPerSource: 2 })
  const sources = ['a', 'a', 'a', 'b', 'c']
  assert.deepEqual(
    sources.map((source) => take(quota, source)),
    ['taken', 'taken', 'series_limit_per_source', 'taken', 'series_limit'],
  )
  quota.remove('a', 100)
  assert.equal(take(quota, 'c'), 'taken')
  assert.equal(quota.count, 3)
})

test('any coming and going of sources is counted as a map counts it', () => {
  const step = fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 30 }))
  holds(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const quota = SeriesQuota.create({
        ...SERIES_LIMITS,
        seriesLimit: 20,
        seriesLimitPerSource: 3,
      })
      const counts = new Map<string, number>()
      for (const [isAdding, n] of steps) {
        const source = `10.0.0.${n}`
        const count = counts.get(source) ?? 0
        if (isAdding) {
          const sum = [...counts.values()].reduce((a, b) => a + b, 0)
          const taken = take(quota, source)
          assert.equal(taken === 'taken', sum < 20 && count < 3)
          if (taken === 'taken') counts.set(source, count + 1)
        } else if (count > 0) {
          quota.remove(source, 100)
          counts.set(source, count - 1)
        }
      }
      const sum = [...counts.values()].reduce((a, b) => a + b, 0)
      assert.equal(quota.count, sum)
    }),
  )
})

test('removing what was never there changes nothing', () => {
  const quota = SeriesQuota.create({ ...SERIES_LIMITS, seriesLimit: 2, seriesLimitPerSource: 2 })
  take(quota, 'a')
  quota.remove('b', 100)
  assert.equal(quota.count, 1)
})

test('a lock that a thread has left locked is freed with the thread', () => {
  const limits = { ...SERIES_LIMITS, seriesLimit: 2, seriesLimitPerSource: 2 }
  const quota = SeriesQuota.create(limits)
  const dead = SeriesQuota.open(quota.shared, limits, 7)
  dead.exclusively(() => {
    quota.releaseOf(6)
    assert.notEqual(Atomics.load(new Int32Array(quota.shared), 0), 0, 'that is another thread')
    quota.releaseOf(7)
    assert.equal(take(quota, 'a'), 'taken')
  })
  assert.equal(take(quota, 'a'), 'taken', 'the late unlock of the dead one frees nobody else')
})

const RACE = `
  import { parentPort, workerData } from 'node:worker_threads'
  const { SeriesQuota } = await import(workerData.module)
  const quota = SeriesQuota.open(workerData.shared, workerData.limits, workerData.thread)
  let taken = 0
  for (let i = 0; i < 2000; i++) {
    const source = 's' + (i % 8)
    quota.exclusively(() => {
      if (quota.refusal(source, 100) !== undefined) return
      quota.add(source, 100, 0)
      taken++
    })
  }
  parentPort.postMessage(taken)
`

test('four threads at once take exactly as many places as there are', async () => {
  const limits = { ...SERIES_LIMITS, seriesLimit: 1000, seriesLimitPerSource: 100 }
  const quota = SeriesQuota.create(limits)
  const module = new URL('./quota.ts', import.meta.url).href
  const taken = await Promise.all(
    [0, 1, 2, 3].map((thread) => {
      const workerData = { module, shared: quota.shared, limits, thread }
      const program = new URL(`data:text/javascript,${encodeURIComponent(RACE)}`)
      const worker = new Worker(program, { workerData, execArgv: [] })
      return new Promise<number>((resolve, reject) => {
        worker.once('message', resolve).once('error', reject)
      })
    }),
  )
  assert.equal(
    taken.reduce((sum, n) => sum + n, 0),
    800,
  )
  assert.equal(quota.count, 800)
})
