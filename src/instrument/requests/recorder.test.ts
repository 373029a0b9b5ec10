import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get, type RequestListener } from 'node:http'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { metricsText } from '../metrics.ts'
import { CounterRegistry, EventSource } from '../registry.ts'
import { RequestRecorder, type RequestRecorderOptions } from './recorder.ts'
import { requestInstruments } from './request-sink.ts'

function recorder(options: Partial<RequestRecorderOptions> = {}) {
  const lines: string[] = []
  const clock = new FakeClock()
  const requests = new RequestRecorder({
    app: 'my_app',
    host: 'web1',
    upstreams: ['rdbms', 'authz'],
    to: [{ send: ({ key, value, type }) => lines.push(`${key}:${value}|${type}`) }],
    clock,
    ...options,
  })
  return { requests, lines, clock }
}

const START = [
  'my-app.application.allRequests:1|m',
  'my-app.web1.allRequests:1|m',
  'my-app.application.byRequestType.nodes.PUT:1|m',
]

suite('a recorded request', () => {
  test('is told under the keys that services have, with calls added up by label and prefix', () => {
    const { requests, lines, clock } = recorder({ app: 'my-app' })
    const request = requests.start('nodes', 'PUT')
    assert.deepEqual(lines.splice(0), START)
    for (const [label, ms] of [
      ['rdbms.nodes.put', 200.4],
      ['rdbms.nodes.fetch', 600.5],
      ['rdbms.nodes.fetch', 399.6],
      ['authz.nodes.read', 100],
      ['rdbmsX', 1],
      ['cache.get', 9],
    ] as const) {
      request.add(label, ms)
    }
    clock.advance(108.9)
    assert.equal(request.report(200), true)
    assert.deepEqual(lines.splice(0), [
      'my-app.application.byStatusCode.200:1|m',
      'my-app.web1.byStatusCode.200:1|m',
      'my-app.application.allRequests:108|h',
      'my-app.web1.allRequests:108|h',
      'my-app.application.byRequestType.nodes.PUT:108|h',
      'my-app.upstreamRequests.rdbms:1201|h',
      'my-app.upstreamRequests.authz:100|h',
      'my-app.upstreamRequests.rdbms.nodes.put:200|h',
      'my-app.upstreamRequests.rdbms.nodes.fetch:1000|h',
      'my-app.upstreamRequests.authz.nodes.read:100|h',
      'my-app.upstreamRequests.rdbmsX:1|h',
      'my-app.application.byRequestType.nodes.PUT.upstreamRequests.rdbms:1201|h',
      'my-app.application.byRequestType.nodes.PUT.upstreamRequests.authz:100|h',
    ])
    assert.equal(request.report(500), false)
    assert.deepEqual(lines, [])
  })

  test('gives a log line its times and counts, so far and when it was reported', () => {
    const { requests, clock } = recorder()
    const request = requests.start('nodes', 'GET')
    request.add('rdbms.a', 1.5)
    request.add('rdbms.b', 1.5)
    request.add('cache', 1)
    clock.advance(10)
    const upstreams = { req_time: 10, rdbms_time: 3, rdbms_count: 2 }
    assert.deepEqual(request.snapshot(), upstreams)
    const calls = {
      ...{ 'rdbms.a_time': 1, 'rdbms.a_count': 1, 'rdbms.b_time': 1, 'rdbms.b_count': 1 },
      ...{ cache_time: 1, cache_count: 1 },
    }
    assert.deepEqual(request.snapshot('calls'), { req_time: 10, ...calls })
    request.report(200)
    clock.advance(90)
    assert.deepEqual(request.snapshot('all'), { ...upstreams, ...calls })
  })

  test('times calls that return, that wait, and that fail', async () => {
    const { requests, clock } = recorder()
    const request = requests.start('a', 'b')
    assert.equal(
      request.time('one', () => {
        clock.advance(2)
        return 7
      }),
      7,
    )
    const waiting = request.time('two', async () => {
      await setImmediate()
      clock.advance(3)
      return 8
    })
    assert.equal(await waiting, 8)
    const fail = () => {
      clock.advance(4)
      throw new Error('no')
    }
    assert.throws(() => request.time('three', fail), /no/)
    await assert.rejects(
      request.time('four', async () => fail()),
      /no/,
    )
    const { one_time, two_time, three_time, four_time } = request.snapshot('calls')
    assert.deepEqual([one_time, two_time, three_time, four_time], [2, 3, 4, 4])
  })

  test('labels may be made by the program, call counts are sent where they are asked for', () => {
    const { requests, lines } = recorder({ labelOf: (label) => `rdbms.${label}`, callCounts: true })
    const request = requests.start('a', 'b')
    request.add(42, 1)
    request.add(42, 1)
    request.report(204)
    assert.ok(lines.includes('my_app.upstreamRequests.rdbms.42.calls:2|m'))
  })

  test('what is bad costs itself only, and is counted', () => {
    const broken = { send: () => assert.fail('full') }
    const { requests } = recorder({ to: [broken], kindsLimit: 1, labelOf: () => assert.fail() })
    const request = requests.start('a', 'b')
    for (const ms of [-1, Number.NaN, Number.POSITIVE_INFINITY]) request.add('x', ms)
    request.add({}, 1)
    for (let i = 0; i < 1001; i++) request.add(`label${i}`, 1)
    requests.start('c', 'd').report(200)
    request.report(200)
    assert.deepEqual(requests.counts, { failed: 5, otherKinds: 1, refused: 5 })
    assert.throws(() => new RequestRecorder({ app: '', to: [] }), TypeError)
    assert.throws(() => new RequestRecorder({ app: 'a', to: [{} as never] }), TypeError)
  })

  test('instruments have it by route, method and status', () => {
    const registry = new CounterRegistry()
    const source = new EventSource('Web', { registry })
    metricsText(registry)
    const { requests, clock } = recorder({ to: [requestInstruments(source)] })
    const request = requests.start('cart', 'GET')
    request.add('rdbms.a', 5)
    request.mark('checkout')
    clock.advance(20)
    request.report(404)
    const text = metricsText(registry)
    assert.match(
      text,
      /^web_requests_total\{method="GET",provider="Web",route="cart",status="404"\} 1$/m,
    )
    assert.match(text, /^web_requests_started_total\{provider="Web"\} 1$/m)
    assert.match(
      text,
      /^web_request_time_seconds_sum\{method="GET",provider="Web",route="cart"\} 0\.02$/m,
    )
    assert.match(text, /^web_upstream_time_seconds_sum\{call="rdbms\.a",provider="Web"\} 0\.005$/m)
    assert.match(text, /^web_marks_total\{key="checkout",provider="Web"\} 1$/m)
  })
})

