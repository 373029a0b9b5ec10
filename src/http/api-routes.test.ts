import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { serve } from '../../test/support/http-client.ts'
import { FakeHubView, START_MS } from '../../test/support/hub/fake-hub-view.ts'
import type {
  ApiError,
  CellsEvent,
  DeletionAnswer,
  SeriesInfo,
  SeriesPage,
  UsualAnswer,
} from './api.ts'
import type { HubContext } from './guest-routes.ts'
import { requireLoopback } from './query/deletion.ts'

async function start(context: TestContext) {
  const hub = new FakeHubView()
  return { hub, server: await serve(context, { view: hub }) }
}

const names = ({ series }: SeriesPage): string[] => series.map(({ name }) => name)

test('the list filters by words, labels, kind and dialect, and says how many match', async (t) => {
  const { hub, server } = await start(t)
  hub.add({ name: 'shop.Requests', kind: 'counter', labels: [['route', '/pay']] })
  hub.add({ name: 'shop.latency', kind: 'histogram', labels: [['route', '/pay']] })
  hub.add({ name: 'disk', kind: 'gauge', metadata: { dialect: 'scope', displayName: 'Disk C' } })
  const find = async (query: string) => names(await server.json(`/api/v1/series?${query}`))
  assert.deepEqual(await find('filter=requests'), ['shop.Requests'])
  assert.deepEqual(await find('filter=route%3D/pay%20shop'), ['shop.Requests', 'shop.latency'])
  assert.deepEqual(await find('filter=disk%20c'), ['disk'])
  assert.deepEqual(await find('filter=kind%3Dhist'), ['shop.latency'])
  assert.deepEqual(await find('filter=dialect%3Dscope'), ['disk'])
  assert.deepEqual(await find('filter=counter'), [])
  assert.deepEqual(await find('kind=counter'), ['shop.Requests'])
  assert.deepEqual(await find('dialect=scope'), ['disk'])
  assert.deepEqual(await find(''), ['shop.Requests', 'shop.latency', 'disk'])
})

test('pages follow each other without gap or overlap', async (t) => {
  const { hub, server } = await start(t)
  for (let i = 0; i < 7; i++) hub.add({ name: `s${i}`, kind: 'gauge' })
  const seen: string[] = []
  let after = ''
  for (let pages = 1; ; pages++) {
    const page = await server.json<SeriesPage>(`/api/v1/series?limit=3${after}`)
    assert.equal(page.total, 7)
    seen.push(...names(page))
    if (page.next === undefined) {
      assert.equal(pages, 3)
      break
    }
    after = `&after=${page.next}`
  }
  assert.deepEqual(seen, ['s0', 's1', 's2', 's3', 's4', 's5', 's6'])
})

test('a list of some series has those that are there, in the order of their ids', async (t) => {
  const { hub, server } = await start(t)
  const ids = ['a', 'b', 'c'].map((name) => hub.add({ name, kind: 'gauge' }))
  const page = await server.json<SeriesPage>(`/api/v1/series?series=${ids[2]},4711,${ids[0]}`)
  assert.deepEqual(names(page), ['a', 'c'])
  assert.deepEqual([page.total, page.next], [2, undefined])
  assert.equal((await server.ask('/api/v1/series?series=1;2')).status, 400)
})

test('a series says its namespace where its dialect names a label that holds one', async (t) => {
  const { hub, server } = await start(t)
  const labels = [['provider', 'Shop']] as const
  hub.add({ name: 'requests', kind: 'counter', labels, metadata: { dialect: 'eventcounters' } })
  hub.add({ name: 'requests', kind: 'counter', labels, metadata: { dialect: 'scope' } })
  const { series } = await server.json<SeriesPage>('/api/v1/series')
  assert.deepEqual(
    series.map(({ namespace }) => namespace),
    ['Shop', undefined],
  )
})

