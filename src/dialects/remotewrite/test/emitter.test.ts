import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { packet, sendUdp, startHub, type TestHub, until } from '../../../../test/support/hub/hub.ts'
import { FREE_PORTS } from '../../../../test/support/ports.ts'
import { DiskQueue } from '../../../disk/disk-queue.ts'
import { Histogram } from '../../../model/index.ts'
import { startHub as startRunningHub } from '../../../start-hub.ts'
import { EmittedSeries } from '../client/emitted-series.ts'
import { RequestWriter } from '../client/request-writer.ts'
import { packSnappy } from '../codec/snappy.ts'
import { decodeRemoteWrite, encodeRemoteWrite } from '../codec.ts'
import { MESSAGES, WRITTEN_HEADERS } from '../spec.ts'
import { TestReceiver } from './receiver.ts'
import { requestOf, series, TIME_MS } from './requests.ts'

type Setting = { readonly receiver: TestReceiver; readonly folder: string }

async function setting(t: { after(end: () => unknown): void }): Promise<Setting> {
  const receiver = await TestReceiver.start()
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-remotewrite-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  t.after(() => receiver.close().catch(() => {}))
  return { receiver, folder }
}

function sender(
  { folder }: Setting,
  port: number,
  { query = '?hub=a', emit = {}, clock }: { query?: string; emit?: object; clock?: FakeClock } = {},
): Promise<TestHub> {
  const relay = [`remotewrite+http://127.0.0.1:${port}/api/v1/write${query}`]
  const remotewrite = { emit: { queueFolder: folder, ...emit } }
  return startHub({ relay, remotewrite }, clock === undefined ? {} : { clock })
}

/** Values of a series, in the order in which they came. */
function valuesOf({ series }: TestReceiver, name: string): number[] {
  return (series.get(name) ?? []).map(({ value }) => value)
}

/** Stops a hub whose clock is in the test's hand. */
async function stop({ hub, clock }: TestHub): Promise<void> {
  let isStopped = false
  void hub.stop().then(() => {
    isStopped = true
  })
  await until(() => {
    clock.advance(10)
    return isStopped
  })
}

/** Describes the relay of a hub. */
function peerOf({ hub }: TestHub) {
  return hub.sources().peers!.find(({ direction }) => direction === 'relay')!
}

test('counters, gauges and distributions go out as totals with the hub as label', async (t) => {
  const given = await setting(t)
  const { receiver } = given
  const sending = await sender(given, receiver.port)
  await sendUdp(sending, [packet('shop.requests:41|m\nqueue:-7|g\nbasket:3|h\nbasket:100|h\n')])
  sending.clock.advance(1000)
  await sendUdp(sending, [packet('shop.requests:1|m\nbasket:3|h\n')])
  sending.clock.advance(1000)
  await until(() => valuesOf(receiver, 'shop_requests_total{hub="a",shp_type="m"}').length === 3)
  await until(() => valuesOf(receiver, 'basket_hist_count{hub="a"}').length === 3)
  assert.deepEqual(valuesOf(receiver, 'shop_requests_total{hub="a",shp_type="m"}'), [0, 41, 42])
  assert.deepEqual(valuesOf(receiver, 'queue{hub="a"}'), [-7])
  assert.deepEqual(valuesOf(receiver, 'basket_hist_count{hub="a"}'), [0, 2, 3])
  assert.deepEqual(valuesOf(receiver, 'basket_hist_sum{hub="a"}'), [0, 103, 106])
  assert.deepEqual(valuesOf(receiver, 'basket_hist_bucket{hub="a",le="4"}'), [0, 1, 2])
  assert.deepEqual(valuesOf(receiver, 'basket_hist_bucket{hub="a",le="128"}'), [0, 2, 3])
  assert.deepEqual(valuesOf(receiver, 'basket_hist_bucket{hub="a",le="+Inf"}'), [0, 2, 3])
  assert.deepEqual(receiver.faults, [])
  await stop(sending)
})

test('a bucket that comes later begins at what the one below it had', async (t) => {
  const given = await setting(t)
  const { receiver } = given
  const sending = await sender(given, receiver.port)
  await sendUdp(sending, [packet('t:3|h\nt:100|h\n')])
  sending.clock.advance(1000)
  await sendUdp(sending, [packet('t:20|h\n')])
  sending.clock.advance(1000)
  await until(() => valuesOf(receiver, 't_hist_count{hub="a"}').length === 3)
  assert.deepEqual(valuesOf(receiver, 't_hist_bucket{hub="a",le="32"}'), [1, 2])
  assert.deepEqual(valuesOf(receiver, 't_hist_bucket{hub="a",le="128"}'), [0, 2, 3])
  assert.deepEqual(receiver.faults, [])
  await stop(sending)
})

