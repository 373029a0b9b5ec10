/** The feed of a process: what it asks for, what it hands on, and its words for what goes wrong. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import type { FeedRequest, FeedWindow } from '../../command-line.ts'
import { socketDoor } from '../client/door.ts'
import { writeIpc } from '../codec/ipc/write.ts'
import { CounterStream } from '../test/counter-stream.ts'
import { type FakeOptions, startFakeRuntime, until } from '../test/fake-runtime.ts'
import { processFeed } from './process-feed.ts'

interface Asked extends Partial<FeedRequest> {
  readonly takesAnyInterval?: boolean
  readonly fake?: FakeOptions
}

/** A feed of a runtime that is there; what it tells is gathered. */
async function feeding(t: TestContext, { fake = {}, ...asked }: Asked = {}) {
  const { runtime, path, kill } = await startFakeRuntime(t, fake)
  const clock = new FakeClock()
  const windows: FeedWindow[] = []
  const said: string[] = []
  const feed = processFeed({
    ...{ counters: 'App', intervalMs: 1000, seriesLimit: 1000, maxHistograms: 10 },
    ...{ takesAnyInterval: false, choice: 'process 4242' },
    find: async () => ({ door: socketDoor(path), name: 'Shop' }),
    ...asked,
  })(
    {
      onWait: (text) => said.push(`wait: ${text}`),
      onOpen: () => said.push('open'),
      onWindow: (window) => windows.push(window),
      onNote: (text) => said.push(`note: ${text}`),
      onError: ({ message, advice }) => said.push(`error: ${message} / ${advice}`),
      onEnd: (message) => said.push(`end: ${message}`),
    },
    clock,
  )
  t.after(() => feed.close())
  const values = () =>
    windows.map(({ counter, statistics }) => {
      const { provider, name, metaData } = counter
      const value = statistics.kind === 'sum' ? statistics.increment : statistics.mean
      return [provider, name, metaData.map((pair) => pair.join('=')).join(), value]
    })
  const stream = new CounterStream()
  /** Sends what was added to the stream, and waits until as many events were read. */
  const send = async (count: number): Promise<void> => {
    runtime.send(stream.take())
    await until(() => windows.length + said.length >= count)
  }
  return { runtime, feed, clock, windows, said, values, stream, send, kill }
}

async function opened(t: TestContext, asked: Asked = {}) {
  const all = await feeding(t, asked)
  await all.feed.start()
  await until(() => all.said.length > 0)
  assert.deepEqual(all.said, ['open'])
  return all
}

test('tags stand as the process has them: of meter, instrument, measurement', async (t) => {
  const asked = { counters: 'App,EventCounters\\Other' }
  const { stream, send, windows } = await opened(t, asked)
  stream
    .meter(0, 'BeginInstrumentReporting', 'n', { meterTags: 'region=eu', instrumentTags: 'b=1' })
    .meter(0, 'GaugeValuePublished', 'n', { lastValue: '3', tags: 'z=1,process=x,provider=y' })
    .sum(0, 'hits', 1, { Metadata: 'zone:b,app:x', provider: 'Other' })
  await send(3)
  const [gauge, hits] = windows
  assert.deepEqual(hits!.counter.metaData, [
    ['zone', 'b'],
    ['app', 'x'],
  ])
  assert.deepEqual(
    gauge!.counter.metaData.map((pair) => pair.join('=')),
    ['region=eu', 'b=1', 'z=1', 'process=x', 'provider=y'],
  )
  assert.deepEqual(gauge!.counter.meterTags, [['region', 'eu']])
  assert.deepEqual(gauge!.counter.instrumentTags, [['b', '1']])
})

test('an instrument that fails is told of in the words of dotnet-counters', async (t) => {
  const { stream, send, said } = await opened(t)
  stream
    .meter(0, 'ObservableInstrumentCallbackError', '', { errorMessage: 'broken\n at App' })
    .meter(0, 'InitialInstrumentEnumerationComplete', '', {})
  await send(2)
  assert.match(said[1]!, /^note: Exception thrown from an observable instrument .*: broken$/)
})

