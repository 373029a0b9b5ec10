/** `POST /api/v1/write` of a running hub: what is answered to what. */
import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { serve } from '../../../../test/support/http-client.ts'
import { startHub as startTestHub, until } from '../../../../test/support/hub/hub.ts'
import { FREE_PORTS } from '../../../../test/support/ports.ts'
import { type HubOptions, type RunningHub, startHub } from '../../../start-hub.ts'
import { packSnappy } from '../codec/snappy.ts'
import { encodeRemoteWrite } from '../codec.ts'
import { MESSAGES } from '../spec.ts'
import { type Json, labels, NATIVE, request2Of, requestOf, series } from '../test/requests.ts'

const VERSION_2 = { 'Content-Type': `application/x-protobuf;proto=${MESSAGES[2]}` }
const HEADERS = { 'Content-Type': 'application/x-protobuf', 'Content-Encoding': 'snappy' }

async function start(context: TestContext, options: HubOptions = {}): Promise<RunningHub> {
  const hub = await startHub({ config: { ...FREE_PORTS, ...options } })
  context.after(() => hub.close())
  return hub
}

async function post(
  { addresses }: RunningHub,
  body: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; text: string; retryAfter: string | null; written: string }> {
  const answer = await fetch(`http://127.0.0.1:${addresses.http!.port}/api/v1/write`, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: body as Uint8Array<ArrayBuffer>,
  })
  const retryAfter = answer.headers.get('Retry-After')
  const written = ['Samples', 'Histograms', 'Exemplars'].map((each) => {
    return answer.headers.get(`X-Prometheus-Remote-Write-${each}-Written`) ?? '–'
  })
  const text = await answer.text()
  return { status: answer.status, text, retryAfter, written: written.join(' ') }
}

function bodyOf(...all: Parameters<typeof requestOf>): Uint8Array {
  return encodeRemoteWrite([requestOf(...all)])[0]!
}

function seriesOf(hub: RunningHub, name: string) {
  return [...hub.series()].find(({ identity }) => identity.name === name)
}

