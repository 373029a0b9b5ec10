/** A target over a real socket: when it is asked, how, and what is told of it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { until } from '../../../../test/support/hub/hub.ts'
import { ModelIngest } from '../../../../test/support/model-ingest.ts'
import { NO_SAMPLES } from '../../../../test/support/no-samples.ts'
import { RecordedReports } from '../../../../test/support/recorded-reports.ts'
import { sharedObjects } from '../../../../test/support/shared-objects.ts'
import { READS_AT_ONCE, SteppedReads } from '../../../../test/support/shared-reads.ts'
import type { SharedReads } from '../../endpoints.ts'
import { defaultsOf } from '../../options.ts'
import { OPTIONS, type ScrapingOptions } from '../options.ts'
import { connectSource } from './source.ts'

type Answer = (response: ServerResponse, request: IncomingMessage) => void

class Target {
  readonly ingest = new ModelIngest()
  readonly reports = new RecordedReports()
  readonly clock = new FakeClock()
  readonly requests: IncomingMessage[] = []
  readonly port: number
  readonly source: ReturnType<typeof connectSource>
  answer: Answer

  constructor(port: number, answer: Answer, options: Partial<ScrapingOptions>, reads: SharedReads) {
    this.port = port
    this.answer = answer
    const url = `prometheus+http://127.0.0.1:${port}?interval=5s&job=t`
    const target = { transport: 'tcp', host: '127.0.0.1', port, url } as const
    const { ingest, clock, reports } = this
    this.source = connectSource(target, {
      ...{ ingest, clock, reports, reads, bytesLimit: 1e6 },
      ...{ samples: NO_SAMPLES, shared: sharedObjects() },
      options: { ...defaultsOf(OPTIONS), ...options },
    })
  }

  static async start(
    t: TestContext,
    answer: Answer,
    options: Partial<ScrapingOptions> = {},
    reads: SharedReads = READS_AT_ONCE,
  ): Promise<Target> {
    let target: Target | undefined
    const server = createServer((request, response) => {
      target!.requests.push(request)
      target!.answer(response, request)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    target = new Target((server.address() as AddressInfo).port, answer, options, reads)
    t.after(async () => {
      await target.source.close()
      server.closeAllConnections()
      server.close()
    })
    return target
  }

  value(name: string): unknown {
    return this.ingest.series.find(({ identity }) => identity.name === name)?.value
  }

  get scrapes(): unknown {
    return this.source.status().facts.scrapes
  }

  /** Lets the next scrape begin, and waits for its end. */
  async scrape(): Promise<void> {
    const before = Number(this.scrapes)
    this.clock.advance(before === 0 ? 1000 : 5000)
    await until(() => this.scrapes === before + 1)
  }
}

function text(body: string | Uint8Array, headers: Record<string, string> = {}): Answer {
  return (response) => void response.writeHead(200, headers).end(body)
}

suite('a target', () => {
  test('is asked on a grid, and says what came', async (t) => {
    const target = await Target.start(t, text('a 1\nb 2\n'))
    await target.scrape()
    const { headers, url } = target.requests[0]!
    assert.equal(url, '/metrics')
    assert.match(headers.accept!, /^application\/vnd.google.protobuf/)
    assert.equal(headers['x-prometheus-scrape-timeout-seconds'], '5')
    const told = ['up', 'scrape_samples_scraped', 'scrape_samples_post_metric_relabeling']
    assert.deepEqual(
      [...told, 'scrape_series_added'].map((name) => target.value(name)),
      [1, 2, 2, 2],
    )
    assert.equal(typeof target.value('scrape_duration_seconds'), 'number')
    const { identity } = target.ingest.series.find(({ identity: { name } }) => name === 'up')!
    const labels = { instance: `127.0.0.1:${target.port}`, job: 't' }
    assert.deepEqual(Object.fromEntries(identity.labels), labels)
    assert.equal(target.source.status().source, labels.instance)
    target.clock.advance(4998)
    assert.equal(target.requests.length, 1)
    await target.scrape()
    assert.equal(target.value('scrape_series_added'), 0)
  })

  test('that is down, or answers with what is none, is not up, and its gauges end', async (t) => {
    const target = await Target.start(t, text('a 1\n'))
    await target.scrape()
    assert.equal(target.source.status().link.isConnected, true)
    const bad: readonly [Answer, string, RegExp][] = [
      [(response) => void response.writeHead(503).end('a 2\n'), 'status', /^status 503$/],
      [text('{}', { 'Content-Type': 'application/json' }), 'content_type', /no exposition/],
      [text('x', { 'Content-Encoding': 'gzip' }), 'bad_gzip', /no gzip/],
      [text('x', { 'Content-Encoding': 'br' }), 'content_encoding', /want gzip or none/],
      [text(new Uint8Array(10_001)), 'too_large', /more than 10000 bytes/],
      [text('a 2\nb 2'), 'cut_off', /does not end/],
      [(response) => void response.destroy(), 'connect', /ECONNRESET|socket hang up/],
      [
        (response) => {
          response.writeHead(200, { 'Content-Length': '100' }).write('a 2\n')
          setImmediate(() => response.destroy())
        },
        'broken',
        /broke within/,
      ],
    ]
    const limited = await Target.start(t, text('a 1\n'), { bodyBytesLimit: 10_000 })
    for (const [answer, reason, message] of bad) {
      limited.answer = text('a 1\n')
      await limited.scrape()
      assert.equal(limited.value('a'), 1)
      limited.answer = answer
      await limited.scrape()
      assert.equal(limited.value('up'), 0, reason)
      assert.ok(Number.isNaN(limited.value('a')), reason)
      assert.equal(limited.reports.counts[`scrapes_failed ${reason}`], 1)
      assert.match(limited.source.status().link.reason!, message)
    }
  })

  test('that does not answer in time is not waited for', async (t) => {
    const target = await Target.start(t, () => {})
    target.clock.advance(1000)
    await until(() => target.requests.length === 1)
    target.clock.advance(5000)
    await until(() => target.scrapes === 1)
    assert.match(target.source.status().link.reason!, /no whole answer within 5000 ms/)
    assert.equal(target.value('up'), 0)
  })

  test('may pack its answer', async (t) => {
    const body = gzipSync('a 1\n')
    const target = await Target.start(t, text(body, { 'Content-Encoding': 'gzip' }))
    await target.scrape()
    assert.equal(target.value('a'), 1)
  })

  test('with much to say is read in parts, and nothing of it is seen before the end', async (t) => {
    const lines = Array.from({ length: 2000 }, (_, i) => `a{n="${i}"} 1\n`).join('')
    const reads = new SteppedReads()
    const target = await Target.start(t, text(lines), {}, reads)
    target.clock.advance(1000)
    await until(() => reads.hasRest)
    reads.step()
    assert.equal(target.ingest.series.length, 0)
    await until(() => {
      reads.step()
      return target.scrapes === 1
    })
    assert.equal(target.value('scrape_samples_scraped'), 2000)
  })

  test('is left alone once it is closed', async (t) => {
    const target = await Target.start(t, () => {})
    target.clock.advance(1000)
    await until(() => target.requests.length === 1)
    await target.source.close()
    assert.equal(target.clock.pending, 0)
    assert.equal(target.ingest.series.length, 0)
  })
})
