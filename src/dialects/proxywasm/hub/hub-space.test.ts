import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BroadcastChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { SERIES_LIMITS, SeriesQuota } from '../../../hub/ingest/quota.ts'
import { refusalOf, Zone } from '../../../shm/index.ts'
import type { MetricSpace } from '../host/metric-space.ts'
import { FilterSettings, type SettingValues } from '../store/filter-settings.ts'
import type { Announcement, HubSpaceStart } from './announcement.ts'
import { openMetricSpace } from './hub-space.ts'

const SETTINGS: SettingValues = {
  slabSize: 5_242_880,
  maxMetricNameLength: 256,
  histogram: 'dense',
  workers: 1,
  metricNames: 'label',
}

interface Opened {
  readonly space: MetricSpace
  readonly zone: Zone
  readonly quota: SeriesQuota
  readonly told: Announcement[]
  define(name: string, type: 'counter' | 'gauge' | 'histogram', filter?: string): number | string
}

function open(
  part: Partial<HubSpaceStart> = {},
  host: 'spec' | 'nginx' | 'envoy' = 'spec',
): Opened {
  const zone = Zone.create({ zoneBytesLimit: 4_194_304, keyBytesLimit: 65_535 })
  const limits = part.limits ?? SERIES_LIMITS
  const quota = SeriesQuota.create(limits)
  const told: Announcement[] = []
  const start: HubSpaceStart = {
    zone: zone.shared,
    quota: quota.shared,
    limits,
    thread: 9,
    channel: 'test',
    filter: { name: 'f', host, profile: 'document', metricsPerFilterLimit: 10_000 },
    settings: FilterSettings.create(SETTINGS).shared,
    labelPatterns: [],
    ...part,
  }
  const channel = new BroadcastChannel(start.channel)
  channel.unref()
  const space = openMetricSpace(start)
  const define: Opened['define'] = (name, type, filter = 'f') => {
    const metric = space.define(filter, new TextEncoder().encode(name), type)
    for (;;) {
      const heard = receiveMessageOnPort(channel as unknown as MessagePort)
      if (heard === undefined) break
      told.push(heard.message)
    }
    return metric < 0 ? refusalOf(metric)! : metric
  }
  return { space, zone, quota, told, define }
}

test('a definition is a series of the model, announced once and counted under the limits', () => {
  const { zone, quota, told, define } = open()
  const metric = define('calls', 'counter')
  assert.equal(define('calls', 'counter'), metric)
  assert.equal(quota.count, 1)
  const [announcement] = told
  assert.equal(told.length, 1)
  assert.equal(announcement?.kind, 'series')
  assert.deepEqual(announcement?.kind === 'series' && announcement.series.identity, {
    name: 'calls',
    kind: 'counter',
    labels: [['filter', 'f']],
  })
  assert.deepEqual(
    [zone.type(metric as number), zone.mode(metric as number)],
    ['counter', 'settable'],
  )
})

test('gauges are shared, except under nginx, where only setting is allowed', () => {
  for (const [host, mode] of [
    ['spec', 'shared'],
    ['envoy', 'shared'],
    ['nginx', 'last'],
  ] as const) {
    const { zone, define } = open({}, host)
    assert.equal(zone.mode(define('open', 'gauge') as number), mode)
  }
})

test('counters can be set where recording does that, else they wrap', () => {
  for (const [host, mode] of [
    ['spec', 'settable'],
    ['envoy', 'wrapping'],
    ['nginx', 'wrapping'],
  ] as const) {
    const { zone, define } = open({}, host)
    assert.equal(zone.mode(define('calls', 'counter') as number), mode)
  }
})

test('a name of another type is refused, but under envoy it is a metric of its own', () => {
  const { define, told } = open()
  define('x', 'counter')
  assert.equal(define('x', 'gauge'), 'type_mismatch')
  assert.deepEqual(told.at(-1), {
    kind: 'refused',
    source: 'filter f',
    name: 'x{filter=f}',
    code: 'type_mismatch',
  })
  const envoy = open({}, 'envoy')
  assert.notEqual(envoy.define('x', 'gauge'), envoy.define('x', 'counter'))
})

test('names are limited with their prefix, equality allowed', () => {
  const { define } = open()
  const fits = 256 - 'pw.f.'.length
  assert.equal(typeof define('n'.repeat(fits), 'counter'), 'number')
  assert.equal(define('n'.repeat(fits + 1), 'counter'), 'key_too_long')
  const envoy = open({}, 'envoy')
  assert.equal(typeof envoy.define('n'.repeat(fits + 1), 'counter'), 'number')
})

test('a metric is named anew where all were renamed while it was being defined', () => {
  const settings = FilterSettings.create(SETTINGS)
  const filter: HubSpaceStart['filter'] = {
    name: 'f',
    host: 'spec',
    profile: 'document',
    metricsPerFilterLimit: 10_000,
    // read once the name is made, and before the lock is taken
    get unit() {
      settings.set({ ...SETTINGS, metricNames: 'prefix' })
      return 'ms'
    },
  }
  const { define, told } = open({ settings: settings.shared, filter })
  assert.equal(typeof define('calls', 'counter'), 'number')
  const names = told.map((each) => each.kind === 'series' && each.series.identity.name)
  assert.deepEqual(names, ['pw.f.calls'])
})

test('series above the limit of a source are refused, known ones are still found', () => {
  const { define, told } = open({
    limits: { ...SERIES_LIMITS, seriesLimit: 10, seriesLimitPerSource: 2 },
  })
  const first = define('a', 'counter')
  define('b', 'counter')
  assert.equal(define('c', 'counter'), 'metrics_limit')
  assert.equal(define('a', 'counter'), first)
  assert.deepEqual(
    told.map(({ kind }) => kind),
    ['series', 'series', 'refused'],
  )
})

test('a flood of refused names is told of twenty times', () => {
  const { define, told } = open({
    limits: { ...SERIES_LIMITS, seriesLimit: 1, seriesLimitPerSource: 1 },
  })
  for (let i = 0; i < 1000; i++) define(`n${i}`, 'counter')
  assert.equal(told.length, 1 + 20)
})

test('labels are taken out of names, and what is one series then is one metric', () => {
  const labelPatterns = [{ label: 'route', pattern: '(\\.route=([a-z]+))' }]
  const { define, told } = open({ labelPatterns })
  const metric = define('calls.route=pay', 'counter')
  assert.notEqual(metric, define('calls.route=cart', 'counter'))
  const [announcement] = told
  assert.deepEqual(announcement?.kind === 'series' && announcement.series.identity.labels, [
    ['filter', 'f'],
    ['route', 'pay'],
  ])
})

test('nginx ids come from prefixed names, which the space knows of its own metrics only', () => {
  const { space, zone, define } = open({}, 'nginx')
  const other = zone.define(new TextEncoder().encode('somebody else'), 'counter')
  const metric = define('calls', 'counter') as number
  const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)
  assert.equal(text(space.prefixedName(metric)), 'pw.f.calls')
  assert.equal(space.prefixedName(other), undefined)
  const name = new TextEncoder().encode('calls')
  assert.equal(space.find('f', name), metric)
  assert.equal(space.find('f', name, 'gauge'), -1)
  assert.equal(space.find('g', name), -1)
})
