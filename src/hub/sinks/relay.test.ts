import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packet, sendUdp, seriesNamed, startHub, until } from '../../../test/support/hub/hub.ts'
import type { Emitter } from '../../dialects/endpoints.ts'
import { CounterFeed } from '../../dialects/eventcounters/test/counter-feed.ts'
import type { Hub } from '../hub.ts'
import { FrameBuilder } from '../live/frame.ts'
import type { CounterRecord } from '../series/record.ts'
import { runNow } from '../tasks/task.ts'
import { RelaySink } from './relay.ts'
import { RelayedSeconds } from './relayed-seconds.ts'

for (const transport of ['udp', 'tcp'] as const) {
  test(`a relay over ${transport} reproduces all kinds in another hub`, async () => {
    const receiver = await startHub()
    const relay = `statshero+${transport}://127.0.0.1:${receiver.textPort}`
    const sender = await startHub({ relay: [relay] })
    await sendUdp(sender, [
      packet('a:41|m\na:1|m\nq:-5|g\nq:18446744073709551615|g\n'),
      packet('t:0|h\nt:1|h\nt:85|h\nt:90|h\nt:-7|h\nt:9007199254740993|h\n'),
    ])
    sender.clock.advance(1000)
    const { hub } = receiver
    await until(() => bucketsOf(hub)?.includes('count 6') === true)
    assert.deepEqual(hub.total(seriesNamed(hub, 'a')), {
      kind: 'counter',
      total: 42,
      decrements: 0,
    })
    assert.deepEqual(hub.total(seriesNamed(hub, 'q')), {
      kind: 'gauge',
      value: 18446744073709551615n,
    })
    assert.deepEqual(bucketsOf(receiver.hub), bucketsOf(sender.hub))
    await sender.hub.stop()
    await receiver.hub.stop()
  })
}

test('meters, readers of the same key and decrements stay apart on their way', async () => {
  const receiver = await startHub()
  const sender = await startHub({ relay: [`statshero+tcp://127.0.0.1:${receiver.textPort}`] })
  await sendUdp(sender, [packet('k:1|m\nk:10|mr\nk:14|mr\nk:-5|m\n')])
  sender.clock.advance(1000)
  await sendUdp(sender, [packet('k:20|mr\n')])
  sender.clock.advance(1000)
  const { hub } = receiver
  const totals = (): Record<string, unknown> =>
    Object.fromEntries(
      [...hub.series]
        .filter(({ source }) => source !== 'hub')
        .map((record) => [`${record.identity.name} ${record.metadata.type}`, hub.total(record)]),
    )
  const counter = (total: number) => ({ kind: 'counter', total, decrements: 0 })
  const expected = { 'k m': counter(1), 'k mr': counter(10), 'k.decrement m': counter(5) }
  await until(() => JSON.stringify(Object.entries(totals()).sort()).includes('"total":10'))
  assert.deepEqual(totals(), expected)
  await sender.hub.stop()
  await receiver.hub.stop()
})

test('fractions go on as whole numbers that add up, summaries as their mean', async () => {
  const receiver = await startHub()
  const sender = await startHub({ relay: [`statshero+tcp://127.0.0.1:${receiver.textPort}`] })
  const counters = new CounterFeed(sender.hub.createIngest('eventcounters'))
  for (let second = 0; second < 8; second++) {
    counters.sum('c', 0.375)
    counters.mean('t', [4 + second, 6 + second])
    sender.clock.advance(1000)
  }
  const { hub } = receiver
  const named = (part: string) =>
    [...hub.series].find(({ identity }) => identity.name.startsWith(part))
  const total = (part: string): unknown => {
    const record = named(part)
    return record && hub.total(record)
  }
  await until(() => JSON.stringify(total('t'))?.includes('12') === true)
  await until(() => JSON.stringify(total('c'))?.includes('3') === true)
  assert.deepEqual(total('c'), { kind: 'counter', total: 3, decrements: 0 })
  assert.deepEqual(total('t'), { kind: 'gauge', value: 12 })
  await sender.hub.stop()
  await receiver.hub.stop()
})

