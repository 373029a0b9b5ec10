/** New series in a layout that is kept: the same as if it had been made anew. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeHubView } from '../../../../test/support/hub/fake-hub-view.ts'
import { holds } from '../../../../test/support/property.ts'
import { KINDS } from '../../../model/index.ts'
import { Exposition, type PrometheusOptions } from './exposition.ts'

const SILENT = { count() {} }

function textOf(exposition: Exposition): string {
  return [...exposition.pieces('text')].join('')
}

/** Few names and labels, so that families and label sets are wanted more than once. */
const series = fc.record({
  name: fc.constantFrom('a', 'a_total', 'a_sum', 'a.b', 'a_b', 'a_gauge', 'a_hist', 'b', 'zz'),
  kind: fc.constantFrom(...KINDS),
  labels: fc.constantFrom([], [['k', '1']], [['k', '2']], [['k', '3']]) as fc.Arbitrary<
    [string, string][]
  >,
})
const step = fc.oneof(
  { weight: 8, arbitrary: fc.array(series, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant('remove' as const) },
)

for (const options of [{}, { exportRates: true, nativeHistograms: true }] as PrometheusOptions[]) {
  test(`series come and go, the text is that of a first scrape ${Object.keys(options)}`, () => {
    holds(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const hub = new FakeHubView()
        const kept = new Exposition(hub, options, SILENT)
        for (const each of steps) {
          if (each === 'remove') {
            const [first] = hub.series
            if (first !== undefined) hub.series.remove(first.id)
          } else for (const added of each) give(hub, added)
          assert.equal(textOf(kept), textOf(new Exposition(hub, options, SILENT)))
        }
      }),
      200,
    )
  })
}

type Given = Parameters<FakeHubView['add']>[0]

function give(hub: FakeHubView, given: Given): void {
  const id = hub.add(given)
  if (given.kind === 'counter') hub.count(id, 1)
  else if (given.kind === 'gauge') hub.set(id, 2)
  else if (given.kind === 'histogram') hub.observe(id, 3)
  else hub.sample(id, 4)
}

test('a series that comes while a scrape is under way is at most at its end', () => {
  const hub = new FakeHubView()
  for (const name of ['b', 'd']) hub.set(hub.add({ name, kind: 'gauge' }), 1)
  const exposition = new Exposition(hub, {}, SILENT)
  const first = exposition.pieces('text')
  let text = ''
  for (let piece = first.next(); piece.done !== true; piece = first.next()) {
    text += piece.value ?? ''
    if (hub.series.size > 2 || !text.includes('b 1')) continue
    for (const name of ['a', 'c', 'e']) hub.set(hub.add({ name, kind: 'gauge' }), 1)
    textOf(exposition)
  }
  const samples = (whole: string): string[] => whole.match(/^\w+(?= 1$)/gm) ?? []
  assert.deepEqual(samples(text), ['b', 'd'])
  assert.deepEqual(samples(textOf(exposition)), ['a', 'b', 'c', 'd', 'e'])
})
