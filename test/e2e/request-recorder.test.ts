/** Requests of a server, recorded, sent by a client, taken by a hub with units of its keys. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { StatsHeroClient, StatsHeroServer } from '../../src/dialects/statshero/index.ts'
import { RequestRecorder } from '../../src/instrument/index.ts'

test('a recorded request needs two datagrams, and arrives whole', { timeout: 30_000 }, async () => {
  const lines: string[] = []
  const server = new StatsHeroServer({
    port: 0,
    onLine: ({ key, value, type }) => lines.push(`${key}:${type === 'h' ? 'n' : value}|${type}`),
  })
  await server.start()
  const client = new StatsHeroClient({ port: server.port, flushIntervalMs: 60_000 })
  await client.start()
  const requests = new RequestRecorder({
    app: 'shop',
    host: 'web1',
    upstreams: ['db'],
    to: [client],
  })
  const request = requests.start('cart', 'GET')
  client.flush()
  request.add('db.load', 3)
  request.report(200)
  await client.close()
  assert.deepEqual(client.counts, { sent: 11, dropped: 0, lost: 0, refused: 0 })
  for (let i = 0; i < 1000 && lines.length < 11; i++) await wait(10)
  assert.deepEqual(lines.slice(0, 5), [
    'shop.application.allRequests:1|m',
    'shop.web1.allRequests:1|m',
    'shop.application.byRequestType.cart.GET:1|m',
    'shop.application.byStatusCode.200:1|m',
    'shop.web1.byStatusCode.200:1|m',
  ])
  assert.equal(lines.at(-1), 'shop.application.byRequestType.cart.GET.upstreamRequests.db:n|h')
  await server.close()
})