test('native histograms are sent where the address asks for them', async (t) => {
  const given = await setting(t)
  const { receiver } = given
  const sending = await sender(given, receiver.port, { query: '?hub=a&histograms=native&x=y' })
  await sendUdp(sending, [packet('t:3|h\nt:100|h\n')])
  sending.clock.advance(1000)
  await until(() => valuesOf(receiver, 't_hist{hub="a"}').length === 2)
  assert.deepEqual(valuesOf(receiver, 't_hist{hub="a"}'), [0, 2])
  assert.equal(receiver.series.has('t_hist_count{hub="a"}'), false)
  assert.equal(receiver.paths[0], '/api/v1/write?x=y')
  await stop(sending)
})

test('a series that stands still is told again, and its end is told once it leaves', async (t) => {
  const given = await setting(t)
  const { receiver } = given
  const sending = await sender(given, receiver.port, { emit: { repeatS: 2 } })
  await sendUdp(sending, [packet('a:1|m\n')])
  for (let i = 0; i < 6; i++) sending.clock.advance(1000)
  const key = 'a_total{hub="a",shp_type="m"}'
  await until(() => valuesOf(receiver, key).length >= 4)
  assert.deepEqual([...new Set(valuesOf(receiver, key))], [0, 1])
  const { hub } = sending
  const record = [...hub.series].find(({ identity }) => identity.name === 'a')!
  assert.ok(hub.series.retire(record))
  for (let i = 0; i < 4; i++) sending.clock.advance(1000)
  await until(() => valuesOf(receiver, key).some(Number.isNaN))
  assert.ok(Number.isNaN(valuesOf(receiver, key).at(-1)))
  assert.deepEqual(receiver.faults, [])
  await stop(sending)
})

test('a receiver that says when to try again is left alone until then', async (t) => {
  const given = await setting(t)
  const { receiver } = given
  receiver.answers.push({ status: 429, headers: { 'Retry-After': '20' } })
  const sending = await sender(given, receiver.port)
  for (let second = 0; second < 15; second++) {
    await sendUdp(sending, [packet('a:1|m\n')])
    sending.clock.advance(1000)
    if (second === 0) await until(() => receiver.requests === 1)
    // what is appended meanwhile reaches the disk
    await setTimeout(20)
  }
  assert.equal(receiver.requests, 1)
  await until(() => {
    sending.clock.advance(500)
    return valuesOf(receiver, 'a_total{hub="a",shp_type="m"}').includes(15)
  })
  await stop(sending)
})

test('what a receiver may take later is tried again, what it refuses is dropped', async (t) => {
  const given = await setting(t)
  const { receiver } = given
  receiver.answers.push(
    { status: 503, headers: { 'Retry-After': '2' } },
    { status: 429 },
    { status: 500 },
    { status: 400, text: 'out of order sample\nmore' },
  )
  const sending = await sender(given, receiver.port)
  await sendUdp(sending, [packet('a:1|m\n')])
  sending.clock.advance(1000)
  await until(() => receiver.requests === 1)
  await sendUdp(sending, [packet('a:1|m\n')])
  await until(() => {
    sending.clock.advance(100)
    return receiver.requests >= 5 && valuesOf(receiver, 'a_total{hub="a",shp_type="m"}').length >= 1
  })
  assert.equal(valuesOf(receiver, 'a_total{hub="a",shp_type="m"}').at(-1), 2)
  const { hub, log } = sending
  const { connections } = hub.sources()
  const { facts } = connections.find(({ dialect }) => dialect === 'remotewrite')!
  assert.ok(Number(facts.refused) > 0)
  assert.match(String(facts.problem), /status 400: out of order sample; see the log/)
  assert.ok(log.some((line) => line.includes('status 400: out of order sample')))
  await stop(sending)
})

