/**
 * The life of a datagram as ARCHITECTURE.md tells it, with the clock in the test's hand: bytes on a
 * real socket become a total in the zone, a cell at the tick, an event in the live stream, a
 * column of the range and a line of /metrics.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CellsEvent, RangeAnswer, SeriesPage } from '../../src/http/api.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { packet, sendUdp, seriesNamed, startHub } from '../support/hub/hub.ts'

test('a datagram becomes a plotted point', async (context) => {
  const started = await startHub()
  const { hub, clock } = started
  context.after(() => hub.stop())
  const http = createHttpServer({ view: hub, webRoot: '/nonexistent', host: '127.0.0.1', port: 0 })
  context.after(() => http.stop())
  const { port } = await http.start()
  const get = async (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`)

  await sendUdp(started, [packet('checkout.requests:3|m\ncheckout.latency:118|h\n')])
  const requests = seriesNamed(hub, 'checkout.requests')
  assert.deepEqual(hub.total(requests), { kind: 'counter', total: 3, decrements: 0 })

  const page = (await (await get('/api/v1/series?filter=checkout')).json()) as SeriesPage
  assert.deepEqual(
    page.series.map(({ name, kind, type }) => [name, kind, type]),
    [
      ['checkout.requests', 'counter', 'm'],
      ['checkout.latency', 'histogram', 'h'],
    ],
  )

  const ids = page.series.map(({ id }) => id)
  const stream = await get(`/api/v1/live?series=${ids.join(',')}`)
  const events = readEvents(stream)
  assert.equal((await events.next()).value?.event, 'hello')
  clock.advance(1000)
  const endMs = clock.startMs + 1000
  const cells = await nextCells(events)
  assert.equal(cells.endMs, endMs)
  assert.deepEqual(cells.counters, [[ids[0], 3]])
  const [id, cell] = cells.histograms[0]!
  assert.equal(id, ids[1])
  assert.deepEqual([cell.count, cell.min, cell.max, cell.p50], [1, 118, 118, 118])

  clock.advance(1000)
  const window = `from=${clock.startMs}&to=${clock.startMs + 2000}`
  const range = (await (
    await get(`/api/v1/range?series=${ids[0]}&${window}`)
  ).json()) as RangeAnswer
  assert.deepEqual(range.columns, [{ id: ids[0], kind: 'counter', delta: [3, 0] }])

  const metrics = await (await get('/metrics')).text()
  assert.match(metrics, /^checkout_requests_total\{shp_type="m"\} 3$/m)
  assert.match(metrics, /^checkout_latency_hist_seconds_sum 0\.118$/m)
})

interface ServerEvent {
  readonly event: string
  readonly data: string
}

/** Takes a stream of server-sent events apart. */
async function* readEvents(response: Response): AsyncGenerator<ServerEvent> {
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n')
      text = text.slice(end + 2)
      const field = (name: string): string =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
      if (field('event') !== '') yield { event: field('event'), data: field('data') }
    }
  }
}

async function nextCells(events: AsyncGenerator<ServerEvent>): Promise<CellsEvent> {
  for await (const { event, data } of events) if (event === 'cells') return JSON.parse(data)
  throw new Error('the stream ended without cells')
}
