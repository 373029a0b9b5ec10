import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { packet } from '../../../test/support/hub/hub.ts'
import { caseName, readVectorFiles } from '../../../test/vectors/vector-file.ts'
import { dialect as statshero } from '../../dialects/statshero/dialect.ts'
import { checkSemantics, type Holding } from '../../dialects/statshero/test/vectors/model.ts'
import { Zone } from '../../shm/index.ts'
import { parseConfig } from '../config/config.ts'
import { dialectOptions } from '../config/values.ts'
import { CommandApplier } from '../ingest/command-queue.ts'
import { Windows } from '../ingest/windows/windows.ts'
import { PeerCounts } from '../listen/peer-counts.ts'
import { Totals } from '../live/totals.ts'
import { SeriesStore } from '../series/series.ts'
import { ErrorReports } from '../status/reports.ts'
import { SelfMetrics } from '../status/self-metrics.ts'
import { Inbox } from './inbox.ts'
import type { Batch, FromThread, ThreadStart } from './messages.ts'
import { SharedCounts } from './shared-counts.ts'
import { ThreadIngest } from './thread-ingest.ts'

const THREADS = 4
const VECTORS = fileURLToPath(new URL('../../dialects/statshero/vectors', import.meta.url))

/** The ingest of several threads over one zone, all in this thread and driven by hand. */
function startIngests(options: object = {}) {
  const config = parseConfig(options, [statshero])
  const clock = new FakeClock(0)
  const zone = Zone.create({ zoneBytesLimit: 4_194_304, keyBytesLimit: 65_535 })
  const writer = zone.attach()
  const store = new SeriesStore(zone, config, () => clock.wallMs())
  const metrics = new SelfMetrics(store, writer)
  const reports = new ErrorReports(clock, metrics, () => {})
  const counts = SharedCounts.create(THREADS)
  const peers = PeerCounts.create(1 + THREADS)
  const commands = new CommandApplier(store, writer, new Windows(writer))
  const contested: string[] = []
  const events = {
    refused: (code: string, source: string) => reports.refused('statshero', code, source),
    contested: () => contested.push('contested'),
  }
  const inbox = new Inbox({ store, reports, commands, counts, events: [events] })
  const told: Exclude<FromThread, Batch>[] = []
  const ingests = Array.from({ length: THREADS }, (_, thread) => {
    const start: ThreadStart = {
      thread,
      threads: THREADS,
      zone: zone.shared,
      quota: store.quota.shared,
      counts: counts.shared,
      peers: peers.shared,
      dialects: [
        {
          name: 'statshero',
          port: 'text',
          module: '',
          options: dialectOptions(config, 'statshero'),
        },
      ],
      config,
    }
    return new ThreadIngest({
      start,
      clock,
      dialects: [statshero],
      // as it arrives in another thread
      post: (message) => {
        if (message.kind === 'batch') inbox.take(thread, structuredClone(message))
        else told.push(message)
      },
    })
  })
  /** One datagram to one of the threads, and all it has to say to the main thread. */
  const send = (thread: number, bytes: Uint8Array): void => {
    const peer = { transport: 'udp', address: '192.0.2.1', port: 40_000 + thread } as const
    ingests[thread]!.server('statshero')!.datagram!(bytes, peer)
    void ingests[thread]!.answer({ kind: 'settle', number: 1 })
  }
  const totals = new Totals(zone, zone.reader())
  const holding = { series: store, total: (record) => totals.of(record) } as Holding
  return { zone, store, counts, contested, ingests, told, holding, send }
}

/**
 * A small increment looks only at its own thread's segment (docs/formats/zone.md, "Counter"): when
 * others hold the rest, the total saturates without a refusal.
 */
const OF_ONE_THREAD = new Set(['meter-u64-limit'])

