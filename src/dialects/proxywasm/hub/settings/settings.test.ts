import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { filterText } from '../../../../../test/filters/hostile.ts'
import { serve } from '../../../../../test/support/http-client.ts'
import { seriesNamed } from '../../../../../test/support/hub/hub.ts'
import type { MetricsAnswer, SizeAnswer, ValuesAnswer } from '../../http/api.ts'
import { eventually, startFilterHub, withFile } from '../../test/filter-hub.ts'

const ROUTE = '/api/v1/proxywasm/metrics'
const SLAB_LEAST = 12_288
const LONG_NAME = 'n'.repeat(90)

/** Counts requests in `c`, of a long name, observes 5 in a histogram, sets a gauge. */
const FILTER = filterText({
  imports: `
    (import "env" "proxy_define_metric" (func $define (param i32 i32 i32 i32) (result i32)))
    (import "env" "proxy_increment_metric" (func $increment (param i32 i64) (result i32)))
    (import "env" "proxy_record_metric" (func $record (param i32 i64) (result i32)))`,
  more: `(data (i32.const 16) "${LONG_NAME}") (data (i32.const 128) "hg")`,
  onStart: `(i32.eqz (i32.or (i32.or
    (call $define (i32.const 0) (i32.const 16) (i32.const ${LONG_NAME.length}) (i32.const 160))
    (call $define (i32.const 2) (i32.const 128) (i32.const 1) (i32.const 164)))
    (call $define (i32.const 1) (i32.const 129) (i32.const 1) (i32.const 168))))`,
  onRequest: `
    (drop (call $increment (i32.load (i32.const 160)) (i64.const 1)))
    (drop (call $record (i32.load (i32.const 164)) (i64.const 5)))
    (drop (call $record (i32.load (i32.const 168)) (i64.const 42)))
    (i32.const 0)`,
})

/** Observes 5 in a histogram `a`, and from its sixth request on in `b`, too. */
const TWO_NAMES = filterText({
  imports: `
    (import "env" "proxy_define_metric" (func $define (param i32 i32 i32 i32) (result i32)))
    (import "env" "proxy_record_metric" (func $record (param i32 i64) (result i32)))`,
  more: '(data (i32.const 16) "ab")',
  onStart: `(i32.eqz
    (call $define (i32.const 2) (i32.const 16) (i32.const 1) (i32.const 160)))`,
  onRequest: `
    (global.set $turns (i32.add (global.get $turns) (i32.const 1)))
    (drop (call $record (i32.load (i32.const 160)) (i64.const 5)))
    (if (i32.ge_u (global.get $turns) (i32.const 6))
      (then
        (drop (call $define (i32.const 2) (i32.const 17) (i32.const 1) (i32.const 164)))
        (drop (call $record (i32.load (i32.const 164)) (i64.const 5)))))
    (i32.const 0)`,
})

/** Defines another name at every request, which it counts in what the ABI answered. */
const DEFINING = filterText({
  imports: `
    (import "env" "proxy_define_metric" (func $define (param i32 i32 i32 i32) (result i32)))`,
  onRequest: `
    (i32.store (i32.const 16) (i32.add (i32.const 0x30303030) (global.get $turns)))
    (global.set $turns (i32.add (global.get $turns) (i32.const 1)))
    (drop (call $define (i32.const 2) (i32.const 16) (i32.const 4) (i32.const 32)))
    (i32.const 0)`,
})

async function started(
  context: TestContext,
  text: string,
  options: Readonly<Record<string, unknown>>,
  use: (parts: Awaited<ReturnType<typeof served>>) => Promise<void>,
): Promise<void> {
  await withFile('f.wat', text, async (path) => {
    const parts = await served(context, path, options)
    await use(parts)
    await parts.stop()
  })
}

