/**
 * What recording may not do. Counters and histograms of the zone touch their segment by plain loads
 * and stores, so that threads never wait for each other's cache lines (docs/formats/zone.md,
 * "Memory order"); so does every instrument but a gauge in the thread that serves the sessions. And
 * an update leaves no garbage behind, however many listen.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mock, suite, test } from 'node:test'
import { getHeapStatistics } from 'node:v8'
import { Reporter } from '../src/dialects/wallaroo/reporter/reporter.ts'
import {
  Counter,
  CounterRegistry,
  EventCounter,
  EventSource,
  Histogram,
  IncrementingEventCounter,
} from '../src/instrument/index.ts'
import { type DefinitionOptions, type MetricType, type Writer, Zone } from '../src/shm/index.ts'
import { FakeClock } from './support/fake-clock.ts'

/** Files of handles that have no use for Atomics on any path. */
const PLAIN_FILES = ['counter', 'dense', 'binned', 'exponential']
const OPERATIONS = [
  'add',
  'sub',
  'exchange',
  'compareExchange',
  'load',
  'store',
  'and',
  'or',
  'xor',
]

interface Way {
  readonly title: string
  readonly type: MetricType
  readonly options?: DefinitionOptions
  /** A function that records a value, with the handle already found. */
  recorder(writer: Writer, metric: number): (value: number) => unknown
}

const WAYS: readonly Way[] = [
  {
    title: 'a counter',
    type: 'counter',
    recorder: (writer, metric) => (value) => writer.counter(metric)!.add(value),
  },
  {
    title: 'a wrapping counter',
    type: 'counter',
    options: { mode: 'wrapping' },
    recorder: (writer, metric) => (value) => writer.counter(metric)!.addWrapping(-value),
  },
  {
    title: 'a counter by its place',
    type: 'counter',
    recorder(writer, metric) {
      const place = writer.counterPlace(metric)
      return (value) => writer.addSmall(place, value)
    },
  },
  {
    title: 'a dense histogram',
    type: 'dense',
    recorder: (writer, metric) => (value) => writer.dense(metric)!.observe(value),
  },
  {
    title: 'a dense histogram of fractions',
    type: 'dense',
    options: { mode: 'fractions' },
    recorder: (writer, metric) => (value) => writer.dense(metric)!.observe(value / 8),
  },
  {
    title: 'an exponential histogram',
    type: 'exponential',
    recorder: (writer, metric) => (value) => writer.exponential(metric)!.observe(value),
  },
  {
    title: 'an expanding histogram whose bounds are held',
    type: 'expanding',
    recorder: (writer, metric) => (value) => writer.expanding(metric)!.observe(value),
  },
  {
    title: 'a binned histogram',
    type: 'binned',
    options: { bounds: [1, 10, 100] },
    recorder: (writer, metric) => (value) => writer.binned(metric)!.observe(value),
  },
]
const VALUES = [1, 7, 100, 900]

