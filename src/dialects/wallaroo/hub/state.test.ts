/** Views against an independent calculation, clocks that are off, and senders that mean harm. */

import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import { seriesNamed, until } from '../../../../test/support/hub/hub.ts'
import type { ViewKey } from '../http/api.ts'
import { metricsBytes } from '../test/frames.ts'
import { type PipelineHub, startPipelineHub } from '../test/pipelines.ts'
import { wallarooOf } from './resident.ts'

interface Sent {
  readonly pipeline: string
  readonly worker: string
  readonly name: string
  /** Latencies by bin. */
  readonly bins: Readonly<Record<string, string>>
  /** Seconds before the present. */
  readonly age: number
  readonly period: number
}

const APPLICATION = 'golden-app'
const NS = 1_000_000_000n

/** As the test's hub tells the time: a minute after its start. */
const NOW_S = 1_700_000_060

function fields({ pipeline, worker, name, bins, age, period }: Sent): Record<string, unknown> {
  return {
    ...{ category: 'computation', pipeline, worker, name, bins },
    end_ns: `${BigInt(NOW_S - age) * NS}`,
    period_ns: `${BigInt(period) * NS}`,
  }
}

async function started(context: TestContext, options = {}): Promise<PipelineHub> {
  const hub = await startPipelineHub(context, options)
  hub.clock.advance((NOW_S - 1_700_000_000) * 1000)
  return hub
}

async function view({ hub }: PipelineHub, key: Partial<ViewKey> = {}, seconds = 300) {
  const whole = { category: 'computation', ...key }
  return wallarooOf(hub)!.view({ application: APPLICATION, key: whole, seconds })
}

const name = fc.constantFrom('a', 'b', 'a@b', '')
const sent: fc.Arbitrary<Sent> = fc.record({
  pipeline: name,
  worker: name,
  name,
  bins: fc.dictionary(
    fc.nat({ max: 64 }).map(String),
    fc.bigInt({ min: 1n, max: 1n << 60n }).map(String),
    { maxKeys: 4 },
  ),
  age: fc.nat({ max: 400 }),
  period: fc.integer({ min: 1, max: 5 }),
})

/** Messages by second of all windows together, each divided by long division. */
function throughputOf(windows: readonly Sent[]): Map<number, bigint> {
  const seconds = new Map<number, bigint>()
  for (const { bins, age, period } of windows) {
    let rest = Object.values(bins).reduce((sum, count) => sum + BigInt(count), 0n)
    for (let i = 0; i < period; i++) {
      // the oldest second first: what is over goes to those after it
      const part = rest / BigInt(period - i)
      const second = NOW_S - age - period + 1 + i
      seconds.set(second, (seconds.get(second) ?? 0n) + part)
      rest -= part
    }
  }
  return seconds
}