async function served(
  context: TestContext,
  path: string,
  options: Readonly<Record<string, unknown>>,
) {
  const started = await startFilterHub(context, [{ name: 'f', path }], {}, options)
  const http = await serve(context, { view: started.hub })
  const metrics = async (): Promise<MetricsAnswer> => (await http.ask(ROUTE)).json()
  const values = async (): Promise<ValuesAnswer> =>
    (await http.ask('/api/v1/proxywasm/values?filter=f')).json()
  const change = (body: unknown) => http.ask(ROUTE, { method: 'POST', body: JSON.stringify(body) })
  return { ...started, http, metrics, values, change }
}

test('workers of a filter share its requests, and come and go without a loss', async (t) => {
  await started(t, FILTER, { workers: 2 }, async ({ hub, requests, filter, ...api }) => {
    await requests(6)
    assert.equal(filter('f').workers.length, 2)
    const [two] = (await api.values()).metrics
    assert.ok(
      two!.workers.every((value) => Number(value) >= 3),
      JSON.stringify(two),
    )
    assert.deepEqual((await api.change({ workers: 4 })).status, 200)
    await requests(8)
    const four = await api.values()
    assert.deepEqual(
      four.metrics.map(({ name, type, workers }) => [name, type, workers.length]),
      [
        [`pw.f.${LONG_NAME}`, 'counter', 4],
        ['pw.f.h', 'histogram', 4],
        ['pw.f.g', 'gauge', 4],
      ],
    )
    for (const { type, total, workers, ended } of four.metrics) {
      if (type === 'gauge') assert.deepEqual([total, ended], [42, null])
      else
        assert.equal(
          workers.reduce<number>((sum, each) => sum + Number(each), 0),
          Number(total),
        )
    }
    assert.equal((await api.change({ workers: 1 })).status, 200)
    await requests(2)
    await api.closeSecond()
    const { requests: count, workers } = filter('f')
    assert.equal(workers.length, 1)
    const [counter] = (await api.values()).metrics
    assert.equal(counter!.total, count)
    assert.ok(Number(counter!.ended) >= 6)
    assert.equal(Number(counter!.ended) + Number(counter!.workers[0]), count)
    const held = hub.total(seriesNamed(hub, LONG_NAME))
    assert.deepEqual(held, { kind: 'counter', total: count, decrements: 0 })
  })
})

test('settings that do not fit change nothing and say which metric is too much', async (t) => {
  await started(t, FILTER, {}, async ({ requests, metrics, change, http }) => {
    await requests(1)
    const before = await metrics()
    assert.equal(before.slab.metrics, 3)
    const cases: [unknown, number, RegExp][] = [
      [
        { workers: 2, maxMetricNameLength: 20 },
        409,
        /^failed redefining metric "pw\.f\.n+": its name has 95 bytes, limit 20$/,
      ],
      [
        { workers: 60, slabSize: SLAB_LEAST },
        409,
        /^failed redefining metric "pw\.f\.h": a slab of 12288 bytes/,
      ],
      [{ slabSize: 5000 }, 400, /^shm size of 5000 bytes is too small/],
      [{ slabSize: 16_385 }, 400, /not page-aligned/],
      [{ slabSize: '5x' }, 400, /^invalid shm size "5x"/],
      [{ maxMetricNameLength: 5 }, 400, /maxMetricNameLength/],
      [{ workers: 0 }, 400, /workers/],
      [{ workers: 65 }, 400, /workers/],
      [{ histogram: 'sparse' }, 400, /histogram/],
      [{ metricNames: 'none' }, 400, /metricNames/],
    ]
    for (const [body, status, message] of cases) {
      const answer = await change(body)
      const { error } = answer.json() as { error: { message: string } }
      assert.match(error.message, message)
      assert.equal(answer.status, status, error.message)
      assert.deepEqual(await metrics(), before)
    }
    // a name length alone leaves longer names as they are, as in the original
    const changed = await change({ maxMetricNameLength: 20, slabSize: '5m' })
    assert.equal(changed.status, 200)
    assert.equal((changed.json() as MetricsAnswer).settings.maxMetricNameLength, 20)
    assert.equal((await http.ask('/api/v1/proxywasm/values?filter=no')).status, 404)
  })
})