/** Buckets of the distribution `t` at scale 0. */
function bucketsOf(hub: Hub): string[] | undefined {
  const record = [...hub.series].find(({ identity }) => identity.name === 't')
  if (record === undefined) return undefined
  const total = hub.total(record)
  if (total.kind !== 'histogram') return undefined
  const { positive, negative, zeroCount, count } = total.histogram.atScale(0)
  const buckets: string[] = [`zero ${zeroCount}`, `count ${count}`]
  for (const [sign, run] of [
    ['+', positive],
    ['-', negative],
  ] as const) {
    run.forEach((index, n) => {
      buckets.push(`${sign}${index}: ${n}`)
    })
  }
  return buckets
}

test('a relay to nowhere counts what it could not send and holds nothing else up', async () => {
  const sender = await startHub({ relay: ['statshero+tcp://127.0.0.1:9'] })
  await sendUdp(sender, [packet('a:1|m\n')])
  for (let i = 0; i < 3; i++) sender.clock.advance(1000)
  assert.equal(sender.hub.live.between(0, Number.MAX_SAFE_INTEGER).length, 3)
  let isStopped = false
  void sender.hub.stop().then(() => {
    isStopped = true
  })
  await until(() => {
    sender.clock.advance(10)
    return isStopped
  })
})

for (const [text, reason] of [
  ['statsd+udp://127.0.0.1:8125', /no dialect statsd/],
  ['statshero+udp://127.0.0.1:', /want DIALECT/],
  ['statshero+udp://127.0.0.1:99999', /port 99999/],
  ['statshero+udp://localhost:18125', /this hub itself/],
] as const) {
  test(`relay ${text} is refused with a reason`, async () => {
    await assert.rejects(startHub({ relay: [text], textPort: 18_125 }), reason)
  })
}

/** An emitter that keeps what it is told to send, and counters that it may be told of. */
function startRelay(count: number) {
  const records = new Map<number, CounterRecord>()
  const builder = new FrameBuilder()
  for (let id = 1; id <= count; id++) {
    const identity = { name: `k${id}`, kind: 'counter', labels: [] }
    const record = { id, kind: 'counter', identity, metadata: { dialect: 'x' } }
    records.set(id, record as unknown as CounterRecord)
    builder.counter(id, 1n)
  }
  const sent: string[] = []
  const emitter: Emitter = {
    status: () => {
      throw new Error('not asked for')
    },
    send: ({ name }, _cell, total, endMs) => sent.push(`${name} ${total} ${endMs}`),
    *flush() {},
    close: async () => {},
  }
  const totals = { of: (id: number) => id * 10 }
  const seconds = new RelayedSeconds({
    get: (id) => records.get(id),
    keep: (record) => record,
    counterTotal: ({ id }) => totals.of(id),
  })
  const relay = new RelaySink('r', 'x', emitter, seconds)
  return { records, totals, sent, relay, frame: builder.build(1000, 1) }
}

test('a second of many series is said in steps', () => {
  const { sent, relay, frame } = startRelay(200)
  runNow(relay.take(frame))
  let longest = 0
  const delivery = relay.deliver(frame)
  for (let step = delivery.next(), said = 0; ; step = delivery.next()) {
    longest = Math.max(longest, sent.length - said)
    said = sent.length
    if (step.done === true) break
  }
  assert.equal(sent.length, 200)
  assert.ok(longest <= 8, `${longest} series in one step`)
})

test('a series that leaves before its second is said is said as it was', () => {
  const { records, totals, sent, relay, frame } = startRelay(2)
  runNow(relay.take(frame))
  records.clear()
  totals.of = () => assert.fail("its place is another one's")
  runNow(relay.deliver(frame))
  assert.deepEqual(sent, ['k1 10 1000', 'k2 20 1000'])
})