test('what could not be sent waits on disk for the next start', async (t) => {
  const given = await setting(t)
  const { receiver } = given
  const { port } = receiver
  await receiver.close()
  const first = await sender(given, port)
  await sendUdp(first, [packet('a:5|m\n')])
  first.clock.advance(1000)
  await until(() => peerOf(first).message !== undefined)
  assert.match(peerOf(first).message!, /ECONNREFUSED; it is tried again: [1-9]\d* samples wait/)
  await stop(first)
  const again = await TestReceiver.start(port)
  t.after(() => again.close())
  const second = await sender(given, port, { clock: first.clock })
  await until(() => valuesOf(again, 'a_total{hub="a",shp_type="m"}').length > 0)
  assert.deepEqual(valuesOf(again, 'a_total{hub="a",shp_type="m"}'), [0, 5])
  await stop(second)
})

test('a second hub with the same address and name says who has the queue', async (t) => {
  const given = await setting(t)
  const first = await sender(given, given.receiver.port)
  const second = await sender(given, given.receiver.port)
  await until(() => peerOf(second).message !== undefined)
  assert.match(peerOf(second).message!, /is in use by process \d+/)
  await stop(second)
  await stop(first)
})

for (const [query, reason] of [
  ['?hub=', /hub is empty/],
  ['?histograms=huge', /histograms huge, want classic, native, both/],
] as const) {
  test(`an address with ${query} is refused with its reason`, async (t) => {
    const given = await setting(t)
    await assert.rejects(sender(given, given.receiver.port, { query }), reason)
  })
}

test('a source that comes again goes on from its totals, each told once', async () => {
  const requests: Uint8Array[] = []
  const writer = new RequestWriter(({ bytes }) => requests.push(bytes))
  const at = (series: EmittedSeries, timeMs: number, count: number): void => {
    const histogram = new Histogram()
    for (let i = 0; i < count; i++) histogram.record(3)
    series.add({ kind: 'histogram', histogram })
    series.write(writer, timeMs)
  }
  const labels = [['hub', 'a']] as const
  const name = { family: 't', sample: 't', type: 'histogram', labels, shift: 0 } as const
  const series = new EmittedSeries('classic', () => false, undefined)
  series.rename([name])
  at(series, 1000, 2)
  series.stale(writer, 2000)
  series.stale(writer, 3000)
  at(series, 9000, 1)
  const told = new EmittedSeries('classic', () => false, {
    ...{ kind: 'summary', summary: { count: 4, mean: 2, squares: 0, min: 2, max: 2 } },
  })
  told.rename([{ ...name, family: 's', sample: 's', type: 'summary' }])
  told.write(writer, 1000)
  writer.flush()
  const samples = samplesOf(requests)
  assert.deepEqual(samples.get('t_count'), [
    [500, 0],
    [1000, 2],
    [2000, Number.NaN],
    [8500, 2],
    [9000, 3],
  ])
  assert.deepEqual(samples.get('t_sum'), [
    [500, 0],
    [1000, 6],
    [2000, Number.NaN],
    [8500, 6],
    [9000, 9],
  ])
  assert.deepEqual(samples.get('t_bucket 4'), samples.get('t_count'))
  // what a hub goes on with began before it: no sample of nothing makes it a reset
  assert.deepEqual(samples.get('s_count'), [[1000, 4]])
  assert.deepEqual(samples.get('s_sum'), [[1000, 8]])
})

test('hubs that follow each other within a second write no time twice', async (t) => {
  const given = await setting(t)
  const { receiver } = given
  const clock = new FakeClock()
  clock.advance(300)
  const first = await sender(given, receiver.port, { clock })
  clock.advance(2000)
  await sendUdp(first, [packet('a:1|m\n')])
  await stop(first)
  const next = await sender(given, receiver.port, { clock: new FakeClock(clock.wallMs() + 100) })
  await sendUdp(next, [packet('a:5|m\n')])
  next.clock.advance(1000)
  await sendUdp(next, [packet('a:2|m\n')])
  next.clock.advance(1000)
  const key = 'a_total{hub="a",shp_type="m"}'
  await until(() => valuesOf(receiver, key).at(-1) === 7)
  assert.deepEqual(valuesOf(receiver, key), [0, 1, 0, 7])
  const times = receiver.series.get(key)!.map(({ timeMs }) => timeMs)
  assert.equal(new Set(times).size, times.length, times.join())
  assert.deepEqual(receiver.faults, [])
  await stop(next)
})

