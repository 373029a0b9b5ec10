import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds, load } from '../../test/support/property.ts'
import { createZone, defined, histogramFacts, keyOf } from '../../test/support/threads/shm.ts'
import { Histogram } from '../model/index.ts'
import { type MetricType, refusalOf, type WindowReading, type Writer, type Zone } from './index.ts'

const MEBIBYTE = 1_048_576
const TYPES = ['counter', 'gauge', 'dense', 'exponential'] satisfies MetricType[]

/** One recording of every kind that a metric of the type keeps. */
function recordAll(writer: Writer, metric: number, type: MetricType): void {
  if (type === 'counter') writer.counter(metric)!.add(7)
  if (type === 'gauge') writer.gauge(metric)!.set(7)
  if (type === 'dense') writer.dense(metric)!.observe(7)
  if (type !== 'exponential') return
  for (const value of [7, -7, 0, 0.5, 10n ** 60n, -(10n ** 60n), 1e-9]) {
    assert.ok(writer.exponential(metric)!.observe(value, 3))
  }
}

/** What a metric holds, over all segments. */
function totalOf(zone: Zone, metric: number): unknown {
  const reader = zone.reader()
  switch (zone.type(metric)) {
    case 'counter':
      return reader.counter(metric)
    case 'gauge': {
      const reading = { value: 0, sequence: 0 }
      return [reader.gauge(metric, reading), reading]
    }
    case 'dense':
      return reader.dense(metric)
    case 'exponential':
      return histogramFacts(reader.exponential(metric))
  }
}

test('the next metric of the type has the number, and begins at nothing', () => {
  for (const type of TYPES) {
    const zone = createZone()
    const neighbour = defined(zone, 'neighbour', type)
    const metric = defined(zone, 'first', type)
    const untouched = totalOf(zone, metric)
    const [gone, other, writer] = [zone.attach(), zone.attach(), zone.attach()]
    for (const each of [gone, other, writer]) {
      recordAll(each, neighbour, type)
      recordAll(each, metric, type)
    }
    gone.detach()
    const kept = totalOf(zone, neighbour)
    assert.notDeepEqual(totalOf(zone, metric), untouched)
    assert.equal(zone.retire(metric), true)
    assert.equal(zone.find(keyOf('first')), -1)
    assert.equal(zone.define(keyOf('again'), type), metric)
    assert.deepEqual(totalOf(zone, metric), untouched)
    assert.deepEqual(totalOf(zone, neighbour), kept)
    for (const each of [other, writer]) recordAll(each, metric, type)
    const expected = createZone()
    const [one, two] = [expected.attach(), expected.attach()]
    recordAll(one, defined(expected, 'x', type), type)
    recordAll(two, 0, type)
    if (type === 'gauge') continue // its sequence goes on
    assert.deepEqual(totalOf(zone, metric), totalOf(expected, 0))
  }
})

test('the window of a retired histogram is not the next one’s', () => {
  const zone = createZone()
  const writer = zone.attach()
  const reader = zone.reader()
  const reading: WindowReading = { min: 0, max: 0, isExact: true }
  const metric = defined(zone, 'a', 'exponential')
  writer.exponential(metric)!.observe(-4)
  zone.retire(metric)
  assert.equal(defined(zone, 'b', 'exponential'), metric)
  const epoch = reader.closeWindow()
  assert.equal(reader.windowChanged(metric, epoch), false)
  assert.equal(reader.window(metric, epoch, reading), false)
  writer.exponential(metric)!.observe(5)
  assert.ok(reader.window(metric, reader.closeWindow(), reading))
  assert.deepEqual(reading, { min: 5, max: 5, isExact: true })
})

test('handles of a retired metric refuse, and the next metric gets others', () => {
  const zone = createZone()
  const writer = zone.attach()
  for (const type of TYPES) {
    const metric = defined(zone, `old ${type}`, type)
    const old = writer[type](metric)!
    recordAll(writer, metric, type)
    zone.retire(metric)
    assert.equal(defined(zone, `new ${type}`, type), metric)
    const before = totalOf(zone, metric)
    assert.notEqual(writer[type](metric), old)
    for (const value of [1, 2 ** 40, 2n ** 63n, -1, 0.5]) {
      const isTaken =
        'set' in old
          ? old.set(value)
          : 'observe' in old
            ? old.observe(value)
            : typeof value === 'bigint'
              ? old.addExact(value)
              : old.add(value)
      assert.equal(isTaken, false)
    }
    assert.deepEqual(totalOf(zone, metric), before)
  }
})