/** Serves requests, gets these paths one after the other. */
async function visit(listener: RequestListener, paths: readonly string[]): Promise<void> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  for (const path of paths) await (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  server.close()
}

suite('the middleware', { timeout: 30_000 }, () => {
  test('of node:http records status, and code far below finds its request', async () => {
    const { requests, lines } = recorder()
    const record = requests.middleware({ label: ({ url }) => (url === '/a' ? 'a' : undefined) })
    const fetchUser = async () => {
      await setImmediate()
      requests.current?.add('rdbms.fetch_user', 2)
    }
    await visit(
      (request, response) => {
        record(request, response, async () => {
          await fetchUser()
          response.writeHead(request.url === '/a' ? 201 : 404).end()
        })
      },
      ['/a', '/b'],
    )
    assert.equal(requests.current, undefined)
    const counts = lines.filter((line) => line.endsWith('|m'))
    assert.deepEqual(counts, [
      'my_app.application.allRequests:1|m',
      'my_app.web1.allRequests:1|m',
      'my_app.application.byRequestType.a.GET:1|m',
      'my_app.application.byStatusCode.201:1|m',
      'my_app.web1.byStatusCode.201:1|m',
      'my_app.application.allRequests:1|m',
      'my_app.web1.allRequests:1|m',
      'my_app.application.byRequestType.other.GET:1|m',
      'my_app.application.byStatusCode.404:1|m',
      'my_app.web1.byStatusCode.404:1|m',
    ])
    assert.equal(lines.filter((line) => /upstreamRequests\.rdbms:2\|h$/.test(line)).length, 4)
  })

  test('of Express takes the route that was found, and an error of a handler', async () => {
    const { requests, lines } = recorder()
    const record = requests.middleware()
    const errors: unknown[] = []
    await visit(
      (request, response) => {
        // what Express does: middleware, router, the route on the request, the last handler
        try {
          record(request, response, () => {
            const path = request.url === '/shop/cart/7' ? '/cart/:id' : undefined
            if (path !== undefined) Object.assign(request, { baseUrl: '/shop', route: { path } })
            if (request.url === '/boom') throw new Error('boom')
            response.end()
          })
        } catch (error) {
          errors.push(error)
          response.writeHead(500).end()
        }
      },
      ['/shop/cart/7', '/boom'],
    )
    assert.ok(lines.includes('my_app.application.byRequestType.shop_cart_id.GET:1|m'))
    assert.ok(lines.includes('my_app.application.uncaughtExceptions:1|m'))
    assert.ok(lines.includes('my_app.web1.uncaughtExceptions:1|m'))
    assert.ok(lines.includes('my_app.application.byStatusCode.500:1|m'))
    assert.equal(errors.length, 1)
  })

  test('counts a response whose client has gone as aborted, and reports nothing', async () => {
    const { requests, lines } = recorder()
    const record = requests.middleware()
    const closed = Promise.withResolvers<void>()
    const server = createServer((request, response) => {
      record(request, response, () => response.once('close', closed.resolve))
      client.destroy()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = get({ port: (server.address() as { port: number }).port, host: '127.0.0.1' })
    client.on('error', () => {})
    await closed.promise
    server.close()
    assert.deepEqual(lines.slice(2), [
      'my_app.application.abortedRequests:1|m',
      'my_app.web1.abortedRequests:1|m',
    ])
  })
})