/** Sends one total a second until the receiver has the last of them. @returns its values */
async function countOn(sending: TestHub, receiver: TestReceiver, seconds: number) {
  const key = 'a_total{hub="a",shp_type="m"}'
  const before = valuesOf(receiver, key).at(-1) ?? 0
  for (let i = 0; i < seconds; i++) {
    await sendUdp(sending, [packet('a:1|m\n')])
    sending.clock.advance(1000)
  }
  await until(() => {
    sending.clock.advance(10)
    return valuesOf(receiver, key).at(-1) === before + seconds
  })
  return valuesOf(receiver, key)
}

suite('2.0', () => {
  test('goes to a receiver that says what it wrote, with words and starts', async (t) => {
    const given = await setting(t)
    const { receiver } = given
    receiver.version2 = 'taken'
    const sending = await sender(given, receiver.port, { query: '?hub=a&histograms=both' })
    await sendUdp(sending, [packet('t:3|h\nlevel:4|g\n')])
    assert.deepEqual(await countOn(sending, receiver, 3), [0, 1, 2, 3])
    assert.equal(receiver.taken[1], 0)
    const key = 'a_total{hub="a",shp_type="m"}'
    const samples = receiver.series.get(key)!
    assert.deepEqual([...new Set(samples.map(({ startMs }) => startMs))], [samples[0]!.timeMs])
    assert.equal(receiver.series.get('level{hub="a"}')![0]!.startMs, 0)
    const types = ['a_total{hub="a",shp_type="m"}', 'level{hub="a"}', 't_hist_count{hub="a"}'].map(
      (each) => receiver.metadata.get(each)?.type,
    )
    assert.deepEqual(types, [1, 2, 3])
    assert.ok(receiver.series.get('t_hist{hub="a"}')!.every(({ startMs }) => startMs > 0))
    const { headers } = receiver
    assert.equal(headers[0]!['x-prometheus-remote-write-version'], '2.0.0')
    const { facts } = sending.hub.sources().connections.find(isSender)!
    assert.equal(facts.version, '2.0.0')
    assert.deepEqual([facts.dropped, facts.refused], [0, 0])
    assert.deepEqual(receiver.faults, [])
    await stop(sending)
  })

  for (const [title, answer] of [
    ['skips it and says 204', 'skipped'],
    ['answers 415', 415],
    ['answers 400', 400],
    ['answers 500', 500],
  ] as const) {
    test(`is given up for 1.0 where a receiver ${title}, and nothing is lost`, async (t) => {
      const given = await setting(t)
      const { receiver } = given
      receiver.version2 = answer
      const sending = await sender(given, receiver.port)
      assert.deepEqual(await countOn(sending, receiver, 3), [0, 1, 2, 3])
      assert.equal(receiver.taken[2], 0)
      const asked = receiver.headers.filter(is2).length
      assert.equal(asked, 1, 'it is asked once')
      const { facts } = sending.hub.sources().connections.find(isSender)!
      assert.deepEqual([facts.dropped, facts.refused, facts.version], [0, 0, '0.1.0'])
      assert.deepEqual(receiver.faults, [])
      await stop(sending)
    })
  }

  test('is asked for again once a receiver was away', async (t) => {
    const given = await setting(t)
    const { port } = given.receiver
    const sending = await sender(given, port)
    await countOn(sending, given.receiver, 2)
    await given.receiver.close()
    await sendUdp(sending, [packet('a:1|m\n')])
    sending.clock.advance(1000)
    await until(() => peerOf(sending).message !== undefined)
    sending.clock.advance(60_000)
    const again = await TestReceiver.start(port)
    t.after(() => again.close())
    again.version2 = 'taken'
    const key = 'a_total{hub="a",shp_type="m"}'
    await until(() => {
      sending.clock.advance(100)
      return valuesOf(again, key).length > 0
    })
    assert.equal(again.taken[1], 0)
    assert.equal(valuesOf(again, key)[0], 3)
    await stop(sending)
  })

  test('is spoken to a receiver that came to take nothing else', async (t) => {
    const given = await setting(t)
    const { receiver } = given
    const sending = await sender(given, receiver.port)
    await countOn(sending, receiver, 2)
    receiver.version2 = 'taken'
    receiver.version1 = 415
    assert.deepEqual(await countOn(sending, receiver, 2), [0, 1, 2, 3, 4])
    assert.equal(sending.hub.sources().connections.find(isSender)!.facts.refused, 0)
    await stop(sending)
  })

  test('counts what a receiver says that it wrote of what it refused', async (t) => {
    const given = await setting(t)
    const { receiver } = given
    receiver.version2 = 'taken'
    const headers = { [WRITTEN_HEADERS.samples]: '1' }
    receiver.answers.push({ status: 400, headers, text: 'out of order sample' })
    const sending = await sender(given, receiver.port)
    await sendUdp(sending, [packet('b:1|g\nc:1|g\nd:1|g\n')])
    sending.clock.advance(1000)
    await until(() => receiver.requests >= 1)
    await countOn(sending, receiver, 1)
    const { facts } = sending.hub.sources().connections.find(isSender)!
    assert.ok(Number(facts.refused) >= 2)
    assert.match(String(facts.problem), /status 400: out of order sample/)
    assert.ok(receiver.headers.every(is2), 'it is not sent again as 1.0')
    await stop(sending)
  })

  test('is made of requests that a former version left in the queue, too', async (t) => {
    const given = await setting(t)
    const { receiver, folder } = given
    receiver.version2 = 'taken'
    receiver.version1 = 415
    const first = await sender(given, receiver.port)
    await until(() => readdirSync(folder).length === 1)
    await stop(first)
    const path = join(folder, readdirSync(folder)[0]!)
    const [body] = encodeRemoteWrite([requestOf([series('left_total', 5)])])
    const queue = await DiskQueue.open({
      ...{ folder: path, bytesLimit: 1e6, nowMs: 0, lost: () => {}, foreign: () => {} },
    })
    await queue.append(body!, 1, TIME_MS)
    await queue.close()
    const sending = await sender(given, receiver.port)
    await until(() => receiver.series.has('left_total{}'))
    assert.deepEqual(receiver.series.get('left_total{}'), [
      { value: 5, timeMs: TIME_MS, startMs: 0 },
    ])
    assert.deepEqual(receiver.faults, [])
    await stop(sending)
  })
})

