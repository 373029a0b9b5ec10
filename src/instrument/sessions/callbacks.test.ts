import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { TestRegistry } from '../../../test/support/counter-sessions.ts'
import { parseFilter } from '../../dialects/eventcounters/codec/filter.ts'
import {
  EventCounter,
  IncrementingPollingCounter,
  PollingCounter,
} from '../counters/event-counters.ts'
import { EventSource } from '../registry.ts'
import type { Collection } from './served-counter.ts'

/** A bed with a neighbour on either side of the counter that misbehaves. */
function neighboured(make: (bed: TestRegistry) => void) {
  const bed = new TestRegistry()
  new PollingCounter('before', bed.source, () => 1)
  make(bed)
  new PollingCounter('after', bed.source, () => 2)
  const followed = bed.follow(1)
  const names = () => followed.payloads.map(({ name }) => name)
  return { bed, followed, names, counts: bed.registry.counts }
}

suite('callbacks', () => {
  test('sessions that are due at one moment share one call', () => {
    const bed = new TestRegistry()
    const calls: number[] = []
    new PollingCounter('p', bed.source, () => calls.push(bed.clock.wallMs() - bed.clock.startMs))
    const [one, two] = [bed.follow(1), bed.follow(2)]
    bed.pass(4.5)
    assert.deepEqual(calls, [1000, 2000, 3000, 4000])
    assert.deepEqual(
      [one.payloads.map(({ mean }) => mean), two.payloads.map(({ mean }) => mean)],
      [
        [1, 2, 3, 4],
        [2, 4],
      ],
    )
  })

  test('with nobody listening they are never called', () => {
    const bed = new TestRegistry()
    let calls = 0
    new PollingCounter('p', bed.source, () => ++calls)
    new IncrementingPollingCounter('g', bed.source, () => ++calls)
    bed.pass(10)
    bed.follow(1, { filter: parseFilter('Source[other]') })
    bed.pass(10)
    assert.equal(calls, 0)
  })

  test('a total is polled when a session opens and at each of its boundaries', () => {
    const bed = new TestRegistry()
    const calls: number[] = []
    new IncrementingPollingCounter('g', bed.source, () =>
      calls.push((bed.clock.wallMs() - bed.clock.startMs) / 1000),
    )
    const followed = bed.follow(2)
    bed.pass(5)
    assert.deepEqual(calls, [0, 2, 4])
    assert.deepEqual(
      followed.payloads.map(({ increment }) => increment),
      [1, 1],
    )
  })

  const failures: readonly [what: string, callback: () => unknown, reason: RegExp][] = [
    ['throws', () => assert.fail('broken'), /threw: broken/],
    ['throws what has no text', () => raise(Object.create(null)), /threw: an error without a text/],
    ['returns NaN', () => Number.NaN, /returned NaN/],
    ['returns an infinity', () => Number.NEGATIVE_INFINITY, /returned -Infinity/],
    ['returns a text', () => '5', /returned string/],
    ['returns nothing', () => undefined, /returned undefined/],
    ['returns a promise', async () => 5, /returned a promise/],
    ['returns a promise that is rejected', () => Promise.reject(new Error('x')), /a promise/],
  ]
  for (const [what, callback, reason] of failures) {
    test(`one that ${what} has no payload, is counted each time and logged once`, async () => {
      const { bed, names, counts } = neighboured(({ source }) => {
        new PollingCounter('bad', source, callback as () => number)
      })
      bed.follow(1)
      bed.pass(2)
      await new Promise(setImmediate)
      assert.deepEqual(names(), ['before', 'after', 'before', 'after'])
      assert.equal(counts.callback_errors, 2)
      assert.equal(bed.logged.length, 1)
      assert.match(bed.logged[0]!, /^counter "bad" of source "Source": its callback /)
      assert.match(bed.logged[0]!, reason)
    })
  }

  test('after a failed poll the next good one tells the growth and the time of both', () => {
    const bed = new TestRegistry()
    const totals = [10, 15, Number.NaN, 35, 30]
    new IncrementingPollingCounter('g', bed.source, () => totals.shift()!)
    const followed = bed.follow(1)
    bed.pass(4)
    assert.deepEqual(
      followed.payloads.map(({ at, sec, increment }) => ({ at, sec, increment })),
      [
        { at: 1, sec: 1, increment: 5 },
        { at: 3, sec: 2, increment: 20 },
        { at: 4, sec: 1, increment: -5 },
      ],
    )
  })

  test('without a baseline the first good poll becomes it and has no payload', () => {
    const bed = new TestRegistry()
    const totals = [Number.NaN, Number.NaN, 7, 9]
    new IncrementingPollingCounter('g', bed.source, () => totals.shift()!)
    const followed = bed.follow(1)
    bed.pass(3)
    assert.deepEqual(
      followed.payloads.map(({ at, sec, increment }) => ({ at, sec, increment })),
      [{ at: 3, sec: 1, increment: 2 }],
    )
  })

  test('a failed poll of a value does not lengthen the next interval', () => {
    const bed = new TestRegistry()
    const values = [1, Number.NaN, 3]
    new PollingCounter('p', bed.source, () => values.shift()!)
    const followed = bed.follow(1)
    bed.pass(3)
    assert.deepEqual(
      followed.payloads.map(({ at, sec }) => [at, sec]),
      [
        [1, 1],
        [3, 1],
      ],
    )
  })

  test('one that closes its own counter has no payload any more', () => {
    let calls = 0
    const { bed, names } = neighboured(({ source }) => {
      const counter: PollingCounter = new PollingCounter('own', source, () => {
        if (++calls === 2) counter.close()
        return calls
      })
    })
    const second = bed.follow(1)
    bed.pass(3)
    const [all, some] = [
      ['before', 'own', 'after'],
      ['before', 'after'],
    ]
    assert.deepEqual(names(), [...all!, ...some!, ...some!])
    assert.deepEqual(
      second.payloads.map(({ name }) => name),
      names(),
    )
    assert.equal(calls, 2)
  })

  test('one that closes its source ends all of it, and no other', () => {
    const bed = new TestRegistry()
    new PollingCounter('first', bed.source, () => 1)
    new PollingCounter('fatal', bed.source, () => {
      bed.source.close()
      return 1
    })
    new PollingCounter('never', bed.source, () => assert.fail('called after its end'))
    new PollingCounter('other', new EventSource('Other', bed), () => 1)
    const followed = bed.follow(1)
    bed.pass(2)
    assert.deepEqual(
      followed.payloads.map(({ name }) => name),
      ['first', 'other', 'other'],
    )
    assert.equal(bed.registry.counts.callback_errors, 0)
  })

  test('one that opens a session gets none of its boundaries in that collection', () => {
    let opened: ReturnType<TestRegistry['follow']> | undefined
    const { bed, followed, names } = neighboured((bed) => {
      new PollingCounter('opens', bed.source, () => {
        opened ??= bed.follow(1)
        return 1
      })
    })
    bed.pass(2)
    assert.deepEqual(names(), ['before', 'opens', 'after', 'before', 'opens', 'after'])
    assert.deepEqual(opened?.boundaries, [2])
    assert.ok(opened?.payloads.every(({ sec }) => sec === 1))
    assert.deepEqual(followed.boundaries, [1, 2])
  })

  test('a session opened in a collection takes its polls as baselines', () => {
    const bed = new TestRegistry()
    let calls = 0
    const polled = () => ++calls
    new IncrementingPollingCounter('before', bed.source, polled)
    let opened: ReturnType<TestRegistry['follow']> | undefined
    new PollingCounter('opens', bed.source, () => {
      opened ??= bed.follow(1)
      return 1
    })
    bed.follow(1)
    bed.pass(1)
    assert.equal(calls, 2)
    bed.pass(1)
    assert.equal(calls, 3)
    assert.deepEqual(
      opened?.payloads.map(({ name, increment }) => [name, increment]),
      [
        ['before', 1],
        ['opens', undefined],
      ],
    )
  })

  test('one that opens sessions without end is stopped by their limit', () => {
    const bed = new TestRegistry()
    let calls = 0
    new IncrementingPollingCounter('g', bed.source, () => {
      bed.follow(1)
      return ++calls
    })
    const followed = bed.follow(1)
    bed.pass(100)
    assert.equal(bed.registry.sessionCount, 64)
    assert.equal(followed.payloads.length, 100)
    assert.ok(followed.payloads.every(({ increment }) => increment === 1))
  })

  test('the session that a baseline poll opens counts from that poll', () => {
    const bed = new TestRegistry()
    let [total, calls] = [10, 0]
    let opened: ReturnType<TestRegistry['follow']> | undefined
    new IncrementingPollingCounter('g', bed.source, () => {
      calls++
      opened ??= bed.follow(1)
      return total
    })
    bed.follow(5)
    assert.deepEqual([calls, bed.registry.sessionCount], [1, 2])
    total = 14
    bed.pass(1)
    assert.deepEqual(
      opened?.payloads.map(({ increment }) => increment),
      [4],
    )
  })

  test('one that closes sessions loses them what is due, and others nothing', () => {
    const bed = new TestRegistry()
    new PollingCounter('p', bed.source, () => {
      doomed.session?.close()
      return 1
    })
    const [one, doomed, two] = [bed.follow(1), bed.follow(1), bed.follow(1)]
    bed.pass(2)
    assert.deepEqual([one.boundaries, doomed.boundaries, two.boundaries], [[1, 2], [], [1, 2]])
  })

  test('a slow one makes the next boundary late, and the schedule stays', () => {
    const bed = new TestRegistry()
    let calls = 0
    new PollingCounter('slow', bed.source, () => {
      if (++calls === 1) bed.clock.stall(2300)
      return calls
    })
    const followed = bed.follow(1)
    bed.pass(6)
    assert.deepEqual(
      followed.payloads.map(({ at, sec }) => [at, sec]),
      [
        [1, 1],
        [3.3, 2.3],
        [4, 0.7],
        [5, 1],
        [6, 1],
      ],
    )
  })

  test('one that writes to another counter is seen alike by all sessions of the collection', () => {
    const bed = new TestRegistry()
    const early = new EventCounter('early', bed.source)
    const late: EventCounter[] = []
    new PollingCounter('writes', bed.source, () => {
      early.writeMetric(1)
      late[0]!.writeMetric(1)
      return 1
    })
    late.push(new EventCounter('late', bed.source))
    const [first, second] = [bed.follow(1), bed.follow(1)]
    bed.pass(2)
    assert.deepEqual(second.payloads, first.payloads)
    assert.deepEqual(
      first.payloads.map(({ name, count }) => `${name} ${count}`),
      ['early 0', 'writes 1', 'late 1', 'early 1', 'writes 1', 'late 1'],
    )
  })

  test('one that makes a counter makes one that joins from then on', () => {
    const bed = new TestRegistry()
    let calls = 0
    new PollingCounter('p', bed.source, () => {
      if (++calls === 1) new EventCounter('made', bed.source)
      return 1
    })
    const followed = bed.follow(1)
    bed.pass(2)
    assert.deepEqual(
      followed.payloads.map(({ at, name, sec }) => [at, name, sec]),
      [
        [1, 'p', 1],
        [2, 'p', 1],
        [2, 'made', 1],
      ],
    )
  })
})

