import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { FakeHubView, START_MS } from '../../../../test/support/hub/fake-hub-view.ts'
import { startCollector } from '../../../../test/support/outputs/otlp-collector.ts'
import type { Frame } from '../../../hub/live/frame.ts'
import { runNow } from '../../../hub/tasks/task.ts'
import { boundedHistogram } from '../../../model/index.ts'
import { OtlpExporter } from './exporter.ts'

type OtlpOptions = ConstructorParameters<typeof OtlpExporter>[1]

const OPTIONS: Omit<OtlpOptions, 'url'> = {
  encoding: 'protobuf',
  compression: 'gzip',
  headers: {},
  intervalMs: 2000,
  // answers take real time while the hub's clock leaps: a day, so that none is given up
  timeoutMs: 86_400_000,
  temporality: 'dialect',
  histogram: 'dialect',
  estimatedSum: false,
  resource: {},
}

async function setUp(t: TestContext, options: Partial<OtlpOptions> = {}) {
  const collector = await startCollector(t)
  const hub = new FakeHubView()
  const counts = new Map<string, number>()
  const log: string[] = []
  const reports = {
    count: (name: string, reason: string, amount: number) => {
      counts.set(`${name} ${reason}`, (counts.get(`${name} ${reason}`) ?? 0) + amount)
    },
    log: (level: string, message: string) => log.push(`${level} ${message}`),
  }
  const all = { ...OPTIONS, url: collector.url, ...options }
  const exporter = new OtlpExporter(hub, all, reports, () => 0.5)
  /** Closes seconds; an export may begin with each. */
  const tick = async (seconds: number): Promise<void> => {
    for (let i = 0; i < seconds; i++) deliver(exporter, hub.tick())
  }
  const exportNow = async (): Promise<void> => {
    await tick(2)
    await exporter.settled()
  }
  await tick(1) // the first second is on no boundary
  return { collector, hub, exporter, counts, log, tick, exportNow }
}

/** Has a second taken and delivered, as a hub does. */
function deliver(exporter: OtlpExporter, frame: Frame): void {
  runNow(exporter.take(frame))
  runNow(exporter.deliver(frame))
}

/** Lets time pass until the collector has seen so many attempts. */
async function untilAttempts(
  { hub, collector }: Pick<Awaited<ReturnType<typeof setUp>>, 'hub' | 'collector'>,
  attempts: number,
  stepMs = 100,
): Promise<void> {
  while (collector.statuses.length < attempts) {
    hub.clock.advance(stepMs)
    await setImmediate()
  }
}

test('all series are pushed once an interval, compressed, with headers', async (t) => {
  const { collector, hub, exporter, counts, exportNow } = await setUp(t, {
    headers: { authorization: 'Bearer t' },
    resource: { 'service.instance.id': 'a:1' },
  })
  hub.count(hub.add({ name: 'n', kind: 'counter', qualifier: ['shp.type', 'm'] }), 41)
  await exportNow()
  await exportNow()
  assert.equal(collector.taken.length, 2)
  const [{ path, headers, request, metrics }] = collector.taken as [(typeof collector.taken)[0]]
  assert.equal(path, '/v1/metrics')
  assert.equal(headers.authorization, 'Bearer t')
  assert.equal(headers['content-type'], 'application/x-protobuf')
  assert.equal(headers['content-encoding'], 'gzip')
  const [{ resource }] = (request as { resourceMetrics: [{ resource: unknown }] }).resourceMetrics
  assert.deepEqual(resource, {
    attributes: [
      { key: 'service.name', value: { stringValue: 'pentameter' } },
      { key: 'service.version', value: { stringValue: hub.version } },
      { key: 'service.instance.id', value: { stringValue: 'a:1' } },
    ],
  })
  assert.deepEqual(metrics.get('n'), {
    name: 'n',
    kind: 'sum',
    temporality: 2,
    isMonotonic: true,
    scope: 'statshero',
    scopeVersion: hub.version,
    points: [
      {
        attributes: [{ key: 'shp.type', value: { stringValue: 'm' } }],
        startTimeUnixNano: `${START_MS + 1000}000000`,
        timeUnixNano: `${START_MS + 2000}000000`,
        asInt: '41',
      },
    ],
  })
  assert.equal(counts.get('points taken'), 2)
  assert.equal(exporter.status().state, 'exporting')
})

