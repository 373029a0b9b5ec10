import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { ModelIngest } from '../../../../test/support/model-ingest.ts'
import { NO_EXTRAS } from '../../../../test/support/no-samples.ts'
import { holds } from '../../../../test/support/property.ts'
import { RecordedReports } from '../../../../test/support/recorded-reports.ts'
import { sharedObjects } from '../../../../test/support/shared-objects.ts'
import { READS_AT_ONCE, SteppedReads } from '../../../../test/support/shared-reads.ts'
import {
  addToSummary,
  EMPTY_SUMMARY,
  Histogram,
  type Summary,
  summaryDeviation,
} from '../../../model/index.ts'
import type { SharedReads } from '../../endpoints.ts'
import { boundaryText } from '../codec/line.ts'
import {
  FakeCounterSource,
  startEndpoint,
  startServer,
  sum,
  until,
  windowOf,
} from '../test/counter-wire.ts'
import type { CounterDescription, MeanStatistics, Statistics } from '../window.ts'
import { ReceivedCounters } from './received-counters.ts'
import { connectSource } from './source.ts'

/** Statistics of these samples; of one, what a PollingCounter sends. */
function mean(...samples: number[]): MeanStatistics {
  const summary = samples.reduce(addToSummary, EMPTY_SUMMARY)
  const { count, mean, min, max } = summary
  const range = count === 0 ? { min: Infinity, max: -Infinity } : { min, max }
  return { kind: 'mean', count, mean, deviation: summaryDeviation(summary), ...range }
}

function receive(ingest = new ModelIngest(), bytesLimit = 1e6) {
  const counters = new ReceivedCounters(ingest, 'h:1', bytesLimit)
  const take = (
    name: string,
    statistics: Statistics,
    more: Partial<CounterDescription> = {},
    intervalSec?: number,
    histogram?: Histogram,
  ) => {
    const distribution = histogram === undefined ? {} : { histogram }
    counters.take({ ...windowOf(name, statistics, more), intervalSec, ...distribution })
  }
  const live = (name: string) =>
    ingest.series.filter(({ identity, isRetired }) => identity.name === name && !isRetired)
  return { ingest, counters, take, live }
}

suite('Sum kinds in the hub', () => {
  test('are counters that grow by the Increment, fractions included', () => {
    const { take, live } = receive()
    for (const increment of [2.5, 0, 0.25]) take('c', sum(increment), { rateScaleSec: 60 }, 1.01)
    const [series, ...others] = live('c')
    assert.deepEqual(others, [])
    assert.equal(series!.identity.kind, 'counter')
    assert.equal(series!.total, 2.75)
    assert.equal(series!.windows, 3)
    assert.ok(Math.abs(series!.windowSec - 3.03) < 1e-9)
    assert.equal(series!.metadata.rateTimeScaleS, 60)
    assert.deepEqual([...series!.sources], ['h:1'])
  })

  test('keep their total when an Increment is negative or no number, which is counted', () => {
    const { take, live, ingest } = receive()
    for (const increment of [5, -3, 2, NaN, -Infinity]) take('c', sum(increment))
    assert.equal(live('c')[0]!.total, 7)
    assert.deepEqual(ingest.counted, { negative_increments: 1, nonfinite_increments: 2 })
  })
})

