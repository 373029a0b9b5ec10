/**
 * What recording may not do (docs/formats/zone.md, "Memory order"): counters and histograms touch
 * their segment by plain loads and stores, so that threads never wait for each other's cache lines.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mock, suite, test } from 'node:test'
import { type DefinitionOptions, type MetricType, type Writer, Zone } from '../src/shm/index.ts'

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

function countAtomics(act: () => void): number {
  const mocks = OPERATIONS.map((name) => mock.method(Atomics, name as 'add'))
  try {
    act()
    return mocks.reduce((sum, each) => sum + each.mock.callCount(), 0)
  } finally {
    for (const each of mocks) each.mock.restore()
  }
}
