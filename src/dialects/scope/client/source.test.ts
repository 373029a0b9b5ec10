import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { ModelIngest } from '../../../../test/support/model-ingest.ts'
import { NO_EXTRAS } from '../../../../test/support/no-samples.ts'
import { RecordedReports } from '../../../../test/support/recorded-reports.ts'
import { sharedObjects } from '../../../../test/support/shared-objects.ts'
import { READS_AT_ONCE, SteppedReads } from '../../../../test/support/shared-reads.ts'
import type { SharedReads, SourceContext } from '../../endpoints.ts'
import { dialect as scope } from '../dialect.ts'
import { CallbackSource } from '../server/callback-source.ts'
import { ScopeServer } from '../server.ts'

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** A server and a hub's source of it, under one clock. */
async function link(
  values: CallbackSource,
  ingest = new ModelIngest(),
  bytesLimit = 1e6,
  reads: SharedReads = READS_AT_ONCE,
  extras: Pick<SourceContext, 'samples'> = NO_EXTRAS,
) {
  const clock = new FakeClock()
  const server = new ScopeServer({ source: values, port: 0, clock })
  await server.start()
  const { port } = server
  const target = { transport: 'tcp', host: '127.0.0.1', port } as const
  const options = { client: { samplingIntervalMs: 10 } }
  const reports = new RecordedReports()
  const context = {
    ingest,
    clock,
    reports,
    options,
    bytesLimit,
    reads,
    ...NO_EXTRAS,
    ...extras,
    shared: sharedObjects(),
  }
  const source = scope.connectSource!(target, context)
  cleanups.push(() => server.close())
  cleanups.push(() => source.close())
  return { clock, ingest, source, port, server, reports }
}

describe('a scope source', () => {
  it('keeps a series in its samples while it has no value, after an Info, too', async () => {
    const values = new CallbackSource()
    let sparse = 42
    values.add('sparse', () => sparse)
    const rows: number[][] = []
    const samples = {
      add: (_timeMs: number, row: Int32Array, sample: Float64Array) => {
        rows.push(
          Array.from(sample, (value, i) => (row[i]! < 0 ? Number.POSITIVE_INFINITY : value)),
        )
      },
    }
    const { clock } = await link(values, new ModelIngest(), 1e6, READS_AT_ONCE, { samples })
    while (rows.length === 0) await turn()
    sparse = Number.NaN
    values.add('unset', () => Number.NaN)
    for (let n = 0; (rows.at(-1)?.length ?? 0) < 2; n++) {
      clock.advance(10)
      await turn()
      assert.ok(n < 1000, 'an Info tells of the other series')
    }
    assert.deepEqual(rows[0], [42])
    assert.deepEqual(rows.at(-1), [Number.NaN, Number.POSITIVE_INFINITY])
  })

  it('writes every number of every snapshot to a gauge, and no gauge for NaN', async () => {
    const values = new CallbackSource()
    let level = 1
    values.add('level', () => level, { labels: { tank: 'a' }, unit: 'm' })
    values.add('unset', () => Number.NaN)
    values.add('endless', () => Number.POSITIVE_INFINITY)
    const { clock, ingest, source, port } = await link(values)
    const gauge = (name: string) =>
      ingest.series.find(({ identity }) => identity.name === name)?.value
    while (gauge('level') !== 1) await turn()
    level = 2.5
    clock.advance(10)
    while (gauge('level') !== 2.5) await turn()
    assert.equal(gauge('endless'), Number.POSITIVE_INFINITY)
    assert.equal(gauge('unset'), undefined)
    const series = ingest.series.find(({ identity }) => identity.name === 'level')
    assert.deepEqual(series?.identity.labels, [
      ['scope.source', `127.0.0.1:${port}`],
      ['tank', 'a'],
    ])
    assert.equal(series?.metadata.unit, 'm')
    assert.equal(ingest.series.length, 2)
    const { facts } = source.status()
    assert.equal(facts.state, 'online')
    assert.equal(facts.framing, 'framed')
    assert.equal(facts.intervalMs, 10)
  })

  it('takes what a later Info says of a series that came before it', async () => {
    const values = new CallbackSource()
    values.add('first', () => 1)
    const { clock, ingest } = await link(values)
    const metadata = () => ingest.series.find(({ identity }) => identity.name === 'late')?.metadata
    while (ingest.series.length === 0) await turn()
    values.add('late', () => 2, { unit: 'A', plot: 'current' })
    clock.advance(10)
    while (metadata() === undefined) await turn()
    assert.equal(metadata()?.unit, undefined)
    for (let elapsed = 0; metadata()?.unit === undefined && elapsed < 20_000; elapsed += 10) {
      clock.advance(10)
      await turn()
    }
    assert.deepEqual([metadata()?.unit, metadata()?.plot], ['A', 'current'])
  })

  it('keeps the mark of another hub inside the name', async () => {
    const values = new CallbackSource()
    values.add('x', () => 1, { labels: { 'scope.source': 'first:1' } })
    const { ingest, port } = await link(values)
    while (ingest.series.length === 0) await turn()
    assert.deepEqual(ingest.series[0]?.identity, {
      name: 'x{scope.source:first%3A1}',
      kind: 'gauge',
      labels: [['scope.source', `127.0.0.1:${port}`]],
    })
  })

  it('keeps nothing of what the hub refuses, and asks again with the next Info', async () => {
    const values = new CallbackSource()
    for (let i = 0; i < 50; i++) values.add(`${i}`.padStart(9000, 'n'), () => 1)
    const ingest = new ModelIngest({ seriesLimit: 1 })
    const { clock, source } = await link(values, ingest, 1e7)
    const refused = () => ingest.counted.series_limit ?? 0
    while (refused() < 49) await turn()
    assert.equal(source.status().facts.series, 1)
    while (refused() < 98) {
      clock.advance(1000)
      await turn()
    }
    assert.equal(source.status().facts.series, 1)
  })

  it('counts names that find no room, by reason', async () => {
    const values = new CallbackSource()
    for (let i = 0; i < 50; i++) values.add(`${i}`.padStart(9000, 'n'), () => 1)
    const { ingest, reports, source } = await link(values, new ModelIngest(), 100_000)
    while (ingest.series.length === 0) await turn()
    assert.deepEqual(ingest.series.length, 2)
    assert.equal(reports.counts['names_omitted max_bytes'], 96)
    assert.equal(source.status().facts.refused, 48)
  })

  it('reads within a budget, part by part, and its own waiting is no silence', async () => {
    const values = new CallbackSource()
    for (let i = 0; i < 2000; i++) values.add(`n${i}`, () => i)
    const reads = new SteppedReads()
    const { clock, ingest, source } = await link(values, new ModelIngest(), 1e7, reads)
    while (!reads.hasRest) await turn()
    let steps = 0
    for (; ingest.series.length < 2000; steps++) {
      if (reads.hasRest) clock.advance(1000)
      reads.step()
      await turn()
    }
    assert.ok(steps > 30, `${steps} steps`)
    assert.equal(ingest.series.find(({ identity }) => identity.name === 'n1999')!.value, 1999)
    assert.equal(source.status().facts.state, 'online')
  })

  it('leaves no timer when both sides have been closed', async () => {
    const { clock, source, server } = await link(new CallbackSource())
    while (server.connections()[0]?.facts.phase !== 'streaming') await turn()
    await source.close()
    await server.close()
    assert.equal(clock.pending, 0)
  })
})