describe('a view', () => {
  it('is the sum of its windows, whatever their order, by any labels', async (context) => {
    const hub = await started(context)
    const peer = await hub.peer()
    const all: Sent[] = []
    const sample = fc.sample(sent, { numRuns: 300, seed: 5 })
    await hub.send(
      peer,
      sample.map((each) => fields(each)),
    )
    all.push(...sample)
    for (const key of [
      {},
      { pipeline: 'a' },
      { worker: 'a@b' },
      { name: '' },
      { pipeline: '', name: 'b' },
      { pipeline: 'b', worker: 'a', name: 'a' },
    ] satisfies Partial<ViewKey>[]) {
      const windows = all.filter((each) =>
        Object.entries(key).every(([label, value]) => each[label as 'name'] === value),
      )
      checkView((await view(hub, key))!, windows)
    }
  })

  it('corrects the seconds of a late window, and adds equal windows', async (context) => {
    const hub = await started(context)
    const peer = await hub.peer()
    const late = { ...ONE, age: 100 }
    await hub.send(peer, [fields(ONE)])
    await hub.send(peer, [fields(late), fields(late)])
    const { charts, total } = (await view(hub))!
    assert.equal(charts.throughput[299 - 100], 2)
    assert.equal(charts.throughput[299], 1)
    assert.equal(charts.throughput[299 - 50], null)
    assert.equal(total.latency.count, 3)
  })

  it('has no windows of a worker twice, where it crosses labels', async (context) => {
    const hub = await started(context)
    const peer = await hub.peer()
    await hub.send(peer, [
      fields({ ...ONE, worker: 'w1' }),
      fields({ ...ONE, worker: 'w2', pipeline: 'Q' }),
    ])
    const { tables, total } = (await view(hub))!
    assert.equal(total.messages, 2)
    assert.deepEqual(
      tables.map(({ name: table, rows }) => [table, rows.map(({ messages }) => messages)]),
      [
        ['by_worker', [1, 1]],
        ['by_pipeline', [1, 1]],
      ],
    )
  })

  it('of empty windows only has no latency, no extreme and throughput 0', async (context) => {
    const hub = await started(context)
    const peer = await hub.peer()
    await hub.send(peer, [fields({ ...ONE, bins: {} })])
    const { total, bins } = (await view(hub))!
    assert.deepEqual([total.latency.count, total.latency.p50Ns, bins], [0, null, []])
    assert.deepEqual([total.latency.minNs, total.latency.maxNs], [null, null])
    assert.deepEqual(total.throughput, { min: 0, median: 0, max: 0 })
    assert.equal(total.ageMs, 0)
  })

  for (const [includeSkew, count, shown] of [
    [undefined, 7, [3, 64]],
    [true, 7, [3, 64]],
    [false, 2, [3]],
  ] as const) {
    const where = count === 7 ? 'every count' : 'the messages alone'
    it(`has bin 64 in ${where} where includeSkew is ${includeSkew}`, async (context) => {
      const given = includeSkew === undefined ? {} : { wallaroo: { includeSkew } }
      const hub = await started(context, given)
      const peer = await hub.peer()
      const skewed = { bins: { 3: '2', 64: '5' }, min_ns: '7', max_ns: `${2n ** 64n - 1n}` }
      await hub.send(peer, [{ ...fields(ONE), ...skewed }])
      const { total, bins, charts, tables } = (await view(hub))!
      const { latency } = total
      assert.deepEqual([total.messages, latency.count, latency.skewed], [7, count, 5])
      for (const { rows } of tables) assert.equal(rows[0]!.latency.count, count)
      // it has no latency either way
      assert.deepEqual([latency.maxNs, latency.p9999Ns! <= 8], [null, true])
      assert.deepEqual(
        bins.map(({ bin }) => bin),
        shown,
      )
      assert.ok(Math.abs(bins.reduce((sum, { percent }) => sum + percent, 0) - 100) < 1e-9)
      assert.deepEqual(
        charts.bins.flatMap((each) => each ?? []).map(([bin]) => bin),
        shown,
      )
      hub.clock.advance(1000)
      const counter = seriesNamed(hub.hub, 'wallaroo_clock_skew_samples_total')
      assert.deepEqual(hub.hub.total(counter), { kind: 'counter', total: 5, decrements: 0 })
      const kept = hub.hub.total(seriesNamed(hub.hub, 'wallaroo_computation_latency'))
      assert.ok(kept.kind === 'histogram' && kept.histogram.count === BigInt(count))
    })
  }

  it('is exact beyond 2^64, while counters of the model end there', async (context) => {
    const hub = await started(context)
    const peer = await hub.peer()
    const most = { ...ONE, bins: { 20: `${2n ** 64n - 1n}`, 21: '4' } }
    await hub.send(peer, [fields(most)])
    assert.equal((await view(hub))!.total.messages, `${2n ** 64n + 3n}`)
    hub.clock.advance(1000)
    const counter = seriesNamed(hub.hub, 'wallaroo_computation_messages_total')
    const ended = { kind: 'counter', total: 2n ** 64n - 1n, decrements: 0 }
    assert.deepEqual(hub.hub.total(counter), ended)
    await hub.send(peer, [fields(most)])
    hub.clock.advance(1000)
    assert.deepEqual(hub.hub.total(counter), ended)
  })

  it('is exact beyond 2^53, in the API and in the model', async (context) => {
    const hub = await started(context)
    const peer = await hub.peer()
    const huge = { ...ONE, bins: { 20: `${2n ** 62n + 1n}`, 64: '2' } }
    await hub.send(peer, [fields(huge), fields(huge)])
    const { total, bins } = (await view(hub))!
    assert.equal(total.messages, `${2n ** 63n + 6n}`)
    assert.equal(bins[0]?.count, `${2n ** 63n + 2n}`)
    hub.clock.advance(1000)
    const counter = seriesNamed(hub.hub, 'wallaroo_computation_messages_total')
    assert.deepEqual(hub.hub.total(counter), {
      kind: 'counter',
      total: 2n ** 63n + 6n,
      decrements: 0,
    })
    const histogram = seriesNamed(hub.hub, 'wallaroo_computation_latency')
    const kept = hub.hub.total(histogram)
    assert.ok(kept.kind === 'histogram' && kept.histogram.count === 2n ** 63n + 6n)
  })
})

