/** `POST /v1/metrics` of a running hub: what is answered to what, on both of its ports. */
import assert from 'node:assert/strict'
import { connect, createServer } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { serve } from '../../../../test/support/http-client.ts'
import { startHub as startTestHub, until } from '../../../../test/support/hub/hub.ts'
import { FREE_PORTS } from '../../../../test/support/ports.ts'
import { type HubOptions, type RunningHub, startHub } from '../../../start-hub.ts'
import { encodeOpenTelemetry } from '../codec.ts'
import { attributes, type Json, resourceOf } from '../test/requests.ts'

const PROTOBUF = 'application/x-protobuf'
const JSON_TYPE = 'application/json'

async function start(context: TestContext, options: HubOptions = {}): Promise<RunningHub> {
  const hub = await startHub({ config: { ...FREE_PORTS, ...options } })
  context.after(() => hub.close())
  return hub
}

interface Answer {
  readonly status: number
  readonly type: string | null
  readonly retryAfter: string | null
  readonly bytes: Buffer
}

async function post(
  hub: RunningHub,
  body: Uint8Array | string,
  headers: Readonly<Record<string, string>> = {},
  port = 'http',
): Promise<Answer> {
  const address = `http://127.0.0.1:${hub.addresses[port]!.port}/v1/metrics`
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': PROTOBUF, ...headers },
    body: body as Uint8Array<ArrayBuffer>,
  })
  return {
    status: answer.status,
    type: answer.headers.get('Content-Type'),
    retryAfter: answer.headers.get('Retry-After'),
    bytes: Buffer.from(await answer.arrayBuffer()),
  }
}

function gauge(name: string, dataPoints: readonly Json[], rest: Json = {}): Json {
  return { name, gauge: { dataPoints }, ...rest }
}

function requestOf(metrics: readonly Json[], resource = {}): Uint8Array {
  return encodeOpenTelemetry([resourceOf(metrics, resource)])[0]!
}