describe('the dialect', () => {
  it('claims what settings may begin with, framed or bare', () => {
    assert.equal(scope.claims(new Uint8Array([])), undefined)
    assert.equal(scope.claims(new Uint8Array([0])), undefined)
    assert.equal(scope.claims(new Uint8Array([0, 0])), false)
    assert.equal(scope.claims(new Uint8Array([0, 0x10])), undefined)
    assert.equal(scope.claims(new Uint8Array([0, 0x10, 0, 0, 0x91])), true)
    assert.equal(scope.claims(new Uint8Array([0, 0x10, 0, 0, 0x03])), false)
    assert.equal(scope.claims(new Uint8Array([0x18])), undefined)
    assert.equal(scope.claims(new Uint8Array([0x18, 0, 0])), undefined)
    assert.equal(scope.claims(new Uint8Array([0x18, 0, 0, 0, 0x81])), true)
    assert.equal(scope.claims(new Uint8Array([0x81])), true)
    for (const text of ['GET / HTTP/1.1', '1|22', 'SSH-2.0-x', 'a:1|c', '\x16\x03\x01\x02']) {
      assert.equal(scope.claims(Buffer.from(text, 'latin1')), false, text)
    }
    assert.equal(scope.speaksFirst, true)
  })

  it('is tried with a command that gets packets from a real server', async () => {
    const { execFile } = await import('node:child_process')
    const { promisify } = await import('node:util')
    const values = new CallbackSource()
    values.add('hello', () => 1)
    const server = new ScopeServer({ source: values, port: 0 })
    cleanups.push(() => server.close())
    await server.start()
    const { port } = server
    const { stdout } = await promisify(execFile)('sh', ['-c', scope.tryIt!('127.0.0.1', port)])
    const text = stdout.replace(/^[0-7]{7}/gm, '').replace(/\s+/g, '')
    assert.match(text, /metrics/)
    assert.match(text, /hello/)
  })
})