suite('vectors of Stats Hero, each datagram to the next of four threads', () => {
  for (const { categories } of readVectorFiles(VECTORS, ['statshero'])) {
    const cases = categories.get('semantics') ?? []
    for (const [index, testCase] of cases.entries()) {
      const name = caseName(testCase, index)
      const threads = OF_ONE_THREAD.has(name) ? 1 : THREADS
      test(name, () => {
        checkSemantics(testCase, (datagrams, options) => {
          const { send, holding } = startIngests({ statshero: options ?? {} })
          for (const [i, bytes] of datagrams.entries()) send(i % threads, bytes)
          return holding
        })
      })
    }
  }
})

test('no answer overtakes that to bind, so who has one finds the port bound', async () => {
  const { ingests, told } = startIngests()
  const [ingest] = ingests as [ThreadIngest]
  const bound = ingest.answer({ kind: 'bind', name: 'text', port: 0, number: 1 })
  const settled = ingest.answer({ kind: 'settle', number: 2 })
  const stopped = settled.then(() => ingest.answer({ kind: 'stop', number: 3 }))
  ingest.tellStatus()
  await Promise.all([bound, settled, stopped])
  assert.deepEqual(
    told.map((message) => {
      if (message.kind === 'status') return message.listeners[0]?.state
      return message.kind === 'answer' ? message.number : message.kind
    }),
    ['listening', 1, 'listening', 2, 'stopped', 3],
  )
})

test('readings that reach different threads are one counter, and many senders are seen', () => {
  const { store, contested, holding, send } = startIngests()
  const readings = Array.from({ length: 42 }, (_, i) => (3 - (i % 3)) * 1000 + i)
  for (const [i, reading] of readings.entries()) {
    send(i % THREADS, packet(`jiffies:${reading}|mr\n`))
  }
  const record = [...store].find(({ identity }) => identity.name === 'jiffies')!
  assert.ok(record.kind === 'counter')
  assert.deepEqual([record.reading!.resets, record.reading!.last], [28, 1041])
  assert.ok(contested.length > 0)
  const grown = readings.slice(1).map((n, i) => (n < readings[i]! ? n : n - readings[i]!))
  const total = grown.reduce((sum, n) => sum + n, 0)
  assert.deepEqual(holding.total(record), { kind: 'counter', total, decrements: 0 })
})

test('the fractions of sampled lines are carried over all threads', () => {
  const { store, holding, send } = startIngests()
  for (let i = 0; i < 4; i++) send(i, packet('x:1|m|@0.43\nx:-1|m|@0.43\n'))
  const record = [...store].find(({ identity }) => identity.name === 'x')!
  assert.deepEqual(holding.total(record), { kind: 'counter', total: 9, decrements: 9 })
})

test('a series announced by every thread is one, with its negative part', () => {
  const { store, send } = startIngests()
  for (let i = 0; i < 8; i++) send(i % THREADS, packet('x:1|m\nx:-1|m\n'))
  const [whole, part, ...others] = [...store].filter(({ source }) => source !== 'hub')
  assert.equal(others.length, 0)
  assert.ok(whole?.kind === 'counter' && part !== undefined)
  assert.equal(whole.decrements, part)
  assert.equal(store.countedSize, 2)
})

test('a forgotten series is written no more, and its name makes a new one', async () => {
  const { zone, store, ingests, holding, send } = startIngests()
  for (let i = 0; i < THREADS; i++) send(i, packet('x:1|m\nx:1|g\n'))
  const old = [...store].filter(({ source }) => source !== 'hub')
  store.unlink(old)
  send(0, packet('x:10|m\n'))
  assert.equal(zone.reader().counter(old[0]!.metric), 14n, 'not forgotten yet')
  const metrics = old.map(({ metric }) => metric)
  for (const [number, ingest] of ingests.entries()) {
    await ingest.answer({ kind: 'forget', metrics, number })
  }
  for (let i = 0; i < THREADS; i++) send(i, packet('x:100|m\n'))
  assert.equal(zone.reader().counter(old[0]!.metric), 14n)
  store.remove(old)
  const [record] = [...store].filter(({ source }) => source !== 'hub')
  assert.deepEqual(holding.total(record!), { kind: 'counter', total: 400, decrements: 0 })
})
