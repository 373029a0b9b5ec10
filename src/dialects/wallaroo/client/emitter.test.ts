import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { RecordedReports } from '../../../../test/support/recorded-reports.ts'
import { type Cell, Histogram, type Identity } from '../../../model/index.ts'
import { systemClock } from '../../../time/system-clock.ts'
import { runNow } from '../../../time/task.ts'
import { createDecoder, type Message, type MetricsMessage } from '../codec.ts'
import { histogramOf, mappingOf, type SeriesNames } from '../map.ts'
import { LatencyTotals } from '../rollup/latency-totals.ts'
import { withFrame } from '../test/frames.ts'
import { connectEmitter } from './emitter.ts'

const NAMES = { application: 'shop', pipeline: 'Orders', worker: 'w1', name: 'Check' }
/** End of the seconds that are sent, Unix ms. */
const END_MS = 1_700_000_001_000
const CATEGORIES = ['computation', 'start-to-end', 'node-ingress-egress', 'queue depth']

async function setUp(context: TestContext, options: Record<string, unknown> = {}) {
  const chunks: Buffer[] = []
  const ended = Promise.withResolvers<void>()
  const listener = createServer((socket) => {
    socket.on('data', (bytes: Buffer) => chunks.push(bytes))
    socket.on('end', () => ended.resolve())
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  context.after(() => listener.close())
  const reports = new RecordedReports()
  const { port } = listener.address() as AddressInfo
  const target = { transport: 'tcp', host: '127.0.0.1', port } as const
  const emitter = connectEmitter(target, {
    reports,
    clock: systemClock,
    options: { emit: options },
  })
  /** Closes, and gives everything that arrived. */
  const finish = async (): Promise<readonly Message[]> => {
    await emitter.close()
    await ended.promise
    const decoder = createDecoder()
    decoder.push(Buffer.concat(chunks))
    decoder.end()
    assert.deepEqual(decoder.errors, [])
    return decoder.messages as Message[]
  }
  return { emitter, reports, finish }
}

function latencies(bins: Record<string, string>, min: string | null, max: string | null): Cell {
  const totals = new LatencyTotals()
  withFrame({ bins, min_ns: min, max_ns: max }, (frame) => totals.add(frame))
  return { kind: 'histogram', histogram: histogramOf(totals) }
}

function windowsOf(messages: readonly Message[]): MetricsMessage[] {
  return messages.filter((message) => message.type === 'metrics')
}

describe('a relay', () => {
  it('says windows again as they came, in either profile', async (context) => {
    const sized = { profile: 'document', arraySizes: true } as const
    for (const options of [{ profile: 'peer' }, { profile: 'document' }, sized] as const) {
      const { profile } = options
      const { emitter, finish } = await setUp(context, options)
      const all = CATEGORIES.map((category): SeriesNames => ({ ...NAMES, category }))
      for (const names of all) {
        const { identity } = mappingOf(names).latency!
        emitter.send(identity, latencies({ 0: '2', 10: '9' }, '0', '1000'), undefined, END_MS)
      }
      const messages = await finish()
      const [connect, join, ...windows] = messages
      assert.deepEqual([connect?.type, join?.type], ['connect', 'join'])
      assert.deepEqual(
        windowsOf(windows).map(({ application, category, pipeline, worker, name }) => {
          return { application, category, pipeline, worker, name }
        }),
        all,
      )
      for (const { bins, order, min_ns, max_ns, period_ns, notes } of windowsOf(windows)) {
        assert.deepEqual([bins, order, min_ns, max_ns], [{ 0: '2', 10: '9' }, profile, '0', '1000'])
        assert.equal(period_ns, '1000000000')
        const ofSizes = options === sized ? ['array_count_prefix'] : []
        const ofOrder = profile === 'document' ? ['document_order'] : []
        assert.deepEqual(notes.toSorted(), [...ofSizes, ...ofOrder])
      }
    }
  })

  it('says ingested messages and skewed ones in the bins that are theirs', async (context) => {
    const { emitter, finish, reports } = await setUp(context)
    const ingestion = mappingOf({ ...NAMES, category: 'pipeline-ingestion', name: 'Orders source' })
    const pipeline = mappingOf({ ...NAMES, category: 'start-to-end', name: 'Orders' })
    const growth = (delta: number | bigint): Cell => ({ kind: 'counter', delta })
    emitter.send(ingestion.messages.identity, growth(2n ** 60n), undefined, END_MS)
    emitter.send(pipeline.messages.identity, growth(5), undefined, END_MS)
    emitter.send(pipeline.skew.identity, growth(3), undefined, END_MS)
    emitter.send(pipeline.skew.identity, growth(0), undefined, END_MS)
    const windows = windowsOf(await finish())
    assert.deepEqual(
      windows.map(({ category, name, bins, min_ns, max_ns }) => {
        return [category, name, bins, min_ns, max_ns]
      }),
      [
        ['pipeline-ingestion', 'Orders source', { 0: `${2n ** 60n}` }, '0', '0'],
        ['start-to-end', 'Orders', { 64: '3' }, null, null],
      ],
    )
    assert.deepEqual(reports.counts, {})
  })

  it('says a known minimum beside skewed messages, and nothing inconsistent', async (context) => {
    const { emitter, finish } = await setUp(context)
    const { latency, skew } = mappingOf({ ...NAMES, category: 'computation' })
    emitter.send(skew.identity, { kind: 'counter', delta: 1 }, undefined, END_MS)
    const cell = latencies({ 10: '90', 20: '10', 64: '1' }, '1000', `${2n ** 64n - 5n}`)
    emitter.send(latency!.identity, cell, undefined, END_MS)
    const windows = windowsOf(await finish())
    assert.deepEqual(
      windows.map(({ bins, min_ns, max_ns, notes }) => [bins, min_ns, max_ns, notes]),
      [[{ 10: '90', 20: '10', 64: '1' }, '1000', null, ['clock_skew']]],
    )
  })

  it('keeps the ids of computations, which their own series say', async (context) => {
    const { emitter, finish, reports } = await setUp(context)
    const say = (computation: string, id: number, end: number): void => {
      const names = { ...NAMES, category: 'computation', name: computation }
      const { latency, skew, id: place } = mappingOf(names)
      // in the order of a closed second: counters, gauges, histograms
      emitter.send(skew.identity, { kind: 'counter', delta: 1 }, undefined, END_MS)
      emitter.send(place!.identity, { kind: 'gauge', value: id, at: end }, undefined, END_MS)
      emitter.send(latency!.identity, latencies({ 10: '9' }, null, null), undefined, END_MS)
    }
    say('Check', 7, 1000)
    runNow(emitter.flush())
    say('Check', 8, 2000)
    say('Decode', 65_535, 2000)
    const worker = mappingOf({ ...NAMES, category: 'node-ingress-egress', name: 'w1' })
    emitter.send(worker.latency!.identity, latencies({ 10: '1' }, null, null), undefined, END_MS)
    const said = windowsOf(await finish()).map(({ name, id, total }) => `${name} ${id}: ${total}`)
    assert.deepEqual(said.toSorted(), [
      ...['Check 7: 1', 'Check 7: 9', 'Check 8: 1', 'Check 8: 9'],
      ...['Decode 65535: 1', 'Decode 65535: 9', 'w1 0: 1'],
    ])
    assert.deepEqual(reports.counts, {})
  })

  it('ends windows with their second, however late they are sent', async (context) => {
    const { emitter, finish } = await setUp(context)
    const { identity } = mappingOf({ ...NAMES, category: 'computation' }).latency!
    const before = Math.floor(Date.now() / 1000)
    const cell = latencies({ 10: '1' }, null, null)
    emitter.send(identity, cell, undefined, END_MS)
    emitter.send(identity, cell, undefined, END_MS + 1000)
    emitter.send(identity, cell, undefined, Date.now() + 60_000)
    const ends = windowsOf(await finish()).map(({ end_ns }) =>
      Number(BigInt(end_ns) / 1_000_000_000n),
    )
    assert.deepEqual(ends.slice(0, 2), [END_MS / 1000, END_MS / 1000 + 1])
    assert.ok(ends[2]! >= before && ends[2]! <= Math.floor(Date.now() / 1000))
  })

  it('joins each worker once, and counts what it cannot say', async (context) => {
    const { emitter, finish, reports } = await setUp(context)
    const cell = latencies({ 10: '1' }, null, null)
    for (const worker of ['w1', 'w2', 'w1']) {
      const { identity } = mappingOf({ ...NAMES, worker, category: 'computation' }).latency!
      emitter.send(identity, cell, undefined, END_MS)
    }
    const foreign: Identity = { name: 'http_requests', kind: 'counter', labels: [] }
    emitter.send(foreign, { kind: 'counter', delta: 1 }, 1, END_MS)
    const coarse = new Histogram(-2)
    coarse.record(7)
    const { identity } = mappingOf({ ...NAMES, category: 'computation' }).latency!
    emitter.send(identity, { kind: 'histogram', histogram: coarse }, undefined, END_MS)
    const long = mappingOf({ ...NAMES, category: 'computation', name: 'n'.repeat(65_536) })
    emitter.send(long.latency!.identity, cell, undefined, END_MS)
    const messages = await finish()
    const joins = messages.filter((message) => message.type === 'join')
    assert.deepEqual(
      joins.map(({ worker }) => worker),
      ['w1', 'w2'],
    )
    assert.equal(windowsOf(messages).length, 3)
    assert.deepEqual(reports.counts, {
      'emit not_a_window': 1,
      'emit coarse_scale': 1,
      'emit name_too_long': 1,
    })
  })
})
