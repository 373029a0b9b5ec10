/** Meaning of counters and meters, as a running .NET sent them. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { NetTraceReader } from './codec/stream/reader.ts'
import { encodeNetTrace } from './codec.ts'
import { type Reading, readingOf } from './map.ts'
import { RECORDINGS } from './test/recordings.ts'

function readings(bytes: Uint8Array): Reading[] {
  const found: Reading[] = []
  const reader = new NetTraceReader({
    onEvent(event) {
      const reading = readingOf(event)
      if (reading !== undefined) found.push(reading)
    },
  })
  reader.push(bytes)
  reader.end()
  return found
}

function find(all: readonly Reading[], name: string): Reading {
  return all.find(({ identity }) => identity.name === name)!
}

suite('readings', () => {
  test('a Sum is a counter with its labels, a Mean a summary', () => {
    const all = readings(RECORDINGS.get('counters-1s')!)
    assert.equal(all.length, 42)
    const mean = find(all, 'ec')
    assert.deepEqual(mean.identity, {
      name: 'ec',
      kind: 'summary',
      labels: [
        // `key2` was `a,b:c` there: nothing on the wire tells it from a pair
        ['b', 'c'],
        ['key1', 'value1'],
        ['key2', 'a'],
        ['key3', ''],
        ['provider', 'Probe-Counters'],
      ],
    })
    assert.deepEqual(mean.values, {
      ...{ kind: 'summary', count: 11, mean: 5.090909090909091, deviation: 3.028787499810488 },
      ...{ min: 1, max: 10, quantiles: [] },
    })
    const { seriesMs, unit, displayName, sessionId } = mean
    assert.deepEqual(
      [seriesMs, unit, displayName, sessionId],
      [1000, 'ms', 'Event Counter', undefined],
    )
    assert.equal(Math.fround(mean.intervalSec), Math.fround(1.0015682))
    const sum = find(all, 'ipc')
    assert.equal(sum.identity.kind, 'counter')
    assert.ok(sum.values.kind === 'counter' && sum.values.increment >= 0)
  })

  test('instruments of a recording are series by kind, with tags and quantiles', () => {
    const all = readings(RECORDINGS.get('meters')!)
    const histogram = find(all, 'hists')
    assert.deepEqual(histogram.values, {
      ...{ kind: 'summary', count: 1, mean: 48, deviation: Number.NaN },
      ...{ min: Number.NaN, max: Number.NaN },
      quantiles: [
        [0.5, 48],
        [0.95, 48],
        [0.99, 48],
      ],
    })
    const odd = all.find(({ identity }) => identity.labels.some(([key]) => key === 'ü'))
    assert.deepEqual(odd?.identity.labels, [
      ['', ''],
      ['n', ''],
      ['provider', 'Probe.Meter'],
      ['ü', '日本'],
    ])
    const gauge = find(all, 'temp')
    assert.deepEqual(gauge.values, { kind: 'gauge', value: 21.5 })
    assert.deepEqual([gauge.unit, gauge.sessionId], ['Cel', 'SHARED'])
    const kinds = new Set(all.map(({ identity }) => identity.kind))
    assert.deepEqual([...kinds].sort(), ['counter', 'gauge', 'summary'])
  })

  test('a label of the sender under our key is renamed, and what says nothing is nothing', () => {
    const at = { time: '2026-01-02T03:04:05.0000000Z', relMs: 0, thread: 1 }
    const own = { provider: 'App', event: 'EventCounters', id: 1, ...at }
    const said = { Name: 'a', Increment: 1, Metadata: 'provider:x,exported_provider:y' }
    const [bytes] = encodeNetTrace([
      { ...own, payload: said },
      { ...own, id: 2, payload: { Name: '', Increment: 1 } },
      { ...own, id: 3, payload: { Name: 'b' } },
    ])
    const all = readings(bytes!)
    assert.deepEqual(
      all.map(({ identity }) => identity.labels),
      [
        [
          ['exported_exported_provider', 'x'],
          ['exported_provider', 'y'],
          ['provider', 'App'],
        ],
      ],
    )
  })
})
