/**
 * What our client sends, live, as Wallaroo's own programs read it (wallaroo.md §4.6): the
 * decoder of its Metrics UI, which goes by the peer's order of min and max, and the reader of its
 * integration tests, which goes by the document's.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { WallarooClient } from '../../src/dialects/wallaroo/client.ts'
import {
  ElixirListener,
  fromBase64,
  parseInPython,
  whyNoDecoder,
  whyNoParser,
} from '../../src/dialects/wallaroo/test/wally.ts'
import { ByteListener } from '../support/byte-listener.ts'
import { NanoClock } from '../support/nano-clock.ts'

const SECOND = 1_000_000_000n
const START = 1_700_000_000n * SECOND
const WINDOWS = 10
const ITEMS = 10
const PIPELINE = 'Bestellungen ≤ 5'

interface Window {
  readonly category: string
  readonly name: string
  readonly id: number
  readonly bin: number
  readonly min: bigint
  readonly max: bigint
  readonly end: bigint
}

/** A client whose reporter closes ten windows of ten items for each call of `run`. */
function start(context: TestContext, port: number, profile: 'peer' | 'document') {
  const clock = new NanoClock(START)
  const names = { application: 'shop: EU', worker: 'w@1' }
  const client = new WallarooClient({ ...names, port, profile, clock })
  context.after(() => client.close())
  void client.start()
  const reporter = client.reporter()
  const expected: Window[] = []
  const run = (): void => {
    for (let window = 0; window < WINDOWS; window++) {
      const end = reporter.windowEndNs
      // 2^bit + 1 and 2^(bit + 1) share bin bit + 1; the largest are beyond 2^53
      for (let i = 0; i < ITEMS - 3; i++) {
        const bit = BigInt(1 + 10 * i)
        const [min, max] = [2n ** bit + 1n, 2n ** (bit + 1n)]
        const recorder = reporter.computation(PIPELINE, `step ${i}`, i + 1)
        recorder.record(max)
        recorder.record(min)
        const bin = Number(bit) + 1
        expected.push({ category: 'computation', name: `step ${i}`, id: i + 1, bin, min, max, end })
      }
      reporter.ingestion(PIPELINE).count(2)
      reporter.startToEnd(PIPELINE).record(7)
      reporter.startToEnd(PIPELINE).record(8)
      reporter.nodeIngressEgress(PIPELINE).record(3)
      reporter.nodeIngressEgress(PIPELINE).record(4)
      const others = [
        ['pipeline-ingestion', `${PIPELINE} source`, 0, 0n, 0n],
        ['start-to-end', PIPELINE, 3, 7n, 8n],
        ['node-ingress-egress', 'w@1', 2, 3n, 4n],
      ] as const
      for (const [category, name, bin, min, max] of others) {
        expected.push({ category, name, id: 0, bin, min, max, end })
      }
      clock.moveTo(end)
    }
  }
  return { client, clock, expected, run }
}

test('the decoder of the Metrics UI takes every frame of a client that comes back', {
  skip: whyNoDecoder ?? false,
  timeout: 60_000,
}, async (context) => {
  const hub = await ElixirListener.start()
  context.after(() => hub.stop())
  const { client, clock, expected, run } = start(context, hub.port, 'peer')
  const framesOf = (connection: number) => {
    return hub.decoded.filter((each) => each.connection === connection && each.type !== 'end')
  }
  for (const connection of [0, 1]) {
    await hub.until(() => framesOf(connection).length === 2)
    expected.length = 0
    run()
    await hub.until(() => framesOf(connection).length === 2 + WINDOWS * ITEMS)
    const [connect, join, ...metrics] = framesOf(connection)
    assert.deepEqual([connect!.type, connect!.fields.map(fromBase64)], ['connect', ['/socket/tcp']])
    assert.deepEqual(
      [join!.type, join!.fields.map(fromBase64)],
      [...['join', ['metrics:shop: EU', 'w@1']]],
    )
    assert.deepEqual(metrics.map(seenInElixir), expected.map(asInElixir))
    if (connection === 1) break
    hub.drop()
    while (client.isConnected) await new Promise((resolve) => setImmediate(resolve))
    clock.moveTo(clock.wallNs() + SECOND / 4n)
  }
  assert.deepEqual(client.counts, { sent: 200, droppedOffline: 0, droppedSlow: 0, connects: 2 })
  assert.equal(hub.decoded.filter(({ type }) => type === 'refused').length, 0)
})

/** As the line of a frame says it, with names in plain text. */
function seenInElixir({ type, fields }: { type: string; fields: readonly string[] }): unknown {
  return [type, ...fields.slice(0, 7).map(fromBase64), ...fields.slice(7)]
}

/** The Metrics UI makes one name of several, and seconds of nanoseconds. */
function asInElixir({ category, name, id, bin, min, max, end }: Window): unknown {
  const key: Record<string, string> = {
    computation: `${PIPELINE}@w@1:${name}`,
    'pipeline-ingestion': name,
    'start-to-end': `${PIPELINE}@w@1`,
    'node-ingress-egress': `${PIPELINE}*w@1`,
  }
  return [
    ...['metrics', 'metrics', 'metrics:shop: EU', key[category], category, 'w@1', PIPELINE],
    ...[`${id}`, `${min}`, `${max}`, '2', `${end / SECOND}`, binsOf(bin).join(',')],
  ]
}

test('the reader of the integration tests takes every frame, min and max by the document', {
  skip: whyNoParser ?? false,
  timeout: 60_000,
}, async (context) => {
  for (const profile of ['document', 'peer'] as const) {
    const hub = await ByteListener.open(context)
    const { client, expected, run } = start(context, hub.port, profile)
    await hub.until(() => (hub.streams[0]?.length ?? 0) > 0)
    run()
    await client.close()
    await hub.until(() => hub.sockets[0]!.readableEnded)
    const [connect, join, ...metrics] = parseInPython(hub.streams[0]!)
    assert.deepEqual(connect, { type: 'connect' })
    assert.deepEqual(join, { type: 'join', topic: 'metrics:shop: EU', worker_name: 'w@1' })
    // JSON's numbers are rounded here alike; what is exact is compared in the other test
    assert.deepEqual(
      metrics.map(({ payload_size: _, payload_header: __, ...fields }) => fields),
      expected.map((window) => asInPython(window, profile)),
    )
  }
})

function asInPython({ category, name, id, bin, min, max, end }: Window, profile: string): unknown {
  const [least, greatest] = profile === 'document' ? [min, max] : [max, min]
  return {
    ...{ type: 'metrics', event: 'metrics', topic: 'metrics:shop: EU' },
    ...{ metric_name: name, metric_category: category, worker_name: 'w@1' },
    ...{ pipeline_name: PIPELINE, id, latency_hist: binsOf(bin), total: 2 },
    ...{ min_latency: Number(least), max_latency: Number(greatest) },
    ...{ duration: 2e9, end_ts: Number(end) },
  }
}

function binsOf(bin: number): number[] {
  return Array.from({ length: 65 }, (_, i) => (i === bin ? 2 : 0))
}
