import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { EventCountersClient, type EventCountersClientOptions } from './client.ts'
import type { ReadWindow } from './codec/read.ts'
import {
  FakeCounterSource,
  startEndpoint,
  startServer,
  sum,
  until,
  watch,
  windowOf,
} from './test/counter-wire.ts'

async function link(t: TestContext, options: Partial<EventCountersClientOptions> = {}) {
  const clock = new FakeClock()
  const source = new FakeCounterSource()
  const endpoint = await startEndpoint(t, { source, clock })
  const watched = watch(t, { url: endpoint.url, ...options }, clock)
  await until(() => watched.opened === 1, 'session')
  return { clock, source, endpoint, watched, ...watched }
}

const namesOf = (windows: readonly ReadWindow[]) => windows.map(({ counter }) => counter.name)

suite('a client at an endpoint', () => {
  test('hands over every window of its series, with all that it says', async (t) => {
    const { source, windows, client } = await link(t)
    const mean = {
      kind: 'mean',
      count: 0,
      mean: 0,
      deviation: 0,
      min: Infinity,
      max: -Infinity,
    } as const
    source.emit([
      windowOf('requests', sum(2.5), {
        displayName: 'Requests',
        rateScaleSec: 60,
        metaData: [['k', 'v']],
        intervalSec: 1.01,
      }),
      windowOf('time', mean, { units: 'ms' }),
    ])
    await until(() => windows.length === 2, 'windows')
    const [first, second] = windows
    assert.equal(first!.timeMs, 1_700_000_001_000)
    assert.equal(first!.intervalSec, 1.01)
    assert.equal(first!.seriesMs, 1000)
    assert.deepEqual(first!.statistics, { kind: 'sum', increment: 2.5 })
    assert.deepEqual(first!.counter, {
      provider: 'App',
      name: 'requests',
      displayName: 'Requests',
      units: '',
      rateScaleSec: 60,
      metaData: [['k', 'v']],
    })
    assert.deepEqual(second!.statistics, mean)
    assert.equal(second!.counter.units, 'ms')
    const {
      counts,
      status: { state, series },
    } = client
    assert.deepEqual([state, series, counts.windows], ['online', 'Interval=1', 2])
  })

  test('sees the same in either spelling', async (t) => {
    for (const profile of ['document', 'peer'] as const) {
      const { source, windows, client } = await link(t, { intervalMs: 2000, profile })
      source.emit([windowOf('a', sum(1), { units: 'B', rateScaleSec: 1, seriesMs: 2000 })])
      await until(() => windows.length === 1, 'window')
      assert.equal(windows[0]!.profile, profile)
      assert.equal(windows[0]!.counter.units, 'B')
      assert.equal(client.status.series, profile === 'peer' ? 'Interval=2000' : 'Interval=2')
    }
  })

  test('drops windows of other series, told by Series and never by the length', async (t) => {
    const { source, windows, client, reports } = await link(t, { deliver: 'all' })
    source.emit([
      windowOf('other', sum(1), { seriesMs: 10_000, intervalSec: 1 }),
      windowOf('own', sum(1), { seriesMs: 1000, intervalSec: 9.997838 }),
    ])
    await until(() => windows.length === 1, 'window')
    assert.deepEqual(namesOf(windows), ['own'])
    assert.equal(client.counts.foreignSeries, 1)
    assert.equal(reports.counts['foreign_series other'], 1)
  })

  test('that asked for no interval takes no window at all', async (t) => {
    const { source, windows, client } = await link(t, { intervalMs: 0 })
    source.emit([windowOf('a', sum(1)), windowOf('b', sum(1), { seriesMs: 0 })])
    await until(() => client.counts.foreignSeries === 2, 'foreign')
    assert.deepEqual(windows, [])
    assert.equal(client.status.series, 'none')
  })

  test('that was stopped inside a callback hears nothing more', async (t) => {
    const clock = new FakeClock()
    const source = new FakeCounterSource()
    const { url } = await startEndpoint(t, { source })
    const seen: string[] = []
    const client = new EventCountersClient({
      ...{ url, clock },
      onWindow: ({ counter }) => {
        seen.push(counter.name)
        void client.close()
      },
    })
    await client.start()
    await until(() => source.sessions.size === 1, 'session')
    source.emit([windowOf('a', sum(1)), windowOf('b', sum(1))])
    await until(() => source.sessions.size === 0, 'end')
    assert.deepEqual(seen, ['a'])
    assert.deepEqual([client.status.state, clock.pending], ['stopped', 0])
    await client.start()
    assert.equal(client.status.state, 'stopped')
  })

  test('that was stopped as soon as its session was open leaves no timer', async (t) => {
    const clock = new FakeClock()
    const source = new FakeCounterSource()
    const { url } = await startEndpoint(t, { source })
    const client = new EventCountersClient({
      ...{ url, clock },
      onOpen: () => void client.close(),
    })
    await client.start()
    await until(() => client.status.state === 'stopped', 'stop')
    await until(() => source.sessions.size === 0, 'end')
    assert.equal(clock.pending, 0)
  })
})