function seriesOf(hub: RunningHub, name: string) {
  return [...hub.series()].find(({ identity }) => identity.name === name)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

suite('POST /v1/metrics', () => {
  test('takes points with names, units, descriptions, and shows who sent them', async (context) => {
    const hub = await start(context)
    const metric = gauge('room', [{ asDouble: 21.5 }], { unit: 'Cel', description: 'In the room' })
    const resource = { 'service.name': 'shop', 'host.name': 'web' }
    const answer = await post(hub, requestOf([metric], resource))
    assert.deepEqual([answer.status, answer.type, answer.bytes.length], [200, PROTOBUF, 0])
    await until(() => seriesOf(hub, 'room') !== undefined)
    const { identity, metadata, total } = seriesOf(hub, 'room')!
    assert.deepEqual(identity.labels, [
      ['otel.scope.name', 'lib'],
      ['service.name', 'shop'],
    ])
    assert.deepEqual([metadata.unit, metadata.description], ['Cel', 'In the room'])
    assert.ok(total.kind === 'gauge' && total.value === 21.5)
    const shown = hub.sources().connections.find(({ dialect }) => dialect === 'opentelemetry')
    assert.deepEqual(shown?.facts, {
      ...{ service: 'shop', requests: 1, points: 1, rejected: 0, 'host.name': 'web' },
    })
  })

  test('takes JSON and gzip, and answers in the type of the request', async (context) => {
    const hub = await start(context)
    const metrics = [gauge('json', [{ asInt: 5 }, { asInt: 'x' }])]
    const body = gzipSync(JSON.stringify({ resourceMetrics: [resourceOf(metrics)] }))
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Encoding': 'gzip',
    }
    const { status, type, bytes } = await post(hub, body, headers)
    assert.deepEqual([status, type], [200, JSON_TYPE])
    assert.deepEqual(JSON.parse(bytes.toString()), {
      partialSuccess: {
        rejectedDataPoints: '1',
        errorMessage: '1 point was not taken: 1 bad_value',
      },
    })
    await until(() => seriesOf(hub, 'json') !== undefined)
  })

  test('of a hub that is overloaded asks to wait, and is not read', async (context) => {
    const { hub } = await startTestHub()
    Object.defineProperty(hub, 'refusesAnswers', { value: true })
    const http = await serve(context, { view: hub })
    const headers = { 'Content-Type': PROTOBUF }
    const body = Buffer.from(requestOf([gauge('a', [{ asInt: 1 }])]))
    const answer = await http.ask('/v1/metrics', { method: 'POST', headers, body })
    assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '1'])
    assert.match(answer.text, /overloaded/)
  })

  test('says in protobuf how many points it did not take, and why', async (context) => {
    const hub = await start(context)
    const { status, bytes } = await post(hub, requestOf([gauge('a', [{}, {}, { asInt: 1 }])]))
    const text = '2 points were not taken: 2 no_value'
    const partial = [0x08, 2, 0x12, text.length, ...Buffer.from(text)]
    assert.deepEqual([status, bytes], [200, Buffer.from([0x0a, partial.length, ...partial])])
    const errors = hub.sources().errors.filter(({ dialect }) => dialect === 'opentelemetry')
    assert.deepEqual(
      errors.map(({ code, count }) => [code, count]),
      [['no_value', 2]],
    )
  })

  test('leaves out a point of more than a megabyte, and takes the others', async (context) => {
    const hub = await start(context)
    const exemplars = Array.from({ length: 20_000 }, () => {
      return { asInt: 1, filteredAttributes: attributes({ a: 'x'.repeat(50) }) }
    })
    const body = requestOf([
      gauge('long', [{ asInt: 1, exemplars }]),
      gauge('short', [{ asInt: 2 }]),
    ])
    const { status, bytes } = await post(hub, gzipSync(body), { 'Content-Encoding': 'gzip' })
    assert.equal(status, 200)
    assert.match(bytes.toString(), /1 point was not taken: 1 point_too_large$/)
    await until(() => seriesOf(hub, 'short') !== undefined)
    assert.equal(seriesOf(hub, 'long'), undefined)
  })

  test('refuses JSON that would take long to parse: by size, and by objects', async (context) => {
    const hub = await start(context)
    const headers = { 'Content-Encoding': 'gzip', 'Content-Type': JSON_TYPE }
    for (const [text, words] of [
      [' '.repeat(4_194_305), /longer than 4194304 bytes once unpacked/],
      [`{"resourceMetrics":[${Array(262_144).fill('{}')}]}`, /more than 262144 objects and lists/],
      [`{"other":[${Array(262_144).fill('[]')}]}`, /more than 262144 objects and lists/],
    ] as const) {
      const { status, bytes } = await post(hub, gzipSync(text), headers)
      assert.equal(status, 413)
      assert.match(bytes.toString(), words)
    }
  })

  test('refuses what it can’t read, by status and a counted reason', async (context) => {
    const limits = { requestBytesLimit: 100_000, unpackedBytesLimit: 200_000 }
    const hub = await start(context, { opentelemetry: limits })
    const gzip = { 'Content-Encoding': 'gzip' }
    const json = { 'Content-Type': JSON_TYPE }
    const deep = `{"resourceMetrics":[{"resource":{"attributes":[{"key":"k","value":${
      '{"arrayValue":{"values":['.repeat(100) + ']}}'.repeat(100)
    }}]}}]}`
    const asked: [Uint8Array | string, Readonly<Record<string, string>>, number, string][] = [
      [Uint8Array.of(0x0a, 0x7f), {}, 400, 'bad_protobuf'],
      ['{', json, 400, 'bad_json'],
      [deep, json, 400, 'too_deep'],
      ['x', gzip, 400, 'bad_gzip'],
      [gzipSync(new Uint8Array(200_001)), gzip, 413, 'too_large'],
      [new Uint8Array(100_001), {}, 413, ''],
      ['a', { 'Content-Type': 'text/plain' }, 415, ''],
      ['a', { 'Content-Encoding': 'br' }, 415, ''],
    ]
    for (const [body, headers, status] of asked) {
      const answer = await post(hub, body, headers)
      assert.equal(answer.status, status, `${body.length} bytes, ${JSON.stringify(headers)}`)
    }
    const codes = hub.sources().errors.map(({ code }) => code)
    const wanted = asked.map(([, , , code]) => code).filter((code) => code !== '')
    assert.deepEqual(codes.sort(), wanted.sort())
    const { status, bytes, type } = await post(hub, Uint8Array.of(0x08))
    assert.deepEqual([status, type, bytes[0], bytes[1]], [400, PROTOBUF, 0x08, 3])
  })

  test('is answered at a port of its own as well, and lets go of it', async () => {
    const port = await freePort()
    const hub = await startHub({ config: { ...FREE_PORTS, opentelemetry: { port } } })
    assert.deepEqual(hub.addresses.opentelemetry, { host: '127.0.0.1', port })
    const { status } = await post(hub, requestOf([gauge('a', [{ asInt: 1 }])]), {}, 'opentelemetry')
    assert.equal(status, 200)
    await hub.close()
    const socket = connect({ host: '127.0.0.1', port })
    const error = await new Promise<NodeJS.ErrnoException>((resolve) => {
      socket.once('error', resolve)
    })
    assert.equal(error.code, 'ECONNREFUSED')
  })

  test('that are long take their memory together, or have to wait', async (context) => {
    const hub = await start(context, { opentelemetry: { requestBytesLimit: 40_000_000 } })
    const begun = Array.from({ length: 2 }, () => connect(hub.addresses.http!))
    context.after(() => begun.forEach((socket) => void socket.destroy()))
    const half = Buffer.alloc(33_000_000)
    for (const socket of begun) {
      socket.on('error', () => {})
      const head = `Content-Type: ${PROTOBUF}\r\nContent-Length: 40000000`
      socket.write(`POST /v1/metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n${head}\r\n\r\n`)
      socket.write(half)
    }
    const answers = await Promise.race(
      begun.map(async (socket) => {
        const [bytes] = await new Promise<Buffer[]>((resolve) => {
          socket.once('data', (data) => resolve([Buffer.from(data)]))
        })
        return bytes!.toString()
      }),
    )
    assert.match(answers, /^HTTP\/1.1 503/)
    assert.match(answers, /retry-after: 1/i)
    for (const socket of begun) socket.destroy()
    const metric = gauge('later', [{ asInt: 1, attributes: attributes({ a: 'x'.repeat(10_000) }) }])
    await until(async () => (await post(hub, requestOf([metric]))).status === 200)
  })

  test('unpack within the memory of all; others are told when to come again', async (context) => {
    const hub = await start(context)
    const headers = { 'Content-Encoding': 'gzip' }
    // a field that no message of OTLP has, 16 MiB of it
    const long = Buffer.alloc(16_777_216)
    long.set([0x7a, 0xfb, 0xff, 0xff, 0x07])
    const bomb = gzipSync(long)
    const answers = await Promise.all(Array.from({ length: 40 }, () => post(hub, bomb, headers)))
    const statuses = new Set(answers.map(({ status }) => status))
    assert.deepEqual([...statuses].sort(), [413, 503])
    for (const { status, retryAfter } of answers) {
      assert.equal(retryAfter, status === 503 ? '1' : null)
    }
    await until(async () => (await post(hub, bomb, headers)).status === 413)
  })

  test('may be packed in parts, of which the last one alone states its size', async (context) => {
    const hub = await start(context)
    const body = requestOf([gauge('parts', [{ asInt: 1 }])])
    const parts = [body.subarray(0, -3), body.subarray(-3)].map((part) => gzipSync(part))
    const { status } = await post(hub, Buffer.concat(parts), { 'Content-Encoding': 'gzip' })
    assert.equal(status, 200)
    await until(() => seriesOf(hub, 'parts') !== undefined)
  })

  test('beyond those that may be read at once wait for their turn', async (context) => {
    const hub = await start(context)
    // packed they are all there at once, long before the first one has been read
    const many = gzipSync(requestOf([gauge('busy', Array<Json>(40_000).fill({ asInt: 1 }))]))
    const gzip = { 'Content-Encoding': 'gzip' }
    const answers = await Promise.all(Array.from({ length: 160 }, () => post(hub, many, gzip)))
    const refused = answers.filter(({ status }) => status !== 200)
    assert.ok(refused.some(({ status }) => status === 429))
    for (const { status, retryAfter, bytes } of refused) {
      assert.deepEqual([[429, 503].includes(status), retryAfter], [true, '1'])
      assert.deepEqual([bytes[0], bytes[1]], [0x08, status === 429 ? 8 : 14]) // google.rpc.Status
    }
    assert.ok(refused.length < answers.length)
    await until(async () => (await post(hub, many, gzip)).status === 200)
  })

  test('of a refused series are counted each, and taken once there is room', async (context) => {
    const hub = await start(context, { seriesLimitPerSource: 1 })
    const bounded = (count: number) => ({
      name: 'sizes',
      histogram: {
        aggregationTemporality: 1,
        dataPoints: [
          {
            startTimeUnixNano: `${count}`,
            timeUnixNano: `${count + 1}`,
            count: '1',
            explicitBounds: [1],
            bucketCounts: ['1', '0'],
          },
        ],
      },
    })
    await post(hub, requestOf([gauge('first', [{ asInt: 1 }])]))
    for (let i = 1; i <= 5; i++) {
      const { bytes } = await post(hub, requestOf([bounded(i)]))
      assert.match(bytes.toString(), /1 point was not taken: 1 series_refused/)
    }
    const refusals = hub.sources().refusals.filter(({ dialect }) => dialect === 'opentelemetry')
    assert.deepEqual(
      refusals.map(({ code, count }) => [code, count]),
      [['series_limit_per_source', 5]],
    )
  })
})