test('every series has the document’s one value: a counter is stated per minute', async (t) => {
  const { hub, server } = await start(t)
  const metadata = { displayName: 'Exceptions Thrown', rateTimeScaleS: 3600 }
  const thrown = hub.add({ name: 'exceptions-thrown', kind: 'counter', metadata })
  hub.add({ name: 'still', kind: 'counter', metadata: { dialect: 'proxywasm' } })
  const disk = hub.add({ name: 'disk', kind: 'gauge', metadata: { displayName: 'Disk C' } })
  const latency = hub.add({ name: 'latency', kind: 'histogram' })
  hub.add({ name: 'none', kind: 'gauge' })
  const canonical = async () => {
    const { series } = await server.json<SeriesPage>('/api/v1/series')
    return series.map((info) => [info.canonical.name, info.canonical.value])
  }
  assert.deepEqual((await canonical()).at(0), ['Exceptions Thrown / Min', null])
  hub.count(thrown, 4)
  hub.set(disk, 12.5)
  for (const value of [1, 2, 6]) hub.observe(latency, value)
  hub.tick(2)
  assert.deepEqual(await canonical(), [
    ['Exceptions Thrown / Min', 120],
    ['still / Min', 0],
    ['Disk C', 12.5],
    ['latency', 3],
    ['none', null],
  ])
  const info = await server.json<SeriesInfo>(`/api/v1/series/${thrown}`)
  assert.deepEqual([info.rateTimeScaleS, info.canonical.value], [3600, 120])
})

test('the value of an infinite gauge is a literal that parsers read as infinity', async (t) => {
  const { hub, server } = await start(t)
  const id = hub.add({ name: 'g', kind: 'gauge' })
  for (const [value, text] of [
    [Number.POSITIVE_INFINITY, '1e999'],
    [Number.NEGATIVE_INFINITY, '-1e999'],
  ] as const) {
    hub.set(id, value)
    for (const path of ['/api/v1/series', `/api/v1/series/${id}`]) {
      const answer = await server.ask(path)
      assert.ok(answer.text.includes(`"current":${text},`), answer.text)
      assert.ok(answer.text.includes(`"value":${text}}`), answer.text)
    }
  }
  hub.set(id, Number.NaN)
  assert.match((await server.ask('/api/v1/series')).text, /"current":null,/)
})

test('a counter shows its exact net total, its decrements are no own series', async (t) => {
  const { hub, server } = await start(t)
  const id = hub.add({ name: 'n', kind: 'counter' })
  hub.count(id, 2n ** 63n)
  hub.countDown(id, 1)
  hub.tick()
  const page = await server.json<SeriesPage>('/api/v1/series')
  assert.equal(page.total, 1)
  assert.equal(page.series[0]!.current, '9223372036854775807')
  assert.equal((await server.ask('/api/v1/series/1')).status, 404)
})

test('one histogram shows statistics with the error of its buckets', async (t) => {
  const { hub, server } = await start(t)
  const id = hub.add({ name: 'h', kind: 'histogram' })
  for (let i = 1; i <= 1000; i++) hub.observe(id, i)
  hub.tick()
  const info = await server.json<SeriesInfo>(`/api/v1/series/${id}`)
  const { count, sum, min, max, mean, median, p99, stddev, relativeError = 0 } = info.statistics!
  assert.deepEqual([count, sum, min, max, mean], [1000, 500500, 1, 1000, 500.5])
  assert.ok(relativeError > 0 && relativeError < 0.1)
  assert.ok(Math.abs(median! - 500) <= 500 * relativeError)
  assert.ok(Math.abs(p99! - 990) <= 990 * relativeError)
  assert.ok(Math.abs(stddev! - 288.8) < 10)
  assert.equal(info.current, 1000)
})

test('one summary shows its exact statistics and no percentiles', async (t) => {
  const { hub, server } = await start(t)
  const id = hub.add({ name: 's', kind: 'summary' })
  for (const value of [2, 4, 4, 4, 5, 5, 7, 9]) hub.sample(id, value)
  hub.tick()
  const info = await server.json<SeriesInfo>(`/api/v1/series/${id}`)
  assert.deepEqual(info.statistics, { count: 8, sum: 40, min: 2, max: 9, mean: 5, stddev: 2 })
  assert.equal(info.current, 8)
  const empty = hub.add({ name: 'e', kind: 'summary' })
  const { statistics } = await server.json<SeriesInfo>(`/api/v1/series/${empty}`)
  assert.deepEqual(statistics, {
    count: 0,
    sum: null,
    min: null,
    max: null,
    mean: null,
    stddev: null,
  })
})