test('a hub that takes 2.0 has exactly what another sent', async (t) => {
  const given = await setting(t)
  const target = await startRunningHub({ config: FREE_PORTS })
  t.after(() => target.close())
  const { port } = target.addresses.http!
  // both clocks go on together: no sample is ahead
  const clock = new FakeClock(Math.floor(Date.now() / 1000) * 1000 - 60_000)
  const sending = await sender(given, port, { query: '?hub=a&histograms=native', clock })
  let sent = 0
  for (let i = 0; i < 5; i++) {
    sent += 3 ** i
    await sendUdp(sending, [packet(`n:${3 ** i}|m\nt:${2 ** i}|h\nlevel:${-i}|g\n`)])
    sending.clock.advance(1000)
  }
  const of = (name: string) => [...target.series()].find(({ identity }) => identity.name === name)
  await until(() => {
    const total = of('n_total')?.total
    return total?.kind === 'counter' && total.total === sent
  })
  await until(() => {
    const total = of('t_hist')?.total
    return total?.kind === 'histogram' && total.histogram.count === 5n
  })
  const { total, metadata } = of('t_hist')!
  assert.equal(total?.kind === 'histogram' && total.histogram.sum, 31)
  assert.equal(metadata.type, 'native histogram')
  const { facts } = sending.hub.sources().connections.find(isSender)!
  assert.deepEqual([facts.version, facts.refused, facts.dropped], ['2.0.0', 0, 0])
  assert.deepEqual(target.sources().errors, [])
  await stop(sending)
})

function is2(headers: Readonly<Record<string, unknown>>): boolean {
  return String(headers['content-type']).endsWith(MESSAGES[2])
}

function isSender({ dialect, openedBy }: { dialect: string; openedBy: string }): boolean {
  return dialect === 'remotewrite' && openedBy === 'hub'
}

/** Samples of packed requests, by name and bound. */
function samplesOf(requests: readonly Uint8Array[]): Map<string, [number, number][]> {
  const found = new Map<string, [number, number][]>()
  for (const bytes of requests) {
    for (const { timeseries } of decodeRemoteWrite(packSnappy(bytes)).messages) {
      for (const { labels, samples } of timeseries as SentSeries[]) {
        const of = Object.fromEntries(labels.map(({ name, value }) => [name, value]))
        const key = of.le === undefined ? of.__name__! : `${of.__name__} ${of.le}`
        const list = found.get(key) ?? []
        found.set(key, list)
        for (const { value = 0, timestamp } of samples)
          list.push([Number(timestamp), Number(value)])
      }
    }
  }
  return found
}

interface SentSeries {
  readonly labels: readonly { readonly name: string; readonly value: string }[]
  readonly samples: readonly { readonly value?: number; readonly timestamp: string }[]
}
