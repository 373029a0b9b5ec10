/**
 * Real filters in a hub, from their calls to all that shows them: two filters compiled from
 * AssemblyScript, one of them with an SDK, whose metrics are in the zone, the cells, the API, the
 * live stream's shape and /metrics.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startFilterHub } from '../../src/dialects/proxywasm/test/filter-hub.ts'
import type { CellsEvent, SeriesPage, SourcesAnswer } from '../../src/http/api.ts'
import { createHttpServer } from '../../src/http/server.ts'
import type { Frame } from '../../src/hub/live/frame.ts'
import { filterFile } from '../filters/compile.ts'

const REQUESTS = 7
const FILTERS = ['raw', 'sdk'] as const

test('what filters count is in the zone, the API, the cells and /metrics', async (context) => {
  const started = await startFilterHub(context, [
    { name: 'raw', path: await filterFile('raw') },
    // without a configuration this SDK reads from address 0, and traps
    { name: 'sdk', path: await filterFile('sdk'), rootId: 'a_root', configuration: '{}' },
  ])
  const { hub } = started
  const http = createHttpServer({ view: hub, webRoot: '/nonexistent', host: '127.0.0.1', port: 0 })
  const { port } = await http.start()
  context.after(() => http.stop())
  const get = async (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`)

  assert.deepEqual(
    FILTERS.map((name) => [started.filter(name).state, started.filter(name).abi]),
    [
      ['running', '0.2.1'],
      ['running', '0.2.0'],
    ],
    started.log.join('\n'),
  )
  await eventually(() => [...hub.series].filter(isOfFilter).length === 6, 'six series')
  await started.requests(REQUESTS)
  await started.closeSecond()
  const all = new Map(FILTERS.map((name) => [name, started.filter(name).requests]))

  const page = (await (await get('/api/v1/series?dialect=proxywasm')).json()) as SeriesPage
  for (const filter of FILTERS) {
    const requests = all.get(filter)!
    assert.ok(requests >= REQUESTS, `${requests} requests`)
    const own = page.series.filter(({ source }) => source === `filter ${filter}`)
    // the clock that ends the second brings requests, which the next one has
    const closed = closedCount(hub.live.newest, own[0]!.id)
    assert.ok(closed >= REQUESTS && closed <= requests, `${closed} of ${requests} requests`)
    assert.deepEqual(
      own.map(({ name, kind, labels, current }) => [name, kind, labels, current]),
      [
        ['a_counter', 'counter', [['filter', filter]], closed],
        ['a_gauge', 'gauge', [['filter', filter]], 42],
        ['a_histogram', 'histogram', [['filter', filter]], closed],
      ],
    )
  }

  const metrics = await (await get('/metrics')).text()
  for (const filter of FILTERS) {
    const requests = all.get(filter)
    for (const line of [
      `a_counter_total{filter="${filter}"} ${requests}`,
      `a_gauge{filter="${filter}"} 42`,
      `a_histogram_bucket{filter="${filter}",le="16"} ${requests}`,
      `a_histogram_bucket{filter="${filter}",le="+Inf"} ${requests}`,
      `a_histogram_sum{filter="${filter}"} ${requests! * 10}`,
    ]) {
      assert.ok(metrics.includes(`\n${line}\n`), line)
    }
  }

  const ids = page.series.map(({ id }) => id).join(',')
  const cells = (await (await get(`/api/v1/cells?series=${ids}`)).json()) as CellsEvent
  for (const [, cell] of cells.histograms) {
    assert.deepEqual([cell.scale, cell.offset, cell.counts], [0, 3, [cell.count]])
    assert.deepEqual([cell.sum, cell.zeroTo], [cell.count * 10, 1])
  }
  assert.equal(cells.histograms.length, 2)

  const sources = (await (await get('/api/v1/sources')).json()) as SourcesAnswer
  assert.deepEqual(
    sources.sources.map(({ address, series, errors }) => [address, series, errors]).sort(),
    [
      ['filter raw', 3, 0],
      ['filter sdk', 3, 0],
    ],
  )
  assert.equal(sources.dialects.find(({ name }) => name === 'proxywasm')?.series, 6)
})

/** Counts what a counter gained in the only second that was closed since it came. */
function closedCount(frame: Frame | undefined, id: number): number {
  const cell = frame?.cell(id, 'counter')
  return cell?.kind === 'counter' ? Number(cell.delta) : Number.NaN
}

function isOfFilter({ metadata }: { metadata: { dialect: string } }): boolean {
  return metadata.dialect === 'proxywasm'
}
