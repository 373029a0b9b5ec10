import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { TestRegistry } from '../../../test/support/counter-sessions.ts'
import { parseFilter } from '../../dialects/eventcounters/codec/filter.ts'
import {
  EventCounter,
  IncrementingEventCounter,
  IncrementingPollingCounter,
} from '../counters/event-counters.ts'
import { EventSource } from '../registry.ts'

suite('counters and sources that come late or go early', () => {
  test('a late counter is counted from its creation, and its first payload says so', () => {
    const bed = new TestRegistry()
    const followed = bed.follow(2)
    bed.pass(0.5)
    let total = 40
    const counter = new IncrementingEventCounter('n', bed.source)
    new IncrementingPollingCounter('g', bed.source, () => total)
    counter.increment(3)
    total += 2
    bed.pass(3.5)
    assert.deepEqual(followed.payloads, [
      { at: 2, name: 'n', series: 2, sec: 1.5, increment: 3 },
      { at: 2, name: 'g', series: 2, sec: 1.5, increment: 2 },
      { at: 4, name: 'n', series: 2, sec: 2, increment: 0 },
      { at: 4, name: 'g', series: 2, sec: 2, increment: 0 },
    ])
  })

  test('the mean of a late counter has the interval of its session, as all of a source', () => {
    const bed = new TestRegistry()
    const followed = bed.follow(2)
    bed.pass(0.5)
    new EventCounter('c', bed.source).writeMetric(8)
    bed.pass(3.5)
    assert.deepEqual(followed.payloads, [
      { at: 2, name: 'c', series: 2, sec: 2, count: 1, mean: 8 },
      { at: 4, name: 'c', series: 2, sec: 2, count: 0, mean: 0 },
    ])
  })

  test('a source made while sessions are open joins those that match', () => {
    const bed = new TestRegistry()
    const all = bed.follow(1)
    const other = bed.follow(1, { filter: parseFilter('Other') })
    bed.pass(0.5)
    const late = new EventSource('Late', bed)
    new EventCounter('c', late)
    bed.pass(1)
    assert.deepEqual([all.payloads.length, other.payloads.length], [1, 0])
    assert.equal(all.payloads[0]!.sec, 1)
  })

  test('a counter that was closed vanishes, and what it had counted with it', () => {
    const bed = new TestRegistry()
    const [gone, kept] = ['gone', 'kept'].map((n) => new IncrementingEventCounter(n, bed.source))
    const followed = bed.follow(1)
    gone!.increment()
    kept!.increment()
    gone!.close()
    gone!.close()
    gone!.increment()
    bed.pass(1)
    assert.deepEqual(
      followed.payloads.map(({ name, increment }) => [name, increment]),
      [['kept', 1]],
    )
  })

  test('a source that was closed takes its counters along and accepts no more', () => {
    const bed = new TestRegistry()
    new EventCounter('c', bed.source)
    const followed = bed.follow(1)
    bed.source.close()
    bed.source.close()
    new EventCounter('d', bed.source).writeMetric(1)
    bed.pass(1)
    assert.deepEqual(followed.payloads, [])
    assert.deepEqual(bed.registry.sources, [])
  })

  test('sources are enabled for the first session and disabled after the last', () => {
    const bed = new TestRegistry()
    const told: string[] = []
    const source = new EventSource('Told', {
      registry: bed.registry,
      onEnable: () => told.push('on'),
      onDisable: () => told.push('off'),
    })
    const filter = parseFilter('told')
    const [first, second] = [bed.follow(1, { filter }), bed.follow(2)]
    const other = bed.follow(1, { filter: parseFilter('Source') })
    assert.deepEqual([told, source.isEnabled], [['on'], true])
    first.session?.close()
    assert.deepEqual(told, ['on'])
    second.session?.close()
    assert.deepEqual([told, source.isEnabled], [['on', 'off'], false])
    other.session?.close()
    bed.follow(1)
    source.close()
    assert.deepEqual(told, ['on', 'off', 'on', 'off'])
  })

  test('a source made while a session is open is enabled once its maker has it', async () => {
    const bed = new TestRegistry()
    const followed = bed.follow(1)
    let counter: EventCounter | undefined
    const source: EventSource = new EventSource('Late', {
      registry: bed.registry,
      onEnable: () => {
        counter = new EventCounter('c', source)
      },
    })
    assert.equal(counter, undefined)
    await Promise.resolve()
    counter!.writeMetric(1)
    bed.pass(1)
    assert.deepEqual(followed.payloads, [
      { at: 1, name: 'c', series: 1, sec: 1, count: 1, mean: 1 },
    ])
  })

  test('counters made when a source is enabled are in the session that enabled it', () => {
    const bed = new TestRegistry()
    const source = new EventSource('Lazy', {
      registry: bed.registry,
      onEnable: (enabled) => new EventCounter('c', enabled).writeMetric(1),
    })
    const followed = bed.follow(1)
    bed.pass(1)
    assert.equal(source.isEnabled, true)
    assert.deepEqual(
      followed.payloads.map(({ count }) => count),
      [0],
    )
  })

  test('an onEnable that throws or is rejected is counted and harms no session', async () => {
    const bed = new TestRegistry()
    const fail = (): void => {
      throw new Error('no')
    }
    new EventSource('Throws', { registry: bed.registry, onEnable: fail })
    const onEnable = (async () => fail()) as () => void
    new EventSource('Rejected', { registry: bed.registry, onEnable })
    const followed = bed.follow(1)
    await new Promise(setImmediate)
    bed.pass(1)
    assert.deepEqual([bed.registry.counts.callback_errors, followed.boundaries], [2, [1]])
  })
})