test('one counter shows its moving averages, an empty histogram nulls', async (t) => {
  const { hub, server } = await start(t)
  const counter = hub.add({ name: 'c', kind: 'counter' })
  hub.movingAverages.set(counter, { mean: 1, m1: 2, m5: 3, m15: 4 })
  const empty = hub.add({ name: 'h', kind: 'histogram' })
  const info = await server.json<SeriesInfo>(`/api/v1/series/${counter}`)
  assert.deepEqual(info.rates, { mean: 1, m1: 2, m5: 3, m15: 4 })
  const { statistics } = await server.json<SeriesInfo>(`/api/v1/series/${empty}`)
  assert.deepEqual([statistics!.count, statistics!.p99, statistics!.mean], [0, null, null])
})

test('a series is stale after the stale time, not before', async (t) => {
  const { hub, server } = await start(t)
  const id = hub.add({ name: 'g', kind: 'gauge' })
  const isStale = async () => (await server.json<SeriesInfo>(`/api/v1/series/${id}`)).isStale
  hub.clock.advance(hub.staleAfterMs)
  assert.equal(await isStale(), false)
  hub.clock.advance(1)
  assert.equal(await isStale(), true)
})

test('cells are those of the newest closed second, for the series asked', async (t) => {
  const { hub, server } = await start(t)
  const a = hub.add({ name: 'a', kind: 'counter' })
  const b = hub.add({ name: 'b', kind: 'gauge' })
  const c = hub.add({ name: 'c', kind: 'gauge' })
  assert.equal((await server.ask(`/api/v1/cells?series=${a}`)).status, 503)
  hub.count(a, 5)
  hub.set(b, Number.POSITIVE_INFINITY)
  hub.set(c, 1)
  hub.tick()
  const cells = await server.json<CellsEvent>(`/api/v1/cells?series=${b},${a},999`)
  assert.equal(cells.endMs, START_MS + 1000)
  assert.deepEqual(cells.counters, [[a, 5]])
  assert.deepEqual(cells.gauges, [[b, Number.POSITIVE_INFINITY]])
})

test('what is unusual is told, and of others what is usual, when asked', async (t) => {
  const { hub, server } = await start(t)
  const [jumps, stays] = ['a', 'b'].map((name) => hub.add({ name, kind: 'counter' }))
  const silent = hub.add({ name: 'c', kind: 'counter' })
  for (let second = 0; second < 400; second++) {
    hub.count(jumps!, second < 390 ? 10 : 80)
    hub.count(stays!, 10)
    if (second === 0) hub.count(silent, 1)
    hub.tick()
  }
  const ask = (query = '') => server.json<UsualAnswer>(`/api/v1/usual${query}`)
  const first = await ask()
  assert.deepEqual([first.endMs, first.compared, first.ids], [null, 0, ''])
  const until = async (): Promise<UsualAnswer> => {
    for (;;) {
      const answer = await ask('?series=')
      if (answer.endMs !== null) return answer
    }
  }
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64')).buffer
  const floats = (text: string) => [...new Float32Array(bytes(text))]
  const uints = (text: string) => [...new Uint32Array(bytes(text))]
  const found = await until()
  assert.deepEqual(floats(found.recent), [80])
  assert.deepEqual(floats(found.unusualS), [10])
  assert.equal(found.endMs, hub.clock.wallMs())
  const both = await ask(`?series=${stays},4711`)
  assert.deepEqual(floats(both.usual), [10, 10])
  assert.deepEqual(floats((await ask()).rate), [80, 10, 0])
  assert.equal(found.compared, 3)
  assert.deepEqual(uints(both.ids), [jumps, stays])
  assert.deepEqual(uints(both.stale), [silent])
})

test('sources are what the hub says of itself', async (t) => {
  const { hub, server } = await start(t)
  hub.status = {
    ...hub.status,
    sources: [{ address: '10.0.0.1', dialect: 'scope', series: 1, errors: 0, lastDataMs: 5 }],
  }
  assert.deepEqual(await server.json('/api/v1/sources'), hub.status)
})