const ONE: Sent = { pipeline: 'P', worker: 'w', name: 'N', bins: { 10: '1' }, age: 0, period: 1 }

function checkView(
  found: NonNullable<Awaited<ReturnType<typeof view>>>,
  windows: readonly Sent[],
): void {
  const label = JSON.stringify(found.key)
  const within = windows.filter(({ age }) => age < 300)
  const bins = new Map<number, bigint>()
  for (const window of within) {
    for (const [bin, count] of Object.entries(window.bins)) {
      bins.set(Number(bin), (bins.get(Number(bin)) ?? 0n) + BigInt(count))
    }
  }
  const skewed = bins.get(64) ?? 0n
  const filled = found.bins.filter(({ count }) => count !== 0)
  assert.deepEqual(
    filled.map(({ bin, count }) => [bin, BigInt(count)]),
    [...bins].sort(([a], [b]) => a - b),
    label,
  )
  assert.equal(BigInt(found.total.latency.skewed), skewed, label)
  const seconds = throughputOf(windows)
  found.charts.throughput.forEach((count, i) => {
    const expected = seconds.get(NOW_S - 299 + i)
    const text = `${label} second ${i}`
    assert.equal(count === null ? undefined : BigInt(count), expected, text)
  })
  const messages = windows.flatMap((window) => Object.values(window.bins).map(BigInt))
  assert.equal(
    BigInt(found.total.messages),
    messages.reduce((a, b) => a + b, 0n),
    label,
  )
}

describe('a worker whose clock is off', () => {
  for (const hours of [-2, 2]) {
    it(`by ${hours} h is shown where its windows belong, and flagged`, async (context) => {
      const hub = await startPipelineHub(context)
      const peer = await hub.peer()
      for (let i = 0; i < 5; i++) {
        const endMs = hub.clock.wallMs() + hours * 3_600_000
        await hub.send(peer, [{ ...fields(ONE), end_ns: `${BigInt(endMs) * 1_000_000n}` }])
        hub.clock.advance(2000)
      }
      const { workers, charts, total } = (await view(hub))!
      assert.deepEqual(
        [workers[0]?.isClockOff, workers[0]?.clockOffsetMs],
        [true, -hours * 3_600_000],
      )
      assert.equal(total.latency.count, 5)
      assert.deepEqual(charts.throughput.slice(-5), [1, null, 1, null, null])
      const [connection] = wallarooOf(hub.hub)!.workerConnections(undefined).connections
      const notes = Object.fromEntries(connection!.notes)
      assert.equal(notes.end_in_future, hours > 0 ? 5 : undefined)
      // until the offset is known a window is only what it says
      assert.equal(notes.late_window, hours < 0 ? 2 : undefined)
    })
  }
})

describe('a series that is past its retention', () => {
  it('leaves as soon after the wall clock was set back as without that', async (context) => {
    const hub = await startPipelineHub(context, { wallaroo: { retentionMs: 60_000 } })
    hub.clock.setWall(-3_600_000)
    const peer = await hub.peer()
    await hub.send(peer, [fields(ONE)])
    hub.clock.advance(1000)
    seriesNamed(hub.hub, 'wallaroo_computation_messages_total')
    peer.close()
    await until(() => hub.hub.sources().dialects.every(({ connections }) => !connections))
    hub.clock.advance(180_000)
    const names = [...hub.hub.series].map(({ identity }) => identity.name)
    assert.ok(!names.includes('wallaroo_computation_messages_total'))
  })
})

