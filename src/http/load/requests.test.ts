import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { FakeClock } from '../../../test/support/fake-clock.ts'
import { serve } from '../../../test/support/http-client.ts'
import { FakeHubView } from '../../../test/support/hub/fake-hub-view.ts'
import { until } from '../../../test/support/hub/hub.ts'
import { RawPeer } from '../../../test/support/raw-peer.ts'
import type { OtlpPreview } from '../export/otlp/source.ts'

const LAST = 'Connection: close\r\n'

function get(path: string, headers = ''): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`)
}

/** An answer that goes on until it is let go; counts how many are in the making. */
class Endless implements OtlpPreview {
  begun = 0
  open = 0
  mostOpen = 0
  isLetGo = false
  readonly #clock: FakeClock

  constructor(clock: FakeClock) {
    this.#clock = clock
  }

  metricsOf(): [] {
    return []
  }

  *json(): Generator<string | undefined, void> {
    this.begun++
    this.open++
    this.mostOpen = Math.max(this.mostOpen, this.open)
    try {
      while (!this.isLetGo) {
        this.#clock.pass(5)
        yield undefined
      }
      yield `{"answer":${this.begun}}`
    } finally {
      this.open--
    }
  }
}

async function start(test: TestContext) {
  const hub = new FakeHubView()
  const otlp = new Endless(hub.clock)
  const server = await serve(test, { view: hub, otlp: async () => otlp })
  const peer = await RawPeer.connect(server.port)
  test.after(() => peer.close())
  return { otlp, server, peer }
}

test('one request of a connection is under way, and all are answered in order', async (t) => {
  const { otlp, peer } = await start(t)
  const paths = Array.from({ length: 30 }, () => get('/api/v1/otlp'))
  peer.write(Buffer.concat([...paths, get('/healthz', LAST)]))
  await until(() => otlp.begun === 1)
  otlp.isLetGo = true
  await peer.ended()
  const bodies = peer.received.toString().match(/\{"[^"]+":\w+/g)
  assert.deepEqual(bodies, [...paths.map((_, i) => `{"answer":${i + 1}`), '{"isAlive":true'])
  assert.equal(otlp.mostOpen, 1)
})

test('a connection in which too many requests wait is closed and counted', async (t) => {
  const { otlp, server, peer } = await start(t)
  peer.write(Buffer.concat(Array.from({ length: 1000 }, () => get('/api/v1/otlp'))))
  await peer.ended()
  await until(() => otlp.open === 0)
  assert.ok(otlp.begun <= 1)
  assert.deepEqual(
    server.counted.filter((each) => each.startsWith('refused')),
    ['refused pipelined_limit'],
  )
})

test('probes are answered beside all that is being made', async (t) => {
  const { otlp, server } = await start(t)
  const peers = await Promise.all(
    Array.from({ length: 100 }, async () => RawPeer.connect(server.port)),
  )
  t.after(() => {
    for (const each of peers) each.close()
  })
  for (const each of peers) each.write(Buffer.concat([get('/api/v1/otlp'), get('/api/v1/otlp')]))
  await until(() => otlp.open === 32)
  assert.equal((await server.ask('/healthz')).status, 200)
  assert.equal((await server.ask('/readyz')).status, 200)
  assert.equal(otlp.mostOpen, 32)
})

test('what is broken behind a request under way ends the connection', async (t) => {
  const { otlp, peer } = await start(t)
  peer.write(Buffer.concat([get('/api/v1/otlp'), Buffer.from('no request\r\n\r\n')]))
  await peer.ended()
  await until(() => otlp.open === 0)
  assert.equal(peer.received.toString(), '')
})
