import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeSeries } from '../../../test/support/series-info.ts'
import type { HistogramCellJson, SeriesInfo } from '../../http/api.ts'
import { Catalogue, type Entry } from '../store/catalogue.ts'
import { boardSeries, measure, parseStatistic } from './measures.ts'

function entriesOf(...parts: Partial<SeriesInfo>[]): readonly Entry[] {
  const catalogue = new Catalogue()
  const series = parts.map((part, i) => fakeSeries({ id: i + 1, ...part }))
  catalogue.replace({ series, total: series.length, revision: 1 })
  return catalogue.entries
}

const attached = (source: string): Partial<SeriesInfo> => ({
  name: 'motor.current',
  kind: 'gauge',
  labels: [['scope.source', source]],
  sourceLabel: 'scope.source',
})

test('a name is without whose it is, unless it needs it', () => {
  const names = (...parts: Partial<SeriesInfo>[]) =>
    boardSeries(entriesOf(...parts), ['p99']).map(({ name }) => name)
  assert.deepEqual(names(attached('a:1')), ['motor.current'])
  assert.deepEqual(names(attached('a:1'), attached('b:1')), [
    'motor.current{scope.source=a:1}',
    'motor.current{scope.source=b:1}',
  ])
  const same = { name: 'same', labels: [] }
  const both = names({ ...same, kind: 'gauge' }, { ...same, kind: 'counter', type: 'm' })
  assert.equal(new Set(both).size, 2)
})

test('a caption is without the labels that all lines have alike', () => {
  const captions = (...parts: Partial<SeriesInfo>[]) =>
    boardSeries(entriesOf(...parts), ['p99']).map(({ caption }) => caption)
  const depot = (name: string, ...labels: (readonly [string, string])[]): Partial<SeriesInfo> => ({
    ...{ name, kind: 'gauge' },
    labels: [['provider', 'Depot'], ...labels],
  })
  assert.deepEqual(captions(depot('a')), ['a{provider=Depot}'])
  assert.deepEqual(captions(depot('a', ['chute', 'x']), depot('a', ['chute', 'y']), depot('b')), [
    'a{chute=x}',
    'a{chute=y}',
    'b',
  ])
  const other = { name: 'c', kind: 'gauge' as const, labels: [] }
  assert.deepEqual(captions(depot('a'), other), ['a{provider=Depot}', 'c'])
  const lines = [depot('a'), { ...depot('b'), kind: 'histogram' as const }]
  assert.deepEqual(captions(...lines), ['a', 'b.p99'])
})

test('a distribution has a line for each statistic, in a plot of its name', () => {
  const named = { name: 'latency', labels: [['route', '/pay']] } as const
  const entries = entriesOf({ ...named, kind: 'histogram', color: 'red' })
  const lines = boardSeries(entries, ['p50', 'p99.9'])
  assert.deepEqual(
    lines.map(({ name, about: { plot, color } }) => [name, plot, color]),
    [
      ['latency.p50{route=/pay}', 'latency{route=/pay}', undefined],
      ['latency.p99.9{route=/pay}', 'latency{route=/pay}', undefined],
    ],
  )
})

test('a summary knows no quantiles: its mean stands for them, once', () => {
  const lines = boardSeries(entriesOf({ name: 's', kind: 'summary' }), ['p50', 'p99', 'max'])
  assert.deepEqual(
    lines.map(({ name }) => name),
    ['s.mean', 's.max'],
  )
})

test('a counter is a rate per second, with its unit', () => {
  const [line] = boardSeries(entriesOf({ name: 'c', kind: 'counter', unit: 'B' }), ['p99'])
  assert.equal(line!.about.unit, 'B/s')
  assert.equal(measure(line!, '30', 2), 15)
  assert.equal(measure(line!, null, 1), Number.NaN)
})

test('statistics are read from cells', () => {
  const cell: HistogramCellJson = {
    ...{ count: 4, sum: 20, min: 1, max: 8, p50: 4, p90: 7, p99: 8 },
    ...{ scale: 0, offset: 0, counts: [1, 1, 2], zero: 0, negative: 0 },
  }
  const value = (statistic: string, of: HistogramCellJson = cell) => {
    const entries = entriesOf({ name: 'h', kind: 'histogram' })
    return measure(boardSeries(entries, [parseStatistic(statistic)!])[0]!, of, 1)
  }
  assert.deepEqual(
    ['p50', 'p90', 'p99', 'min', 'max', 'mean', 'p0', 'p100'].map((each) => value(each)),
    [4, 7, 8, 1, 8, 5, 1, 8],
  )
  const p75 = value('p75')
  assert.ok(p75 > 4 && p75 <= 8, String(p75))
  assert.equal(value('p99', { ...cell, count: 0 }), Number.NaN)
})

test('words that are no statistic are none', () => {
  for (const text of ['p', 'p101', 'p-1', 'median', '99', 'p9.1234']) {
    assert.equal(parseStatistic(text), undefined, text)
  }
  assert.equal(parseStatistic('p099'), undefined)
  assert.equal(parseStatistic('p05'), 'p5')
})