test('both encodings say the same', async (t) => {
  const seen: unknown[] = []
  for (const encoding of ['protobuf', 'json'] as const) {
    const compression = encoding === 'json' ? 'none' : 'gzip'
    const { collector, hub, exportNow } = await setUp(t, { encoding, compression })
    hub.count(hub.add({ name: 'n', kind: 'counter', metadata: { description: 'd' } }), 2n ** 62n)
    hub.set(hub.add({ name: 'g', kind: 'gauge', labels: [['k', 'ä"\n']] }), -3)
    hub.set(hub.add({ name: 'x', kind: 'gauge', metadata: { dialect: 'scope' } }), 0.1)
    hub.add({ name: 'unset', kind: 'gauge', metadata: { dialect: 'scope' } })
    const histogram = hub.add({ name: 'h', kind: 'histogram', metadata: { unit: 'ms' } })
    for (const value of [-2, 0, 1, 5, 900]) hub.observe(histogram, value)
    const bins = hub.add({ name: 'b', kind: 'histogram', metadata: { dialect: 'proxywasm' } })
    for (const value of [1, 2, 3]) hub.observe(bins, value)
    const summary = hub.add({
      name: 's',
      kind: 'summary',
      labels: [['provider', 'P']],
      metadata: { dialect: 'eventcounters', unit: 'MB' },
    })
    for (const value of [1, 4]) hub.sample(summary, value)
    await exportNow()
    seen.push(collector.taken[0]!.request)
    const { metrics } = collector.taken[0]!
    assert.equal(metrics.get('n')!.points[0]!.asInt, `${2n ** 62n}`)
    assert.deepEqual(
      [metrics.get('g')!.points[0]!.asInt, metrics.get('x')!.points[0]!.asDouble],
      ['-3', 0.1],
    )
    assert.equal(metrics.get('unset')!.points[0]!.flags, 1)
    const exponential = metrics.get('h')!
    assert.deepEqual([exponential.kind, exponential.unit], ['exponentialHistogram', 'ms'])
    const point = exponential.points[0]!
    // with negative observations a sum is no counter
    assert.deepEqual([point.count, point.sum, point.min, point.max], ['5', undefined, -2, 900])
    assert.equal(metrics.get('b')!.kind, 'histogram')
    assert.equal((metrics.get('b')!.points[0]!.explicitBounds as number[]).length, 32)
    assert.deepEqual(
      [metrics.get('s')!.kind, metrics.get('s')!.scope, metrics.get('s')!.unit],
      ['gauge', 'P', 'MBy'],
    )
    const { count, sum, quantileValues } = metrics.get('s.samples')!.points[0]!
    assert.deepEqual(
      [count, sum, quantileValues],
      [
        '2',
        5,
        [
          { quantile: 0, value: 1 },
          { quantile: 1, value: 4 },
        ],
      ],
    )
  }
  assert.deepEqual(seen[0], seen[1])
})

test('integers above 2^63 - 1 are doubles, and counted', async (t) => {
  const { collector, hub, counts, exportNow } = await setUp(t)
  hub.count(hub.add({ name: 'n', kind: 'counter' }), 2n ** 63n)
  await exportNow()
  assert.equal(collector.taken[0]!.metrics.get('n')!.points[0]!.asDouble, 2 ** 63)
  assert.equal(counts.get('inexact above_int64'), 1)
})

