/** Counters and meters of a process: what is ours is handed on, all else counted. */
import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { parseArguments } from '../codec/ipc/texts.ts'
import type { Reading } from '../map.ts'
import { CounterStream } from '../test/counter-stream.ts'
import { recording, startFakeRuntime, until } from '../test/fake-runtime.ts'
import { CounterSession } from './counter-session.ts'
import { type CounterRequest, parseProviders, splitProviders } from './counters/providers.ts'
import { socketDoor } from './door.ts'
import type { SessionEnd } from './session.ts'

const REQUEST: CounterRequest = { providers: ['App'], intervalMs: 1000, clrVersion: '10.0.12' }

async function open(t: TestContext, request: Partial<CounterRequest> = {}, stream?: Uint8Array) {
  const { runtime, path } = await startFakeRuntime(t, stream === undefined ? {} : { stream })
  const readings: Reading[] = []
  const ends: SessionEnd[] = []
  const session = new CounterSession({
    ...{ door: socketDoor(path), request: { ...REQUEST, ...request }, clock: new FakeClock() },
    onReading: (reading) => readings.push(reading),
    onEnd: (end) => ends.push(end),
  })
  t.after(() => session.abort())
  await until(() => runtime.commands.length > 0)
  const command = runtime.commands[0]!
  assert.ok(typeof command !== 'string' && 'providers' in command)
  const { providers } = command
  const feed = async (events: CounterStream, count: number): Promise<void> => {
    await until(() => runtime.sessions.length > 0)
    runtime.send(events.take())
    const seen = (): number => Object.values(session.counts).reduce((sum, each) => sum + each, 0)
    await until(() => seen() >= count)
  }
  const said = (name: string): (number | undefined)[] =>
    readings
      .filter(({ identity }) => identity.name === name)
      .map(({ values }) => (values.kind === 'counter' ? values.increment : undefined))
  return { session, readings, ends, providers, feed, said }
}

suite('a request', () => {
  test('is what the usual tool sends: sources, and one shared collection of meters', async (t) => {
    const providers = ['System.Runtime', 'App[hits,misses]', 'EventCounters\\Old']
    const asked = await open(t, { providers, intervalMs: 1500 })
    const args = 'EventCounterIntervalSec=1.5'
    const meters = asked.providers.at(-1)!
    assert.deepEqual(
      asked.providers.slice(0, -1),
      ['System.Runtime', 'App', 'Old'].map((name) => {
        return { name, keywords: 0, level: 4, arguments: args }
      }),
    )
    assert.deepEqual(
      [meters.name, meters.keywords, meters.level],
      [...['System.Diagnostics.Metrics', 2, 4]],
    )
    assert.deepEqual(parseArguments(meters.arguments).slice(0, -1), [
      ['SessionId', 'SHARED'],
      ['Metrics', 'System.Runtime,App\\hits,App\\misses'],
      ['RefreshInterval', '1.5'],
      ['MaxTimeSeries', '1000'],
      ['MaxHistograms', '10'],
    ])
  })

  test('of a runtime before 8 has a collection of its own; without meters none', async (t) => {
    const old = await open(t, { clrVersion: '6.0.1', intervalMs: 10 })
    const args = new Map(parseArguments(old.providers[1]!.arguments))
    assert.equal(args.get('SessionId'), args.get('ClientId'))
    assert.equal(args.get('RefreshInterval'), '0.1')
    const plain = await open(t, { providers: ['EventCounters\\App'] })
    assert.deepEqual(
      plain.providers.map(({ name }) => name),
      ['App'],
    )
  })

  test('names providers as a person writes them', () => {
    assert.deepEqual(splitProviders('A,B[c,d],,E\\F[g] '), ['A', 'B[c,d]', 'E\\F[g] '])
    assert.deepEqual(parseProviders(['A', 'EventCounters\\B[c,,d]', ' C[] ']), [
      { name: 'A', isSourceOnly: false },
      { name: 'B', isSourceOnly: true, counters: ['c', 'd'] },
      { name: 'C', isSourceOnly: false },
    ])
    for (const bad of ['', 'A[', 'A]', 'A[b]c', '[b]', 'A"B', 'EventCounters\\']) {
      assert.throws(() => parseProviders([bad]), TypeError, bad)
    }
  })
})

