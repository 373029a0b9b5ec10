import assert from 'node:assert/strict'
import { once } from 'node:events'
import process from 'node:process'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { bufferOf, createZone, defined, keyOf } from '../../test/support/threads/shm.ts'
import {
  denseBin,
  type GaugeReading,
  type MetricType,
  refusalOf,
  Zone,
  ZoneFormatError,
  ZoneFullError,
} from './index.ts'
import { HEADER } from './layout.ts'

const MEBIBYTE = 1_048_576
const TYPES: MetricType[] = ['counter', 'gauge', 'dense', 'exponential']

test('metrics are numbered in order of definition and found by their key', () => {
  const zone = createZone()
  TYPES.forEach((type, i) => {
    assert.equal(zone.define(keyOf(`metric ${i}`), type), i)
  })
  assert.equal(zone.metrics, 4)
  TYPES.forEach((type, i) => {
    assert.equal(zone.find(keyOf(`metric ${i}`)), i)
    assert.equal(zone.type(i), type)
    assert.deepEqual(zone.key(i), keyOf(`metric ${i}`))
  })
  assert.equal(zone.find(keyOf('metric')), -1)
  assert.equal(zone.find(keyOf('')), -1)
})

test('the same key and type is the same metric, another type is refused', () => {
  const zone = createZone()
  const metric = defined(zone, 'requests', 'counter')
  assert.equal(zone.define(keyOf('requests'), 'counter'), metric)
  assert.equal(refusalOf(zone.define(keyOf('requests'), 'gauge')), 'type_mismatch')
  assert.equal(refusalOf(metric), undefined)
  assert.equal(zone.metrics, 1)
  assert.equal(zone.usage().refusals.type_mismatch, 1)
})

test('keys are bytes: empty, zero and invalid UTF-8 are keys like others', () => {
  const zone = createZone()
  const keys = [[], [0], [0, 0], [0xff], [0xff, 0xfe]].map((bytes) => Uint8Array.from(bytes))
  const metrics = keys.map((key) => zone.define(key, 'counter'))
  assert.deepEqual(metrics, [0, 1, 2, 3, 4])
  keys.forEach((key, i) => {
    assert.equal(zone.find(key), i)
  })
})

test('keys whose hashes are equal stay two metrics', () => {
  // Pairs of words with one FNV-1a hash of 32 bits.
  const words = ['costarring', 'liquid', 'declinate', 'macallums', 'altarage', 'zinke']
  const zone = createZone()
  const writer = zone.attach()
  const reader = zone.reader()
  const metrics = words.map((word) => defined(zone, word, 'counter'))
  assert.equal(new Set(metrics).size, words.length)
  metrics.forEach((metric, i) => {
    writer.counter(metric)!.add(i + 1)
  })
  words.forEach((word, i) => {
    assert.equal(zone.find(keyOf(word)), metrics[i])
    assert.equal(reader.counter(metrics[i]!), BigInt(i + 1))
  })
})

test('another view of the buffer is the same zone', () => {
  const zone = createZone()
  const metric = defined(zone, 'a', 'counter')
  const other = Zone.open(zone.shared)
  zone.attach().counter(metric)!.add(3)
  other
    .attach()
    .counter(other.find(keyOf('a')))!
    .add(4)
  assert.equal(zone.reader().counter(metric), 7n)
  assert.equal(defined(other, 'b', 'gauge'), defined(zone, 'b', 'gauge'))
})

test('memory that is no zone of this version is not opened', () => {
  const empty = new SharedArrayBuffer(65_536, { maxByteLength: MEBIBYTE })
  assert.throws(() => Zone.open(empty), /^ZoneFormatError: zone magic 0x0 is not "PMZ1"$/)
  const small = new SharedArrayBuffer(8)
  assert.throws(() => Zone.open(small), /^ZoneFormatError: zone of 8 bytes is below one page$/)
  assert.throws(() => Zone.open(new ArrayBuffer(8) as never), ZoneFormatError)
  const zone = createZone()
  new Uint32Array(bufferOf(zone), 4, 1)[0] = 9
  assert.throws(() => Zone.open(zone.shared), /^ZoneFormatError: zone version 9, known: 6$/)
  const cut = new SharedArrayBuffer(65_536, { maxByteLength: 2 * MEBIBYTE })
  new Uint8Array(cut).set(new Uint8Array(bufferOf(createZone()), 0, 65_536))
  assert.throws(() => Zone.open(cut), /at most 2097152 bytes, header: 268435456$/)
})