test('a full slab refuses further metrics until it is larger', async (t) => {
  await started(t, DEFINING, { slabSize: '12k' }, async ({ requests, filter, metrics, change }) => {
    // a histogram of a name of 9 bytes: 32 + 16 + 16 + 2 x 34 x 8
    const each = 608
    const most = Math.floor(SLAB_LEAST / each)
    await requests(most + 3)
    await eventually(() => filter('f').series === most, 'all series')
    const { slab } = await metrics()
    assert.deepEqual(
      [slab.bytes, slab.usedBytes, slab.metrics, slab.fits.histogram],
      [SLAB_LEAST, most * each, most, 0],
    )
    assert.ok((filter('f').problems.definition_refused ?? 0) >= 3)
    assert.equal((await change({ slabSize: '16k' })).status, 200)
    await requests(2)
    await eventually(() => filter('f').series >= most + 2, 'two more')
  })
})

test('histograms take the form that is set when they are defined', async (t) => {
  await started(t, FILTER, { histogram: 'expanding' }, async ({ hub, requests, closeSecond }) => {
    await requests(5)
    await closeSecond()
    const record = seriesNamed(hub, 'h')
    const held = hub.total(record)
    assert.ok(held.kind === 'histogram')
    assert.ok(held.histogram.count >= 5)
    assert.equal(Number(held.histogram.sum), 5 * Number(held.histogram.count))
  })
})

test('chosen bounds of bins reach every export, and hold for later definitions', async (t) => {
  await started(t, TWO_NAMES, { histogram: '3,5,7' }, async ({ requests, closeSecond, ...api }) => {
    await requests(4)
    await closeSecond()
    const text = async (path: string) => (await api.http.ask(path)).text
    const linesOf = (exposition: string, name: string) =>
      exposition
        .split('\n')
        .filter((line) => line.startsWith(`${name}_bucket`))
        .map((line) => line.replace(/.*le="([^"]*)"} (\d+)/, '$1 $2'))
    const count = api.filter('f').requests
    const first = linesOf(await text('/metrics'), 'a')
    assert.deepEqual(first, ['3 0', `5 ${count}`, `7 ${count}`, `+Inf ${count}`])
    const { id } = seriesNamed(api.hub, 'a')
    const bounds = [3, 5, 7]
    const info = (await api.http.ask(`/api/v1/series/${id}`)).json()
    assert.partialDeepStrictEqual(info, { bounds, statistics: { bounds } })
    const cells = (await api.http.ask(`/api/v1/cells?series=${id}`)).json()
    assert.partialDeepStrictEqual(cells, { histograms: [[id, { bounds, offset: 1 }]] })
    assert.equal((await api.values()).metrics[0]!.total, count)

    const { settings } = (await api.change({ histogram: [10] })).json() as MetricsAnswer
    assert.deepEqual(settings.histogram, [10])
    const tooMany = Array.from({ length: 18 }, (_, i) => i + 1)
    for (const histogram of ['5,3', '', '1,,2', [0], [1.5], tooMany]) {
      const { status } = await api.change({ histogram })
      assert.equal(status, 400, JSON.stringify(histogram))
    }
    await requests(8) // the second name is defined by then
    await closeSecond()
    const after = await text('/metrics')
    assert.deepEqual(linesOf(after, 'a').length, 4, 'one that was there keeps its bounds')
    assert.deepEqual(
      linesOf(after, 'b').map((line) => line.split(' ')[0]),
      ['10', '+Inf'],
    )
    assert.deepEqual((await api.metrics()).settings.histogram, [10])
  })
})

test('a filter may have a form of histograms of its own', async (t) => {
  await withFile('f.wat', FILTER, async (path) => {
    const filters = [
      { name: 'own', path, histogram: '4' },
      { name: 'f', path },
    ]
    const { hub, requests, stop } = await startFilterHub(t, filters)
    await requests(1)
    const own = [...hub.series].filter(({ identity }) => identity.name === 'h')
    assert.deepEqual(
      own.map(({ identity, metadata }) => [identity.labels[0]![1], metadata.bounds]).sort(),
      [
        ['f', undefined],
        ['own', [4]],
      ],
    )
    await stop()
  })
})