suite('POST /api/v1/write', () => {
  test('takes samples with what is said of them, and shows who sent them', async (context) => {
    const hub = await start(context)
    const said = [{ type: 1, metricFamilyName: 'hits', help: 'Of all', unit: 'hits' }]
    const hits = (value: number, ms: number) => series('hits', value, Date.now() + ms, { a: 'b' })
    const agent = { 'User-Agent': 'Prometheus/3.5' }
    const { status, text } = await post(hub, bodyOf([hits(40, 0)], said), agent)
    assert.deepEqual([status, text], [204, ''])
    await post(hub, bodyOf([hits(42, 1000)]), agent)
    await until(() => {
      const total = seriesOf(hub, 'hits')?.total
      return total?.kind === 'counter' && total.total === 2
    })
    const { identity, metadata } = seriesOf(hub, 'hits')!
    assert.deepEqual(identity.labels, [['a', 'b']])
    assert.deepEqual([metadata.unit, metadata.description], ['hits', 'Of all'])
    const shown = hub.sources().connections.find(({ dialect }) => dialect === 'remotewrite')
    assert.deepEqual(shown?.facts, {
      agent: 'Prometheus/3.5',
      requests: 2,
      samples: 2,
      rejected: 0,
    })
  })

  test('says which samples it did not take, and takes the others', async (context) => {
    const hub = await start(context)
    const now = Date.now()
    const all = [series('a', 1, now), series('a', 2, now - 1), series('', 1), series('b', 1, now)]
    const { status, text } = await post(hub, bodyOf(all))
    assert.equal(status, 400)
    assert.equal(text, '2 of 4 samples were not taken: 1 out_of_order, 1 bad_name\n')
    await until(() => seriesOf(hub, 'b') !== undefined)
    const { errors } = hub.sources()
    assert.deepEqual(
      errors.map(({ code, count }) => [code, count]),
      [['bad_name', 1]],
    )
  })

  test('refuses what it can’t read, by status and a counted reason', async (context) => {
    const limits = { requestBytesLimit: 100_000, unpackedBytesLimit: 200_000 }
    const hub = await start(context, { remotewrite: limits })
    const later = 'application/x-protobuf;proto=io.prometheus.write.v3.Request'
    // 200,001 bytes as one literal byte and copies of it
    const bomb = [0xc1, 0x9a, 0x0c, 0, 0x0a, ...Array<number[]>(3125).fill([0xfe, 1, 0]).flat()]
    const asked: [Uint8Array, Readonly<Record<string, string>>, number, string][] = [
      [Uint8Array.of(8, 0, 65), {}, 400, 'bad_snappy'],
      [packSnappy(Uint8Array.of(0x0a, 0x7f)), {}, 400, 'bad_protobuf'],
      [Uint8Array.from(bomb), {}, 413, 'too_large'],
      [new Uint8Array(100_001), {}, 413, ''],
      [bodyOf([series('a', 1)]), VERSION_2, 400, 'other_version'],
      [packSnappy(Uint8Array.of(0x22, 1, 0x61)), VERSION_2, 400, 'bad_symbols'],
      [bodyOf([series('a', 1)]), { 'Content-Type': later }, 415, ''],
      [bodyOf([series('a', 1)]), { 'Content-Encoding': 'gzip' }, 415, ''],
      [bodyOf([series('a', 1)]), { 'Content-Type': 'text/plain' }, 415, ''],
    ]
    for (const [body, headers, status] of asked) {
      const answer = await post(hub, body, headers)
      assert.equal(answer.status, status, `${body.length} bytes, ${JSON.stringify(headers)}`)
      assert.match(answer.text, /^[^{].*\n$/)
    }
    const codes = hub.sources().errors.map(({ code }) => code)
    const wanted = asked.map(([, , , code]) => code).filter((code) => code !== '')
    assert.deepEqual(codes.sort(), wanted.sort())
    const { text } = await post(hub, new Uint8Array(0), { 'Content-Type': later })
    assert.match(text, /takes prometheus\.WriteRequest and io\.prometheus\.write\.v2\.Request/)
  })

  test('beyond those that are read at once asks to wait, and takes them later', async (context) => {
    const hub = await start(context)
    const timestamp = String(Date.now())
    // packed they are all there at once, long before the first one has been read
    const samples = Array.from({ length: 20_000 }, () => ({ value: 7, timestamp }))
    const many = bodyOf([{ ...series('busy', 7), samples }])
    const answers = await Promise.all(Array.from({ length: 100 }, () => post(hub, many)))
    const refused = answers.filter(({ status }) => status !== 204)
    assert.ok(refused.some(({ status }) => status === 429))
    assert.ok(refused.length < answers.length)
    for (const { status, text, retryAfter } of refused) {
      assert.deepEqual([[429, 503].includes(status), retryAfter], [true, '1'])
      assert.match(text, /; send it again later\n$/)
    }
    await until(async () => (await post(hub, many)).status === 204)
  })

  test('of a hub that is overloaded asks to wait, and is not read', async (context) => {
    const { hub } = await startTestHub()
    Object.defineProperty(hub, 'refusesAnswers', { value: true })
    const http = await serve(context, { view: hub })
    const body = Buffer.from(bodyOf([series('a', 1, 0)]))
    const answer = await http.ask('/api/v1/write', { method: 'POST', headers: HEADERS, body })
    assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '1'])
    assert.match(answer.text, /overloaded; send it again later\n$/)
    assert.equal(
      [...hub.series].some(({ identity }) => identity.name === 'a'),
      false,
    )
  })

  test('takes what names its message, of version 1.0', async (context) => {
    const hub = await start(context)
    const type = 'application/x-protobuf;proto=prometheus.WriteRequest'
    const { status } = await post(hub, bodyOf([series('a', 1, 0)]), { 'Content-Type': type })
    assert.equal(status, 204)
  })

  test('says in headers how much of a request of 2.0 it has written', async (context) => {
    const hub = await start(context)
    const now = Date.now()
    const native: Json = {
      labels: labels('latency'),
      histograms: [{ ...NATIVE, timestamp: String(now) }],
      exemplars: [{ value: 0.5, timestamp: String(now) }],
    }
    const post2 = (timeseries: readonly Json[]) => {
      return post(hub, encodeRemoteWrite([request2Of(timeseries)])[0]!, VERSION_2)
    }
    const whole = await post2([series('a', 1, now), native])
    assert.deepEqual([whole.status, whole.text, whole.written], [204, '', '1 1 1'])
    const partly = await post2([series('a', 2, now - 1), series('b', 1, now)])
    assert.deepEqual([partly.status, partly.written], [400, '1 0 0'])
    assert.equal(partly.text, '1 of 2 samples were not taken: 1 out_of_order\n')
    const traced = await post2([{ ...series('c', 1, now), exemplars: [{ value: 'NaN' }] }])
    assert.deepEqual([traced.status, traced.written], [400, '1 0 0'])
    assert.match(traced.text, /^0 of 1 samples and 1 of 1 exemplars were not taken: 1 bad_exemplar/)
    const broken = await post(hub, Uint8Array.of(8, 0, 65), VERSION_2)
    assert.deepEqual([broken.status, broken.written], [400, '0 0 0'])
    const former = await post(hub, bodyOf([series('d', 1, now)]))
    assert.deepEqual([former.status, former.written], [204, '– – –'])
  })
})
