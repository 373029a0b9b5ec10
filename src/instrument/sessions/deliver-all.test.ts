import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { TestRegistry } from '../../../test/support/counter-sessions.ts'
import { parseFilter } from '../../dialects/eventcounters/codec/filter.ts'
import {
  EventCounter,
  IncrementingEventCounter,
  PollingCounter,
} from '../counters/event-counters.ts'
import { EventSource } from '../registry.ts'

/** Adds one every half second, from a quarter on, for so many seconds. */
function tick(test: TestRegistry, counter: IncrementingEventCounter, seconds: number): void {
  for (let i = 0; i < 2 * seconds; i++) {
    test.pass(0.25)
    counter.increment()
    test.pass(0.25)
  }
}

suite('deliver all', () => {
  test('every session gets every interval, one series of each', () => {
    const bed = new TestRegistry()
    const counter = new IncrementingEventCounter('n', bed.source)
    const [ten, one] = [10, 1].map((seconds) => bed.follow(seconds, { deliver: 'all' }))
    tick(bed, counter, 20)
    assert.deepEqual(ten!.payloads, one!.payloads)
    assert.deepEqual(
      one!.payloads.slice(9, 12).map(({ at, series, increment }) => [at, series, increment]),
      [
        [10, 1, 2],
        [10, 10, 20],
        [11, 1, 2],
      ],
    )
  })

  test('a client that filters by its own interval sees what it would see with own', () => {
    const seen = (['own', 'all'] as const).map((deliver) => {
      const bed = new TestRegistry()
      const counter = new EventCounter('c', bed.source)
      const followed = [10, 1, 3].map((seconds) => bed.follow(seconds, { deliver }))
      for (let i = 0; i < 100; i++) {
        counter.writeMetric(Math.cos(i))
        bed.pass(0.3)
      }
      return followed.map(({ payloads }, i) =>
        payloads.filter(({ series }) => series === [10, 1, 3][i]),
      )
    })
    assert.deepEqual(seen[1], seen[0])
  })

  test('one that joins a running series gets its next boundary, with the time before', () => {
    const bed = new TestRegistry()
    const counter = new IncrementingEventCounter('n', bed.source)
    const first = bed.follow(2, { deliver: 'all' })
    tick(bed, counter, 3)
    const second = bed.follow(2, { deliver: 'all' })
    tick(bed, counter, 3)
    assert.deepEqual(second.payloads, first.payloads.slice(1))
    assert.deepEqual(
      second.payloads.map(({ at, increment }) => [at, increment]),
      [
        [4, 4],
        [6, 4],
      ],
    )
  })

  test('an interval ends with the last session that asked for it', () => {
    const bed = new TestRegistry()
    new EventCounter('c', bed.source)
    const two = bed.follow(2, { deliver: 'all' })
    const ones = [1, 2].map(() => bed.follow(1, { deliver: 'all' }))
    bed.pass(2)
    ones[0]!.session?.close()
    bed.pass(2)
    ones[1]!.session?.close()
    bed.pass(2)
    assert.deepEqual(
      two.payloads.map(({ at, series }) => [at, series]),
      [
        [1, 1],
        [2, 1],
        [2, 2],
        [3, 1],
        [4, 1],
        [4, 2],
        [6, 2],
      ],
    )
  })

  test('each gets the counters that it asked for, and nobody asks for the others', () => {
    const bed = new TestRegistry()
    const calls = { a: 0, b: 0, c: 0 }
    const names = ['a', 'b', 'c'] as const
    for (const name of names) new PollingCounter(name, bed.source, () => ++calls[name])
    const a = bed.follow(1, { deliver: 'all', filter: parseFilter('Source[a]') })
    const b = bed.follow(2, { deliver: 'all', filter: parseFilter('Source[b]') })
    bed.pass(4)
    assert.deepEqual(
      a.payloads.map(({ name, series }) => name + series),
      ['a1', 'a1', 'a2', 'a1', 'a1', 'a2'],
    )
    assert.deepEqual(
      b.payloads.map(({ name, series }) => name + series),
      ['b1', 'b1', 'b2', 'b1', 'b1', 'b2'],
    )
    assert.deepEqual(calls, { a: 4, b: 4, c: 0 })
    b.session?.close()
    bed.pass(2)
    assert.deepEqual(calls, { a: 6, b: 4, c: 0 })
  })

  test('a late source joins on the schedule of the session that asks for it', () => {
    const bed = new TestRegistry()
    const followed = bed.follow(2, { deliver: 'all' })
    bed.pass(0.5)
    new EventCounter('c', new EventSource('Late', bed))
    bed.pass(4)
    assert.deepEqual(
      followed.payloads.map(({ at, sec }) => [at, sec]),
      [
        [2, 2],
        [4, 2],
      ],
    )
  })

  test('sessions of their own neither join nor are seen', () => {
    const bed = new TestRegistry()
    new EventCounter('c', bed.source)
    const [own, all] = [bed.follow(1), bed.follow(2, { deliver: 'all' })]
    bed.pass(2)
    assert.deepEqual([own.payloads.length, all.payloads.length], [2, 1])
  })
})
