/**
 * Series that come, change and leave while an exposition is kept: the same as of a first scrape,
 * and never what a strict reader refuses.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeHubView } from '../../../../../test/support/hub/fake-hub-view.ts'
import { parseExposition } from '../../../../../test/support/outputs/exposition-parser.ts'
import { holds } from '../../../../../test/support/property.ts'
import { KINDS } from '../../../../model/index.ts'
import { Exposition, type PrometheusOptions } from '../exposition.ts'

const SILENT = { count() {} }

function textOf(exposition: Exposition): string {
  return joined([...exposition.pieces('text')])
}

function joined(pieces: readonly (string | Uint8Array | undefined)[]): string {
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece ?? ''))).toString()
}

/** Few names and labels, so that families and label sets are wanted more than once. */
const series = fc.record({
  name: fc.constantFrom('a', 'a_total', 'a_sum', 'a.b', 'a_b', 'a_gauge', 'a_hist', 'b', 'zz'),
  kind: fc.constantFrom(...KINDS),
  labels: fc.constantFrom([], [], [['k', '1']], [['k', '2']]) as fc.Arbitrary<[string, string][]>,
})
const number = fc.nat(99)
const step = fc.oneof(
  { weight: 8, arbitrary: fc.array(series, { maxLength: 3 }) },
  { weight: 2, arbitrary: fc.record({ removed: number }) },
  {
    weight: 2,
    arbitrary: fc.record({ changed: number, exportSuffix: fc.constantFrom('hist', 'sum', 'b') }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function apply(hub: FakeHubView, each: Step): void {
  if (Array.isArray(each)) {
    for (const added of each) give(hub, added)
    return
  }
  const all = [...hub.series]
  if (all.length === 0) return
  if ('removed' in each) hub.series.remove(all[each.removed % all.length]!.id)
  else hub.series.annotate(all[each.changed % all.length]!.id, { exportSuffix: each.exportSuffix })
}

for (const options of [{}, { exportRates: true, nativeHistograms: true }] as PrometheusOptions[]) {
  const names = Object.keys(options)
  test(`series come, change and go, the text is that of a first scrape ${names}`, () => {
    holds(
      fc.property(fc.array(step, { maxLength: 12 }), fc.boolean(), (steps, isScraped) => {
        const hub = new FakeHubView()
        const kept = new Exposition(hub, options, SILENT)
        for (const each of steps) {
          apply(hub, each)
          if (!isScraped) continue
          assert.equal(textOf(kept), textOf(new Exposition(hub, options, SILENT)))
        }
        assert.equal(textOf(kept), textOf(new Exposition(hub, options, SILENT)))
      }),
      200,
    )
  })
}

test('whatever comes, changes and goes meanwhile, a scrape is what a strict reader takes', () => {
  holds(
    fc.property(
      fc.array(step, { maxLength: 8 }),
      fc.array(step, { maxLength: 12 }),
      (had, come) => {
        const hub = new FakeHubView()
        for (const each of had) apply(hub, each)
        const exposition = new Exposition(hub, {}, SILENT)
        const pieces: (string | Uint8Array | undefined)[] = []
        for (const piece of exposition.pieces('openmetrics')) {
          pieces.push(piece)
          const next = come.shift()
          if (next === undefined) continue
          apply(hub, next)
          if (come.length % 2 === 0) textOf(exposition)
        }
        parseExposition(joined(pieces), 'openmetrics')
      },
    ),
    300,
  )
})

test('names do not depend on the order in which series came', () => {
  const unique = fc.uniqueArray(series, { selector: (each) => JSON.stringify(each), maxLength: 8 })
  const shuffled = unique.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
  )
  const lines = (all: readonly Given[]): string[] => {
    const hub = new FakeHubView()
    for (const each of all) give(hub, each)
    const text = textOf(new Exposition(hub, {}, SILENT))
    return text.split('\n').sort()
  }
  holds(
    fc.property(shuffled, ([all, other]) => {
      const [one, two] = [lines(all), lines(other)]
      assert.deepEqual(samplesOf(one), samplesOf(two))
    }),
    300,
  )
})

test('numbers of many series that left make room, and those that stayed are shown', () => {
  const hub = new FakeHubView()
  const exposition = new Exposition(hub, {}, SILENT)
  const ids = Array.from({ length: 4000 }, (_, i) => {
    const id = hub.add({ name: `n${i}`, kind: 'counter' })
    hub.count(id, i)
    return id
  })
  textOf(exposition)
  const running = exposition.pieces('text')
  running.next()
  for (const id of ids) if (id % 3 > 0) hub.series.remove(id)
  textOf(exposition)
  for (const name of ['n1', 'n3', 'n_new']) hub.add({ name, kind: 'counter' })
  hub.series.annotate(6, { exportSuffix: 'hist' })
  assert.equal(textOf(exposition), textOf(new Exposition(hub, {}, SILENT)))
  const samples: string[] = joined([...running]).match(/^n\d+_total \d+$/gm) ?? []
  assert.equal(new Set(samples).size, samples.length)
  for (const id of ids) if (id % 3 === 0) assert.ok(samples.includes(`n${id}_total ${id}`), `${id}`)
})

/** Names and labels of samples; HELP is that of the first series. */
function samplesOf(lines: readonly string[]): string[] {
  return lines.filter((line) => !line.startsWith('# HELP'))
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
  assert.deepEqual(samples(textOf(exposition)), ['b', 'd', 'a', 'c', 'e'])
})
