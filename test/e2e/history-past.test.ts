/** Series that are no more: the history has them, and whoever looks at their time finds them. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { SqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import type { PastAnswer, RangeAnswer, SeriesInfo } from '../../src/http/api.ts'
import { Histogram, type Identity } from '../../src/model/index.ts'
import { type NamedCell, SecondMaker } from '../support/history.ts'
import { type HubProcess, PROGRAM, startHubProcess } from '../support/hub/hub-process.ts'
import { EngineWriter } from '../support/outputs/engine-writer.ts'
import { FakeEngine } from '../support/outputs/fake-engine.ts'

const JOBS: Identity = { name: 'jobs', kind: 'counter', labels: [['worker', 'dead']] }
const DEPTH: Identity = { name: 'depth', kind: 'gauge', labels: [['worker', 'dead']] }
const TIMES: Identity = { name: 'times', kind: 'histogram', labels: [['worker', 'dead']] }
/** A minute of yesterday, in which the worker did its last jobs. */
const DEAD_S = 60 * Math.floor(Date.now() / 60_000 - 1440)
const LIVED_S = 40

/** Cells of a second of the worker. */
function cellsAt(endS: number): NamedCell[] {
  const histogram = new Histogram()
  histogram.record(endS % 7)
  return [
    { identity: JOBS, cell: { kind: 'counter', delta: 2 } },
    { identity: DEPTH, cell: { kind: 'gauge', value: endS - DEAD_S, at: endS * 1000 } },
    { identity: TIMES, cell: { kind: 'histogram', histogram } },
  ]
}

const seconds = Array.from({ length: LIVED_S }, (_, i) => DEAD_S - LIVED_S + 1 + i)

async function writtenFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-past-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const day = 86_400
  const store = new SqliteHistory({
    ...{ folder, nowMs: Date.now, bytesLimit: 2 ** 30, seriesLimit: 1000 },
    ...{ secondsKeptS: 7 * day, minutesKeptS: 90 * day, hoursKeptS: 1825 * day },
  })
  const maker = new SecondMaker()
  const told = (endS: number, cells: NamedCell[], ended: Identity[] = []) => {
    const { defined, ...second } = maker.second(endS, cells, ended)
    return store.append({ ...second, defined: defined.map((each) => ({ ...each, origin: '{}' })) })
  }
  for (const endS of seconds) await told(endS, cellsAt(endS))
  for (const endS of [1, 2, 3, 4, 5].map((after) => DEAD_S + after)) await told(endS, [])
  await told(DEAD_S + 6, [], [JOBS, DEPTH, TIMES])
  await store.close()
  return folder
}

async function writtenEngine(): Promise<string> {
  const engine = await FakeEngine.start()
  after(() => engine.stop())
  const writer = new EngineWriter(engine.url, 'other')
  for (const endS of seconds) writer.second(endS, cellsAt(endS))
  await writer.send()
  return `promql+${engine.url}`
}

async function start(history: string): Promise<HubProcess> {
  const hub = await startHubProcess('serve', '--history', history, '--ingest-workers', '0')
  after(() => hub.signal('SIGKILL'))
  return hub
}

function addressOf({ listeners }: HubProcess): string {
  return `${listeners.http.host}:${listeners.http.port}`
}

async function ask<T>(hub: HubProcess, path: string): Promise<T> {
  const answer = await fetch(`http://${addressOf(hub)}/api/v1${path}`)
  assert.equal(answer.status, 200, path)
  return (await answer.json()) as T
}

/** Gives the first lines that a command prints, which is ended then. */
async function linesOf(count: number, args: readonly string[]): Promise<string[]> {
  const child = spawn(process.execPath, [PROGRAM, ...args, '--limit', String(count)])
  let [out, err] = ['', '']
  child.stdout.on('data', (text) => (out += text))
  child.stderr.on('data', (text) => (err += text))
  await new Promise((resolve) => child.once('close', resolve))
  const lines = out.trimEnd().split('\n')
  assert.equal(lines.length, count, err)
  assert.doesNotMatch(err, /no series matches/)
  return lines
}

const AROUND = `from=${(DEAD_S - 120) * 1000}&to=${(DEAD_S + 120) * 1000}`

for (const [title, open] of [
  ['a folder', writtenFolder],
  ['an engine', writtenEngine],
] as const) {
  suite(`a worker that died yesterday, in ${title},`, () => {
    test('is found by its words and its time, and its past is told as that of others', async () => {
      const hub = await start(await open())
      const listed = await ask<{ series: SeriesInfo[] }>(hub, '/series?filter=worker=dead')
      assert.equal(listed.series.length, 0)
      const { series, total } = await ask<PastAnswer>(hub, `/past?filter=worker=dead&${AROUND}`)
      assert.equal(total, 3)
      const named = (name: string) => series.find((each) => each.name === name)!
      const [jobs, depth, times] = ['jobs', 'depth', 'times'].map(named)
      for (const { isPast, isStale, current, labels } of series) {
        assert.deepEqual([isPast, isStale, current], [true, true, null])
        assert.deepEqual(labels, [['worker', 'dead']])
      }
      const { total: nothing } = await ask<PastAnswer>(hub, '/past?filter=worker=dead&from=1&to=2')
      assert.equal(nothing, 0)
      const { total: one, ...few } = await ask<PastAnswer>(
        hub,
        `/past?filter=job&${AROUND}&limit=1`,
      )
      assert.deepEqual([one, few.series[0]!.id], [1, jobs!.id])
      assert.equal((await ask<SeriesInfo>(hub, `/series/${jobs!.id}`)).name, 'jobs')
      const ids = [jobs, depth, times].map((each) => each!.id).join()
      const answer = await ask<RangeAnswer>(hub, `/range?series=${ids}&${AROUND}&step=60`)
      const [deltas, values, cells] = answer.columns
      assert.ok(
        deltas?.kind === 'counter' && values?.kind === 'gauge' && cells?.kind === 'histogram',
      )
      const sum = (list: readonly unknown[]) =>
        list.reduce((all: number, each) => all + Number(each), 0)
      assert.equal(sum(deltas.delta), 2 * LIVED_S)
      assert.equal(
        values.value.findLast((value) => value !== null),
        0,
      )
      assert.equal(sum(cells.cells.map((cell) => cell?.count ?? 0)), LIVED_S)
      await hub.stop()
    })

    test('is in the lines of watch and hist that begin before', async () => {
      const hub = await start(await open())
      const since = ['--since', '2d', '--interval', '60', '--json', '--hub', addressOf(hub)]
      const [line] = await linesOf(1, ['watch', 'jobs', 'worker=de*', ...since])
      const { series, delta, time } = JSON.parse(line!)
      assert.deepEqual([series, delta], ['jobs{worker=dead}', 2 * LIVED_S])
      assert.equal(Date.parse(time), DEAD_S * 1000)
      const [other] = await linesOf(1, ['hist', 'times', ...since])
      assert.equal(JSON.parse(other!).count, LIVED_S)
      // each of the two has asked for the past once
      const asked = async (): Promise<boolean> => {
        const text = await (await fetch(`http://${addressOf(hub)}/metrics`)).text()
        const count = /pentameter_http_requests_total.*"\/api\/v1\/past 200".* (\d+)/.exec(
          text,
        )?.[1]
        assert.ok(Number(count ?? 0) <= 2, `${count} times`)
        return count === '2'
      }
      for (let tries = 0; !(await asked()); tries++) {
        assert.ok(tries < 100)
        await pause(100)
      }
      await hub.stop()
    })
  })
}