test('input that makes no sense is refused by name', async (t) => {
  const { server } = await start(t)
  const cases: [string, RegExp][] = [
    ['/api/v1/series?limit=0', /^limit: /],
    ['/api/v1/series?limit=5001', /^limit: /],
    ['/api/v1/series?limit=ten', /^limit: want a whole number/],
    ['/api/v1/series?kind=meter', /^kind: /],
    ['/api/v1/series?colour=red', /colour/],
    ['/api/v1/range?series=a', /^series: want numbers of series/],
    [
      `/api/v1/range?series=${Array.from({ length: 201 }, (_, i) => i)}`,
      /^series: want at most 200/,
    ],
    ['/api/v1/range?series=1&step=0', /^step: /],
    ...['1.5', '0.0125', '1e9', '1e-3', '-1', '0x1', '1.2.3', 'NaN', ''].map(
      (step): [string, RegExp] => [`/api/v1/range?series=1&step=${step}`, /^step: /],
    ),
    ['/api/v1/range?series=1&from=5&to=5', /not before/],
    ['/api/v1/range', /^series: wanted, and not given$/],
    ['/api/v1/live?interval=3601', /^interval: /],
    ['/api/v1/live?interval=0', /^interval: /],
    ['/api/v1/cells?series=99999999999', /^series: /],
    [
      `/api/v1/cells?series=${Array.from({ length: 1001 }, (_, i) => i)}`,
      /^series: want at most 1000/,
    ],
    ['/api/v1/series?limit=1&limit=2', /^limit: given 2 times$/],
    ['/api/v1/cells?series=1&series=2', /^series: given 2 times$/],
    ['/api/v1/sources?a=1&a=2', /^a: given 2 times$/],
  ]
  for (const [path, message] of cases) {
    const answer = await server.ask(path)
    assert.equal(answer.status, 400, path)
    const { error } = answer.json<ApiError>()
    assert.match(error.message, message, path)
    assert.equal(error.code, 'invalid_request')
    if (!message.source.includes('not before')) assert.ok(error.hint, path)
  }
})

test('a number is taken as any program prints it', async (t) => {
  const { server } = await start(t)
  const answerOf = (step: string, to = '10000') =>
    server.json(`/api/v1/range?series=1&from=0&to=${to}&step=${step}`)
  const seconds = await answerOf('1')
  for (const step of ['1.0', '1.', '1.000000', '1e0', '1E%2B0', '10e-1', '01']) {
    assert.deepEqual(await answerOf(step), seconds, step)
  }
  assert.deepEqual(await answerOf('1', '10000.0'), seconds)
  assert.deepEqual(await answerOf('1', '1e4'), seconds)
  const tenths = await answerOf('0.1')
  for (const step of ['.1', '0.100', '1e-1']) assert.deepEqual(await answerOf(step), tenths, step)
})

test('too many columns are refused with the step that would do', async (t) => {
  const { server } = await start(t)
  for (const [seconds, given, least] of [
    [2001, 1, '2'],
    [30, 0.01, '0.02'],
  ] as const) {
    const path = `/api/v1/range?series=1&from=0&to=${seconds * 1000}&step=`
    const answer = await server.ask(path + given)
    assert.equal(answer.status, 400)
    const { error } = answer.json<ApiError>()
    assert.equal(error.code, 'too_many_columns')
    assert.equal(error.hint, `use a step of at least ${least} seconds`)
    assert.equal((await server.ask(path + least)).status, 200)
  }
})

test('a window that no step makes short enough is told what the hub keeps', async (t) => {
  const { hub, server } = await start(t)
  const answer = await server.ask('/api/v1/range?series=1&from=0&to=8640000000000000')
  const { error } = answer.json<ApiError>()
  assert.equal(error.code, 'too_many_columns')
  assert.match(error.hint!, RegExp(`the last ${hub.live.spanSeconds} seconds`))
})

test('the longest list of series that an address may name gets through', async (t) => {
  const { hub, server } = await start(t)
  hub.tick()
  const ids = Array.from({ length: 1000 }, (_, i) => 4_000_000_000 + i)
  const headers = { cookie: 'x'.repeat(2000) }
  const answer = await server.ask(`/api/v1/cells?series=${ids.join('%2C')}`, { headers })
  assert.equal(answer.status, 200)
})

test('unknown routes are JSON errors with a hint, wrong methods name the right one', async (t) => {
  const { server } = await start(t)
  for (const path of ['/api', '/api/v1/nothing', '/api/v1/series/7', '/api/v1/series/x']) {
    const answer = await server.ask(path)
    assert.equal(answer.status, 404, path)
    assert.ok(answer.json<ApiError>().error.hint, path)
  }
  const headers = { 'content-type': 'application/json' }
  const post = await server.ask('/api/v1/series', { method: 'POST', headers, body: '{}' })
  assert.deepEqual([post.status, post.headers.allow], [405, 'GET, HEAD, DELETE'])
  const get = await server.ask('/api/v1/live/abc')
  assert.deepEqual([get.status, get.headers.allow], [405, 'POST'])
})