test('a process is asked for counters and meters as dotnet-counters asks', async (t) => {
  const { runtime, feed } = await opened(t, { counters: undefined, intervalMs: 2000 })
  assert.deepEqual(runtime.names, ['ProcessInfo3', 'CollectTracing2'])
  const [source, meters] = runtime.sessions[0]!.command.providers
  const asked = { keywords: 0, level: 4, arguments: 'EventCounterIntervalSec=2' }
  assert.deepEqual(source, { name: 'System.Runtime', ...asked })
  assert.match(meters!.arguments, /^SessionId=SHARED;Metrics=System.Runtime;RefreshInterval=2;/)
  assert.match(meters!.arguments, /;MaxTimeSeries=1000;MaxHistograms=10;/)
  assert.deepEqual([feed.target, feed.name], ['Shop, pid 4242, .NET 10.0.12', 'Shop'])
})

test('counters wait a second for a meter of their name, and give way to it', async (t) => {
  const { clock, stream, values, windows, runtime } = await opened(t)
  const span = { DisplayRateTimeScale: '00:01:00', DisplayName: 'Hits', DisplayUnits: 'hit' }
  runtime.send(
    stream
      .sum(1000, 'hits', 3, { Metadata: 'k:v', ...span })
      .mean(1000, 'm', 2)
      .take(),
  )
  // a read of its own shows that the stream was taken
  runtime.send(stream.meter(1001, 'GaugeValuePublished', 'g', { lastValue: '7' }).take())
  stream.meter(1001, 'GaugeValuePublished', 'g', { lastValue: '7', meterName: 'Other' })
  runtime.send(stream.take())
  await until(() => windows.length === 2)
  clock.advance(1000)
  assert.deepEqual(values(), [
    ['App', 'g', '', 7],
    ['Other', 'g', '', 7],
  ])
})

test('an event source that no meter has the name of is shown after the second', async (t) => {
  const { clock, stream, values, windows, runtime } = await opened(t)
  const span = { DisplayRateTimeScale: '00:01:00', DisplayName: 'Hits', DisplayUnits: 'hit' }
  runtime.send(
    stream
      .sum(1000, 'hits', 3, { Metadata: 'k:v', ...span })
      .mean(1000, 'm', 2)
      .take(),
  )
  runtime.send(
    stream.meter(1001, 'GaugeValuePublished', 'g', { lastValue: '7', meterName: 'Other' }).take(),
  )
  await until(() => windows.length === 1)
  clock.advance(1000)
  assert.deepEqual(values().slice(1), [
    ['App', 'hits', 'k=v', 3],
    ['App', 'm', '', 2],
  ])
  const { counter, seriesMs, intervalSec } = windows[1]!
  assert.deepEqual([counter.rateScaleSec, counter.units, counter.displayName], [60, 'hit', 'Hits'])
  assert.deepEqual([seriesMs, intervalSec], [1000, 1])
  runtime.send(stream.mean(2000, 'm', 4).take())
  await until(() => windows.length === 4)
})

test('EventCounters\\ takes the event source at once, and asks for no meter', async (t) => {
  const { stream, values, send, runtime } = await opened(t, { counters: 'EventCounters\\App' })
  stream.mean(1000, 'm', 2)
  await send(2)
  assert.deepEqual(values(), [['App', 'm', '', 2]])
  assert.equal(runtime.sessions[0]!.command.providers.length, 1)
})

test('instruments have tags, quantiles are values, no measurement is left out', async (t) => {
  const { stream, values, send, windows } = await opened(t)
  stream.meter(1, 'CounterRateValuePublished', 'orders', { tags: 'a=b', rate: '5', value: '12' })
  stream.meter(1, 'CounterRateValuePublished', 'first', { rate: '', value: '9' })
  const quantiles = '0.5=1;0.95=2.5;0.999=3'
  stream.meter(1, 'HistogramValuePublished', 'time', { tags: 'a=b', quantiles, count: 3, sum: 5 })
  stream.meter(1, 'UpDownCounterRateValuePublished', 'depth', { rate: '1', value: '4' })
  await send(6)
  assert.deepEqual(values(), [
    ['App', 'orders', 'a=b', 5],
    ['App', 'time', 'a=b,Percentile=50', 1],
    ['App', 'time', 'a=b,Percentile=95', 2.5],
    ['App', 'time', 'a=b,Percentile=99.9', 3],
    ['App', 'depth', '', 4],
  ])
  assert.deepEqual(windows[0]!.statistics, { kind: 'sum', increment: 5, total: 12 })
  assert.equal(windows[0]!.counter.hasTags, true)
})