suite('recording', () => {
  for (const { title, type, options, recorder } of WAYS) {
    test(`${title} is recorded without an atomic operation`, () => {
      const zone = Zone.create()
      const record = recorder(zone.attach(), zone.define(Buffer.from('a'), type, options))
      for (const value of VALUES) record(value)
      const calls = countAtomics(() => {
        for (let i = 0; i < 1000; i++) assert.ok(record(VALUES[i % VALUES.length]!))
      })
      assert.equal(calls, 0)
    })
  }

  test('the count of atomic operations sees those of a gauge', () => {
    const zone = Zone.create()
    const gauge = zone.attach().gauge(zone.define(Buffer.from('a'), 'gauge'))!
    assert.equal(
      countAtomics(() => gauge.set(1)),
      2,
    )
  })

  for (const name of PLAIN_FILES) {
    test(`the source of ${name} handles calls no atomic operation`, () => {
      const file = new URL(`../src/shm/slots/${name}.ts`, import.meta.url)
      assert.doesNotMatch(readFileSync(file, 'utf8'), /Atomics\.\w+\(/)
    })
  }
})

/** Instruments as an application makes them: a function that records a value. */
const INSTRUMENTS: Readonly<Record<string, (source: EventSource) => (value: number) => void>> = {
  EventCounter(source) {
    const counter = new EventCounter('c', source)
    return (value) => counter.writeMetric(value)
  },
  IncrementingEventCounter(source) {
    const counter = new IncrementingEventCounter('c', source)
    return (value) => counter.increment(value)
  },
  'Counter, bound to labels'(source) {
    const counter = new Counter('c', source, { labels: ['a'] }).with({ a: 'b' })
    return (value) => counter.add(value)
  },
  'Histogram, bound to labels'(source) {
    const histogram = new Histogram('c', source, { labels: ['a'] }).with({ a: 'b' })
    return (value) => histogram.record(value)
  },
}
const UPDATES = 100_000
/** The first rounds run before the compiler, in its own time, is through with the code. */
const ROUNDS_LIMIT = 300
/** Bytes per update: the smallest object has 16. */
const GARBAGE_LIMIT = 2

suite('recording with an instrument', () => {
  for (const [name, make] of Object.entries(INSTRUMENTS)) {
    for (const sessions of [0, 1, 3]) {
      const title = `${name}, ${sessions} listening`
      test(`${title}: is done without an atomic operation`, () => {
        const record = listenedTo(make, sessions)
        const calls = countAtomics(() => {
          for (let i = 0; i < 1000; i++) record(VALUES[i % VALUES.length]!)
        })
        assert.equal(calls, 0)
      })

      const skip = allocatedBytes() === undefined && 'this Node does not count what it allocates'
      test(`${title}: leaves no garbage`, { skip }, () => {
        assertNoGarbage(listenedTo(make, sessions))
      })
    }
  }
})

/** Items of a reporter of Wallaroo's windows. */
const ITEMS: Readonly<Record<string, (reporter: Reporter) => (value: number) => void>> = {
  'a latency'(reporter) {
    const recorder = reporter.computation('Orders', 'Check', 2)
    return (value) => recorder.record(value)
  },
  'a message ingested'(reporter) {
    const recorder = reporter.ingestion('Orders')
    return () => recorder.count()
  },
  'what is no latency'(reporter) {
    const recorder = reporter.startToEnd('Orders')
    return (value) => recorder.record(-value)
  },
}

suite('recording in a window', () => {
  // a time that is always the same number: one of its own is all that a clock may leave behind
  const nowMs = 1_700_000_000_123
  const clock = { wallMs: () => nowMs, wallNs: () => BigInt(nowMs) * 1_000_000n, after: () => noop }
  for (const windowRule of ['peer', 'document'] as const) {
    for (const [name, make] of Object.entries(ITEMS)) {
      const skip = allocatedBytes() === undefined && 'this Node does not count what it allocates'
      test(`${name}, by the rule of the ${windowRule}, leaves no garbage`, { skip }, () => {
        const names = { application: 'shop', worker: 'w' }
        const record = make(new Reporter({ ...names, windowRule, clock, send: noop }))
        assertNoGarbage(record)
      })
    }
  }
})

function noop(): void {}

function assertNoGarbage(record: (value: number) => void): void {
  let bytes = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS_LIMIT && bytes >= GARBAGE_LIMIT; round++) {
    const before = allocatedBytes()!
    for (let i = 0; i < UPDATES; i++) record(VALUES[i % VALUES.length]!)
    bytes = (allocatedBytes()! - before) / UPDATES
  }
  assert.ok(bytes < GARBAGE_LIMIT, `${bytes} bytes per update`)
}

/** With samples before each session, so that every one counts on its own; all was seen before. */
function listenedTo(make: (typeof INSTRUMENTS)[string], sessions: number) {
  const registry = new CounterRegistry({ clock: new FakeClock() })
  const record = make(new EventSource('Source', { registry }))
  for (const value of VALUES) record(value)
  for (let i = 0; i < sessions; i++) {
    registry.open({ intervalMs: 1000, deliver: 'own' }, () => {})
    for (const value of VALUES) record(value)
  }
  return record
}

function allocatedBytes(): number | undefined {
  const statistics: { total_allocated_bytes?: number } = getHeapStatistics()
  return statistics.total_allocated_bytes
}

function countAtomics(act: () => void): number {
  const mocks = OPERATIONS.map((name) => mock.method(Atomics, name as 'add'))
  try {
    act()
    return mocks.reduce((sum, each) => sum + each.mock.callCount(), 0)
  } finally {
    for (const each of mocks) each.mock.restore()
  }
}