test('options out of range are refused by name', () => {
  for (const [name, value] of [
    ['zoneBytesLimit', MEBIBYTE - 1],
    ['zoneBytesLimit', 2 ** 30 + 1],
    ['metricsLimit', 0],
    ['keyBytesLimit', 65_536],
    ['workersLimit', 1.5],
  ] as const) {
    assert.throws(() => createZone({ [name]: value }), {
      name: 'RangeError',
      message: new RegExp(`^${name} ${value} is not an integer of \\d+ to \\d+$`),
    })
  }
})

test('above metricsLimit and keyBytesLimit definitions are refused and counted', () => {
  const zone = createZone({ metricsLimit: 2, keyBytesLimit: 5 })
  const metric = defined(zone, '12345', 'counter')
  assert.equal(refusalOf(zone.define(keyOf('123456'), 'counter')), 'key_too_long')
  assert.equal(zone.find(keyOf('123456')), -1)
  defined(zone, 'b', 'counter')
  assert.equal(refusalOf(zone.define(keyOf('c'), 'counter')), 'metrics_limit')
  assert.equal(zone.define(keyOf('b'), 'counter'), 1)
  assert.equal(zone.attach().counter(metric)!.add(1), true)
  assert.equal(zone.usage().refusals.key_too_long, 1)
  assert.equal(zone.usage().refusals.metrics_limit, 1)
})

test('the longest keys fill their pages to the last byte', () => {
  const zone = createZone({ keyBytesLimit: 65_535 })
  const lengths = [65_535, 1, 32_768, 32_768, 65_535, 2]
  const keys = lengths.map((length, i) => new Uint8Array(length).fill(i + 1))
  keys.forEach((key, i) => {
    assert.equal(zone.define(key, 'counter'), i)
  })
  keys.forEach((key, i) => {
    assert.equal(zone.find(key), i)
    assert.deepEqual(zone.key(i), key)
  })
})

test('a full zone refuses definitions and slots, and what is there keeps counting', () => {
  const zone = createZone({ zoneBytesLimit: MEBIBYTE, keyBytesLimit: 60_000 })
  const writer = zone.attach()
  const first = writer.exponential(defined(zone, 'first', 'exponential'))!
  let refusal: string | undefined
  for (let i = 0; refusal === undefined; i++) {
    const key = new Uint8Array(60_000).fill(1)
    key.set(keyOf(String(i)))
    refusal = refusalOf(zone.define(key, 'counter'))
  }
  assert.equal(refusal, 'zone_full')
  const usage = zone.usage()
  assert.equal(usage.bytesTotal, MEBIBYTE)
  assert.equal(usage.refusals.zone_full, 1)
  assert.equal(writer.counter(1), undefined, 'no page for the chunk of counters')
  assert.equal(first.observe(5), true)
  assert.equal(first.observe(-5), false, 'no page for the negative side')
  assert.equal(zone.reader().exponential(0).count, 1n)
  assert.equal(zone.usage().refusals.zone_full, 3)
  assert.equal(bufferOf(zone).byteLength, MEBIBYTE)
})

test('100,000 metrics in one zone: index and buffer grow, handles stay valid', () => {
  const zone = createZone()
  const writer = zone.attach()
  const first = writer.counter(defined(zone, 'counter 0', 'counter'))!
  const before = bufferOf(zone).byteLength
  for (let i = 1; i < 100_000; i++) assert.equal(zone.define(keyOf(`counter ${i}`), 'counter'), i)
  assert.ok(bufferOf(zone).byteLength > before)
  first.add(1)
  writer.counter(99_999)!.add(2)
  const reader = Zone.open(zone.shared).reader()
  assert.equal(reader.counter(0), 1n)
  assert.equal(reader.counter(99_999), 2n)
  for (let i = 0; i < 100_000; i += 997) assert.equal(zone.find(keyOf(`counter ${i}`)), i)
  const { bytes, bytesTotal } = zone.usage()
  const pages = bytes.index / 65_536
  assert.ok(pages >= 100_000 / 6144 && pages <= 1 + 32, `${pages} pages, and a directory`)
  assert.ok(bytesTotal / 100_000 < 100, `${bytesTotal} bytes`)
})