describe('mode compatible', () => {
  it('gives the percentiles, bars and rounded throughput of the original', async (context) => {
    const hub = await started(context)
    const peer = await hub.peer()
    const bins = { 10: '91', 20: '5', 22: '3', 64: '1' }
    await hub.send(peer, [fields({ ...ONE, bins, age: 2, period: 3 })])
    const request = { application: APPLICATION, key: { category: 'computation' }, seconds: 300 }
    const found = (await wallarooOf(hub.hub)!.compatible(request))!
    assert.deepEqual(found.percentiles, {
      '50.0': '1024',
      '95.0': '1048576',
      '99.0': '4194304',
      '99.9': '18446744073709551616',
      '99.99': '18446744073709551616',
    })
    assert.equal(found.texts.percentiles['99.9'], '> 1 s')
    assert.equal(Object.fromEntries(found.chart)['1024'], 91)
    // received two seconds after its end: so long its clock is behind, for ever
    assert.equal(found.nowS, NOW_S - 2)
    // 100 in 3 s are 33.3 a second, which 33 stands for; before now there are two of them
    assert.deepEqual(found.throughput, { min: 0, med: 0, max: 0 })
    hub.clock.advance(3000)
    assert.deepEqual((await wallarooOf(hub.hub)!.compatible(request))!.throughput, {
      min: 33,
      med: 33,
      max: 33,
    })
  })
})

