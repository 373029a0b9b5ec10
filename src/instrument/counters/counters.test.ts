import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { TestRegistry } from '../../../test/support/counter-sessions.ts'
import { CounterRegistry, defaultRegistry, EventSource } from '../registry.ts'
import {
  EventCounter,
  IncrementingEventCounter,
  IncrementingPollingCounter,
  PollingCounter,
} from './event-counters.ts'
import type { RateCounterOptions } from './source-counter.ts'

const KINDS = ['mean', 'sum', 'polled', 'growing'] as const

function make(kind: (typeof KINDS)[number], name: string, { source }: TestRegistry) {
  if (kind === 'mean') return new EventCounter(name, source)
  if (kind === 'sum') return new IncrementingEventCounter(name, source)
  if (kind === 'polled') return new PollingCounter(name, source, () => 0)
  return new IncrementingPollingCounter(name, source, () => 0)
}

suite('counters', () => {
  for (const kind of KINDS) {
    test(`a counter (${kind}) says what it was told, in the next payload`, () => {
      const bed = new TestRegistry()
      const counter = make(kind, 'c', bed)
      const followed = bed.follow(1)
      bed.pass(1)
      counter.displayName = 'Name'
      counter.displayUnits = 'ms'
      counter.addMetaData('k', 'v')
      counter.addMetadata('empty', null)
      const isRate = 'displayRateTimeScale' in counter
      if (isRate) counter.displayRateTimeScale = 0.5
      bed.pass(1)
      const [before, after] = followed.windows.map((window) => window.counter)
      const plain = { provider: 'Source', name: 'c', displayName: '', units: '' }
      assert.deepEqual(before, { ...plain, rateScaleSec: 0, metaData: [] })
      assert.deepEqual(after, {
        ...{ ...plain, displayName: 'Name', units: 'ms' },
        rateScaleSec: isRate ? 0.5 : 0,
        metaData: [
          ['k', 'v'],
          ['empty', ''],
        ],
      })
      assert.deepEqual([counter.displayName, counter.displayUnits], ['Name', 'ms'])
      assert.equal(isRate, kind === 'sum' || kind === 'growing')
    })
  }

  test('a rate time scale is seconds, the text of a TimeSpan, or milliseconds by name', () => {
    const bed = new TestRegistry()
    const make = (options: RateCounterOptions) =>
      new IncrementingEventCounter('c', bed.source, options).displayRateTimeScale
    assert.equal(make({ displayRateTimeScale: 60 }), 60)
    assert.equal(make({ displayRateTimeScale: '00:01:00' }), 60)
    assert.equal(make({ displayRateTimeScale: '1.00:00:00.5' }), 86_400.5)
    assert.equal(make({ displayRateTimeScaleMs: 60_000 }), 60)
    const counter = new IncrementingPollingCounter('p', bed.source, () => 0)
    counter.displayRateTimeScale = '01:00:00'
    assert.deepEqual([counter.displayRateTimeScale, counter.displayRateTimeScaleMs], [3600, 3.6e6])
    counter.displayRateTimeScaleMs = 100
    assert.equal(counter.served.description.rateScaleSec, 0.1)
    counter.displayRateTimeScale = '00:00:00'
    assert.equal(counter.displayRateTimeScale, 0)
  })

  test('what a counter says of itself is the same object while nothing changes', () => {
    const bed = new TestRegistry()
    new EventCounter('c', bed.source)
    const followed = bed.follow(1)
    bed.pass(2)
    assert.equal(followed.windows[0]!.counter, followed.windows[1]!.counter)
  })

  test('a refused attribute is thrown at the caller and changes nothing', () => {
    const bed = new TestRegistry()
    const counter = new IncrementingEventCounter('c', bed.source, { metaData: { k: 'v' } })
    const before = counter.served.description
    const refused: [() => unknown, typeof TypeError | typeof RangeError][] = [
      [() => counter.addMetaData('k', 'again'), TypeError],
      [() => counter.addMetaData('', 'v'), TypeError],
      [() => counter.addMetaData('DisplayUnits', 'v'), TypeError],
      [() => counter.addMetaData('a=b', 'v'), TypeError],
      [() => counter.addMetaData('a', 'v,w'), TypeError],
      [() => counter.addMetaData('a', 5 as never), TypeError],
      [() => counter.addMetaData('a', 'x'.repeat(513)), RangeError],
      [() => Object.assign(counter, { displayName: 'x'.repeat(513) }), RangeError],
      [() => Object.assign(counter, { displayUnits: 'a\0b' }), RangeError],
      [() => Object.assign(counter, { displayName: undefined }), TypeError],
      [() => Object.assign(counter, { displayRateTimeScale: -1 }), RangeError],
      [() => Object.assign(counter, { displayRateTimeScale: Infinity }), RangeError],
      [() => Object.assign(counter, { displayRateTimeScale: '1' }), TypeError],
      [() => Object.assign(counter, { displayRateTimeScale: 'soon' }), TypeError],
      [() => Object.assign(counter, { displayRateTimeScale: '-00:00:01' }), RangeError],
      [() => Object.assign(counter, { displayRateTimeScaleMs: '00:00:01' }), TypeError],
      [() => Object.assign(counter, { displayRateTimeScaleMs: -1 }), RangeError],
    ]
    for (const [call, type] of refused) {
      assert.throws(call, type)
      assert.equal(counter.served.description, before)
    }
    counter.addMetaData('other', 'v')
    assert.equal(counter.served.description.metaData.length, 2)
  })

  test('a library of the peer profile takes pairs that the document cannot spell', () => {
    const bed = new TestRegistry({ profile: 'peer' })
    const counter = new EventCounter('c', bed.source)
    counter.addMetaData('', 'v,w=x')
    assert.throws(() => counter.addMetaData('', 'again'), TypeError)
    assert.deepEqual(counter.served.description.metaData, [['', 'v,w=x']])
  })

  test('a name that is empty, too long, no text or holds U+0000 makes no counter or source', () => {
    const bed = new TestRegistry()
    for (const name of ['', 'x'.repeat(513), 'a\0', null, undefined, 5] as string[]) {
      for (const kind of KINDS) assert.throws(() => make(kind, name, bed), /name/)
      assert.throws(() => new EventSource(name, bed), /name/)
    }
    assert.throws(() => new PollingCounter('p', bed.source, 5 as never), TypeError)
    assert.throws(() => new EventCounter('c', bed.source, { metaData: { '': '' } }), TypeError)
    const twice = { displayRateTimeScale: 1, displayRateTimeScaleMs: 1000 }
    assert.throws(() => new IncrementingEventCounter('c', bed.source, twice), TypeError)
    const followed = bed.follow(1)
    bed.pass(1)
    assert.deepEqual([followed.payloads, bed.registry.sources.length], [[], 1])
  })

  test('samples that are not finite are refused, counted each time and logged once', () => {
    const bed = new TestRegistry()
    const [mean, sum] = [
      new EventCounter('c', bed.source),
      new IncrementingEventCounter('n', bed.source),
    ]
    mean.writeMetric(Number.NaN)
    const followed = bed.follow(1)
    for (const value of [Number.NaN, Infinity, -Infinity]) {
      mean.writeMetric(value)
      sum.increment(value)
    }
    mean.writeMetric(4)
    sum.increment()
    bed.pass(1)
    assert.deepEqual(
      followed.payloads.map(({ count, increment }) => count ?? increment),
      [1, 1],
    )
    assert.equal(bed.registry.counts.nonfinite_samples, 6)
    assert.equal(bed.logged.length, 2)
    assert.match(bed.logged[0]!, /counter "c" of source "Source".*finite/)
  })

  test('two of one name and pairs are both served, and warned of once', () => {
    const bed = new TestRegistry()
    const pair = { metaData: { k: 'v' } }
    new EventCounter('c', bed.source)
    new EventCounter('c', bed.source, pair)
    const twin = new EventCounter('c', bed.source)
    const followed = bed.follow(1)
    bed.pass(1)
    assert.equal(followed.payloads.length, 3)
    assert.deepEqual([bed.registry.counts.duplicate_counters, bed.logged.length], [1, 1])
    twin.close()
    new EventCounter('c', bed.source)
    assert.equal(bed.registry.counts.duplicate_counters, 2)
  })

  test('pairs that are added later tell counters of one name apart', () => {
    const bed = new TestRegistry()
    for (const language of ['de', 'en', 'fr', 'en']) {
      new EventCounter('c', bed.source).addMetaData('language', language)
    }
    assert.equal(bed.registry.counts.duplicate_counters, 0)
    new EventCounter('c', bed.source, { metaData: { language: 'fr' } })
    assert.equal(bed.registry.counts.duplicate_counters, 1)
  })

  test('beyond the limit of counters one is inert, counted, and the first is logged', () => {
    const bed = new TestRegistry({ limits: { countersPerSource: 2 } })
    const [first, , third, fourth] = KINDS.map((kind) => make(kind, kind, bed))
    const followed = bed.follow(1)
    third!.addMetaData('k', 'v')
    bed.pass(1)
    assert.deepEqual(
      followed.payloads.map(({ name }) => name),
      ['mean', 'sum'],
    )
    assert.deepEqual([bed.registry.counts.dropped_counters, bed.logged.length], [2, 1])
    first!.close()
    fourth!.close()
    new EventCounter('next', bed.source)
    bed.pass(1)
    assert.equal(followed.payloads.at(-1)!.name, 'next')
  })

  test('beyond the limit of sources one is inert, and so is all in it', () => {
    const bed = new TestRegistry({ limits: { sources: 1 } })
    const told: string[] = []
    const inert = new EventSource('Inert', {
      registry: bed.registry,
      onEnable: () => told.push('on'),
    })
    new EventSource('Inert too', bed)
    new EventCounter('c', inert).writeMetric(1)
    const followed = bed.follow(1)
    bed.pass(1)
    const { dropped_sources, dropped_counters } = bed.registry.counts
    assert.deepEqual([dropped_sources, dropped_counters, bed.logged.length], [2, 1, 2])
    assert.deepEqual([followed.payloads, told, inert.isEnabled], [[], [], false])
    inert.close()
  })

  test('the default registry is one, and sources that name none are in it', () => {
    const source = new EventSource('Default')
    assert.equal(source.registry, defaultRegistry())
    assert.ok(defaultRegistry().sources.includes(source))
    source.close()
    assert.ok(!defaultRegistry().sources.includes(source))
  })

  test('without a log a warning of the process tells what is wrong', async () => {
    const registry = new CounterRegistry({ limits: { sources: 0 } })
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
    new EventSource('Many', { registry })
    const { name, message } = await warned
    assert.equal(name, 'CounterWarning')
    assert.match(message, /source "Many" is inert/)
  })
})

suite('histogram of an EventCounter', () => {
  test('holds every sample since the counter was made, whoever listens', () => {
    const bed = new TestRegistry()
    const counter = new EventCounter('c', bed.source, { histogram: true })
    for (let i = 1; i <= 100; i++) counter.writeMetric(i)
    const followed = bed.follow(1)
    for (let i = 101; i <= 200; i++) counter.writeMetric(i)
    bed.pass(1)
    counter.writeMetric(-1)
    const histogram = counter.histogram!
    assert.equal(histogram.count, 201n)
    assert.deepEqual([histogram.sum, histogram.min, histogram.max], [20_099, -1, 200])
    assert.ok(Math.abs(histogram.quantile(0.5) - 100) < 5)
    assert.deepEqual(
      followed.payloads.map(({ count }) => count),
      [100],
    )
    counter.writeMetric(1)
    assert.equal(histogram.count, 201n, 'what was read stays as it was')
  })

  test('is not kept where it was not asked for', () => {
    assert.equal(new EventCounter('c', new TestRegistry().source).histogram, undefined)
  })
})
