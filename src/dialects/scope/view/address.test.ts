import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { SCOPE, type ScopeState, STANDARD } from './address.ts'

function linkOf(state: ScopeState): string {
  const query = new URLSearchParams()
  return `${SCOPE.format(state, query)}?${query}`
}

function read(link: string): ScopeState | undefined {
  const [rest = '', query = ''] = link.split(/\?(.*)/s)
  return SCOPE.parse(rest, new URLSearchParams(query))
}

test('the standard state has a link without parameters', () => {
  assert.equal(linkOf(STANDARD), '?')
  assert.deepEqual(read(''), STANDARD)
  assert.equal(read('/elsewhere'), undefined)
})

test('every state survives its link, whatever names hold', () => {
  const name = fc.string({ minLength: 1, maxLength: 12, unit: 'binary' }).filter((text) => {
    return text.isWellFormed()
  })
  const number = fc.double({ noNaN: true, noDefaultInfinity: true })
  const end = fc.option(number)
  const unique = <T>(each: fc.Arbitrary<T>) => fc.uniqueArray(each, { maxLength: 3 })
  const state: fc.Arbitrary<ScopeState> = fc.record({
    sources: unique(name),
    series: unique(name),
    statistics: fc.constantFrom([], ['p50' as const], ['p99.9' as const, 'mean' as const]),
    windowS: fc.integer({ min: 1, max: 600 }),
    columns: fc.integer({ min: 1, max: 10 }),
    aspect: fc.option(fc.integer({ min: 10, max: 50 }).map((tenths) => tenths / 10)),
    isLegendHidden: fc.boolean(),
    yRanges: fc.array(fc.record({ plot: name, min: fc.constant(null), max: end }), {
      maxLength: 2,
    }),
    yZooms: fc.array(
      fc.record({ plot: name, min: number.filter((n) => n < 0), max: number.filter((n) => n > 0) }),
      { maxLength: 2 },
    ),
    averages: fc.array(
      fc.oneof(
        fc.record({ key: name, samples: fc.integer({ min: 1, max: 600_000 }) }),
        fc.record({ key: name, seconds: fc.integer({ min: 1, max: 600 }) }),
      ),
      { maxLength: 2 },
    ),
    triggers: fc.array(fc.record({ key: name, below: end, above: end }), { maxLength: 2 }),
    plots: fc.array(fc.record({ name, plot: name }), { maxLength: 2 }),
    hidden: unique(name),
    filter: fc.string(),
    samplingS: fc.option(fc.integer({ min: 10, max: 999 }).map((ms) => ms / 1000)),
    timeoutS: fc.integer({ min: 1, max: 100 }),
    theme: fc.constantFrom(null, 'light', 'dark'),
    atMs: fc.option(fc.integer({ min: 1, max: 4e12 })),
    part: fc.record({
      backS: fc.integer({ min: 0, max: 600_000 }).map((ms) => ms / 1000),
      spanS: fc.option(fc.integer({ min: 1, max: 600_000 }).map((ms) => ms / 1000)),
    }),
    faults: fc.constant([]),
  })
  holds(
    fc.property(state, (each) => {
      const back = read(linkOf(each))
      // a name of a plot may be empty text beside it, -0 is written as 0
      assert.deepEqual(JSON.parse(JSON.stringify(back)), JSON.parse(JSON.stringify(each)))
    }),
  )
})

test('what the original takes is taken, and moved into its bounds', () => {
  const state = read('?time-window=5000&chart-cols=0&chart-aspect=9&hide-legend&sma=a=2s')!
  assert.deepEqual(
    [state.windowS, state.columns, state.aspect, state.isLegendHidden],
    [600, 1, 5, true],
  )
  assert.deepEqual(state.averages, [{ key: 'a', seconds: 2 }])
  assert.equal(read('?chart-columns=4')?.columns, 4)
  assert.equal(read('?sampling-interval=0.0001')?.samplingS, 0.01)
})

test('what cannot be read is left out and told, each by itself', () => {
  const state = read(
    '?trigger=a&trigger=b=,1&y-range=p=3,2&theme=pink&quantile=p101&at=never&y-zoom=p=3,&zoom=0',
  )!
  assert.deepEqual(state.triggers, [{ key: 'b', below: null, above: 1 }])
  assert.deepEqual([...state.faults].sort(), [
    'at=never',
    'quantile=p101',
    'theme=pink',
    'trigger=a',
    'y-range=p=3,2',
    'y-zoom=p=3,',
    'zoom=0',
  ])
})
