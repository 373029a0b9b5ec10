import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bufferOf,
  createZone,
  defined,
  histogramFacts,
  keyOf,
} from '../../../test/support/threads/shm.ts'
import { turn } from '../../../test/support/threads/zone-threads.ts'
import { type GaugeReading, RedefinitionError, refusalOf, type Writer, Zone } from '../index.ts'
import type { MetricType } from '../layout.ts'

const MEBIBYTE = 1_048_576
const reading = (): GaugeReading => ({ value: 0, sequence: 0 })

test('numbers, names, types, modes and bounds stay; so do retired numbers and their names', () => {
  const zone = createZone()
  const names: [string, MetricType, object?][] = [
    ['a', 'counter'],
    ['b', 'counter', { mode: 'wrapping' }],
    ['c', 'gauge', { mode: 'max' }],
    ['d', 'gauge', { mode: 'shared' }],
    ['e', 'dense', { mode: 'fractions' }],
    ['f', 'exponential'],
    ['g', 'expanding'],
    ['h', 'binned', { bounds: [2, 3, 5, 4_294_967_294] }],
    ['i', 'binned', { bounds: [7] }],
    ['gone', 'counter'],
    ['out of the index', 'counter'],
  ]
  const metrics = names.map(([name, ...rest]) => zone.define(keyOf(name), ...rest))
  zone.retire(metrics[9]!)
  zone.unlink(metrics[10]!)
  zone.reconfigure({ workers: 4 })
  for (const [i, [name, type, options]] of names.slice(0, 9).entries()) {
    assert.equal(zone.find(keyOf(name)), metrics[i])
    assert.equal(zone.define(keyOf(name), type, options), metrics[i])
    assert.deepEqual(zone.key(metrics[i]!), keyOf(name))
  }
  assert.deepEqual(zone.bounds(metrics[7]!), [2, 3, 5, 4_294_967_294, 4_294_967_295])
  assert.equal(refusalOf(zone.define(keyOf('i'), 'binned', { bounds: [8] })), 'type_mismatch')
  assert.equal(zone.find(keyOf('gone')), -1)
  assert.equal(zone.find(keyOf('out of the index')), -1)
  assert.ok(zone.attach().counter(metrics[10]!)!.add(1), 'unlinked, it can still be written')
  assert.equal(defined(zone, 'next counter', 'counter'), metrics[9])
  assert.equal(defined(zone, 'one more', 'counter'), 11)
})

/** Records of every kind, through handles and places taken before. */
function recorderOf(zone: Zone, writer: Writer): (value: number) => void {
  const counter = writer.counter(defined(zone, 'counter', 'counter'))!
  const place = writer.counterPlace(defined(zone, 'placed', 'counter'))
  const gauge = writer.gauge(defined(zone, 'gauge', 'gauge'))!
  const dense = writer.dense(defined(zone, 'dense', 'dense'))!
  const exponential = writer.exponential(defined(zone, 'exponential', 'exponential'))!
  const shared = writer.sharedGauge(zone.define(keyOf('shared'), 'gauge', { mode: 'shared' }))!
  return (value) => {
    assert.ok(counter.add(value))
    assert.ok(writer.addSmall(place, value))
    assert.ok(gauge.set(value))
    assert.ok(dense.observe(value))
    for (const each of [value, -value, value / 7, 10n ** 40n]) assert.ok(exponential.observe(each))
    assert.ok(shared.add(value) !== undefined)
  }
}

function factsOf(zone: Zone): unknown {
  const reader = zone.reader()
  const gauge = reading()
  reader.gauge(zone.find(keyOf('gauge')), gauge)
  return {
    counter: reader.counter(zone.find(keyOf('counter'))),
    placed: reader.counter(zone.find(keyOf('placed'))),
    gauge: gauge.value,
    dense: reader.bins(zone.find(keyOf('dense'))),
    exponential: histogramFacts(reader.exponential(zone.find(keyOf('exponential')))),
    shared: reader.sharedGauge(zone.find(keyOf('shared'))),
  }
}

test('handles go on through 2, 4 and 2 workers and 5, 4 and 5 MiB as if nothing were', async () => {
  const [zone, still] = [createZone(), createZone()]
  const opened = Zone.open(zone.shared)
  const both = [
    [recorderOf(zone, zone.attach()), recorderOf(still, still.attach())],
    [recorderOf(opened, opened.attach()), recorderOf(still, still.attach())],
  ] as const
  let value = 0
  const recordAndCompare = (): void => {
    for (const pair of both) {
      value += 3
      for (const record of pair) record(value)
      assert.deepEqual(factsOf(zone), factsOf(still))
      assert.deepEqual(factsOf(opened), factsOf(still))
    }
  }
  const changes = [
    { workers: 2 },
    { workers: 4 },
    { workers: 2 },
    { zoneBytesLimit: 5 * MEBIBYTE },
    { zoneBytesLimit: 4 * MEBIBYTE },
    { zoneBytesLimit: 5 * MEBIBYTE, workersLimit: 3 },
  ]
  for (const [i, change] of changes.entries()) {
    recordAndCompare()
    assert.equal(zone.reconfigure(change), zone)
    assert.deepEqual(factsOf(zone), factsOf(still))
    recordAndCompare()
    if (i % 2 === 0) await turn()
  }
  assert.equal(zone.usage().replacements, 6)
  assert.equal(opened.usage().replacements, 6)
  assert.equal(zone.usage().segmentsUnmoved, 0)
})