suite('lines that are none', () => {
  const LINE =
    '{"event":"EventCounters","provider":"App","time":"2023-11-14T22:13:21.000Z","Payload":' +
    '{"Name":"a","Increment":1,"IntervalSec":1,"Series":"Interval=1","CounterType":"Sum",' +
    '"MetaData":""}}\n'

  /** A server that says these chunks after the headers, one per turn, and then closes or not. */
  async function say(t: TestContext, chunks: readonly (string | Uint8Array)[], isOpen = true) {
    const server = await startServer(t, async (_, outgoing) => {
      outgoing.writeHead(200, { 'Content-Type': 'application/x-ndjson' })
      for (const chunk of chunks) {
        await new Promise((resolve) => outgoing.write(chunk, resolve))
      }
      if (!isOpen) outgoing.socket?.destroy()
    })
    const { port } = server.address() as { port: number }
    return watch(t, { url: `eventcounters://127.0.0.1:${port}` })
  }

  test('a line may come in any pieces', async (t) => {
    const bytes = Buffer.from(LINE.replaceAll('App', 'Äpp😀'))
    const { windows } = await say(
      t,
      Array.from(bytes, (byte) => Uint8Array.of(byte)),
    )
    await until(() => windows.length === 1, 'window')
    assert.equal(windows[0]!.provider, 'Äpp😀')
  })

  test('a line of 10 MB is passed over, and the next one read', async (t) => {
    const long = Buffer.alloc(10_000_000, 'x')
    const { windows, client, reports } = await say(t, [LINE, long, '\n', LINE])
    await until(() => windows.length === 2, 'windows')
    assert.equal(client.counts.linesTooLong, 1)
    assert.equal(reports.counts['line_too_long line'], 1)
    assert.ok(reports.errors[0]!.size <= 65_536)
  })

  test('invalid UTF-8, broken JSON and other events cost their own line only', async (t) => {
    const bad = Buffer.from(LINE)
    bad[bad.indexOf('App')] = 0xff
    const other = '{"event":"Tomorrow","Payload":{}}\n'
    const { windows, client, reports } = await say(t, [
      ...[LINE, bad, '{"event":\n', '[]\n', '{}\n', other, '\r\n', LINE],
      LINE.replace('"Name":"a"', '"Name":""'),
      LINE.replace('"Sum"', '"Sam"'),
      LINE.replace('"Increment":1', '"Increment":"1"'),
      LINE,
    ])
    await until(() => windows.length === 3, 'windows')
    const { badPayloads, otherEvents, keepAlives } = client.counts
    assert.deepEqual([badPayloads, otherEvents, keepAlives], [7, 1, 1])
    assert.deepEqual(reports.counts, {
      'bad_payloads not_json': 2,
      'bad_payloads not_an_object': 1,
      'bad_payloads no_payload': 1,
      'other_events line': 1,
      'bad_payloads missing_name': 1,
      'bad_payloads unknown_counter_type': 1,
      'bad_payloads missing_value': 1,
    })
    assert.deepEqual([...new Set(reports.errors.map(({ peer }) => peer.address))], ['127.0.0.1'])
  })

  test('half a line at the end of the connection is dropped', async (t) => {
    const { windows, errors, reports } = await say(t, [LINE, LINE.slice(0, -1)], false)
    await until(() => errors.length === 1, 'end')
    assert.equal(windows.length, 1)
    assert.equal(errors[0]!.reason, 'broken')
    assert.equal(reports.counts['lines_cut connection'], 1)
  })

  test('both spellings on one connection are told apart line by line', async (t) => {
    const peer = LINE.replace('Interval=1"', 'Interval=1000"').replace('MetaData', 'Metadata')
    const { windows } = await say(t, [LINE, peer, peer.replace('1000', '1'), LINE])
    await until(() => windows.length === 3, 'windows')
    assert.deepEqual(
      windows.map(({ profile, seriesMs }) => [profile, seriesMs]),
      [
        ['document', 1000],
        ['peer', 1000],
        ['document', 1000],
      ],
    )
  })
})
