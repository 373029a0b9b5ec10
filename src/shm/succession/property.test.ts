import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { createZone, defined, histogramFacts, keyOf } from '../../../test/support/threads/shm.ts'
import { type Exact, Histogram } from '../../model/index.ts'
import { type Writer, Zone } from '../index.ts'

type Step =
  | { kind: 'record'; writer: number; value: number }
  | { kind: 'detach'; writer: number }
  | { kind: 'change'; by: number; workers: number; mebibytes: number }
  | { kind: 'define'; by: number }

const writer = fc.nat({ max: 3 })
const by = fc.nat({ max: 1 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('record' as const), writer, value: fc.nat() }),
  },
  fc.record({ kind: fc.constant('detach' as const), writer }),
  fc.record({
    kind: fc.constant('change' as const),
    by,
    workers: fc.integer({ min: 1, max: 6 }),
    mebibytes: fc.integer({ min: 4, max: 9 }),
  }),
  fc.record({ kind: fc.constant('define' as const), by }),
)

/** What was recorded, as one list would have it. */
class Model {
  total = 0n
  shared = 0n
  readonly histogram = new Histogram()

  record(value: number): void {
    this.total += BigInt(value)
    this.shared += BigInt(value)
    for (const each of observed(value)) this.histogram.record(each)
  }
}

const observed = (value: number): Exact[] => [value, -value, BigInt(value) * 10n ** 30n]

function recordInto(zone: Zone, through: Writer, value: number): void {
  assert.ok(through.counter(zone.find(keyOf('counter')))!.add(value))
  assert.ok(through.dense(zone.find(keyOf('dense')))!.observe(value))
  assert.ok(through.sharedGauge(zone.find(keyOf('shared')))!.add(value) !== undefined)
  const histogram = through.exponential(zone.find(keyOf('exponential')))!
  for (const each of observed(value)) assert.ok(histogram.observe(each))
}

function check(zone: Zone, model: Model): void {
  const reader = zone.reader()
  assert.equal(reader.counter(zone.find(keyOf('counter'))), model.total)
  assert.equal(reader.bins(zone.find(keyOf('dense'))).sum, model.total)
  assert.equal(reader.sharedGauge(zone.find(keyOf('shared'))), model.shared)
  const histogram = reader.exponential(zone.find(keyOf('exponential')))
  assert.deepEqual(histogramFacts(histogram), histogramFacts(model.histogram))
}

test('records, changes of the zone and leaving in any order: totals are those of one list', () => {
  holds(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const created = createZone({ workersLimit: 6 })
      for (const type of ['counter', 'dense', 'exponential'] as const) defined(created, type, type)
      created.define(keyOf('shared'), 'gauge', { mode: 'shared' })
      // Neither has a turn of the event loop: each moves when it next needs the lock or reads.
      const zones = [created, Zone.open(created.shared)]
      const zoneOf = (index: number): Zone => zones[index & 1]!
      const writers: (Writer | undefined)[] = []
      const model = new Model()
      for (const [i, s] of steps.entries()) {
        if (s.kind === 'record') {
          writers[s.writer] ??= zoneOf(s.writer).attach()
          recordInto(zoneOf(s.writer), writers[s.writer]!, s.value)
          model.record(s.value)
        } else if (s.kind === 'detach') {
          assert.ok(writers[s.writer]?.detach() ?? true)
          writers[s.writer] = undefined
        } else if (s.kind === 'define') defined(zoneOf(s.by), `name ${i}`, 'counter')
        else zoneOf(s.by).reconfigure({ workers: s.workers, zoneBytesLimit: s.mebibytes << 20 })
        check(zoneOf(i), model)
      }
      for (const zone of zones) check(zone, model)
      assert.equal(created.metrics, 4 + steps.filter(({ kind }) => kind === 'define').length)
      assert.equal(created.usage().refusals.lock_timeout, 0)
    }),
    60,
  )
})