suite('listeners', () => {
  test('one that throws loses its session, and no other notices', () => {
    const bed = new TestRegistry()
    new EventCounter('c', bed.source)
    const first = bed.follow(1)
    const session = bed.registry.open({ intervalMs: 1000, deliver: 'own' }, () => {
      throw new Error('deaf')
    })
    const last = bed.follow(1)
    bed.pass(3)
    assert.deepEqual([first.boundaries, last.boundaries], [[1, 2, 3], first.boundaries])
    assert.deepEqual([session?.isOpen, bed.registry.sessionCount], [false, 2])
    assert.equal(bed.registry.counts.listener_errors, 1)
    assert.deepEqual(bed.logged, ['listener of a session, closed: deaf'])
  })

  test('one that is async and is rejected loses its session too', async () => {
    const bed = new TestRegistry()
    const listener = (async () => assert.fail('deaf')) as () => void
    const session = bed.registry.open({ intervalMs: 1000, deliver: 'own' }, listener)
    bed.pass(1)
    await new Promise(setImmediate)
    assert.deepEqual([session?.isOpen, bed.registry.counts.listener_errors], [false, 1])
  })

  test('a session that a listener opens or closes is not served in that collection', () => {
    const bed = new TestRegistry()
    let opened: ReturnType<TestRegistry['follow']> | undefined
    bed.registry.open({ intervalMs: 1000, deliver: 'own' }, () => {
      opened ??= bed.follow(1)
      doomed.session?.close()
    })
    const doomed = bed.follow(1)
    bed.pass(2)
    assert.deepEqual([doomed.boundaries, opened?.boundaries], [[], [2]])
  })

  test('a log that throws harms nobody', () => {
    const bed = new TestRegistry()
    bed.logged.push = () => assert.fail('the log is broken')
    const counter = new EventCounter('c', bed.source)
    bed.follow(1)
    counter.writeMetric(Number.NaN)
    assert.equal(bed.registry.counts.nonfinite_samples, 1)
  })
})