suite('Mean kinds in the hub', () => {
  test('are gauges as long as every window holds one sample', () => {
    const { take, live } = receive()
    for (const value of [1, 7, 3.5]) take('m', mean(value))
    const [series, ...others] = live('m')
    assert.deepEqual(others, [])
    assert.deepEqual([series!.identity.kind, series!.value], ['gauge', 3.5])
  })

  test('become a summary with the first other count, and nothing is lost', () => {
    const { take, live, ingest } = receive()
    for (const value of [1, 2]) take('m', mean(value))
    take('m', mean(3, 4, 8))
    take('m', mean(5))
    take('m', mean())
    const [series, ...others] = live('m')
    assert.deepEqual(others, [])
    assert.equal(series!.identity.kind, 'summary')
    const { count, mean: average, min, max } = series!.summary
    assert.deepEqual([count, min, max], [6, 1, 8])
    assert.ok(Math.abs(average - 23 / 6) < 1e-12)
    const gauge = ingest.series.find(({ identity }) => identity.kind === 'gauge')
    assert.deepEqual([gauge!.isRetired, gauge!.value], [true, 2])
  })

  test('say what they showed as a gauge in the total of the summary, in no window again', () => {
    const { take, live } = receive()
    for (const value of [1, 2, 9]) take('m', mean(value))
    take('m', mean(3, 4))
    const { summary, lastSummary, windows } = live('m')[0]!
    assert.deepEqual([summary.count, summary.max, windows], [5, 9, 1])
    assert.deepEqual([lastSummary.count, lastSummary.min, lastSummary.max], [2, 3, 4])
  })

  test('that are empty at first exist as summaries without a point', () => {
    const { take, live } = receive()
    take('m', mean())
    assert.equal(live('m').length, 1)
    assert.deepEqual(
      [live('m')[0]!.identity.kind, live('m')[0]!.summary],
      ['summary', EMPTY_SUMMARY],
    )
    take('m', mean(4))
    assert.equal(live('m')[0]!.summary.count, 1)
  })

  test('without a mean leave no point, and no gauge to take away later', () => {
    const { take, ingest } = receive()
    take('m', { ...mean(1), mean: NaN })
    assert.deepEqual([ingest.series.length, ingest.counted.no_mean], [0, 1])
    take('m', mean(1, 3))
    assert.deepEqual(
      ingest.series.map(({ identity }) => identity.kind),
      ['summary'],
    )
  })

  test('with buckets are histograms, also before their first sample', () => {
    const { take, live, ingest } = receive()
    const buckets = new Histogram()
    for (const value of [3, 4, 8]) buckets.record(value)
    take('m', mean(), {}, 1, new Histogram())
    take('m', mean(3, 4, 8), {}, 1, buckets)
    const [series, ...others] = live('m')
    assert.deepEqual(others, [])
    assert.equal(series!.identity.kind, 'histogram')
    const { histogram, windows } = series!
    assert.deepEqual([histogram.count, histogram.sum, windows], [3n, 15, 2])
    assert.deepEqual([histogram.min, histogram.max], [3, 8])
    // an older server, in whose place this one came, knew no buckets
    take('m', mean(1, 3))
    assert.deepEqual(
      live('m')
        .map(({ identity }) => identity.kind)
        .sort(),
      ['histogram', 'summary'],
    )
    assert.deepEqual(ingest.counted, {})
  })

  test('hold exactly what was sent, whatever the windows were', () => {
    const window = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { maxLength: 4 })
    holds(
      fc.property(fc.array(window, { minLength: 1, maxLength: 20 }), (windows) => {
        const { take, live } = receive()
        for (const samples of windows) take('m', mean(...samples))
        const all = windows.flat()
        const expected: Summary = all.reduce(addToSummary, EMPTY_SUMMARY)
        const [series, ...others] = live('m')
        assert.deepEqual(others, [])
        if (windows.every((samples) => samples.length === 1)) {
          assert.equal(series!.value, all.at(-1))
          return
        }
        const { count, min, max, mean: average } = series!.summary
        assert.deepEqual([count, min, max], [expected.count, expected.min, expected.max])
        assert.ok(Math.abs(average - expected.mean) <= 1e-9 * 1e6)
      }),
    )
  })
})

