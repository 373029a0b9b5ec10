import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fakeSeries } from '../../../test/support/series-info.ts'
import type { SeriesInfo } from '../../http/api.ts'
import { type HubApi, RefusedRequest } from '../store/hub-api.ts'
import { PastList } from './past-list.ts'

const SERIES = [fakeSeries({ id: 2 ** 31, name: 'a', isPast: true })]

suite('the list of the past', () => {
  /** A list, the questions it asks, and what it has told. */
  function listOf(answer: HubApi['listPast']) {
    const asked: object[] = []
    const told: (readonly SeriesInfo[])[] = []
    const api: Pick<HubApi, 'listPast'> = {
      listPast: (request) => {
        asked.push(request)
        return answer(request)
      },
    }
    const list = new PastList(api, { setPast: (series) => told.push(series) })
    return { list, asked, told }
  }

  const settle = () => new Promise((resolve) => setImmediate(resolve))

  test('asks once for a time and its words, and says how many are not told', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { list, asked, told } = listOf(async () => ({ series: SERIES, total: 12_001 }))
    list.show('a', { from: 10, to: 20 })
    list.show('a*b', { from: 10, to: 20 })
    list.show('a*b', { from: 10, to: 20 })
    t.mock.timers.tick(1000)
    await settle()
    assert.deepEqual(asked, [{ words: 'a b', limit: 500, fromMs: 10_000, toMs: 20_000 }])
    assert.deepEqual(told, [SERIES])
    assert.match(list.note.value, /^12.000 more of the past: narrow the words$/)
    list.show('a*b', undefined)
    t.mock.timers.tick(1000)
    assert.deepEqual([told.at(-1), list.note.value, asked.length], [[], '', 1])
  })

  test('says why the hub has none, asks anew of another hub, and drops what is late', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    let answer: () => Promise<{ series: SeriesInfo[]; total: number }> = async () => {
      throw new RefusedRequest('/past', 400, '6000 series, limit 5000')
    }
    const { list, asked, told } = listOf(() => answer())
    list.show('', { from: 0, to: 9 })
    t.mock.timers.tick(1000)
    await settle()
    assert.equal(list.note.value, 'the past: 6000 series, limit 5000')
    const late = Promise.withResolvers<{ series: SeriesInfo[]; total: number }>()
    answer = () => late.promise
    list.renew()
    t.mock.timers.tick(1000)
    assert.equal(asked.length, 2)
    list.show('', undefined)
    late.resolve({ series: SERIES, total: 1 })
    await settle()
    assert.deepEqual(told.at(-1), [])
    list.stop()
  })
})
