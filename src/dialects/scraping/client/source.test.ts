/** A target over a real socket: when it is asked, how, and what is told of it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { until } from '../../../../test/support/hub/hub.ts'
import { ModelIngest } from '../../../../test/support/model-ingest.ts'
import { NO_EXTRAS } from '../../../../test/support/no-samples.ts'
import { RecordedReports } from '../../../../test/support/recorded-reports.ts'
import { sharedObjects } from '../../../../test/support/shared-objects.ts'
import { READS_AT_ONCE, SteppedReads } from '../../../../test/support/shared-reads.ts'
import type { SharedReads, SourceContext } from '../../endpoints.ts'
import { defaultsOf } from '../../options.ts'
import { type JobConfig, OPTIONS, type ScrapingOptions } from '../options.ts'
import { connectSource } from './source.ts'

type Answer = (response: ServerResponse, request: IncomingMessage) => void

class Target {
  readonly ingest: ModelIngest
  readonly reports = new RecordedReports()
  readonly clock = new FakeClock()
  readonly requests: IncomingMessage[] = []
  readonly port: number
  readonly source: ReturnType<typeof connectSource>
  readonly context: SourceContext
  answer: Answer

  constructor(
    port: number,
    answer: Answer,
    options: Partial<ScrapingOptions>,
    reads: SharedReads,
    scheme = 'http',
    ingest = new ModelIngest(),
  ) {
    this.ingest = ingest
    this.port = port
    this.answer = answer
    const url = `prometheus+${scheme}://127.0.0.1:${port}?interval=5s&job=t`
    const target = { transport: 'tcp', host: '127.0.0.1', port, url } as const
    const { clock, reports } = this
    this.context = {
      ...{ ingest, clock, reports, reads, bytesLimit: 1e6 },
      ...NO_EXTRAS,
      shared: sharedObjects(),
      options: { ...defaultsOf(OPTIONS), ...options },
    }
    this.source = connectSource(target, this.context)
  }

  static async start(
    t: TestContext,
    answer: Answer,
    options: Partial<ScrapingOptions> = {},
    reads: SharedReads = READS_AT_ONCE,
    ingest = new ModelIngest(),
  ): Promise<Target> {
    let target: Target | undefined
    const server = createServer((request, response) => {
      target!.requests.push(request)
      target!.answer(response, request)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    target = new Target(port, answer, options, reads, 'http', ingest)
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

/** 64 MiB of zeros, in 64 KiB. */
const bomb: Answer = (response) => {
  response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(67_108_864)))
}

/** Lines for as long as they are read. */
const endless: Answer = (response) => {
  response.writeHead(200)
  const line = `a{n="${'x'.repeat(1000)}"} 1\n`
  const write = (): void => {
    while (!response.destroyed && response.write(line));
  }
  response.on('drain', write)
  write()
}

/** Makes a key and a certificate of it for 127.0.0.1; undefined without OpenSSL. */
function selfSigned(t: TestContext): { readonly key: Buffer; readonly cert: Buffer } | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-tls-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const files = ['-keyout', key, '-out', cert, '-days', '2']
  const { status } = spawnSync('openssl', ['req', '-x509', ...kind, ...subject, ...files])
  return status === 0 ? { key: readFileSync(key), cert: readFileSync(cert) } : undefined
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
      [bomb, 'too_large', /more than 10000 bytes/],
      [endless, 'too_large', /more than 10000 bytes/],
      [text('x', { 'Content-Encoding': 'br' }), 'content_encoding', /want gzip or none/],
      [text(new Uint8Array(10_001)), 'too_large', /more than 10000 bytes/],
      [text('a 2\nb 2'), 'cut_off', /does not end/],
      [(response) => void response.destroy(), 'connect', /ECONNRESET|socket hang up/],
      [
        (response) => void response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end(),
        'status',
        /status 302, to/,
      ],
      [(_, { socket }) => void socket.end('SSH-2.0-x\r\n'), 'bad_answer', /no HTTP/],
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
    for (const [i, [answer, reason, message]] of bad.entries()) {
      limited.answer = text('a 1\n')
      await limited.scrape()
      assert.equal(limited.value('a'), 1)
      limited.answer = answer
      await limited.scrape()
      assert.equal(limited.value('up'), 0, reason)
      assert.ok(Number.isNaN(limited.value('a')), reason)
      const counted = bad.slice(0, i + 1).filter((each) => each[1] === reason).length
      assert.equal(limited.reports.counts[`scrapes_failed ${reason}`], counted)
      assert.match(limited.source.status().link.reason!, message)
    }
  })

  test('with more series than there is room for is told to be up all the same', async (t) => {
    const ingest = new ModelIngest({ seriesLimit: 5 }) // as many as are told of a scrape
    const target = await Target.start(t, text('a 1\nb 2\n'), {}, READS_AT_ONCE, ingest)
    await target.scrape()
    assert.deepEqual([target.value('up'), target.value('a')], [1, undefined])
    assert.equal(target.ingest.counted.series_limit, 2)
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

  test('by TLS is who its certificate says, or is not up', async (t) => {
    const own = selfSigned(t)
    if (own === undefined) return t.skip('no OpenSSL')
    const server = createTlsServer(own, (_, response) => void response.end('a 1\n'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => void server.close())
    const { port } = server.address() as AddressInfo
    const target = new Target(port, () => {}, {}, READS_AT_ONCE, 'https')
    t.after(() => target.source.close())
    await target.scrape()
    assert.equal(target.value('up'), 0)
    assert.match(target.source.status().link.reason!, /SELF_SIGNED/)
    const trusted = getCACertificates('default')
    t.after(() => setDefaultCACertificates(trusted))
    setDefaultCACertificates([...trusted, own.cert.toString()])
    await target.scrape()
    assert.deepEqual([target.value('up'), target.value('a')], [1, 1])
  })

  test('with the labels of another one is refused until that is closed', async (t) => {
    const rule = { sourceLabels: [], separator: ';', regex: '(.*)', action: 'replace' } as const
    const relabel = [{ ...rule, targetLabel: 'instance', replacement: 'one' }]
    const job: JobConfig = {
      ...{ name: 't', targets: [], path: '/metrics', labels: {}, relabel },
      ...{ intervalMs: 0, timeoutMs: 0, honorLabels: false, metricRelabel: [], scheme: 'http' },
    }
    const target = await Target.start(t, text('a 1\n'), { jobs: [job] })
    const url = 'prometheus+http://127.0.0.2:1?job=t'
    const other = { transport: 'tcp', host: '127.0.0.2', port: 1, url } as const
    const connect = () => connectSource(other, target.context)
    assert.throws(connect, new RegExp(`would be those of http://127.0.0.1:${target.port}/metrics`))
    await target.source.close()
    await connect().close()
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
    assert.equal(target.value('up'), undefined)
    assert.equal(target.ingest.series.length, 5) // those that are told of a scrape, without values
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
    assert.ok(target.ingest.series.every(({ value }) => value === undefined))
  })
})