test('names have their prefix where it is asked for, and no label then', async (t) => {
  await started(t, FILTER, { metricNames: 'prefix' }, async ({ hub, requests }) => {
    await requests(1)
    const { identity } = seriesNamed(hub, 'pw.f.h')
    assert.deepEqual([identity.name, identity.labels], ['pw.f.h', []])
  })
})

test('what metrics would take is estimated, with the figures of `pentameter size`', async (t) => {
  await started(t, FILTER, { workers: 4 }, async ({ http }) => {
    const size = (query: string) => http.ask(`/api/v1/proxywasm/size?${query}`)
    const asked = 'counters=1000&gauges=0&histograms=20&nameLength=64'
    const answer: SizeAnswer = (await size(`${asked}&slabSize=192k`)).json()
    assert.deepEqual(
      answer.kinds.map(({ kind, count }) => [kind, count]),
      [
        ['counter', 1000],
        ['histogram', 20],
      ],
    )
    const [counters, histograms] = answer.kinds
    // 96 + 64 + 8 + 4 x 16 by the text; a power of two as allocated
    const original = { documentedEach: 232, allocatedEach: 256, slabSize: 266_240 }
    assert.deepEqual(counters!.original, original)
    // 96 + 64 + 8 + 4 x (20 + 8 x 5)
    assert.equal(histograms!.original.documentedEach, 408)
    // descriptor 32, index 16, name 64, and a word, or 34, for each thread and the base
    assert.deepEqual([counters!.bytesEach, counters!.bytes], [152, 152_000])
    assert.deepEqual([histograms!.bytesEach, histograms!.bytes], [1472, 29_440])
    assert.deepEqual([answer.bytes, answer.leftBytes], [181_440, 192 * 1024 - 181_440])
    const { slabSize, kinds } = (await size('')).json() as SizeAnswer
    assert.deepEqual([slabSize, kinds], [5_242_880, []])
    for (const [query, status, words] of [
      ['slabSize=13k', 400, /must be a multiple of 4096/],
      ['counters=-1', 400, /counters/],
      ['workers=0', 400, /workers/],
      ['bins=19', 400, /bins/],
      ['nameLength=99999', 400, /nameLength/],
    ] as const) {
      const refused = await size(query)
      assert.equal(refused.status, status, query)
      assert.match(refused.text, words)
    }
  })
})

test('a start that fails for want of room says for which metric, and what helps', async (t) => {
  const options = { slabSize: '12k', workers: 64 }
  await withFile('f.wat', FILTER, async (path) => {
    const { filter, stop } = await startFilterHub(t, [{ name: 'f', path }], {}, options)
    const { state, message } = filter('f')
    assert.equal(state, 'refused')
    const why = 'there is no room for it (a larger slab or fewer workers help)'
    const said = `proxy_on_vm_start answered false, after its histogram "h" was refused: ${why}`
    assert.equal(message, `filter "f" did not start: ${said}`)
    await stop()
  })
})

test('a slab is at most the zone that it is a part of', async (t) => {
  await started(t, FILTER, {}, async ({ change, metrics }) => {
    const mib = 2 ** 20
    assert.equal((await change({ slabSize: 256 * mib })).status, 200)
    const over = await change({ slabSize: '257m' })
    assert.equal(over.status, 409)
    const words = 'slab of 269484032 bytes, want at most 268435456, the hub’s zoneBytesLimit'
    assert.ok(over.text.includes(words), over.text)
    const beyond = await change({ slabSize: 1e15 })
    assert.equal(beyond.status, 400)
    assert.match(beyond.text, /limit 1073741824 \(1024m\)/)
    assert.equal((await metrics()).settings.slabSize, 256 * mib)
  })
  await withFile('f.wat', FILTER, async (path) => {
    const start = startFilterHub(t, [{ name: 'f', path }], {}, { slabSize: '300m' })
    await assert.rejects(start, /proxywasm\.slabSize: slab of 314572800 bytes, want at most 26843/)
  })
})
