import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../test/support/property.ts'
import {
  bufferOf,
  createZone,
  defined,
  keyOf,
  startThread,
  type ZoneThread,
} from '../../test/support/threads/shm.ts'
import type { Exact } from '../model/index.ts'
import type { GaugeReading } from './index.ts'
import { HEADER } from './layout.ts'

/** Two ints: threads that have arrived, and whether they may go on. */
const newGate = (): Int32Array => new Int32Array(new SharedArrayBuffer(8))

/** Waits, without a clock, until `count` threads stand at the gate, and opens it. */
async function openGate(gate: Int32Array, count: number): Promise<void> {
  for (let arrived = Atomics.load(gate, 0); arrived < count; arrived = Atomics.load(gate, 0)) {
    const wait = Atomics.waitAsync(gate, 0, arrived)
    if (wait.async) await wait.value
  }
  Atomics.store(gate, 1, 1)
  Atomics.notify(gate, 1)
}

/** Calls `sample` in turn with the threads' own turns until all have ended. */
async function sampleUntilDone(
  threads: ZoneThread[],
  sample: () => void,
  times = 200,
): Promise<unknown[]> {
  let isDone = false
  const all = Promise.all(threads.map((thread) => thread.done)).finally(() => {
    isDone = true
  })
  while (!isDone) {
    for (let i = 0; i < times; i++) sample()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return all
}

for (const count of [2, 4]) {
  test(`${count} threads count for long: totals are exact, no reading falls`, async () => {
    const zone = createZone()
    const metrics = [0, 1].map((i) => defined(zone, `${i}`, 'counter'))
    const gate = newGate()
    const times = load(10_000_000)
    const threads = Array.from({ length: count }, () =>
      startThread(zone, { name: 'count', gate, metrics, times }),
    )
    await openGate(gate, count)
    const reader = zone.reader()
    const last = metrics.map(() => 0n)
    const segments = await sampleUntilDone(threads, () => {
      metrics.forEach((metric, i) => {
        const total = reader.counter(metric)
        assert.ok(total >= last[i]!, `${total} after ${last[i]}`)
        last[i] = total
      })
    })
    assert.equal(new Set(segments).size, count, 'no two threads share a segment')
    for (const metric of metrics) assert.equal(reader.counter(metric), BigInt((times / 2) * count))
  })
}

test('threads that attach and detach all the time lose nothing, and no reading falls', async () => {
  const zone = createZone({ workersLimit: 4 })
  // So many that a bulk reading takes as long as some folds.
  const metrics = Uint32Array.from({ length: 4_000 }, (_, i) => defined(zone, `${i}`, 'counter'))
  const metric = metrics.at(-1)!
  const gate = newGate()
  const threads = [1, 2, 3].map(() =>
    startThread(zone, { name: 'leaseAndCount', gate, metric, rounds: 300 }),
  )
  await openGate(gate, 3)
  const reader = zone.reader()
  const totals = new BigUint64Array(metrics.length)
  let last = 0n
  await sampleUntilDone(
    threads,
    () => {
      const total = reader.counter(metric)
      assert.ok(total >= last, `${total} after ${last}`)
      reader.counters(metrics, totals)
      last = totals.at(-1)!
      assert.ok(last >= total, `${last} after ${total}`)
    },
    10,
  )
  assert.equal(reader.counter(metric), 900_000n)
})

test('eight threads that define the same 20,000 names at once agree on every number', async () => {
  const zone = createZone()
  const keys = Array.from({ length: 20_000 }, (_, i) => `service.endpoint.${i}`)
  const gate = newGate()
  // Each begins elsewhere; the last two at the same name.
  const rotations = [0, 500, 1_000, 1_999, 5_000, 10_000, 19_000, 19_000]
  const threads = rotations.map((first) => {
    const turned = [...keys.slice(first), ...keys.slice(0, first)]
    return startThread(zone, { name: 'define', gate, keys: turned, type: 'counter' })
  })
  await openGate(gate, threads.length)
  const answers = (await Promise.all(threads.map((thread) => thread.done))) as number[][]
  keys.forEach((key, i) => {
    const metric = zone.find(keyOf(key))
    assert.ok(metric >= 0 && metric < keys.length)
    answers.forEach((metrics, t) => {
      assert.equal(metrics[(i - rotations[t]! + keys.length) % keys.length], metric)
    })
  })
  assert.equal(zone.metrics, keys.length)
})

test('while threads define and retire, other names stay found and totals stay right', async () => {
  const zone = createZone()
  const writer = zone.attach()
  const gate = newGate()
  const rounds = 4_000
  const threads = ['costarring', 'liquid'].map((prefix) =>
    startThread(zone, { name: 'churn', gate, prefix, rounds }),
  )
  await openGate(gate, threads.length)
  const reader = zone.reader()
  const metrics: number[] = []
  const wrong = await sampleUntilDone(
    threads,
    () => {
      // New names of its own make the index grow meanwhile.
      if (metrics.length < 20_000) {
        const metric = defined(zone, `stays ${metrics.length}`, 'counter')
        writer.counter(metric)!.add(metrics.length)
        metrics.push(metric)
      }
      for (const at of [0, metrics.length - 1, metrics.length >> 1]) {
        assert.equal(zone.find(keyOf(`stays ${at}`)), metrics[at])
        assert.equal(reader.counter(metrics[at]!), BigInt(at))
      }
      assert.equal(zone.find(keyOf('never defined')), -1)
    },
    50,
  )
  assert.deepEqual(wrong, [0, 0])
  const usage = zone.usage()
  assert.equal(usage.metricsRetired, 2 * (rounds - 10))
  assert.equal(usage.metrics, metrics.length + 20)
  assert.ok(usage.metrics + usage.metricsFree <= metrics.length + 24)
  metrics.forEach((metric, i) => {
    assert.equal(zone.find(keyOf(`stays ${i}`)), metric)
  })
})

test('who looks for a name while entries move gets the answer of after the move', async () => {
  const zone = createZone()
  const metric = defined(zone, 'a', 'counter')
  const words = new Int32Array(bufferOf(zone))
  const index = words[HEADER.index]!
  words[HEADER.lock] = 1
  words[HEADER.generation] = 1
  words[HEADER.index] = 0 // as little as can be seen of an index
  const gate = newGate()
  const thread = startThread(zone, { name: 'find', gate, key: 'a' })
  await openGate(gate, 1)
  while (Atomics.load(gate, 0) === 1) await new Promise((resolve) => setImmediate(resolve))
  for (let i = 0; i < 500; i++) await new Promise((resolve) => setImmediate(resolve))
  words[HEADER.index] = index
  Atomics.store(words, HEADER.generation, 2)
  Atomics.notify(words, HEADER.generation)
  Atomics.store(words, HEADER.lock, 0)
  Atomics.notify(words, HEADER.lock)
  assert.equal(await thread.done, metric)
})

test('four threads that raise and lower a shared gauge leave it where it was', async () => {
  const zone = createZone()
  const metric = zone.define(keyOf('a'), 'gauge', { mode: 'shared' })
  const gate = newGate()
  const times = load(1_000_000)
  const threads = [1, 1, -1, -1].map((delta) =>
    startThread(zone, { name: 'addShared', gate, metric, delta, times }),
  )
  await openGate(gate, threads.length)
  await Promise.all(threads.map((thread) => thread.done))
  assert.equal(zone.reader().sharedGauge(metric), 0n)
})

test('a gauge read while two threads write it has a value that one of them wrote', async () => {
  const zone = createZone()
  const metric = defined(zone, 'a', 'gauge')
  const gate = newGate()
  const until = new Int32Array(new SharedArrayBuffer(4))
  const threads = [1, 2].map(() => startThread(zone, { name: 'setGauge', gate, metric, until }))
  await openGate(gate, 2)
  const reader = zone.reader()
  const reading: GaugeReading = { value: 0, sequence: 0 }
  const seen = new Set<Exact>()
  let last = 0
  try {
    for (let i = 0; i < 300_000 || seen.size < 3; i++) {
      if (!reader.gauge(metric, reading)) continue
      seen.add(reading.value)
      assert.ok(reading.sequence >= last, `${reading.sequence} after ${last}`)
      last = reading.sequence
    }
  } finally {
    Atomics.store(until, 0, 1)
  }
  const writes = (await Promise.all(threads.map((thread) => thread.done))) as number[]
  assert.deepEqual(seen, new Set([2n ** 64n - 1n, -(2n ** 63n), 1.5]))
  reader.gauge(metric, reading)
  assert.equal(reading.sequence, 3 * (writes[0]! + writes[1]!))
})

/** True for the values of the thread's task `observe`: a power of ten and at most 6. */
function isObserved(value: Exact): boolean {
  return /^10*[0-6]$|^[1-7]$/.test(String(BigInt(value)))
}

test('a histogram read while its thread rescales it is never half done', async () => {
  const zone = createZone()
  const metric = defined(zone, 'a', 'exponential')
  const gate = newGate()
  const times = 60_000
  const thread = startThread(zone, { name: 'observe', gate, metric, times })
  await openGate(gate, 1)
  const reader = zone.reader()
  let count = 0n
  let scale = 8
  let readings = 0
  await sampleUntilDone([thread], () => {
    const histogram = reader.exponential(metric)
    readings++
    assert.ok(histogram.count >= count, `${histogram.count} after ${count}`)
    assert.ok(histogram.scale <= scale, `scale ${histogram.scale} after ${scale}`)
    count = histogram.count
    scale = histogram.scale
    // From the second on, which is negative.
    const { min, max } = histogram
    assert.ok(count < 2n || (isObserved(max) && isObserved(-min)), `${min} to ${max}`)
    // Each value is followed by its opposite: the sum is 0 or the value in between.
    assert.ok(histogram.sum === 0 || isObserved(histogram.sum!), `sum ${histogram.sum}`)
  })
  const histogram = reader.exponential(metric)
  assert.ok(readings > 100)
  assert.equal(histogram.count, BigInt(2 * times))
  assert.equal(histogram.sum, 0)
  assert.equal(histogram.positive.total(), BigInt(times))
  assert.equal(histogram.max, -(histogram.min as bigint))
})

test('a reader that looks only at changed histograms misses no observation', async () => {
  const zone = createZone()
  const metric = defined(zone, 'a', 'exponential')
  const gate = newGate()
  const times = 20_000
  const threads = [1, 2].map(() => startThread(zone, { name: 'observe', gate, metric, times }))
  await openGate(gate, 2)
  const reader = zone.reader()
  let count = 0n
  const tick = (): void => {
    const epoch = reader.closeWindow()
    if (reader.windowChanged(metric, epoch)) count = reader.exponential(metric).count
  }
  await sampleUntilDone(threads, tick)
  tick()
  tick()
  assert.equal(count, BigInt(2 * 2 * times))
  const epoch = reader.closeWindow()
  assert.equal(reader.windowChanged(metric, epoch), false)
})