test('what cannot hold everything is refused by the name of a metric, and nothing changes', () => {
  const zone = createZone({ onFull: 'error', slabSize: 8_192 })
  const metric = defined(zone, 'first', 'counter')
  defined(zone, 'a histogram', 'dense')
  const writer = zone.attach()
  const counter = writer.counter(metric)!
  counter.add(1)
  const memory = zone.shared
  for (const change of [
    { workers: 200 },
    { slabSize: 4_096, workers: 20 },
    { keyBytesLimit: 5, workers: 2 },
  ]) {
    assert.throws(
      () => zone.reconfigure(change),
      (error: Error) =>
        error instanceof RedefinitionError &&
        error.message === 'failed redefining metric "a histogram"',
      JSON.stringify(change),
    )
    assert.ok(counter.add(1))
    assert.ok(zone.define(keyOf(`after ${JSON.stringify(change)}`), 'counter') > 0)
  }
  assert.equal(zone.shared, memory)
  assert.equal(zone.reader().counter(metric), 4n)
  assert.equal(zone.usage().replacements, 0)
})

test('a zone too small for names or values is refused, and the old one goes on', () => {
  const zone = createZone({ keyBytesLimit: 60_000 })
  const writer = zone.attach()
  for (let i = 0; i < 20; i++) {
    const key = new Uint8Array(60_000).fill(65)
    key[0] = 97 + i
    writer.counter(zone.define(key, 'counter'))!.add(1)
  }
  assert.throws(() => zone.reconfigure({ zoneBytesLimit: MEBIBYTE }), /^RedefinitionError: failed/)
  assert.ok(writer.counter(0)!.add(1))
  assert.equal(zone.reader().counter(0), 2n)
  zone.reconfigure({ zoneBytesLimit: 4 * MEBIBYTE })
  assert.equal(zone.reader().counter(0), 2n)
})

test('what is not named stays as another thread made it a moment before', () => {
  const zone = createZone()
  const opened = Zone.open(zone.shared)
  let isFirst = true
  opened.reconfigure({
    get workersLimit() {
      if (isFirst) {
        isFirst = false
        zone.reconfigure({ zoneBytesLimit: 8 * MEBIBYTE })
      }
      return 20
    },
  })
  const { bytesLimit, workersLimit } = zone.usage()
  assert.deepEqual([bytesLimit, workersLimit], [8 * MEBIBYTE, 20])
})

test('fewer workers than are attached are refused; a segment above the limit gets another', () => {
  const zone = createZone()
  const metric = defined(zone, 'a', 'counter')
  const writers = [zone.attach(), zone.attach(), zone.attach()]
  for (const writer of writers) writer.counter(metric)!.add(1)
  assert.throws(() => zone.reconfigure({ workersLimit: 2 }), {
    name: 'RangeError',
    message: 'workersLimit 2 is below the 3 writers attached',
  })
  writers[0]!.detach()
  zone.reconfigure({ workersLimit: 2 })
  assert.deepEqual(
    writers.slice(1).map(({ segment }) => segment),
    [2, 1],
  )
  for (const writer of writers.slice(1)) assert.ok(writer.counter(metric)!.add(1))
  assert.equal(zone.reader().counter(metric), 5n)
  assert.throws(() => zone.attach(), /workersLimit 2$/)
  writers[2]!.detach()
  assert.equal(zone.attach().segment, 1)
})

test('another name limit alone keeps the zone, and names that are longer', () => {
  const zone = createZone()
  const metric = defined(zone, 'a name of some length', 'counter')
  const memory = zone.shared
  zone.reconfigure({ keyBytesLimit: 6 })
  assert.equal(zone.shared, memory)
  assert.equal(zone.find(keyOf('a name of some length')), metric)
  assert.equal(refusalOf(zone.define(keyOf('1234567'), 'counter')), 'key_too_long')
  assert.equal(zone.reconfigure({}).shared, memory, 'nothing to change')
})

test('definitions are charged to the budget, with the slots of all workers', () => {
  const zone = createZone({ onFull: 'error', slabSize: 4_096, workers: 3 })
  assert.equal(zone.usage().budgetBytes, 4_096)
  const metric = defined(zone, '12345678', 'counter')
  assert.equal(zone.usage().chargedBytes, 32 + 16 + 8 + 8 * 4)
  let refusal: string | undefined
  let count = 1
  for (; refusal === undefined; count++) {
    refusal = refusalOf(zone.define(keyOf(`${count}`.padStart(8)), 'counter'))
  }
  assert.equal(refusal, 'zone_full')
  assert.equal(count - 1, Math.floor(4_096 / 88))
  assert.ok(zone.attach().counter(metric)!.add(1), 'what is defined goes on')
  zone.reconfigure({ workers: 1 })
  assert.equal(zone.usage().chargedBytes, (count - 1) * 72)
  assert.ok(zone.define(keyOf('fits now'), 'counter') > 0)
  zone.reconfigure({ slabSize: 8_192 })
  assert.equal(zone.usage().budgetBytes, 8_192)
})

