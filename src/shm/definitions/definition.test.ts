import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defined, keyOf } from '../../../test/support/threads/shm.ts'
import {
  type DefinitionOptions,
  METRIC_MODES,
  METRIC_TYPES,
  type MetricType,
  refusalOf,
  type Writer,
  Zone,
} from '../index.ts'

const BOUNDS = [1, 3, 5]

/** Every type in every mode. */
const KINDS: [type: MetricType, options: DefinitionOptions][] = METRIC_TYPES.flatMap((type) =>
  METRIC_MODES[type].map((mode): [MetricType, DefinitionOptions] => [
    type,
    type === 'binned' ? { mode, bounds: BOUNDS } : { mode },
  ]),
)

function record(zone: Zone, writer: Writer, metric: number): void {
  const mode = zone.mode(metric)
  const type = zone.type(metric)
  if (mode === 'shared') assert.ok(writer.sharedGauge(metric)!.set(7))
  else if (type === 'gauge') assert.ok(writer.gauge(metric)!.set(7))
  else if (mode === 'settable') assert.ok(writer.settableCounter(metric)!.add(7))
  else if (type === 'counter') assert.ok(writer.counter(metric)!.add(7))
  else assert.ok(writer[type](metric)!.observe(7))
}

function isEmpty(zone: Zone, metric: number): boolean {
  const reader = zone.reader()
  if (zone.mode(metric) === 'shared') return reader.sharedGauge(metric) === 0n
  switch (zone.type(metric)) {
    case 'counter':
      return reader.counter(metric) === 0n
    case 'gauge':
      return !reader.gauge(metric, { value: 0, sequence: 0 })
    case 'exponential':
      return reader.exponential(metric).count === 0n
    case 'summary':
      return hasNoSummary(zone, metric)
    default:
      return reader.bins(metric).counts.every((count) => count === 0n)
  }
}

/** Takes what there is, and whoever asks next sees nothing of it. */
function hasNoSummary(zone: Zone, metric: number): boolean {
  let isEmpty = true
  zone.reader().takeSummaries((taken) => {
    if (taken === metric) isEmpty = false
  })
  return isEmpty
}

test('a metric has the mode it was defined with, or the first of its type', () => {
  const zone = Zone.create()
  KINDS.forEach(([type, options], i) => {
    const metric = defined(zone, `${i}`, type, options)
    assert.equal(zone.type(metric), type)
    assert.equal(zone.mode(metric), options.mode)
    assert.deepEqual(zone.bounds(metric), type === 'binned' ? [...BOUNDS, 4294967295] : [])
  })
  assert.equal(zone.mode(defined(zone, 'counter', 'counter')), 'saturating')
  assert.equal(zone.mode(defined(zone, 'gauge', 'gauge')), 'last')
  assert.equal(zone.mode(defined(zone, 'dense', 'dense')), 'integers')
})

test('the same key in another mode or with other bounds is refused as another type is', () => {
  const zone = Zone.create()
  KINDS.forEach(([type, options], i) => {
    const metric = defined(zone, `${type}/${options.mode}`, type, options)
    KINDS.forEach(([otherType, other], j) => {
      const answer = zone.define(keyOf(`${type}/${options.mode}`), otherType, other)
      if (i === j) assert.equal(answer, metric)
      else assert.equal(refusalOf(answer), 'type_mismatch')
    })
  })
  const key = keyOf('binned/plain')
  for (const bounds of [
    [1, 3],
    [1, 3, 6],
    [1, 3, 5, 7],
    [2, 3, 5],
  ]) {
    assert.equal(refusalOf(zone.define(key, 'binned', { bounds })), 'type_mismatch', `${bounds}`)
  }
  assert.equal(refusalOf(zone.define(key, 'binned', { bounds: [...BOUNDS] })), undefined)
})

test('options that a type has not are a mistake of the program', () => {
  const zone = Zone.create()
  const key = keyOf('a')
  assert.throws(() => zone.define(key, 'counter', { mode: 'sum' }), /^TypeError: a counter has no/)
  assert.throws(() => zone.define(key, 'gauge', { mode: 'plain' }), TypeError)
  assert.throws(() => zone.define(key, 'dense', { bounds: [1] }), /no bounds of its own$/)
  assert.throws(() => zone.define(key, 'binned'), /needs its bounds$/)
  const wrong = [[], [0, 1], [1, 1], [2, 1], [1.5], [Number.NaN], [4294967295], [-1]]
  for (const bounds of [...wrong, Array.from({ length: 18 }, (_, i) => i + 1)]) {
    assert.throws(() => zone.define(key, 'binned', { bounds }), RangeError, `${bounds}`)
  }
  assert.equal(zone.metrics, 0)
  const widest = [...Array.from({ length: 16 }, (_, i) => i + 1), 4294967294]
  assert.deepEqual(zone.bounds(defined(zone, 'a', 'binned', { bounds: widest })), [
    ...widest,
    4294967295,
  ])
})