suite('series of an endpoint', () => {
  test('are told apart by provider, name, kind and pairs, not by the order of pairs', () => {
    const { take, counters, ingest } = receive()
    const pairs = [
      ['a', '1'],
      ['b', '2'],
    ] as const
    take('x', sum(1), { metaData: pairs })
    take('x', sum(1), { metaData: [...pairs].reverse() })
    take('x', sum(1))
    take('x', sum(1), { provider: 'Other' })
    take('x', mean(1))
    assert.equal(counters.size, 4)
    assert.deepEqual(
      ingest.series.map(({ total }) => total),
      [2, 1, 1, 0],
    )
  })

  test('may change what they say of themselves', () => {
    const { take, live } = receive()
    take('x', sum(1), { units: 'B' })
    take('x', sum(1), { units: 'KB', displayName: 'X' })
    assert.deepEqual([live('x')[0]!.metadata.unit, live('x')[0]!.metadata.displayName], ['KB', 'X'])
    assert.equal(live('x')[0]!.total, 2)
  })

  test('that the hub refuses are refused each time, without an error', () => {
    const { take, ingest } = receive(new ModelIngest({ seriesLimit: 1 }))
    take('a', mean(1))
    for (let i = 0; i < 3; i++) {
      take('b', mean(1))
      take('b', mean(1, 2))
      take('c', sum(1))
    }
    assert.equal(ingest.series.filter(({ isRetired }) => !isRetired).length, 1)
    assert.equal(ingest.series[0]!.value, 1)
  })

  test('that go round between hubs that read each other are refused at the second round', () => {
    const { take, counters, ingest, live } = receive()
    const hops = ['endpoint', 'exported_endpoint', 'exported_exported_endpoint']
    take('c', sum(1), { metaData: [['endpoint', 'h:1']] })
    take('c', sum(1), {
      metaData: [
        ['endpoint', 'a:1'],
        ['exported_endpoint', 'h:1'],
      ],
    })
    assert.equal(counters.size, 2)
    take('c', sum(1), { metaData: hops.map((key, i) => [key, i === 1 ? 'a:1' : 'h:1'] as const) })
    assert.deepEqual([counters.size, live('c').length], [2, 2])
    assert.deepEqual(ingest.counted, { hub_loop: 1 })
  })

  test('whose metadata is longer than any producer may send are refused', () => {
    const { take, counters, ingest } = receive()
    const pairs = (count: number) =>
      Array.from({ length: count }, (_, i) => [`k${i + 100}`, 'v'.repeat(506)] as const)
    take('c', sum(1), { metaData: pairs(16) })
    take('c', sum(1), { metaData: pairs(17) })
    assert.equal(counters.size, 1)
    assert.deepEqual(ingest.counted, { metadata_limit: 1 })
  })

  const LONG = Array.from({ length: 15 }, (_, i) => [`k${i}`, 'v'.repeat(500)] as const)

  test('that the hub refuses are not kept, and are asked for again', () => {
    const { take, counters, ingest } = receive(new ModelIngest({ seriesLimit: 1 }))
    for (let i = 0; i < 200; i++) take(`c${i}`, sum(1), { metaData: LONG })
    take('c1', sum(1), { metaData: LONG })
    assert.deepEqual([counters.size, ingest.counted], [1, { series_limit: 200 }])
  })

  test('that another series takes the values of are not kept either', () => {
    class Overflowing extends ModelIngest {
      isOverflow(slot: number): boolean {
        return slot > 0
      }
    }
    const { take, counters, live } = receive(new Overflowing())
    for (const name of ['a', 'b', 'b', 'c']) take(name, sum(1))
    assert.deepEqual([counters.size, live('b')[0]!.total], [1, 2])
  })

  test('lose the value of their gauges with the session, and get it back with the next', () => {
    const { take, counters, live } = receive()
    take('level', mean(5))
    take('calls', sum(3))
    counters.end()
    assert.deepEqual([live('level')[0]!.value, live('calls')[0]!.total], [Number.NaN, 3])
    take('level', mean(6))
    assert.equal(live('level')[0]!.value, 6)
  })

  test('beyond the memory of one endpoint are refused, those known go on', () => {
    const { take, counters, live, ingest } = receive()
    for (let i = 0; i < 100; i++) take(`c${i}`, sum(1), { metaData: LONG })
    const { size } = counters
    assert.ok(size > 10 && size < 50, `${size} counters`)
    for (const i of [0, 99]) take(`c${i}`, sum(1), { metaData: LONG })
    assert.deepEqual(ingest.counted, { attached_bytes_limit: 101 - size })
    assert.equal(live('c0')[0]!.total, 2)
  })

  test('have room again when some have left the hub and do not come any more', () => {
    const { take, counters, ingest } = receive()
    for (let i = 0; i < 100; i++) take(`c${i}`, sum(1), { metaData: LONG })
    const { size } = counters
    ingest.retire(0)
    take('c1', sum(1), { metaData: LONG })
    for (let i = 100; i < 200; i++) take(`c${i}`, sum(1), { metaData: LONG })
    assert.equal(counters.size, size)
    assert.equal(ingest.counted.attached_bytes_limit, 100 - size + (100 - (size - 1)))
  })

  test('take their room whatever the order of their pairs', () => {
    const { take, counters, ingest } = receive()
    const pairs = LONG.slice(0, 7)
    for (let i = 0; i < 5000; i++) {
      const turned = pairs.map((_, at) => pairs[(at * (1 + (i % 6)) + i) % 7]!)
      take(`c${i % 10}`, sum(1), { metaData: turned })
    }
    assert.deepEqual([counters.size, ingest.counted], [10, {}])
  })

  test('are looked up again when slots were given back', () => {
    const { take, ingest, live } = receive()
    take('a', sum(1))
    take('m', mean(1))
    ingest.retire(0)
    take('a', sum(2))
    take('m', mean(1, 1))
    assert.deepEqual(
      [live('a')[0]!.total, live('m')[0]!.summary.count, live('m').length],
      [2, 3, 1],
    )
  })
})