test('a released handle refuses, what it recorded stays, and the writer gives a new one', () => {
  const zone = createZone()
  const writer = zone.attach()
  const metric = defined(zone, 'a', 'counter')
  const old = writer.counter(metric)!
  old.add(3)
  writer.release(metric)
  writer.release(metric)
  for (const none of [-1, 7, 0.5, Number.NaN]) writer.release(none)
  assert.equal(old.add(1), false)
  assert.equal(old.addExact(1n), false)
  assert.equal(old.value(), 0n)
  assert.ok(writer.counter(metric)!.add(4))
  assert.equal(zone.reader().counter(metric), 7n)
})

test('a retired metric is none until its number is given out again', () => {
  const zone = createZone()
  const metric = defined(zone, 'a', 'counter')
  zone.retire(metric)
  assert.throws(() => zone.reader().counter(metric), /^TypeError: metric 0 is not defined$/)
  assert.throws(() => zone.attach().counter(metric), TypeError)
  assert.throws(() => zone.key(metric), TypeError)
  assert.throws(() => zone.type(metric), TypeError)
  for (const none of [metric, -1, 1, 0.5, Number.NaN, 2 ** 40]) {
    assert.equal(zone.retire(none), false)
  }
  const { metrics, metricsFree, metricsRetired } = zone.usage()
  assert.deepEqual([metrics, metricsFree, metricsRetired], [0, 1, 1])
  assert.equal(defined(zone, 'a gauge', 'gauge'), 1, 'another type takes another number')
  assert.equal(defined(zone, 'b', 'counter'), metric)
  assert.deepEqual(zone.key(metric), keyOf('b'))
  const usage = zone.usage()
  assert.deepEqual([usage.metrics, usage.metricsFree, usage.metricsRetired], [2, 0, 1])
})

test('a key stays found past the tombstone of another key with its hash', () => {
  // Pairs of words with one FNV-1a hash of 32 bits.
  for (const [first, second] of [
    ['costarring', 'liquid'],
    ['declinate', 'macallums'],
    ['altarage', 'zinke'],
  ] as const) {
    const zone = createZone()
    const metric = defined(zone, first, 'counter')
    const other = defined(zone, second, 'counter')
    zone.retire(metric)
    assert.equal(zone.find(keyOf(first)), -1)
    assert.equal(zone.find(keyOf(second)), other)
    assert.equal(zone.define(keyOf(second), 'counter'), other)
    assert.equal(defined(zone, first, 'counter'), metric)
    assert.equal(zone.find(keyOf(second)), other)
  }
})

test('names that come and go take no more memory than the first 2,000 of them', () => {
  const names = load(100_000)
  const zone = createZone()
  const writer = zone.attach()
  const held: { metric: number; type: MetricType }[] = []
  const resident = Array.from({ length: 5_000 }, (_, i) => defined(zone, `stays ${i}`, 'counter'))
  let bytesEarly = 0
  for (let i = 0; i < names; i++) {
    const type = TYPES[i % 4]!
    const metric = defined(zone, `service.${(i * 7_919) % 1_000_000}.requests`, type)
    recordAll(writer, metric, type)
    held.push({ metric, type })
    if (held.length > 400) assert.ok(zone.retire(held.shift()!.metric))
    if (i === 2_000) bytesEarly = zone.usage().bytesTotal
  }
  const usage = zone.usage()
  assert.equal(usage.bytesTotal, bytesEarly)
  assert.equal(usage.metrics, 5_400)
  assert.equal(usage.metricsRetired, names - 400)
  assert.ok(zone.metrics < 5_410, `${zone.metrics} numbers`)
  resident.forEach((metric, i) => {
    assert.equal(zone.find(keyOf(`stays ${i}`)), metric)
  })
})

test('a number that is given to ever longer names gathers no bytes', () => {
  const zone = createZone({ keyBytesLimit: 4_096 })
  for (let length = 1; length <= 4_096; length++) {
    const key = new Uint8Array(length).fill(length)
    const metric = zone.define(key, 'counter')
    assert.equal(metric, 0)
    assert.deepEqual(zone.key(metric), key)
    assert.ok(zone.retire(metric))
  }
  assert.equal(zone.usage().bytes.names, 65_536)
})