test('a definition tells whether it made the metric', () => {
  const zone = Zone.create()
  const other = Zone.open(zone.shared)
  assert.equal(zone.isNew, false)
  const metric = defined(zone, 'a', 'counter')
  assert.equal(zone.isNew, true)
  assert.equal(defined(other, 'a', 'counter'), metric)
  assert.equal(other.isNew, false)
  assert.equal(refusalOf(zone.define(keyOf('a'), 'gauge')), 'type_mismatch')
  assert.equal(zone.isNew, false)
})

test('an unlinked metric goes on being written and read while its key means another', () => {
  const zone = Zone.create()
  const writer = zone.attach()
  const first = defined(zone, 'a', 'counter')
  writer.counter(first)!.add(3)
  assert.equal(zone.unlink(first), true)
  assert.equal(zone.unlink(first), false)
  assert.equal(zone.find(keyOf('a')), -1)
  const second = defined(zone, 'a', 'gauge')
  assert.ok(zone.isNew)
  assert.notEqual(second, first)
  writer.counter(first)!.add(4)
  assert.equal(zone.reader().counter(first), 7n)
  assert.deepEqual(zone.key(first), keyOf('a'))

  assert.equal(zone.retire(first), true)
  assert.equal(zone.find(keyOf('a')), second)
  assert.throws(() => zone.reader().counter(first), /is not defined$/)
  assert.equal(defined(zone, 'b', 'counter'), first)
  assert.equal(zone.find(keyOf('b')), first)
  assert.ok(isEmpty(zone, first))
  assert.equal(zone.unlink(99), false)
})

test('unlinked metrics leave room in the index for as many new ones', () => {
  const zone = Zone.create()
  const bytes = zone.usage().bytes.index
  for (let round = 0; round < 20; round++) {
    const metrics = Array.from({ length: 1_000 }, (_, i) => defined(zone, `${i}`, 'counter'))
    for (const metric of metrics) assert.ok(zone.unlink(metric))
    for (const metric of metrics) assert.ok(zone.retire(metric))
  }
  assert.equal(zone.metrics, 1_000)
  assert.equal(zone.usage().metrics, 0)
  assert.ok(zone.usage().bytes.index <= bytes + 2 * 65_536)
})

test('a number that is free goes to its own kind, begins at nothing and takes new bounds', () => {
  const zone = Zone.create()
  assert.ok(zone.reader().listen(true))
  const writer = zone.attach()
  const metrics = KINDS.map(([type, options], i) => defined(zone, `${i}`, type, options))
  for (const metric of metrics) record(zone, writer, metric)
  for (const metric of metrics) assert.ok(!isEmpty(zone, metric))
  for (const metric of metrics) assert.ok(zone.retire(metric))
  const bounds = [10, 20, 30, 40]
  KINDS.forEach(([type, options], i) => {
    const again = type === 'binned' ? { ...options, bounds } : options
    const metric = defined(zone, `again ${i}`, type, again)
    assert.equal(metric, metrics[i])
    assert.equal(zone.mode(metric), options.mode)
    assert.ok(isEmpty(zone, metric), `${type} ${options.mode}`)
  })
  assert.deepEqual(zone.bounds(metrics[KINDS.findIndex(([type]) => type === 'binned')]!), [
    ...bounds,
    4294967295,
  ])
})

test('bounds and names of any length do not run into each other', () => {
  const zone = Zone.create({ keyBytesLimit: 65_535 })
  const lengths = [65_535, 1, 65_470, 3, 60_000, 0, 65_464, 7]
  const keys = lengths.map((length, i) => new Uint8Array(length).fill(i + 1))
  const boundsOf = (i: number): number[] => Array.from({ length: 17 }, (_, j) => (i + 1) * (j + 1))
  const metrics = keys.map((key, i) => zone.define(key, 'binned', { bounds: boundsOf(i) }))
  metrics.forEach((metric, i) => {
    assert.equal(metric, i)
    assert.deepEqual(zone.key(metric), keys[i])
    assert.deepEqual(zone.bounds(metric), [...boundsOf(i), 4294967295])
    assert.equal(zone.find(keys[i]!), metric)
  })
})

test('as another kind no handle is given out', () => {
  const zone = Zone.create()
  const writer = zone.attach()
  const shared = defined(zone, 'shared', 'gauge', { mode: 'shared' })
  const last = defined(zone, 'last', 'gauge')
  assert.throws(() => writer.gauge(shared), /^TypeError: metric 0 is a shared gauge$/)
  assert.throws(() => writer.sharedGauge(last), /^TypeError: metric 1 is no shared gauge$/)
  assert.throws(() => writer.expanding(last), /is a gauge, not a expanding$/)
  assert.throws(() => writer.binned(9), /is not defined$/)
  assert.throws(() => zone.reader().sharedGauge(last), /is no shared gauge$/)
  assert.throws(() => zone.reader().bins(last), /has no bins$/)
})
