import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeSeries } from '../../../../test/support/series-info.ts'
import type { RangeAnswer } from '../../../http/api.ts'
import { Catalogue, type Entry } from '../catalogue.ts'
import type { HubApi } from '../hub-api.ts'
import { COLUMNS, SurveyColumns } from './columns.ts'
import { Survey } from './survey.ts'

type RangeRequest = Parameters<HubApi['range']>[0]

const NOW_MS = 1_800_000_000_000

function entry(id: number): Entry {
  const catalogue = new Catalogue()
  const series = [fakeSeries({ id, name: `series.${id}` })]
  catalogue.replace({ series, total: 1, revision: 1 })
  return catalogue.entries[0]!
}

function createApi(): { api: HubApi; requests: RangeRequest[] } {
  const requests: RangeRequest[] = []
  const range = async (request: RangeRequest): Promise<RangeAnswer> => {
    requests.push(request)
    const { fromMs, toMs, stepMs } = request
    const length = (toMs - fromMs) / stepMs
    const delta = Array.from({ length }, () => 50)
    const columns = request.series.map((id) => ({ id, kind: 'counter', delta }) as const)
    return { fromMs, stepMs, length, columns }
  }
  return { api: { range } as unknown as HubApi, requests }
}

const nobody = (): boolean => false

test('the first round reads ten minutes in columns of ten seconds', async () => {
  const { api, requests } = createApi()
  const survey = new Survey(api)
  assert.ok(await survey.round([entry(1)], nobody, NOW_MS))
  assert.deepEqual(requests, [
    { series: [1], fromMs: NOW_MS - 600_000, toMs: NOW_MS, stepMs: 10_000 },
  ])
  assert.deepEqual([...survey.columns.get(1)!.inOrder()], new Array(COLUMNS).fill(5))
})

test('later rounds read only the columns that have closed since', async () => {
  const { api, requests } = createApi()
  const survey = new Survey(api)
  await survey.round([entry(1)], nobody, NOW_MS)
  assert.ok(!(await survey.round([entry(1)], nobody, NOW_MS + 5000)))
  await survey.round([entry(1)], nobody, NOW_MS + 20_000)
  assert.deepEqual(requests.at(-1), {
    series: [1],
    fromMs: NOW_MS,
    toMs: NOW_MS + 20_000,
    stepMs: 10_000,
  })
})

test('many series take turns, those on screen come first', async () => {
  const { api, requests } = createApi()
  const survey = new Survey(api)
  const entries = Array.from({ length: 250 }, (_, i) => entry(i))
  const isVisible = (id: number): boolean => id === 240
  for (let round = 0; round < 3; round += 1) await survey.round(entries, isVisible, NOW_MS)
  assert.equal(requests[0]!.series[0], 240)
  assert.ok(requests.every(({ series }) => series.length <= 100))
  assert.equal(new Set(requests.flatMap(({ series }) => series)).size, 250)
})

test('columns wrap around and forget the skipped ones', () => {
  const columns = new SurveyColumns()
  columns.set(1000, 1)
  columns.set(1003, 4)
  assert.deepEqual([...columns.inOrder().slice(-4)], [1, NaN, NaN, 4])
  columns.set(1003 + COLUMNS, 9)
  assert.equal([...columns.inOrder()].filter((value) => !Number.isNaN(value)).length, 1)
  columns.set(1003, 7)
  assert.equal(columns.last, 9, 'what is too old changes nothing')
})