describe('a hostile worker', () => {
  it('beyond its limit of series is counted in one more, and notes say so', async (context) => {
    const hub = await started(context, { seriesLimitPerSource: 9 })
    const peer = await hub.peer()
    await hub.send(
      peer,
      Array.from({ length: 100 }, (_, i) => fields({ ...ONE, name: `N${i}` })),
    )
    hub.clock.advance(1000)
    const counters = [...hub.hub.series].filter(
      ({ identity }) => identity.name === 'wallaroo_computation_messages_total',
    )
    const totals = counters.map((record) => [
      record.identity.labels.some(([key]) => key === 'otel_metric_overflow'),
      Number((hub.hub.total(record) as { total: number }).total),
    ])
    assert.deepEqual(
      totals.sort(),
      [
        [false, 1],
        [false, 1],
        [false, 1],
        [true, 97],
      ].sort(),
    )
    assert.equal((await view(hub))!.series, 3)
    const [connection] = wallarooOf(hub.hub)!.workerConnections(undefined).connections
    assert.equal(Object.fromEntries(connection!.notes).series_overflow, 97)
  })

  it('of a thousand joins and names of any kind disturbs nobody', async (context) => {
    const hub = await started(context)
    const peer = await hub.peer()
    const odd = [
      'a@b',
      'a*b',
      'a:b',
      'a||b',
      'a b',
      'a"b',
      'a\nb',
      'a\0b',
      '\u{1f600}',
      '',
      '__proto__',
    ]
    await hub.send(
      peer,
      odd.map((each) => fields({ ...ONE, name: each, pipeline: each, worker: each })),
    )
    for (const each of odd) {
      assert.equal((await view(hub, { name: each }))?.total.messages, 1, each)
    }
    hub.clock.advance(1000)
    const counters = [...hub.hub.series].filter(
      ({ identity }) => identity.name === 'wallaroo_computation_messages_total',
    )
    assert.equal(counters.length, odd.length)
  })

  it('is closed for a length above the limit; another one loses nothing', async (context) => {
    const hub = await started(context)
    const [good, bad] = [await hub.peer(), await hub.peer()]
    await hub.send(good, [fields(ONE)])
    bad.write(metricsBytes(fields(ONE)))
    bad.write(Buffer.from('0010000103', 'hex'))
    await bad.ended()
    assert.equal(bad.received.length, 0)
    await hub.send(good, [fields(ONE)])
    await hub.taken(3)
    assert.equal((await view(hub))?.total.messages, 3)
    const codes = hub.hub.sources().errors.map(({ dialect, code }) => `${dialect} ${code}`)
    assert.deepEqual(codes, ['wallaroo frame_too_large'])
  })

  it('that stops after one byte is never written to', async (context) => {
    const hub = await startPipelineHub(context)
    const peer = await hub.peer()
    const window = metricsBytes(fields(ONE))
    peer.write(window.subarray(0, 1))
    await until(() => peer.socket.bytesWritten === 1)
    for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve))
    hub.clock.advance(10_000)
    await new Promise((resolve) => setImmediate(resolve))
    peer.write(window.subarray(1))
    await hub.taken(1)
    assert.equal(peer.received.length, 0)
  })

  it('behind a relay is not said to be there once nothing is heard of it', async (context) => {
    const hub = await started(context)
    const relay = await hub.peer()
    const stateOf = async () => {
      const { workers } = (await view(hub))!
      assert.deepEqual(wallarooOf(hub.hub)!.workerConnections(undefined).workers, workers)
      return workers.map(({ worker, isConnected }) => `${worker} ${isConnected}`).join()
    }
    await hub.send(relay, [fields({ ...ONE, worker: 'w1' })])
    hub.clock.advance(20_000)
    // one that sends of nobody else is the worker itself
    assert.equal(await stateOf(), 'w1 true')
    await hub.send(relay, [fields({ ...ONE, worker: 'w2' }), fields({ ...ONE, worker: 'w1' })])
    assert.equal(await stateOf(), 'w1 true,w2 true')
    hub.clock.advance(8000)
    await hub.send(relay, [fields({ ...ONE, worker: 'w2' })])
    hub.clock.advance(2000)
    assert.equal(await stateOf(), 'w1 null,w2 true')
    // a connection of its own says what it knows
    const own = await hub.peer()
    await hub.send(own, [fields({ ...ONE, worker: 'w1' })])
    hub.clock.advance(20_000)
    assert.equal(await stateOf(), 'w1 true,w2 null')
    own.close()
    relay.close()
    const { state } = wallarooOf(hub.hub)!
    await until(() => [...state.workers].every(({ isHeld }) => !isHeld))
    assert.equal(await stateOf(), 'w1 false,w2 false')
  })

  it('of a relay ages while the relay stays, as one that left does', async (context) => {
    const hub = await started(context, { wallaroo: { retentionMs: 600_000 } })
    const relay = await hub.peer()
    await hub.send(relay, [fields({ ...ONE, worker: 'w1' }), fields({ ...ONE, worker: 'w2' })])
    const { state } = wallarooOf(hub.hub)!
    hub.clock.advance(400_000)
    await hub.send(relay, [fields({ ...ONE, worker: 'w2' })])
    assert.equal(state.workers.size, 2)
    hub.clock.advance(300_000)
    assert.deepEqual(
      [...state.workers].map(({ worker }) => worker),
      ['w2'],
    )
  })

  it('stays for its retention when it is gone, whatever the clock is set to', async (context) => {
    const HOUR_MS = 3_600_000
    for (const stepMs of [HOUR_MS, -HOUR_MS]) {
      const hub = await started(context, { wallaroo: { retentionMs: 600_000 } })
      const peer = await hub.peer()
      await hub.send(peer, [fields(ONE)])
      peer.close()
      const { state } = wallarooOf(hub.hub)!
      await until(() => [...state.workers].every(({ isConnected }) => !isConnected))
      hub.clock.advance(1000)
      hub.clock.setWall(stepMs)
      hub.clock.advance(400_000)
      assert.deepEqual([state.series().length, state.workers.size], [1, 1])
      hub.clock.advance(300_000)
      assert.deepEqual([state.series().length, state.workers.size], [0, 0])
    }
  })

  it('keeps within the memory of windows, and totals lose nothing', async (context) => {
    const hub = await started(context, { wallaroo: { windowBytesLimit: 4096 } })
    const peer = await hub.peer()
    const many = Array.from({ length: 2000 }, () => fields(ONE))
    await hub.send(peer, many)
    const { total } = (await view(hub))!
    assert.equal(total.messages, 2000)
    assert.ok(Number(total.latency.count) < 2000)
    hub.clock.advance(1000)
    const counter = seriesNamed(hub.hub, 'wallaroo_computation_messages_total')
    assert.deepEqual(hub.hub.total(counter), { kind: 'counter', total: 2000, decrements: 0 })
  })
})