test('a large answer is compressed for those who accept it', async (t) => {
  const { hub, server } = await start(t)
  for (let i = 0; i < 100; i++) hub.add({ name: `series.${i}`, kind: 'gauge' })
  const plain = await server.ask('/api/v1/series')
  assert.equal(plain.headers['content-encoding'], undefined)
  for (const path of ['/api/v1/series', '/api/v1/range?series=1,2,3']) {
    const packed = await server.ask(path, { headers: { 'accept-encoding': 'br, gzip;q=0.5' } })
    assert.equal(packed.headers['content-encoding'], 'gzip')
    const unpacked = gunzipSync(packed.bytes).toString()
    assert.equal(unpacked.length, (await server.ask(path)).text.length)
  }
  const refused = await server.ask('/api/v1/series', {
    headers: { 'accept-encoding': 'gzip;q=0, *' },
  })
  assert.equal(refused.headers['content-encoding'], undefined)
})

test('every request is counted by route and status', async (t) => {
  const { server } = await start(t)
  await server.ask('/api/v1/series/123')
  await server.ask('/api/v1/series')
  await server.ask('/wp-login.php')
  assert.deepEqual(server.counted, [
    'requests /api/v1/series/:id 404',
    'requests /api/v1/series 200',
    'requests page 404',
  ])
})

test('a failure of ours is a 500 without its details, counted and logged', async (t) => {
  const hub = new FakeHubView()
  const logged: [message: string, error: unknown][] = []
  const counted: string[] = []
  const server = await serve(t, {
    view: hub,
    reports: {
      count: (name, reason) => counted.push(`${name} ${reason}`),
      log: (_level, message, facts) => logged.push([message, facts?.error]),
    },
  })
  hub.sources = () => {
    throw new Error('secret detail')
  }
  const answer = await server.ask('/api/v1/sources')
  assert.equal(answer.status, 500)
  assert.doesNotMatch(answer.text, /secret/)
  assert.deepEqual(logged, [['a request failed', 'secret detail']])
  assert.ok(counted.includes('errors /api/v1/sources'))
})

test('series are deleted by number or pattern, and the answer says how many went', async (t) => {
  const { hub, server } = await start(t)
  const ids = ['a.1', 'a.2', 'b.1'].map((name) => hub.add({ name, kind: 'gauge' }))
  hub.add({ name: 'a.own', kind: 'gauge', source: 'hub' })
  const remove = async (query: string) => {
    const answer = await server.ask(`/api/v1/series?${query}`, { method: 'DELETE' })
    return answer.status === 200 ? answer.json<DeletionAnswer>() : answer.status
  }
  const list = async () => names(await server.json<SeriesPage>('/api/v1/series'))
  assert.deepEqual(await remove('name=a.*&dryRun=true'), {
    matching: 3,
    deleted: 0,
    kept: 1,
    isDryRun: true,
  })
  assert.equal((await list()).length, 4)
  const deleted = { matching: 3, deleted: 2, kept: 1, isDryRun: false }
  assert.deepEqual(await remove('name=a.*'), deleted)
  assert.deepEqual(await list(), ['b.1', 'a.own'])
  assert.deepEqual(await remove(`series=${ids[0]},${ids[2]}`), {
    matching: 1,
    deleted: 1,
    kept: 0,
    isDryRun: false,
  })
  assert.deepEqual(await list(), ['a.own'])
  for (const query of ['', 'name=', 'series=1&name=a', 'dryRun=yes']) {
    assert.equal(await remove(query), 400, query)
  }
})

test('no page of another origin deletes series', async (t) => {
  const { hub, server } = await start(t)
  hub.add({ name: 'a', kind: 'gauge' })
  const foreign = [{ Origin: 'http://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }]
  for (const headers of foreign) {
    const path = '/api/v1/series?name=*'
    const { status } = await server.ask(path, { method: 'DELETE', headers })
    assert.equal(status, 403)
  }
  assert.equal((await server.json<SeriesPage>('/api/v1/series')).total, 1)
})

test('no other machine deletes series', () => {
  const context = (remoteAddress?: string) =>
    ({ env: { incoming: { socket: { remoteAddress } } } }) as HubContext
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) requireLoopback(context(address))
  for (const address of ['10.0.0.1', '::ffff:10.0.0.1', 'fe80::1', undefined]) {
    assert.throws(() => requireLoopback(context(address)), { code: 'loopback_only' })
  }
})