test('a gauge set after the change is later than all before it, whoever moves first', () => {
  const zone = createZone()
  const opened = Zone.open(zone.shared)
  const metric = defined(zone, 'a', 'gauge')
  const [here, there] = [zone.attach().gauge(metric)!, opened.attach().gauge(metric)!]
  const reader = zone.reader()
  const seen = reading()
  for (let i = 0; i < 6; i++) {
    const order = i % 2 === 0 ? [here, there, here] : [there, here, there]
    zone.reconfigure({ workers: 2 + i })
    for (const [j, gauge] of order.entries()) {
      gauge.set(10 * i + j)
      assert.ok(reader.gauge(metric, seen))
      assert.equal(seen.value, 10 * i + j)
    }
  }
})

test('a shared gauge set and raised by threads in both zones has the value of all', () => {
  const zone = createZone()
  const opened = Zone.open(zone.shared)
  const metric = zone.define(keyOf('a'), 'gauge', { mode: 'shared' })
  const [here, there] = [zone.attach().sharedGauge(metric)!, opened.attach().sharedGauge(metric)!]
  const reader = zone.reader()
  here.set(5)
  zone.reconfigure({ workers: 2 })
  there.add(2) // in the zone before
  here.add(10)
  assert.equal(reader.sharedGauge(metric), 17n)
  assert.equal(here.value(), 17n)
  here.set(100)
  assert.equal(reader.sharedGauge(metric), 100n)
  there.add(-1)
  assert.equal(reader.sharedGauge(metric), 99n)
  there.set(7)
  assert.equal(reader.sharedGauge(metric), 7n)
  assert.equal(there.value(), 7n)
})

test('a shared gauge keeps its value when nobody is attached', () => {
  const zone = createZone()
  const metric = zone.define(keyOf('a'), 'gauge', { mode: 'shared' })
  const writer = zone.attach()
  writer.sharedGauge(metric)!.set(5)
  writer.detach()
  zone.reconfigure({ workers: 2 })
  zone.reconfigure({ workers: 3 })
  assert.equal(zone.reader().sharedGauge(metric), 5n)
})

test('windows go on: an observation in the zone before counts in the window it was made in', () => {
  const zone = createZone()
  const opened = Zone.open(zone.shared)
  const metric = defined(zone, 'a', 'exponential')
  const there = opened.attach().exponential(metric)!
  const reader = zone.reader()
  const window = { min: 0, max: 0, isExact: true }
  there.observe(4)
  zone.reconfigure({ workers: 2 })
  there.observe(6)
  assert.ok(reader.window(metric, reader.closeWindow(), window))
  assert.deepEqual([window.min, window.max], [4, 6])
  there.observe(5)
  const epoch = reader.closeWindow()
  assert.ok(reader.windowChanged(metric, epoch))
  assert.ok(reader.window(metric, epoch, window))
  assert.deepEqual([window.min, window.max], [5, 5])
})

test('memory that was handed out before the change leads to the zone, and to what is in it', () => {
  const zone = createZone()
  const metric = defined(zone, 'a', 'counter')
  const before = zone.shared
  const opened = Zone.open(before)
  const there = opened.attach().counter(metric)!
  there.add(3)
  zone.reconfigure({ workers: 2 })
  assert.notEqual(zone.shared, before)
  there.add(4)
  assert.equal(zone.reader().counter(metric), 7n)
  assert.equal(zone.usage().segmentsUnmoved, 1)
  const inOld = zone.usage().segments.map(({ segment }) => segment)
  assert.deepEqual(inOld, [1])
  assert.ok(opened.define(keyOf('b'), 'counter') > 0, 'which moves the writer')
  assert.equal(zone.usage().segmentsUnmoved, 0)
  assert.ok(bufferOf(opened).byteLength > 0)
  assert.equal(zone.find(keyOf('b')), opened.find(keyOf('b')))
  assert.ok(there.add(5))
  assert.equal(opened.reader().counter(metric), 12n)
})

test('a shared gauge shows its value to who has not moved yet', () => {
  const zone = createZone()
  const metric = zone.define(keyOf('open connections'), 'gauge', { mode: 'shared' })
  const moved = zone.attach().sharedGauge(metric)!
  const waiting = Zone.open(zone.shared).attach().sharedGauge(metric)!
  moved.set(7)
  zone.reconfigure({ workers: 4 })
  assert.equal(waiting.value(), 7n)
  waiting.add(1)
  assert.deepEqual(
    [moved.value(), waiting.value(), zone.reader().sharedGauge(metric)],
    [8n, 8n, 8n],
  )
})
