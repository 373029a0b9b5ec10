import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { identityKey, summaryDeviation } from '../../model/index.ts'
import { identityOf, metadataOf, summaryOf } from './map.ts'
import type { CounterDescription, MeanStatistics, MetaData } from './window.ts'

const counter = (more: Partial<CounterDescription> = {}): CounterDescription => ({
  provider: 'App',
  name: 'requests',
  displayName: '',
  units: '',
  rateScaleSec: 0,
  metaData: [],
  ...more,
})

const labelsOf = (metaData: MetaData, provider = 'App') =>
  identityOf(counter({ metaData, provider }), 'counter', 'h:1').labels

suite('the identity of a counter', () => {
  test('is its name, its provider, its endpoint and its pairs in sorted order', () => {
    assert.deepEqual(
      identityOf(
        counter({
          metaData: [
            ['z', '1'],
            ['a', '2'],
          ],
        }),
        'gauge',
        'h:1',
      ),
      {
        name: 'requests',
        kind: 'gauge',
        labels: [
          ['a', '2'],
          ['endpoint', 'h:1'],
          ['provider', 'App'],
          ['z', '1'],
        ],
      },
    )
  })

  test('has no provider where the payload came without an envelope', () => {
    assert.deepEqual(labelsOf([], ''), [['endpoint', 'h:1']])
  })

  test('keeps pairs of another hub under names that nobody has', () => {
    assert.deepEqual(
      labelsOf([
        ['endpoint', 'a:1'],
        ['exported_endpoint', 'b:2'],
        ['provider', 'x'],
      ]),
      [
        ['endpoint', 'h:1'],
        ['exported_endpoint', 'b:2'],
        ['exported_exported_endpoint', 'a:1'],
        ['exported_provider', 'x'],
        ['provider', 'App'],
      ],
    )
  })

  test('is the same for any order of the pairs, and another for other pairs', () => {
    const key = fc.constantFrom('a', 'b', 'endpoint', 'exported_endpoint', 'provider')
    const pairs = fc.uniqueArray(fc.tuple(key, fc.string()), { selector: ([name]) => name })
    const keyOf = (metaData: MetaData) =>
      identityKey(identityOf(counter({ metaData }), 'counter', 'h:1')).join()
    holds(
      fc.property(pairs, pairs, (some, other) => {
        const sorted = (list: typeof some) => JSON.stringify([...list].sort())
        assert.equal(keyOf(some), keyOf([...some].reverse()))
        assert.equal(keyOf(some) === keyOf(other), sorted(some) === sorted(other))
      }),
    )
  })
})

suite('what else is known of a counter', () => {
  test('is stated where the payload says it', () => {
    const said = counter({ displayName: 'Requests', units: 'B', rateScaleSec: 60 })
    assert.deepEqual(metadataOf(said, 'sum'), {
      dialect: 'eventcounters',
      type: 'Sum',
      displayName: 'Requests',
      unit: 'B',
      rateTimeScaleS: 60,
    })
    assert.deepEqual(metadataOf(counter({ displayName: 'requests', rateScaleSec: 60 }), 'mean'), {
      dialect: 'eventcounters',
      type: 'Mean',
    })
  })
})

suite('statistics as a summary', () => {
  const mean = (more: Partial<MeanStatistics>): MeanStatistics => ({
    ...{ kind: 'mean', count: 4, mean: 2.5, deviation: Math.sqrt(1.25), min: 1, max: 4 },
    ...more,
  })

  test('keep count, mean, range and deviation', () => {
    const { summary, gap } = summaryOf(mean({}))
    assert.equal(gap, undefined)
    assert.deepEqual([summary!.count, summary!.mean, summary!.min, summary!.max], [4, 2.5, 1, 4])
    assert.ok(Math.abs(summary!.squares - 5) < 1e-12)
    assert.ok(Math.abs(summaryDeviation(summary!) - Math.sqrt(1.25)) < 1e-12)
  })

  test('of an empty interval are empty, without the infinities of the wire', () => {
    const { summary, gap } = summaryOf(
      mean({ count: 0, mean: 0, deviation: 0, min: Infinity, max: -Infinity }),
    )
    assert.equal(gap, undefined)
    assert.deepEqual(summary, { count: 0, mean: 0, squares: 0, min: NaN, max: NaN })
  })

  test('that .NET does not know are named, and never poison what is known', () => {
    assert.deepEqual(summaryOf(mean({ mean: NaN })), { summary: undefined, gap: 'no_mean' })
    assert.deepEqual(summaryOf(mean({ deviation: NaN })), {
      summary: { count: 4, mean: 2.5, squares: 0, min: 1, max: 4 },
      gap: 'no_deviation',
    })
    for (const range of [{ min: NaN }, { max: NaN }, { min: NaN, max: NaN }]) {
      const { summary, gap } = summaryOf(mean({ ...range, deviation: 0 }))
      assert.deepEqual(summary, { count: 4, mean: 2.5, squares: 0, min: 2.5, max: 2.5 })
      assert.equal(gap, 'no_range')
    }
    assert.equal(summaryOf(mean({ deviation: 1e200 })).summary!.squares, Number.MAX_VALUE)
  })
})
