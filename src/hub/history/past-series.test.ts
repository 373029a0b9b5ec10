import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FoundSeries, PastQuery, PastSeries as StoredPast } from '../../history/store.ts'
import { identityKey } from '../../model/index.ts'
import { PastSeries } from './past-series.ts'

const QUERY = { filter: '', fromS: 100, toS: 200, limit: 1000 }

function keyOf(name: string): Uint8Array {
  return identityKey({ name, kind: 'gauge', labels: [] })
}

function stored(name: string, more: Partial<StoredPast> = {}): StoredPast {
  return { key: keyOf(name), metadata: { dialect: 'test' }, firstS: 110, lastS: 150, ...more }
}

/** Past over a history that has these, and five more. */
function pastOf(series: readonly StoredPast[]) {
  const asked: PastQuery[] = []
  const reader = {
    series,
    find: async (query: PastQuery): Promise<FoundSeries> => {
      asked.push(query)
      return { series: reader.series, total: reader.series.length + 5 }
    },
  }
  return { past: new PastSeries(reader), asked, reader }
}

suite('series of the past', () => {
  test('have ids that stay while they are told again, and the life that is known', async () => {
    const origin = JSON.stringify({ source: '10.0.0.1', isKept: false })
    const unknown = { key: keyOf('b'), metadata: { dialect: 'engine' } }
    const { past, asked } = pastOf([stored('a', { origin }), unknown])
    const { series, total } = await past.find(QUERY)
    assert.equal(total, 7)
    const [a, b] = series
    assert.deepEqual(
      [a!.source, a!.firstSeenMs, a!.lastDataMs, a!.goneMs],
      [...['10.0.0.1', 109_000, 150_000, 150_000]],
    )
    assert.deepEqual(
      [b!.source, b!.firstSeenMs, b!.lastDataMs, b!.goneMs],
      [...['', 100_000, 200_000, undefined]],
    )
    assert.ok(a!.id >= 2 ** 31 && b!.id > a!.id)
    assert.deepEqual((await past.find(QUERY)).series, series)
    assert.equal(past.get(a!.id)!.identity.name, 'a')
    assert.equal(past.get(1), undefined)
    assert.equal(asked[0]!.partEnding, '\ndecrement')
  })

  test('are none whose key names no series', async () => {
    const { past } = pastOf([stored('a'), stored('b', { key: new Uint8Array(3) })])
    const { series } = await past.find(QUERY)
    assert.deepEqual(
      series.map(({ identity }) => identity.name),
      ['a'],
    )
  })

  test('are remembered within a bound, those told last', async () => {
    const { past, reader } = pastOf([stored('first')])
    const [first] = (await past.find(QUERY)).series
    reader.series = Array.from({ length: 19_999 }, (_, i) => stored(`n${i}`))
    const [second] = (await past.find(QUERY)).series
    assert.notEqual(past.get(first!.id), undefined)
    reader.series = [stored('first'), stored('one more')]
    await past.find(QUERY)
    assert.notEqual(past.get(first!.id), undefined)
    assert.equal(past.get(second!.id), undefined)
  })
})
