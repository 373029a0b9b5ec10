/** What readings of a process are in the model, within a budget. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ModelIngest } from '../../../../../test/support/model-ingest.ts'
import { NetTraceReader } from '../../codec/stream/reader.ts'
import { readingOf } from '../../map.ts'
import { CounterStream } from '../../test/counter-stream.ts'
import { ReceivedReadings } from './received-readings.ts'

function receive(stream: CounterStream, limit = 1e6, ingest = new ModelIngest()) {
  const budget = { limit, used: 0 }
  const readings = new ReceivedReadings(ingest, 'Shop', budget)
  const reader = new NetTraceReader({
    order: 'stream',
    onEvent(event) {
      const reading = readingOf(event)
      if (reading !== undefined) readings.take(reading)
    },
  })
  reader.push(stream.take())
  const live = (name: string) =>
    ingest.series.filter(({ identity, isRetired }) => identity.name === name && !isRetired)
  return { ingest, readings, budget, live }
}

test('an instrument brings its description with it', () => {
  const ingest = new ModelIngest()
  const readings = new ReceivedReadings(ingest, 'Shop', { limit: 1e6, used: 0 })
  const instrument = { description: 'Paid', meterTags: [], instrumentTags: [] }
  const reader = new NetTraceReader({
    order: 'stream',
    onEvent: (event) => readings.take(readingOf(event, instrument)!),
  })
  const values = { rate: '1', value: '1' }
  reader.push(new CounterStream().meter(0, 'CounterRateValuePublished', 'n', values).take())
  assert.equal(ingest.series[0]!.metadata.description, 'Paid')
})

suite('counters of event sources', () => {
  test('grow by increments; what falls or is no number leaves the total, and is counted', () => {
    const stream = new CounterStream()
    for (const increment of [5, -3, 0.5, Number.NaN]) stream.sum(0, 'a', increment)
    const { live, ingest } = receive(stream)
    assert.deepEqual([live('a')[0]!.total, live('a')[0]!.windows], [5.5, 4])
    assert.deepEqual(ingest.counted, { negative_increments: 1, nonfinite_increments: 1 })
  })

  test('say their unit, their name to show, and what rates are per', () => {
    const more = { DisplayName: 'A!', DisplayUnits: 'MB', DisplayRateTimeScale: '00:01:00' }
    const { live } = receive(new CounterStream().sum(0, 'a', 1, more))
    const { displayName, unit, rateTimeScaleS, type } = live('a')[0]!.metadata
    assert.deepEqual([displayName, unit, rateTimeScaleS, type], ['A!', 'MB', 60, 'Sum'])
  })

  test('of a trice make no rate', () => {
    const stream = new CounterStream().sum(0, 'a', 1, { IntervalSec: 0.0003 })
    assert.ok(Number.isNaN(receive(stream).live('a')[0]!.windowSec))
  })

  test('that show a mean are gauges until one holds other than one sample', () => {
    const stream = new CounterStream().mean(0, 'm', 2).mean(1000, 'm', 4)
    assert.deepEqual(
      receive(stream)
        .live('m')
        .map(({ identity, value }) => [identity.kind, value]),
      [['gauge', 4]],
    )
    const more = new CounterStream().mean(0, 'm', 2).mean(1000, 'm', 5, {
      ...{ Count: 3, StandardDeviation: 1, Min: 4, Max: 6 },
    })
    const [series, ...others] = receive(more).live('m')
    assert.deepEqual([series!.identity.kind, others.length], ['summary', 0])
    const { count, min, max } = series!.summary
    assert.deepEqual([count, min, max, series!.lastSummary.squares], [4, 2, 6, 3])
  })

  test('without a mean or a deviation say nothing, or nothing of that', () => {
    const stream = new CounterStream()
      .mean(0, 'm', 1, { Count: 2, Mean: Number.NaN })
      .mean(1000, 'm', 1, { Count: 2, StandardDeviation: Number.NaN })
    const { live, ingest } = receive(stream)
    assert.deepEqual([live('m')[0]!.summary.count, live('m')[0]!.summary.squares], [2, 0])
    assert.deepEqual(ingest.counted, { no_mean: 1, no_deviation: 1 })
  })
})

suite('instruments', () => {
  test('are counters and gauges by kind, with their tags', () => {
    const stream = new CounterStream()
      .meter(0, 'CounterRateValuePublished', 'c', { rate: '3', value: '9', tags: 'b=2,a=1' })
      .meter(0, 'CounterRateValuePublished', 'seen', { rate: '', value: '7' })
      .meter(0, 'UpDownCounterRateValuePublished', 'u', { rate: '-3', value: '-2' })
      .meter(0, 'GaugeValuePublished', 'g', { lastValue: '21.5', unit: 'Cel' })
      .meter(0, 'GaugeValuePublished', 'none', { lastValue: '' })
    const { live, ingest } = receive(stream)
    assert.deepEqual(live('c')[0]!.identity.labels, [
      ['a', '1'],
      ['b', '2'],
      ['process', 'Shop'],
      ['provider', 'App'],
    ])
    assert.deepEqual([live('c')[0]!.total, live('seen')[0]!.total], [3, 0])
    assert.deepEqual([live('u')[0]!.value, live('g')[0]!.value], [-2, 21.5])
    assert.deepEqual([live('g')[0]!.metadata.unit, live('none').length], ['Cel', 0])
    assert.deepEqual(ingest.counted, {})
  })

  test('that are histograms are summaries of unknown range, and gauges of quantiles', () => {
    const values = { count: 4, sum: 10, quantiles: '0.5=2;0.95=NaN;0.999=4' }
    const { live } = receive(new CounterStream().meter(0, 'HistogramValuePublished', 'h', values))
    const { count, mean, min, max } = live('h')[0]!.summary
    assert.deepEqual([count, mean, min, max], [4, 2.5, Number.NaN, Number.NaN])
    assert.deepEqual([live('h.p50')[0]!.value, live('h.p99.9')[0]!.value], [2, 4])
    assert.deepEqual([live('h.p95').length, live('h.p50')[0]!.identity.kind], [0, 'gauge'])
  })

  test('of the name and labels of a counter of an event source are counted, not added', () => {
    const stream = new CounterStream()
      .sum(0, 'n', 1)
      .meter(0, 'CounterRateValuePublished', 'n', { rate: '5', value: '5' })
      .mean(0, 'g', 1)
      .meter(0, 'GaugeValuePublished', 'g', { lastValue: '5' })
    const { live, ingest } = receive(stream)
    assert.deepEqual([live('n')[0]!.total, live('g')[0]!.value], [1, 1])
    assert.deepEqual(ingest.counted, { duplicate_counters: 2 })
  })
})

suite('limits', () => {
  test('names beyond the budget make no series, and are counted; known ones go on', () => {
    const stream = new CounterStream()
    for (const name of ['a', 'b', 'c']) stream.sum(0, name, 1)
    const { live, ingest, budget, readings } = receive(stream.sum(0, 'a', 1), 2500)
    assert.deepEqual([live('a')[0]!.total, live('c').length], [2, 0])
    assert.deepEqual(ingest.counted, { attached_bytes_limit: 1 })
    assert.ok(budget.used > 2000 && budget.used <= 2500)
    readings.close()
    assert.equal(budget.used, 0)
  })

  test('a series that has passed here twice goes round, and is refused', () => {
    const Metadata = 'process:Shop,exported_process:Shop'
    const { live, ingest } = receive(new CounterStream().sum(0, 'a', 1, { Metadata }))
    assert.deepEqual([live('a').length, ingest.counted.hub_loop], [0, 1])
  })

  test('series that the hub refuses are not kept', () => {
    const ingest = new ModelIngest({ seriesLimit: 1 })
    const stream = new CounterStream().sum(0, 'a', 1).sum(0, 'b', 1)
    const { readings } = receive(stream, 1e6, ingest)
    assert.deepEqual([readings.size, ingest.counted.series_limit], [1, 1])
  })
})
