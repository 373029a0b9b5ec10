import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { TestRegistry } from '../../../test/support/counter-sessions.ts'
import {
  type CounterEvent,
  openEventSession,
  type SessionArguments,
} from '../../dialects/eventcounters/server/event-session.ts'
import { EventCounter, IncrementingEventCounter } from '../counters/event-counters.ts'
import { EventSource } from '../registry.ts'

/** A session of texts, and the events that its listener gets. */
function listen(bed: TestRegistry, args: SessionArguments) {
  const events: CounterEvent[] = []
  const session = openEventSession(bed.registry, args, (event) => events.push(event))
  assert.ok(session !== undefined)
  const series = () => events.map(({ Payload }) => Payload.Series)
  return { session, events, series }
}

function seconds(EventCounterIntervalSec: string): SessionArguments {
  return { EventCounterIntervalSec }
}

suite('events of a session', () => {
  test('are spelled as the document does, one per counter and interval', () => {
    const bed = new TestRegistry()
    const counter = new IncrementingEventCounter('n', bed.source, {
      displayName: 'Requests',
      displayRateTimeScale: 60,
      metaData: { zone: 'eu' },
    })
    const { events } = listen(bed, seconds('1'))
    counter.increment(2.5)
    bed.pass(1)
    const Payload = {
      DisplayName: 'Requests',
      DisplayRateTimeScale: '60',
      Name: 'n',
      Increment: 2.5,
      IntervalSec: 1,
      Series: 'Interval=1',
      CounterType: 'Sum',
      MetaData: 'zone=eu',
    }
    const head = { event: 'EventCounters', provider: 'Source', time: '2023-11-14T22:13:21.000Z' }
    assert.deepEqual(events, [{ ...head, Payload }])
    assert.deepEqual(Object.keys(events[0]!.Payload), Object.keys(Payload))
  })

  test('are spelled as .NET does where the session asks for it, at its intervals', () => {
    const bed = new TestRegistry()
    new EventCounter('c', bed.source, { displayUnits: 'ms' })
    const { events, session } = listen(bed, { ...seconds('0.25'), profile: 'peer' })
    bed.pass(0.25)
    assert.equal(session.series, 'Interval=250')
    assert.deepEqual(events[0]!.Payload, {
      ...{ Name: 'c', DisplayName: '', Mean: 0, StandardDeviation: 0, Count: 0 },
      ...{ Min: Infinity, Max: -Infinity, IntervalSec: 0.25, Series: 'Interval=250' },
      ...{ CounterType: 'Mean', Metadata: '', DisplayUnits: 'ms' },
    })
  })

  test('two spellings of one counter are sent side by side', () => {
    const bed = new TestRegistry()
    new EventCounter('c', bed.source)
    const [document, peer] = [
      listen(bed, seconds('1')),
      listen(bed, { ...seconds('1'), profile: 'peer' }),
    ]
    bed.pass(1)
    assert.deepEqual([document.series(), peer.series()], [['Interval=1'], ['Interval=1000']])
  })
})