test('increments of EventCounters are deltas that meet, others are totals', async (t) => {
  const { collector, hub, exportNow } = await setUp(t)
  const metadata = { dialect: 'eventcounters' }
  const increments = hub.add({ name: 'i', kind: 'counter', metadata })
  const total = hub.add({ name: 't', kind: 'counter' })
  for (const delta of [5, 7]) {
    hub.count(increments, delta)
    hub.count(total, delta)
    await exportNow()
  }
  const [first, second] = collector.taken.map(({ metrics }) => metrics)
  assert.deepEqual([first!.get('i')!.temporality, first!.get('t')!.temporality], [1, 2])
  assert.deepEqual(
    [first, second].map((each) => each!.get('i')!.points[0]!.asDouble),
    [5, 7],
  )
  assert.equal(
    second!.get('i')!.points[0]!.startTimeUnixNano,
    first!.get('i')!.points[0]!.timeUnixNano,
  )
  assert.deepEqual(
    [first, second].map((each) => each!.get('t')!.points[0]!.asInt),
    ['5', '12'],
  )
})

test('deltas of a failed export are part of the next, and never count twice', async (t) => {
  const parts = await setUp(t, { temporality: 'delta' })
  const { collector, hub, exporter, counts, tick, exportNow, log } = parts
  const counter = hub.add({ name: 'n', kind: 'counter' })
  const histogram = hub.add({ name: 'h', kind: 'histogram' })
  hub.count(counter, 3)
  hub.observe(histogram, 10)
  collector.answers.push({ status: 400 })
  await exportNow()
  assert.equal(collector.taken.length, 0)
  assert.equal(counts.get('points refused'), 2)
  assert.equal(exporter.status().state, 'failing')
  assert.match(exporter.status().message!, /^status 400; /)
  hub.count(counter, 4)
  hub.observe(histogram, 2)
  await exportNow()
  const [{ metrics }] = collector.taken as [(typeof collector.taken)[0]]
  const { asInt, startTimeUnixNano } = metrics.get('n')!.points[0]!
  assert.deepEqual([asInt, startTimeUnixNano], ['7', `${START_MS + 1000}000000`])
  const { count, min, max } = metrics.get('h')!.points[0]!
  assert.deepEqual([count, min, max], ['2', 2, 10])
  await tick(2)
  await exporter.settled()
  assert.equal(collector.taken.length, 1, 'nothing new, nothing to say')
  assert.match(log[0]!, /^warn OTLP export fails: status 400; /)
  assert.equal(log[1], 'info OTLP export works again')
})

test('an overloaded receiver is tried again when it says, or with back-off', async (t) => {
  const parts = await setUp(t)
  const { collector, hub, exporter, counts, tick } = parts
  hub.count(hub.add({ name: 'n', kind: 'counter' }), 1)
  collector.answers.push({ status: 429, headers: { 'Retry-After': '7' } }, { status: 503 })
  await tick(1)
  await untilAttempts(parts, 1)
  const firstMs = hub.clock.wallMs()
  await untilAttempts(parts, 2)
  const secondMs = hub.clock.wallMs()
  assert.ok(secondMs - firstMs >= 7000, `${secondMs - firstMs} ms`)
  await untilAttempts(parts, 3)
  assert.ok(hub.clock.wallMs() - secondMs >= 2000, 'doubled once, spread by nothing')
  await exporter.settled()
  assert.deepEqual(collector.statuses, [429, 503, 200])
  assert.deepEqual([counts.get('requests retried'), counts.get('requests taken')], [2, 1])
})

test('an interval that ends during an export is skipped, and counted', async (t) => {
  const parts = await setUp(t)
  const { collector, hub, exporter, counts, tick } = parts
  hub.count(hub.add({ name: 'n', kind: 'counter' }), 1)
  collector.answers.push({ status: 503, headers: { 'Retry-After': '60' } })
  await tick(1)
  await untilAttempts(parts, 1, 0)
  await tick(4)
  assert.equal(counts.get('intervals skipped'), 2)
  assert.equal(collector.statuses.length, 1)
  await untilAttempts(parts, 2, 10_000)
  await exporter.settled()
  assert.equal(counts.get('intervals exported'), 1)
})