test('closing tells the process to stop, and hands on what still waits', async (t) => {
  const { feed, runtime, stream, values, windows } = await opened(t, { counters: 'App,Other' })
  runtime.send(stream.mean(1000, 'm', 2).take())
  runtime.send(
    stream.meter(1001, 'GaugeValuePublished', 'g', { lastValue: '7', meterName: 'Other' }).take(),
  )
  await until(() => windows.length === 1)
  await feed.close()
  assert.equal(runtime.names.at(-1), 'StopTracing')
  assert.deepEqual(values().at(-1), ['App', 'm', '', 2])
})

test('an interval that another tool has set is told, and taken on request', async (t) => {
  const other = { Series: 'Interval=250', IntervalSec: 0.25 }
  const own = await opened(t, { intervalMs: 1000 })
  own.clock.advance(3000)
  own.stream.mean(250, 'm', 1, other).mean(500, 'm', 1, other)
  await own.send(2)
  const asked = 'as another tool has asked: --any-interval takes them'
  const text = `counters of App come every 0.25 s, ${asked}`
  assert.deepEqual(own.said.slice(1), [`note: ${text}`])
  assert.equal(own.feed.silence(3), text)
  const any = await opened(t, { takesAnyInterval: true, counters: 'EventCounters\\App' })
  any.stream.mean(250, 'm', 1, other)
  await any.send(2)
  assert.equal(any.windows[0]!.seriesMs, 250)
})

test('limits that were reached are notes in the words of dotnet-counters, once', async (t) => {
  const { stream, send, said } = await opened(t, { seriesLimit: 20 })
  for (const ms of [1, 2]) stream.meter(ms, 'TimeSeriesLimitReached', '', {})
  stream.meter(3, 'HistogramLimitReached', '', {})
  stream.meter(4, 'InitialInstrumentEnumerationComplete', '', {})
  await send(3)
  assert.equal(said.length, 3)
  assert.match(said[1]!, /^note: Warning: Time series tracking limit \(20\) reached\. Not all data/)
  assert.match(said[2]!, /^note: Warning: Histogram tracking limit \(10\).*--maxHistograms/)
})

test('events that the process has dropped are counted, and said', async (t) => {
  const { stream, send, feed } = await opened(t, { counters: 'EventCounters\\App' })
  stream.mean(1000, 'm', 1).lose(3).mean(2000, 'm', 2)
  await send(3)
  assert.deepEqual([feed.troubles, feed.errors], [['3 events lost'], 0])
})

test('a process that ends, ends the feed, and so does one that is killed', async (t) => {
  const normal = await opened(t)
  normal.runtime.send(normal.stream.sum(1, 'a', 1).take())
  normal.runtime.end(normal.runtime.sessions[0]!.id)
  await until(() => normal.said.length === 2)
  assert.equal(normal.said[1], 'end: Shop, pid 4242, .NET 10.0.12: the process has ended')
  const killed = await opened(t)
  killed.runtime.send(killed.stream.sum(1, 'a', 1).take())
  await killed.kill()
  await until(() => killed.said.length === 2)
  assert.match(killed.said[1]!, /^end: Shop.*: the stream broke off: the process is gone$/)
})

test('where there is no session the feed says why, and what to do', async (t) => {
  const full = writeIpc({ message: 'Error', code: '80004005' })
  for (const [fake, words] of [
    [{ answer: () => 'close' as const }, /closed without a reply \/ is it a \.NET process\?/],
    [
      { answer: (command) => (command?.message === 'CollectTracing2' ? full : undefined) },
      /refuses: fail \(80004005\) \/ it may have too many sessions/,
    ],
  ] satisfies readonly (readonly [FakeOptions, RegExp])[]) {
    const { feed, said } = await feeding(t, { fake })
    await feed.start()
    await until(() => said.length === 1)
    assert.match(said[0]!, words)
  }
})

test('names that nothing has are told after three intervals', async (t) => {
  const { feed } = await opened(t, { counters: 'Shpo' })
  assert.equal(feed.silence(2), undefined)
  assert.match(feed.silence(3)!, /^no counters of Shpo so far: names count with their case/)
})