test('as many counters as asked for in one zone, each with its own total', () => {
  // The acceptance test's number is 10^6, which takes several seconds.
  const count = Number(process.env.ZONE_COUNTERS ?? 200_000)
  const zone = createZone({ metricsLimit: count })
  const [one, two] = [zone.attach(), zone.attach()]
  const first = one.counter(defined(zone, 'c0', 'counter'))!
  for (let i = 1; i < count; i++) defined(zone, `c${i}`, 'counter')
  assert.equal(refusalOf(zone.define(keyOf('one more'), 'counter')), 'metrics_limit')
  assert.ok(first.add(1))
  for (let i = 1; i < count; i++) (i & 1 ? one : two).counter(i)!.add(i)
  const reader = zone.reader()
  for (let i = 1; i < count; i += 101) assert.equal(reader.counter(i), BigInt(i))
  assert.equal(reader.counter(0), 1n)
})

test('slots of every type are apart, over several chunks of each', () => {
  const zone = createZone()
  const writer = zone.attach()
  const reader = zone.reader()
  const indices = Array.from({ length: 3_000 }, (_, i) => i)
  const few = indices.slice(0, 500)
  const gauges = indices.map((i) => writer.gauge(defined(zone, `gauge ${i}`, 'gauge'))!)
  const dense = few.map((i) => writer.dense(defined(zone, `dense ${i}`, 'dense'))!)
  const histograms = few.map((i) => writer.exponential(defined(zone, `e ${i}`, 'exponential'))!)
  for (const i of indices) gauges[i]!.set(i)
  for (const i of few) {
    dense[i]!.observe(i)
    for (const value of [i, -i - 1, 2n ** 300n]) histograms[i]!.observe(value)
  }
  const reading: GaugeReading = { value: 0, sequence: 0 }
  for (const i of indices) {
    assert.ok(reader.gauge(gauges[i]!.metric, reading))
    assert.equal(reading.value, i)
  }
  for (const i of few) {
    const { sum, bins } = reader.dense(dense[i]!.metric)
    assert.deepEqual([sum, bins[denseBin(i)]], [BigInt(i), 1n])
    const histogram = reader.exponential(histograms[i]!.metric)
    const { count, min, max } = histogram
    assert.deepEqual([count, histogram.sum, min, max], [3n, 2n ** 300n - 1n, -i - 1, 2n ** 300n])
  }
})

test('usage names every page once and shows segments while they are leased', () => {
  const zone = createZone({ workersLimit: 3 })
  const metric = defined(zone, 'a', 'counter')
  const writers = [zone.attach(), zone.attach(), zone.attach()]
  assert.deepEqual(
    writers.map((writer) => writer.segment),
    [1, 2, 3],
  )
  assert.throws(
    () => zone.attach(),
    (error: Error) => error instanceof ZoneFullError && /workersLimit 3$/.test(error.message),
  )
  writers[1]!.counter(metric)!.add(1)
  const leased = zone.usage()
  assert.deepEqual(
    leased.segments.map(({ segment, lease, bytes }) => [segment, lease, bytes]),
    [
      [1, 1, 0],
      [2, 1, 65_536],
      [3, 1, 0],
    ],
  )
  const parts = Object.values(leased.bytes).reduce((sum, bytes) => sum + bytes, 0)
  assert.equal(leased.bytesTotal, parts)
  assert.ok(leased.bytesTotal <= bufferOf(zone).byteLength)
  writers[1]!.detach()
  assert.equal(zone.attach().segment, 2)
  assert.deepEqual(
    zone.usage().segments.map(({ segment, lease, bytes }) => [segment, lease, bytes]),
    [
      [0, 0, 65_536],
      [1, 1, 0],
      [2, 2, 0],
      [3, 1, 0],
    ],
  )
})

test('behind a lock never released nothing hangs: the new is refused, the old goes on', () => {
  const zone = createZone()
  const metric = defined(zone, 'a', 'counter')
  const other = defined(zone, 'other', 'counter')
  const writer = zone.attach()
  const counter = writer.counter(metric)!
  const word = new Int32Array(bufferOf(zone))
  word[HEADER.lock] = 1 // as a thread leaves it that dies while it holds the lock
  assert.equal(refusalOf(zone.define(keyOf('b'), 'counter')), 'lock_timeout')
  assert.equal(zone.define(keyOf('a'), 'counter'), metric)
  assert.equal(writer.detach(), false)
  assert.equal(writer.isAttached, true)
  assert.ok(counter.add(2))
  assert.equal(zone.retire(other), false)
  word[HEADER.generation] = 1 // and while it folds
  assert.equal(zone.reader().counter(metric), 2n)
  assert.equal(zone.find(keyOf('a')), metric)
  assert.equal(zone.usage().refusals.lock_timeout, 3)
  word[HEADER.generation] = 2
  word[HEADER.lock] = 0
  assert.ok(zone.define(keyOf('b'), 'counter') >= 0)
  assert.ok(writer.detach())
})

