import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { serve } from '../../../test/support/http-client.ts'
import { FakeHubView, START_MS } from '../../../test/support/hub/fake-hub-view.ts'
import type { CellsEvent, HelloEvent, RangeAnswer, SamplesEvent } from '../api.ts'

async function start(context: TestContext) {
  const hub = new FakeHubView()
  return { hub, server: await serve(context, { view: hub }) }
}

/** Reads the groups of an event: values by time and series. */
function unpacked({ groups }: Pick<SamplesEvent, 'groups'>): [number, number, number][] {
  const doubles = (text: string): Float64Array => {
    const bytes = Uint8Array.from(Buffer.from(text, 'base64'))
    return new Float64Array(bytes.buffer)
  }
  return groups.flatMap((group) => {
    const times = doubles(group.times)
    const values = doubles(group.values)
    return [...times].flatMap((timeMs, row) =>
      group.ids.map((id, column): [number, number, number] => [
        timeMs,
        id,
        values[column * times.length + row]!,
      ]),
    )
  })
}

test('a stream below a second is told of samples with their times, and of seconds', async (t) => {
  const { hub, server } = await start(t)
  const [a, b, c] = ['a', 'b', 'c'].map((name) => hub.add({ name, kind: 'gauge' }))
  const log = hub.samples.open()
  const row = Int32Array.of(a!, b!)
  log.add(START_MS - 5, row, Float64Array.of(8, 9))
  const stream = await server.stream(`/api/v1/live?series=${a},${c}&interval=0.1`)
  assert.equal((await stream.next<HelloEvent>('hello')).data.intervalMs, 100)
  hub.set(c!, 5)
  log.add(START_MS + 20.25, row, Float64Array.of(1, 2))
  log.add(START_MS + 40.5, row, Float64Array.of(3, 4))
  hub.clock.advance(100)
  const first = await stream.next<SamplesEvent>('samples')
  assert.deepEqual(unpacked(first.data), [
    [START_MS + 20.25, a, 1],
    [START_MS + 40.5, a, 3],
    [START_MS + 100, c, 5],
  ])
  assert.equal(first.id, undefined)
  log.add(START_MS + 150, row, Float64Array.of(6, Number.NaN))
  hub.clock.advance(100)
  assert.deepEqual(unpacked((await stream.next<SamplesEvent>('samples')).data), [
    [START_MS + 150, a, 6],
    [START_MS + 200, c, 5],
  ])
  hub.tick()
  assert.deepEqual((await stream.next<CellsEvent>('cells')).data.gauges, [[c, 5]])
  const answer = await server.ask(
    `/api/v1/samples?series=${b}&from=${START_MS - 10}&to=${START_MS + 100}`,
  )
  assert.deepEqual(unpacked(JSON.parse(answer.text) as SamplesEvent), [
    [START_MS - 5, b, 9],
    [START_MS + 20.25, b, 2],
    [START_MS + 40.5, b, 4],
  ])
})

test('a post changes how often a stream is told of samples, and of which', async (t) => {
  const { hub, server } = await start(t)
  const id = hub.add({ name: 'a', kind: 'gauge' })
  hub.set(id, 1)
  const stream = await server.stream('/api/v1/live')
  const { data } = await stream.next<HelloEvent>('hello')
  const post = async (body: object): Promise<number> => {
    const headers = { 'content-type': 'application/json' }
    const path = `/api/v1/live/${data.stream}`
    return (await server.ask(path, { method: 'POST', headers, body: JSON.stringify(body) })).status
  }
  assert.equal(await post({ series: [id], interval: 0.02 }), 204)
  hub.clock.advance(20)
  hub.clock.advance(20)
  assert.equal(unpacked((await stream.next<SamplesEvent>('samples')).data)[0]![1], id)
  assert.equal(await post({ series: [id], interval: 1 }), 204)
  hub.clock.advance(500)
  assert.equal(await post({ series: [id], interval: 0.001 }), 400)
  stream.close()
  await stream.until(() => hub.sessions.size === 0, 'idle hub')
  hub.clock.advance(1000)
  assert.deepEqual(
    hub.samples.logs.map(({ rows }) => rows > 2),
    [false],
  )
})

test('a range below a second shows samples, and no peak is hidden', async (t) => {
  const { hub, server } = await start(t)
  const [sampled, plain] = ['a', 'b'].map((name) => hub.add({ name, kind: 'gauge' }))
  const log = hub.samples.open()
  for (const [ms, value] of [
    [10, 1],
    [60, 49],
    [110, 2],
    [120, -7],
    [130, 3],
  ] as const) {
    log.add(START_MS + ms, Int32Array.of(sampled!), Float64Array.of(value))
  }
  hub.set(plain!, 4)
  hub.tick()
  const path = `/api/v1/range?series=${sampled},${plain}&from=${START_MS}&to=${START_MS + 1000}`
  const answer = await server.ask(`${path}&step=0.1`)
  const { columns } = JSON.parse(answer.text) as RangeAnswer
  const rest = new Array<null>(8).fill(null)
  assert.deepEqual(columns[0], {
    id: sampled,
    kind: 'gauge',
    value: [49, 3, ...rest],
    min: [1, -7, ...rest],
    max: [49, 3, ...rest],
  })
  const held = [...new Array<null>(9).fill(null), 4]
  assert.deepEqual(columns[1], { id: plain, kind: 'gauge', value: held, min: held, max: held })
  assert.equal((await server.ask(`${path}&step=0.001`)).status, 400)
  assert.equal((await server.ask(`${path}&step=1.5`)).status, 400)
})

test('more values than an answer may have are refused, with what to ask for instead', async (t) => {
  const { hub, server } = await start(t)
  const id = hub.add({ name: 'a', kind: 'gauge' })
  const log = hub.samples.open()
  const row = Int32Array.of(id)
  for (let i = 0; i <= 2_000_000; i++) log.add(START_MS + i / 10, row, Float64Array.of(i))
  const path = `/api/v1/samples?series=${id}&from=${START_MS - 1}`
  const answer = await server.ask(`${path}&to=${START_MS + 200_000}`)
  assert.equal(answer.status, 400)
  assert.match(
    answer.text,
    /"code":"too_many_samples".*2000001 values, limit 2000000.*ask for less/,
  )
  assert.equal((await server.ask(`${path}&to=${START_MS + 100}`)).status, 200)
})