suite('arguments of a session', () => {
  test('an interval that the document cannot read opens a silent session', () => {
    const bed = new TestRegistry()
    new EventCounter('c', bed.source)
    for (const [text, invalid] of [
      [undefined, 0],
      ['0', 0],
      ['fast', 1],
      ['1.5', 2],
    ] as const) {
      const { session, events } = listen(bed, { EventCounterIntervalSec: text })
      bed.pass(3)
      assert.deepEqual([session.isOpen, session.intervalMs, session.series], [true, 0, undefined])
      assert.deepEqual([events.length, bed.registry.counts.invalid_intervals], [0, invalid])
    }
  })

  test('a new interval is a fresh schedule and fresh windows', () => {
    const bed = new TestRegistry()
    const counter = new IncrementingEventCounter('n', bed.source)
    const { session, events } = listen(bed, seconds('2'))
    counter.increment()
    bed.pass(1.5)
    session.set(seconds('1'))
    counter.increment(5)
    bed.pass(1)
    assert.deepEqual(
      events.map(({ Payload: { Series, Increment, IntervalSec } }) => [
        Series,
        Increment,
        IntervalSec,
      ]),
      [['Interval=1', 5, 1]],
    )
  })

  test('a peer interval that is no number changes nothing, one below zero stops', () => {
    const bed = new TestRegistry()
    new EventCounter('c', bed.source)
    const { session, series } = listen(bed, { ...seconds('1'), profile: 'peer' })
    bed.pass(0.5)
    for (const text of ['', 'fast', '4294967295', 'NaN', '0.0001']) session.set(seconds(text))
    bed.pass(0.5)
    assert.deepEqual([series(), bed.registry.counts.invalid_intervals], [['Interval=1000'], 5])
    session.set({ EventCounterIntervalSec: undefined })
    session.set(seconds('-3'))
    bed.pass(5)
    assert.deepEqual([series().length, session.intervalMs], [1, 0])
    session.set(seconds('nothing'))
    assert.equal(session.intervalMs, 0)
    session.set(seconds('1e1'))
    bed.pass(10)
    assert.deepEqual(series(), ['Interval=1000', 'Interval=10000'])
  })

  test('a list of counters is read when it is set; a bad one changes nothing', () => {
    const bed = new TestRegistry()
    for (const name of ['a', 'b']) new EventCounter(name, bed.source)
    const { session, events } = listen(bed, { ...seconds('1'), counters: 'Source[a]' })
    const names = () => events.splice(0).map(({ Payload }) => Payload.Name)
    assert.throws(() => session.set({ counters: 'Source[a' }), { name: 'FilterError' })
    bed.pass(1)
    assert.deepEqual(names(), ['a'])
    session.set({ counters: 'source[b]' })
    bed.pass(1)
    assert.deepEqual(names(), ['b'])
    session.set({ counters: '' })
    bed.pass(1)
    assert.deepEqual(names(), ['a', 'b'])
    assert.throws(() => openEventSession(bed.registry, { counters: ',' }, () => {}), {
      name: 'FilterError',
    })
    assert.equal(bed.registry.sessionCount, 1)
  })

  test('deliver all can be asked for later', () => {
    const bed = new TestRegistry()
    new EventCounter('c', bed.source)
    const { session, series } = listen(bed, seconds('2'))
    listen(bed, { ...seconds('1'), deliver: 'all' })
    session.set({ deliver: 'all' })
    bed.pass(2)
    assert.deepEqual(series(), ['Interval=1', 'Interval=1', 'Interval=2'])
  })

  test('the limit of sessions refuses one, and changing one needs no room', () => {
    const bed = new TestRegistry({ limits: { sessions: 1 } })
    new EventCounter('c', bed.source)
    const { session, series } = listen(bed, seconds('1'))
    assert.equal(
      openEventSession(bed.registry, seconds('1'), () => {}),
      undefined,
    )
    session.set(seconds('2'))
    bed.pass(2)
    assert.deepEqual(series(), ['Interval=2'])
  })
})

test('a session that a source closes while it is changed stays closed', () => {
  for (const moment of ['onDisable', 'onEnable'] as const) {
    const { clock, registry } = new TestRegistry()
    let told = 0
    const close = () => {
      if (told > 0) session?.close()
    }
    const source = new EventSource('Told', { registry, [moment]: close })
    new EventCounter('c', source)
    const session = openEventSession(registry, seconds('1'), () => told++)
    clock.advance(1000)
    session?.set(seconds('2'))
    clock.advance(4000)
    assert.deepEqual([told, session?.isOpen, registry.sessionCount], [1, false, 0], moment)
  }
})

suite('listeners of a session', () => {
  test('one that closes its session gets no further event of that boundary', () => {
    const bed = new TestRegistry()
    for (const name of ['a', 'b']) new EventCounter(name, bed.source)
    const names: unknown[] = []
    const session = openEventSession(bed.registry, seconds('1'), ({ Payload }) => {
      names.push(Payload.Name)
      session?.close()
    })
    bed.pass(2)
    assert.deepEqual([names, session?.isOpen], [['a'], false])
    session?.set(seconds('1'))
    assert.equal(bed.registry.sessionCount, 0)
  })

  test('one that throws, or is rejected, closes its session for good', async () => {
    const bed = new TestRegistry()
    for (const name of ['a', 'b']) new EventCounter(name, bed.source)
    const fail = () => assert.fail('deaf')
    const sessions = [
      openEventSession(bed.registry, seconds('1'), fail),
      openEventSession(bed.registry, seconds('1'), (async () => fail()) as () => void),
    ]
    bed.pass(1)
    await new Promise(setImmediate)
    for (const session of sessions) {
      session?.set(seconds('2'))
      assert.equal(session?.isOpen, false)
    }
    assert.deepEqual([bed.registry.counts.listener_errors, bed.registry.sessionCount], [2, 0])
  })
})