suite('readings', () => {
  test('of the interval that was asked for are handed on, others counted', async (t) => {
    const { session, said, feed } = await open(t)
    const stream = new CounterStream().sum(0, 'a', 1).sum(500, 'a', 2, { Series: 'Interval=500' })
    await feed(stream, 2)
    assert.deepEqual([said('a'), session.counts.foreignIntervals], [[1], 1])
    assert.equal(session.intervalInForceMs, 500)
    const any = await open(t, { intervals: 'any' })
    await any.feed(new CounterStream().sum(500, 'a', 2, { Series: 'Interval=500' }), 1)
    assert.deepEqual([any.said('a'), any.session.counts.foreignIntervals], [[2], 0])
  })

  test('of one source in another interval are told of, while others come in ours', async (t) => {
    const { session, feed } = await open(t, { providers: ['App', 'Other'] })
    const stream = new CounterStream()
      .sum(250, 'a', 2, { Series: 'Interval=250' })
      .sum(1000, 'b', 1, { provider: 'Other' })
    await feed(stream, 2)
    assert.deepEqual([...session.otherIntervals], [['App', 250]])
    assert.equal(session.intervalInForceMs, 250)
    await feed(stream.sum(2000, 'a', 2), 3)
    assert.deepEqual([session.otherIntervals.size, session.intervalInForceMs], [0, 1000])
  })

  test('are known by the interval as the process computes it', async (t) => {
    // 0.057 is a little less as a 32 bit float, and yet 57 ms
    for (const [intervalMs, series] of [
      [57, 57],
      [1001, 1001],
      [2_147_483_000, 2_147_483_008],
    ] as const) {
      const { session } = await open(t, { intervalMs })
      assert.equal(session.seriesMs, series)
    }
  })

  test('of a second counter of the name are counted, not added', async (t) => {
    const { session, said, feed } = await open(t)
    const twice = new CounterStream()
    for (const [relMs, intervalSec] of [
      [1000, 1.0001],
      [2000, 1.0002],
      [3000, 1.0002],
    ] as const) {
      twice.sum(relMs, 'a', relMs, { IntervalSec: intervalSec })
      twice.sum(relMs + 1, 'a', 7, { IntervalSec: intervalSec })
    }
    await feed(twice, 6)
    assert.deepEqual([said('a'), session.counts.duplicates], [[1000, 2000, 3000], 3])
  })

  test('of a second instrument of the name are counted until the first one is gone', async (t) => {
    const { said, feed, session } = await open(t)
    const event = 'CounterRateValuePublished'
    const stream = new CounterStream()
    for (let i = 1; i <= 8; i++) {
      const at = { tags: '', value: '' }
      if (i < 4) stream.meter(1000 * i, event, 'n', { ...at, rate: String(i) })
      stream.meter(1000 * i + 1, event, 'n', { ...at, rate: '100', instrumentId: 2 })
    }
    await feed(stream, 11)
    assert.deepEqual([said('n'), session.counts.duplicates], [[1, 2, 3, 100, 100, 100], 5])
  })

  test('of meters are those of our collection', async (t) => {
    const { said, feed, session } = await open(t)
    const event = 'CounterRateValuePublished'
    const stream = new CounterStream()
      .meter(0, event, 'n', { rate: '1', value: '1' })
      .meter(0, event, 'n', { rate: '5', value: '9', sessionId: 'another' })
    await feed(stream, 2)
    assert.deepEqual([said('n'), session.counts.foreignSessions], [[1], 1])
  })

  test('of instruments have tags of these and of their meters, as long as they are', async (t) => {
    const { readings, feed } = await open(t)
    const begin = 'BeginInstrumentReporting'
    const event = 'CounterRateValuePublished'
    const tags = { meterTags: 'region=eu,tier=all', instrumentTags: 'unit=x', description: 'Paid' }
    const at = { rate: '1', value: '1', tags: 'tier=gold' }
    const stream = new CounterStream()
      .meter(0, begin, 'n', tags)
      .meter(0, begin, 'n', { meterTags: 'region=us', instrumentId: 2 })
      .meter(1000, event, 'n', at)
      .meter(1000, event, 'n', { ...at, instrumentId: 2 })
      .meter(1500, 'EndInstrumentReporting', 'n', {})
      .meter(1500, event, 'n', at)
    await feed(stream, 3)
    assert.deepEqual(
      readings.map(({ identity }) => identity.labels.map((pair) => pair.join('=')).join()),
      [
        'provider=App,region=eu,tier=gold,unit=x',
        'provider=App,region=us,tier=gold',
        'provider=App,tier=gold',
      ],
    )
    assert.deepEqual(readings[0]!.tags, [['tier', 'gold']])
    assert.equal(readings[0]!.instrument?.description, 'Paid')
  })

  test('of counters that were not asked for are left out', async (t) => {
    const { said, feed, session } = await open(t, { providers: ['App[a]', 'EventCounters\\B'] })
    const stream = new CounterStream()
      .sum(0, 'a', 1)
      .sum(0, 'b', 2)
      .sum(0, 'b', 3, { provider: 'B' })
      .sum(0, 'b', 4, { provider: 'C' })
    await feed(stream, 4)
    assert.deepEqual([said('a'), said('b'), session.counts.unwanted], [[1], [3], 2])
  })

  test('that were lost on the way are counted by their numbers', async (t) => {
    const { session, feed } = await open(t)
    await feed(new CounterStream().sum(0, 'a', 1).lose(29).sum(1000, 'a', 1, { IntervalSec: 2 }), 2)
    assert.equal(session.lost, 29)
  })

  test('of a recording are all there, quantiles and limits too', async (t) => {
    const providers = ['Probe.Meter', 'Probe.Late']
    const { session, readings, ends } = await open(t, { providers }, recording('meters'))
    await until(() => ends.length > 0)
    const quantiles = readings.flatMap(({ values }) => {
      return values.kind === 'summary' ? values.quantiles : []
    })
    assert.ok(readings.length > 50 && quantiles.length > 10)
    assert.match(session.notes.get('callbackError')!, /\w/)
    const limited = await open(t, { providers }, recording('meters-limits'))
    await until(() => limited.ends.length > 0)
    assert.deepEqual([...limited.session.notes.keys()].sort(), [
      'callbackError',
      'histogramsLeftOut',
      'seriesLeftOut',
    ])
  })

  test('of another tool’s collection are told of, with its words', async (t) => {
    const { session, feed } = await open(t, { clrVersion: '6.0.0' })
    const stream = new CounterStream()
      .meter(0, 'MultipleSessionsNotSupportedError', '', { runningSessionId: 'other' })
      .sum(0, 'a', 1)
    await feed(stream, 1)
    assert.equal(session.notes.get('meters'), 'taken by another tool’s session other')
  })
})
