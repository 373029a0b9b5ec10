import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Zone } from '../../../shm/index.ts'
import { printable } from '../../../terminal/index.ts'
import type { JsonDocument } from '../spec.ts'
import { metricLines, metricRows, readMetrics } from './metrics.ts'

test('a zone is read whole, exact beyond 2^53, without empty bins', () => {
  const zone = Zone.create()
  const writer = zone.attach()
  const key = (name: string): Uint8Array => new TextEncoder().encode(name)
  const counter = zone.define(key('pw.f.c'), 'counter', { mode: 'wrapping' })
  const gauge = zone.define(key('pw.f.g'), 'gauge', { mode: 'shared' })
  const unset = zone.define(key('pw.f.unset'), 'gauge')
  const histogram = zone.define(key('pw.f.h'), 'dense')
  writer.counter(counter)!.addExact(2n ** 63n)
  writer.sharedGauge(gauge)!.set(42)
  for (const value of [1, 10, 10, 2 ** 31]) writer.dense(histogram)!.observe(value)
  assert.equal(unset >= 0, true)
  assert.deepEqual(readMetrics(zone, zone.reader()), {
    'pw.f.c': { type: 'counter', value: '9223372036854775808' },
    'pw.f.g': { type: 'gauge', value: 42 },
    'pw.f.unset': { type: 'gauge', value: 0 },
    'pw.f.h': {
      type: 'histogram',
      value: [
        { ub: 1, count: 1 },
        { ub: 16, count: 2 },
        { ub: 4294967295, count: 1 },
      ],
      sum: 2 ** 31 + 21,
    },
  })
  writer.detach()
})

test('a quantile of bins is the bound of its bin, or more than the last one', () => {
  const bins = (...value: { ub: number; count: number }[]): JsonDocument => ({
    'pw.f.h': { type: 'histogram', value, sum: 60 },
  })
  const textOf = (document: JsonDocument): string | undefined =>
    metricRows(document, { filter: 'f', unit: 'ms' })[0]?.value
  const both = bins({ ub: 1, count: 9 }, { ub: 4294967295, count: 1 })
  const words = '10 observations, mean 6 ms, p50 <= 1 ms, p99 > 2 147 483 647 ms'
  assert.equal(textOf(both), words)
  assert.equal(textOf(bins()), 'no observations')
  assert.match(textOf(bins({ ub: 64, count: 1 })) ?? '', /^1 observation, mean 60 ms, p50 <= 64/)
})

test('rows carry names without prefix, also of filters with a dot', () => {
  const document: JsonDocument = { 'pw.a.b.calls': { type: 'counter', value: 1234567 } }
  const rows = metricRows(document, { filter: 'a.b' })
  assert.deepEqual(rows, [{ name: 'calls', type: 'counter', value: '1 234 567' }])
  assert.deepEqual(metricLines(rows), ['metric  type     value', 'calls   counter  1 234 567'])
})

test('a gauge of several threads is one for all, a counter the sum of theirs', () => {
  const document: JsonDocument = {
    'pw.f.c': { type: 'counter', value: 3 },
    'pw.f.g': { type: 'gauge', value: 7 },
  }
  const threads = [
    { name: 'pw.f.c', type: 'counter', total: 3, workers: [2, 1], ended: 0 },
    { name: 'pw.f.g', type: 'gauge', total: 7, workers: [null, null], ended: null },
  ] as const
  const rows = metricRows(document, { filter: 'f', threads })
  assert.deepEqual(
    rows.map((row) => row.threads),
    ['2 + 1', 'one for all'],
  )
})

test('a name can’t move the cursor of a terminal', () => {
  assert.equal(printable('a\x1b[2Jb\n'), 'a\\x1b[2Jb\\x0a')
  const [, line] = metricLines([{ name: '\x1b[1A', type: 'gauge', value: '1' }])
  assert.equal(line?.includes('\x1b'), false)
})

test('names that are no text stay apart, and Envoy’s types are no part of the name', () => {
  const zone = Zone.create()
  const define = (key: string, type: 'counter' | 'gauge'): number =>
    zone.define(Buffer.from(key, 'latin1'), type)
  assert.ok(define('pw.f.\xfe', 'counter') >= 0)
  assert.ok(define('pw.f.\xff', 'counter') >= 0)
  assert.deepEqual(Object.keys(readMetrics(zone, zone.reader())), ['pw.f.\\xfe', 'pw.f.\\xff'])

  const envoy = Zone.create()
  envoy.define(Buffer.from('wasmcustom.n\0'), 'counter')
  envoy.define(Buffer.from('wasmcustom.n\x01'), 'gauge')
  const names = Object.keys(readMetrics(envoy, envoy.reader(), 'envoy'))
  assert.deepEqual(names, ['wasmcustom.n', 'wasmcustom.n (gauge)'])
})

test('a gauge below zero has its sign, where one is known to have fallen so far', () => {
  const document: JsonDocument = {
    'pw.f.g': { type: 'gauge', value: String(2n ** 64n - 5n) },
  }
  assert.equal(metricRows(document, { filter: 'f', hasWrapped: true })[0]?.value, '-5')
  assert.match(metricRows(document, { filter: 'f' })[0]?.value ?? '', /^18 446 /)
})