suite('other makes of counters', () => {
  test('onCollection is called before any window closes, and may add counters and samples', () => {
    const bed = new TestRegistry()
    const counter = new EventCounter('c', bed.source)
    const collections: Collection[] = []
    const stop = bed.registry.onCollection((collection) => {
      counter.writeMetric(collections.push(collection))
      if (collections.length === 1) new EventCounter('added', bed.source)
    })
    const followed = bed.follow(1)
    bed.follow(2)
    bed.pass(2)
    stop()
    bed.pass(1)
    assert.deepEqual(
      followed.payloads.map(({ at, name, count, sec }) => [at, name, count, sec]),
      [
        [1, 'c', 1, 1],
        [2, 'c', 1, 1],
        [2, 'added', 0, 1],
        [3, 'c', 0, 1],
        [3, 'added', 0, 1],
      ],
    )
    assert.deepEqual(
      collections.map(({ nowNs }) => nowNs),
      [1_000_000_000n, 2_000_000_000n],
    )
    assert.ok(collections[1]!.number > collections[0]!.number)
  })

  test('one that throws from onCollection, open or close is counted, and the others go on', () => {
    const { bed, names, counts } = neighboured(({ registry, source }) => {
      const description = { ...new EventCounter('kept', source).served.description, name: 'bad' }
      const modelKind = 'gauge'
      registry.addCounter(source, { description, modelKind, open: () => assert.fail('open') })
      const close = () => assert.fail('close')
      const open = () => ({ close, end: () => {} })
      registry.addCounter(source, { description, modelKind, open })
      registry.onCollection(() => assert.fail('collection'))
    })
    bed.pass(1)
    assert.deepEqual(names(), ['before', 'kept', 'after'])
    assert.equal(counts.callback_errors, 3)
  })

  test('onCounter tells of counters that come, change and go', () => {
    const bed = new TestRegistry()
    const told: string[] = []
    const stop = bed.registry.onCounter(({ kind, counter: { description } }) => {
      told.push(`${kind} ${description.name}${description.units}`)
    })
    const counter = new EventCounter('c', bed.source)
    counter.displayUnits = 'ms'
    assert.equal(bed.registry.findCounter('SOURCE', 'c'), counter.served)
    counter.close()
    counter.displayUnits = 's'
    assert.equal(bed.registry.findCounter('Source', 'c'), undefined)
    stop()
    new EventCounter('d', bed.source)
    assert.deepEqual(told, ['added c', 'changed cms', 'removed cms'])
  })
})

function raise(error: unknown): never {
  throw error
}