suite('an attached endpoint', () => {
  async function attach(
    t: TestContext,
    options: Record<string, unknown> = {},
    reads: SharedReads = READS_AT_ONCE,
  ) {
    const clock = new FakeClock()
    const source = new FakeCounterSource()
    const endpoint = await startEndpoint(t, { source })
    const ingest = new ModelIngest()
    const { port } = endpoint
    const target = { transport: 'tcp', host: '127.0.0.1', port } as const
    const context = {
      bytesLimit: 1e7,
      reads,
      ...NO_EXTRAS,
      shared: sharedObjects(),
      ingest,
      clock,
      reports: new RecordedReports(),
      options: { client: options },
    }
    const attached = connectSource(target, context)
    t.after(() => attached.close())
    await until(() => source.sessions.size === 1, 'session')
    return { ...endpoint, clock, source, ingest, attached, target, context }
  }

  test('is one session, whose windows are series under the endpoint’s address', async (t) => {
    const { source, ingest, attached, port } = await attach(t, { intervalMs: 2000 })
    assert.deepEqual([...source.sessions][0]!.request, {
      intervalMs: 2000,
      deliver: 'own',
      hasBuckets: true,
    })
    source.emit([windowOf('a', sum(3), { seriesMs: 2000 }), windowOf('b', sum(3))])
    await until(() => ingest.series.length === 1, 'series')
    assert.deepEqual(ingest.series[0]!.identity.labels, [
      ['endpoint', `127.0.0.1:${port}`],
      ['provider', 'App'],
    ])
    const { facts, peer } = attached.status()
    assert.deepEqual(peer, { transport: 'tcp', address: '127.0.0.1', port })
    const { url, ...others } = facts
    assert.match(String(url), /EventCounterIntervalSec=2/)
    assert.deepEqual(others, {
      state: 'online',
      series: 1,
      interval: 'Interval=2',
      windows: 1,
      foreign: 1,
      bad: 0,
      reconnects: 0,
    })
  })

  test('counts nothing twice when the connection breaks, and totals go on', async (t) => {
    const { source, ingest, attached, server, clock } = await attach(t)
    let total = 0
    for (let session = 1; session <= 4; session++) {
      source.emit([windowOf('a', sum(session)), windowOf('m', mean(session))])
      total += session
      await until(() => ingest.series[0]?.total === total, 'window')
      await until(() => ingest.series[1]?.value === session, 'gauge')
      server.closeAllConnections()
      await until(() => attached.status().facts.state === 'offline', 'end')
      clock.advance(250)
      await until(() => attached.status().facts.state === 'online', 'next session')
    }
    assert.equal(ingest.series.length, 2)
    assert.equal(attached.status().facts.reconnects, 4)
  })

  test('is read within a budget, part by part, and its waiting is no silence', async (t) => {
    const reads = new SteppedReads()
    const { source, ingest, attached, clock } = await attach(t, {}, reads)
    await until(() => attached.status().facts.state === 'online', 'session')
    source.emit(Array.from({ length: 1000 }, (_, i) => windowOf(`c${i}`, sum(1))))
    await until(() => reads.hasRest, 'rest')
    assert.equal(ingest.series.length, 16)
    let steps = 0
    const stepped = () => {
      if (reads.hasRest) {
        clock.advance(10_000)
        steps++
      }
      reads.step()
      return ingest.series.length === 1000
    }
    await until(stepped, 'series')
    assert.ok(steps > 50, `${steps} steps`)
    assert.deepEqual(
      [attached.status().facts.windows, attached.status().facts.reconnects],
      [1000, 0],
    )
  })

  test('may mix both spellings on one connection: the series are the same', async (t) => {
    const counters = [
      windowOf('a', sum(1.5), { units: 'B', rateScaleSec: 60, metaData: [['k', 'v,w']] }),
      windowOf('b', mean(1, 2), { displayName: 'B', units: 'ms' }),
      windowOf('c', mean(7), { metaData: [['x', '']] }),
    ]
    const text = (['document', 'peer', 'peer', 'document'] as const)
      .flatMap((profile) =>
        counters.map((window) => boundaryText({ timeMs: 0, windows: [window] }, profile)),
      )
      .join('')
    const server = await startServer(t, (_, outgoing) => {
      // the session stays: with its end gauges lose their values
      outgoing.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).write(text)
    })
    const { port } = server.address() as AddressInfo
    const ingest = new ModelIngest()
    const target = { transport: 'tcp', host: '127.0.0.1', port } as const
    const context = {
      bytesLimit: 1e6,
      reads: READS_AT_ONCE,
      ...NO_EXTRAS,
      shared: sharedObjects(),
      ingest,
      clock: new FakeClock(),
      reports: new RecordedReports(),
      options: {},
    }
    const attached = connectSource(target, context)
    t.after(() => attached.close())
    await until(() => attached.status().facts.windows === 12, 'windows')
    assert.deepEqual(
      ingest.series.map(({ identity, total, value, summary }) => [
        identity.name,
        identity.kind,
        identity.kind === 'counter' ? total : (value ?? summary.count),
      ]),
      [
        ['a', 'counter', 6],
        ['b', 'summary', 8],
        ['c', 'gauge', 7],
      ],
    )
    assert.deepEqual(ingest.series[0]!.metadata, {
      dialect: 'eventcounters',
      type: 'Sum',
      unit: 'B',
      rateTimeScaleS: 60,
      sourceLabel: 'endpoint',
    })
    assert.deepEqual(ingest.series[0]!.identity.labels.at(1), ['k', 'v,w'])
  })

  test('that was closed leaves no timer and no session', async (t) => {
    const { source, attached, clock } = await attach(t)
    await attached.close()
    await until(() => source.sessions.size === 0, 'end')
    assert.equal(clock.pending, 0)
    assert.equal(attached.status().facts.state, 'stopped')
  })

  test('may be an address with a path and a query', async (t) => {
    const { source, target, context, port } = await attach(t)
    const url = `eventcounters://127.0.0.1:${port}/own?counters=App[x]&EventCounterIntervalSec=9`
    const second = connectSource(
      { ...target, url },
      { ...context, options: { client: { intervalMs: 5000 } } },
    )
    t.after(() => second.close())
    await until(() => source.sessions.size === 2, 'second session')
    assert.deepEqual([...source.sessions][1]!.request, {
      intervalMs: 9000,
      deliver: 'own',
      hasBuckets: true,
      filter: [{ provider: 'App', counters: ['x'], type: 'All' }],
    })
  })
})