test('a receiver that is away costs five attempts and one line in the log', async (t) => {
  const parts = await setUp(t, { url: 'http://127.0.0.1:9/v1/metrics?token=secret' })
  const { hub, exporter, counts, log, tick } = parts
  hub.count(hub.add({ name: 'n', kind: 'counter' }), 1)
  for (let round = 1; round <= 2; round++) {
    await tick(2)
    while (counts.get('requests failed') !== round) {
      hub.clock.advance(1000)
      await setImmediate()
    }
    await exporter.settled()
  }
  assert.equal(counts.get('requests retried'), 8)
  assert.equal(counts.get('points failed'), 2)
  assert.equal(log.length, 1)
  const { url, message, pointsLost } = exporter.status()
  assert.equal(url, 'http://127.0.0.1:9/v1/metrics', 'without what may be secret')
  assert.match(message!, /4318/)
  assert.equal(pointsLost, 2)
})

test('points that a receiver rejects are counted and not sent again', async (t) => {
  const { collector, hub, exporter, counts, log, exportNow } = await setUp(t)
  hub.count(hub.add({ name: 'n', kind: 'counter' }), 1)
  hub.count(hub.add({ name: 'm', kind: 'counter' }), 1)
  // partial_success { rejected_data_points: 1, error_message: "no" }
  collector.answers.push({ status: 200, body: Buffer.from('0a06080112026e6f', 'hex') })
  await exportNow()
  assert.deepEqual([counts.get('points taken'), counts.get('points rejected')], [1, 1])
  assert.deepEqual(collector.statuses, [200])
  assert.equal(log.length, 1)
  assert.equal(exporter.status().state, 'exporting')
})

test('a request that was taken is not sent again because its answer broke off', async (t) => {
  const { collector, hub, counts, exportNow } = await setUp(t, { temporality: 'delta' })
  hub.count(hub.add({ name: 'n', kind: 'counter' }), 3)
  collector.answers.push({ status: 200, isCut: true })
  await exportNow()
  await exportNow()
  assert.deepEqual(collector.statuses, [200])
  assert.equal(counts.get('requests taken'), 1)
})

test('of a long answer only the beginning is read', async (t) => {
  const { collector, hub, counts, exportNow } = await setUp(t, { encoding: 'json' })
  hub.count(hub.add({ name: 'n', kind: 'counter' }), 3)
  const said = '{"partialSuccess":{"rejectedDataPoints":1}}'
  collector.answers.push({ status: 200, body: ' '.repeat(65_000) + said })
  await exportNow()
  assert.equal(counts.get('points rejected'), 1)
  hub.count(hub.add({ name: 'm', kind: 'counter' }), 3)
  collector.answers.push({ status: 200, body: ' '.repeat(66_000) + said })
  await exportNow()
  assert.deepEqual([counts.get('points rejected'), counts.get('requests taken')], [1, 2])
})

test('an export that fails by a fault of ours keeps its deltas', async (t) => {
  const parts = await setUp(t, { temporality: 'delta' })
  const { collector, hub, exporter, log, exportNow } = parts
  hub.count(hub.add({ name: 'n', kind: 'counter' }), 3)
  hub.set(hub.add({ name: 'g', kind: 'gauge' }), 1)
  const { total } = hub
  hub.total = () => {
    throw new Error('planted')
  }
  await exportNow()
  assert.deepEqual([collector.taken.length, exporter.status().state], [0, 'failing'])
  assert.match(log[0]!, /planted; this is a fault of ours/)
  hub.total = total
  await exportNow()
  assert.equal(collector.taken[0]!.metrics.get('n')!.points[0]!.asInt, '3')
})

test('a total that began after the second of its export is said in the next', async (t) => {
  const { collector, hub, exporter } = await setUp(t)
  hub.count(hub.add({ name: 'old', kind: 'counter' }), 1)
  const frame = hub.tick()
  hub.clock.advance(300)
  hub.count(hub.add({ name: 'new', kind: 'counter' }), 1)
  deliver(exporter, frame)
  await exporter.settled()
  for (let i = 0; i < 2; i++) deliver(exporter, hub.tick())
  await exporter.settled()
  const starts = collector.taken.map(({ metrics }) => {
    return metrics.get('new')?.points[0]?.startTimeUnixNano
  })
  // one start for all points: another one would be a reset
  assert.deepEqual(starts, [undefined, `${START_MS + 2300}000000`])
})

