import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { createZone, defined, histogramFacts } from '../../../test/support/threads/shm.ts'
import { type Exact, Histogram } from '../../model/index.ts'
import type { MetricType, WindowReading, Writer } from '../index.ts'

const HUGE = 10n ** 100n
const value: fc.Arbitrary<Exact> = fc.oneof(
  fc.integer({ min: 0, max: 1000 }),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -HUGE, max: HUGE }),
)
type Step =
  | { kind: 'add'; writer: number; metric: number; n: number }
  | { kind: 'observe'; writer: number; metric: number; value: Exact }
  | { kind: 'detach'; writer: number }

const place = { writer: fc.nat({ max: 2 }), metric: fc.nat({ max: 2 }) }
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), ...place, n: fc.nat() }),
  fc.record({ kind: fc.constant('observe' as const), ...place, value }),
  fc.record({ kind: fc.constant('detach' as const), writer: place.writer }),
)

test('whatever order writers work and leave in, totals are those of one list', () => {
  holds(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const zone = createZone({ workersLimit: 3 })
      const names = (type: MetricType): number[] =>
        [0, 1, 2].map((i) => defined(zone, `${type}${i}`, type))
      const [counters, histograms, dense] = [names('counter'), names('exponential'), names('dense')]
      const totals = [0n, 0n, 0n]
      const models = totals.map(() => new Histogram())
      const writers: (Writer | undefined)[] = []
      for (const s of steps) {
        writers[s.writer] ??= zone.attach()
        const writer = writers[s.writer]!
        if (s.kind === 'add') {
          assert.ok(writer.counter(counters[s.metric]!)!.add(s.n))
          assert.ok(writer.dense(dense[s.metric]!)!.observe(s.n))
          totals[s.metric]! += BigInt(s.n)
        } else if (s.kind === 'observe') {
          assert.ok(writer.exponential(histograms[s.metric]!)!.observe(s.value))
          models[s.metric]!.record(s.value)
        } else {
          assert.ok(writer.detach())
          writers[s.writer] = undefined
        }
      }
      const reader = zone.reader()
      for (const i of [0, 1, 2]) {
        assert.equal(reader.counter(counters[i]!), totals[i])
        assert.equal(reader.dense(dense[i]!).sum, totals[i])
        assert.deepEqual(
          histogramFacts(reader.exponential(histograms[i]!)),
          histogramFacts(models[i]!),
        )
      }
      const used = zone.usage().segments.filter(({ segment }) => segment > 0)
      assert.equal(used.length, writers.filter((writer) => writer !== undefined).length)
    }),
    150,
  )
})

test('folding takes the finest scale that holds the buckets of both, on either side', () => {
  for (const lists of [
    [[1], [1_000_000]],
    [
      [-7, 3],
      [-90_000_000, 3],
    ],
    [
      [1, 2, -5],
      [0, 1e-6],
    ],
    [[2], [-2], [2n ** 300n]],
  ]) {
    const zone = createZone()
    const metric = defined(zone, 'a', 'exponential')
    const model = new Histogram()
    const writers = lists.map((values) => {
      const writer = zone.attach()
      for (const v of values) {
        writer.exponential(metric)!.observe(v)
        model.record(v)
      }
      return writer
    })
    for (const writer of writers) {
      writer.detach()
      const histogram = zone.reader().exponential(metric)
      assert.deepEqual(histogramFacts(histogram), histogramFacts(model))
    }
  }
})

test('a detached writer’s handles refuse everything and disturb nobody', () => {
  const zone = createZone()
  const metrics = (['counter', 'gauge', 'dense', 'exponential'] as const).map((type) =>
    defined(zone, type, type),
  ) as [number, number, number, number]
  const writer = zone.attach()
  const counter = writer.counter(metrics[0])!
  const gauge = writer.gauge(metrics[1])!
  const dense = writer.dense(metrics[2])!
  const exponential = writer.exponential(metrics[3])!
  exponential.observe(-1)
  assert.ok(writer.detach())
  assert.equal(writer.isAttached, false)
  assert.ok(writer.detach(), 'a second time is no error')
  const next = zone.attach()
  assert.equal(next.segment, writer.segment)
  assert.ok(next.counter(metrics[0])!.add(1))
  for (const n of [0, 1, 5000, 2 ** 40]) {
    assert.equal(counter.add(n), false, `${n}`)
    assert.equal(counter.addExact(BigInt(n)), false)
    assert.equal(dense.observe(n), false)
    assert.equal(gauge.set(n), false)
    for (const v of [n, -n, n + 0.5, BigInt(n)]) {
      assert.equal(exponential.observe(v), false, `${v}`)
      assert.equal(exponential.observe(v, 3), false)
    }
  }
  assert.equal(counter.value(), 0n)
  assert.equal(writer.counter(metrics[0]), undefined)
  const reader = zone.reader()
  assert.equal(reader.counter(metrics[0]), 1n)
  assert.equal(reader.exponential(metrics[3]).count, 1n)
  assert.equal(reader.dense(metrics[2]).sum, 0n)
})

test('folding needs no memory: it works in a full zone, and gives pages and blocks back', () => {
  const zone = createZone({ zoneBytesLimit: 1_048_576 })
  const metric = defined(zone, 'a', 'exponential')
  const model = new Histogram()
  const lease = (seed: number): Writer => {
    const writer = zone.attach()
    for (const v of [seed, -seed, 1000 * seed]) {
      assert.ok(writer.exponential(metric)!.observe(v))
      model.record(v)
    }
    return writer
  }
  lease(2).detach() // from here on the base has its chunk and its negative ring
  let writers = [lease(3), lease(5)]
  for (let i = 0; ; i++) {
    if (zone.define(new Uint8Array(4096).fill(i), 'counter') < 0) break
  }
  assert.equal(zone.usage().bytesTotal, 1_048_576)
  for (let round = 0; round < 200; round++) {
    for (const writer of writers) assert.ok(writer.detach())
    writers = [lease(7 + round), lease(11)]
  }
  assert.deepEqual(histogramFacts(zone.reader().exponential(metric)), histogramFacts(model))
  assert.equal(zone.usage().bytesTotal, 1_048_576)
})

test('the window of a writer that left counts in the same window', () => {
  const zone = createZone()
  const metric = defined(zone, 'a', 'exponential')
  const reading: WindowReading = { min: 0, max: 0, isExact: true }
  const [a, b, c] = [zone.attach(), zone.attach(), zone.attach()]
  a.exponential(metric)!.observe(4)
  b.exponential(metric)!.observe(2n ** 60n + 1n)
  a.detach()
  b.detach()
  c.exponential(metric)!.observe(6)
  const reader = zone.reader()
  const epoch = reader.closeWindow()
  assert.ok(reader.window(metric, epoch, reading))
  assert.deepEqual(reading, { min: 4, max: 2 ** 60, isExact: false })
  c.exponential(metric)!.observe(5)
  c.detach()
  assert.ok(reader.window(metric, reader.closeWindow(), reading))
  assert.deepEqual(reading, { min: 5, max: 5, isExact: true })
})