test('a thread that was refused behind a dead one’s lock waits for the next holder', async () => {
  const zone = createZone()
  const word = new Int32Array(bufferOf(zone))
  const holder = (thread: number): number => (thread + 1) << 1
  word[HEADER.lock] = holder(5_000)
  assert.equal(refusalOf(zone.define(keyOf('a'), 'counter')), 'lock_timeout')
  const { lockWaits } = zone.usage()
  assert.equal(refusalOf(zone.define(keyOf('a'), 'counter')), 'lock_timeout')
  assert.equal(zone.usage().lockWaits, lockWaits, 'at once, as long as that one holds it')
  word[HEADER.lock] = holder(6_000)
  const releasing = new Worker(RELEASE, { eval: true, workerData: { word, lockWaits, HEADER } })
  await once(releasing, 'message')
  const metric = zone.define(keyOf('a'), 'counter')
  await releasing.terminate()
  assert.ok(metric >= 0)
})

/** Gives the lock back once somebody waits for it. */
const RELEASE = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { word, lockWaits, HEADER } = workerData
  parentPort.postMessage('ready')
  while (Atomics.load(word, HEADER.lockWaits) === lockWaits);
  Atomics.store(word, HEADER.lock, 0)
  Atomics.notify(word, HEADER.lock)
`

test('a writer is refused behind a lock that is held, and told that it is the lock', () => {
  const zone = createZone()
  new Int32Array(bufferOf(zone))[HEADER.lock] = 12_000
  assert.throws(() => zone.attach(), {
    name: 'ZoneFullError',
    message: 'zone has no segment to give while its lock is held',
  })
  assert.equal(zone.usage().refusals.lock_timeout, 1)
})

test('a zone that grows refuses nothing for what it would be charged', () => {
  const zone = createZone({ workers: 1_024, workersLimit: 1_024, zoneBytesLimit: 2 ** 30 })
  const words = new Int32Array(bufferOf(zone))
  for (let i = 0; i < 20; i++) {
    words[HEADER.charged] = -2 // of 2^32 words, all but two
    defined(zone, `${i}`, 'exponential')
    assert.equal(zone.usage().chargedBytes, 8 * (2 ** 32 - 1))
  }
  assert.equal(zone.usage().refusals.zone_full, 0)
})

test('a type that is none and a key that is no bytes are mistakes, and said so', () => {
  const zone = createZone()
  assert.throws(() => zone.define(keyOf('a'), 'timer' as 'counter'), {
    name: 'TypeError',
    message: 'type "timer" is none',
  })
  assert.throws(() => zone.define('a' as unknown as Uint8Array, 'counter'), {
    name: 'TypeError',
    message: 'a key is given as bytes',
  })
  assert.equal(zone.metrics, 0)
})

test('a header that says more fixed pages than there are is no zone', () => {
  for (const pages of [0, -1, 1_000_000]) {
    const zone = createZone()
    new Int32Array(bufferOf(zone))[HEADER.fixedPages] = pages
    assert.throws(() => Zone.open(zone.shared), ZoneFormatError, `${pages}`)
  }
})

test('asking for a metric that is none, or as another type, throws at once', () => {
  const zone = createZone()
  const metric = defined(zone, 'a', 'counter')
  const writer = zone.attach()
  writer.counter(metric)
  for (const none of [-1, 1, 0.5, Number.NaN, 2 ** 40]) {
    assert.throws(() => writer.counter(none), /^TypeError: metric .* is not defined$/)
    assert.throws(() => zone.reader().counter(none), TypeError)
    assert.throws(() => zone.key(none), TypeError)
  }
  assert.throws(() => writer.gauge(metric), /^TypeError: metric 0 is a counter, not a gauge$/)
  assert.throws(() => zone.reader().exponential(metric), TypeError)
})