test('a user in the address becomes a header, and is shown nowhere', async (t) => {
  const collector = await startCollector(t)
  const url = collector.url.replace('//', '//me:s%40cret@')
  const { hub, exporter, log, exportNow } = await setUp(t, { url })
  hub.count(hub.add({ name: 'n', kind: 'counter' }), 1)
  await exportNow()
  const basic = `Basic ${Buffer.from('me:s@cret').toString('base64')}`
  assert.equal(collector.taken[0]!.headers.authorization, basic)
  assert.doesNotMatch(JSON.stringify([exporter.status(), log]), /cret/)
})

test('requests stay small however many series there are', async (t) => {
  const { collector, hub, exportNow } = await setUp(t)
  const count = 12_000
  for (let i = 0; i < count; i++) {
    hub.count(hub.add({ name: 'n', kind: 'counter', labels: [['i', `${i}`]] }), i + 1)
  }
  await exportNow()
  assert.ok(collector.taken.length >= 3)
  for (const { size } of collector.taken) assert.ok(size < 1_200_000, `${size} bytes`)
  const points = collector.taken.flatMap(({ metrics }) => metrics.get('n')!.points)
  assert.deepEqual(
    points.map(({ asInt }) => Number(asInt)).sort((a, b) => a - b),
    Array.from({ length: count }, (_, i) => i + 1),
  )
})

test('the end of a hub is exported, even while a receiver keeps it waiting', async (t) => {
  const parts = await setUp(t)
  const { collector, hub, exporter, tick } = parts
  const id = hub.add({ name: 'n', kind: 'counter' })
  hub.count(id, 1)
  collector.answers.push({ status: 503, headers: { 'Retry-After': '60' } })
  await tick(1)
  await untilAttempts(parts, 1, 0)
  hub.count(id, 1)
  await tick(1)
  await exporter.close()
  assert.equal(collector.taken.at(-1)!.metrics.get('n')!.points[0]!.asInt, '2')
  assert.equal(hub.clock.pending, 0)
})

test('min and max of latencies are of intervals only, sums where wanted', async (t) => {
  const seen: unknown[] = []
  for (const options of [
    {},
    { estimatedSum: true },
    { temporality: 'delta', histogram: 'exponential' },
  ] as const) {
    const { collector, hub, exportNow } = await setUp(t, options)
    const metadata = { dialect: 'wallaroo', unit: 'ns', lacksSum: true }
    const id = hub.add({ name: 'l', kind: 'histogram', metadata })
    for (const value of [1_000_000, 3_000_000]) hub.observe(id, value)
    await exportNow()
    const { kind, unit, temporality, points } = collector.taken[0]!.metrics.get('l')!
    const { sum, min, max } = points[0]!
    seen.push({ kind, unit, temporality, sum, min, max })
  }
  const nothing = { sum: undefined, min: undefined, max: undefined }
  const total = { kind: 'histogram', unit: 's', temporality: 2, ...nothing }
  assert.deepEqual(seen, [
    total,
    { ...total, sum: 0.004 },
    {
      ...{ kind: 'exponentialHistogram', unit: 'ns', temporality: 1 },
      ...{ sum: undefined, min: 1_000_000, max: 3_000_000 },
    },
  ])
})

test('a histogram between bounds of its own is explicit, whatever form is wanted', async (t) => {
  const { collector, hub, exportNow } = await setUp(t, { histogram: 'exponential' })
  const bounds = [1, 5, 50]
  const metadata = { dialect: 'proxywasm', bounds }
  const id = hub.add({ name: 'own', kind: 'histogram', metadata })
  hub.observe(hub.add({ name: 'other', kind: 'histogram' }), 3)
  const counts = BigUint64Array.of(1n, 0n, 2n, 4n)
  hub.merge(id, boundedHistogram({ bounds, counts, sum: 300n }))
  await exportNow()
  const { metrics } = collector.taken[0]!
  const { kind, points } = metrics.get('own')!
  assert.equal(kind, 'histogram')
  assert.deepEqual(points[0]!.explicitBounds, bounds)
  assert.deepEqual((points[0]!.bucketCounts as bigint[]).map(Number), [1, 0, 2, 4])
  assert.equal(metrics.get('other')!.kind, 'exponentialHistogram')
})