test('retirement makes room under metricsLimit and in a full zone', () => {
  const small = createZone({ metricsLimit: 1 })
  const only = defined(small, 'a', 'counter')
  assert.equal(refusalOf(small.define(keyOf('b'), 'counter')), 'metrics_limit')
  small.retire(only)
  assert.equal(small.define(keyOf('b'), 'counter'), only)
  const zone = createZone({ zoneBytesLimit: MEBIBYTE, keyBytesLimit: 60_000 })
  const longKey = (i: number): Uint8Array => {
    const key = new Uint8Array(60_000).fill(1)
    key.set(keyOf(String(i)))
    return key
  }
  let count = 0
  while (zone.define(longKey(count), 'counter') >= 0) count++
  assert.ok(zone.retire(3))
  assert.equal(zone.define(longKey(count), 'counter'), 3)
  assert.equal(zone.find(longKey(count)), 3)
  assert.equal(zone.usage().bytesTotal, MEBIBYTE)
})

test('in a zone too full for a bigger index the tombstones are swept out of this one', () => {
  const zone = createZone({ zoneBytesLimit: MEBIBYTE, keyBytesLimit: 60_000 })
  const define = (i: number): number => defined(zone, `name ${100_000 + i}`, 'counter')
  const held = Array.from({ length: 4_000 }, (_, i) => define(i))
  for (let i = 0; zone.define(new Uint8Array(60_000).fill(i), 'gauge') >= 0; i++);
  for (let i = 4_000; i < 14_000; i++) {
    assert.ok(zone.retire(held.shift()!))
    held.push(define(i))
  }
  held.forEach((metric, i) => {
    assert.equal(zone.find(keyOf(`name ${110_000 + i}`)), metric)
  })
  assert.equal(zone.usage().bytes.index, 65_536)
})

type Step =
  | { kind: 'define'; key: number; type: number }
  | { kind: 'retire'; key: number }
  | { kind: 'record'; key: number; writer: number; value: number }
  | { kind: 'detach'; writer: number }

const key = fc.nat({ max: 15 })
const writerIndex = fc.nat({ max: 2 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('define' as const), key, type: fc.nat({ max: 1 }) }),
  fc.record({ kind: fc.constant('retire' as const), key }),
  fc.record({
    kind: fc.constant('record' as const),
    key,
    writer: writerIndex,
    value: fc.integer({ min: -1_000, max: 1_000 }),
  }),
  fc.record({ kind: fc.constant('detach' as const), writer: writerIndex }),
)

interface Modelled {
  readonly metric: number
  readonly type: MetricType
  readonly histogram: Histogram
  total: bigint
}

/** Names of many lengths, some a beginning of others. */
const nameOf = (i: number): string => 'xy'.repeat(i * i)

test('whatever is defined, recorded and retired, the zone is a map from keys to totals', () => {
  holds(
    fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
      const zone = createZone()
      const model = new Map<number, Modelled>()
      const writers: (Writer | undefined)[] = []
      for (const s of steps) takeStep(zone, model, writers, s)
      const reader = zone.reader()
      for (let i = 0; i <= 15; i++) {
        assert.equal(zone.find(keyOf(nameOf(i))), model.get(i)?.metric ?? -1)
      }
      for (const [i, { metric, type, total, histogram }] of model) {
        assert.deepEqual(zone.key(metric), keyOf(nameOf(i)))
        if (type === 'counter') assert.equal(reader.counter(metric), total)
        else {
          const facts = histogramFacts(reader.exponential(metric))
          assert.deepEqual(facts, histogramFacts(histogram))
        }
      }
      const { metrics, metricsFree } = zone.usage()
      assert.equal(metrics, model.size)
      assert.equal(metrics + metricsFree, zone.metrics)
    }),
    300,
  )
})

function takeStep(
  zone: Zone,
  model: Map<number, Modelled>,
  writers: (Writer | undefined)[],
  s: Step,
): void {
  if (s.kind === 'detach') {
    writers[s.writer]?.detach()
    writers[s.writer] = undefined
    return
  }
  const known = model.get(s.key)
  if (s.kind === 'retire') {
    assert.equal(zone.retire(known?.metric ?? -1), known !== undefined)
    model.delete(s.key)
  } else if (s.kind === 'define') {
    const type = known?.type ?? (['counter', 'exponential'] as const)[s.type]!
    const metric = zone.define(keyOf(nameOf(s.key)), type)
    if (known !== undefined) assert.equal(metric, known.metric)
    else model.set(s.key, { metric, type, total: 0n, histogram: new Histogram() })
  } else if (known !== undefined) {
    writers[s.writer] ??= zone.attach()
    const writer = writers[s.writer]!
    if (known.type === 'exponential') {
      assert.ok(writer.exponential(known.metric)!.observe(s.value))
      known.histogram.record(s.value)
    } else if (s.value >= 0) {
      assert.ok(writer.counter(known.metric)!.add(s.value))
      known.total += BigInt(s.value)
    }
  }
}
