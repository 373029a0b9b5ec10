/**
 * VictoriaMetrics of Debian on the same seconds: series of the same names and labels fed by its
 * import, flushed and merged, and the bytes that it takes. Histograms as its own ranges, of which
 * it stores each filled one.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Summary, summaryDeviation, summarySum } from '../../src/model/index.ts'
import { until } from '../measure/patience.ts'
import { identityAt } from './feed.ts'
import type { MadeSeries } from './mixes.ts'

const PROGRAM = 'victoria-metrics'
const PORT = 18_429
const ADDRESS = `http://127.0.0.1:${PORT}`
const BODY_CHARS = 4_000_000
/** All is written and merged when sizes have stayed the same for so long; it writes every 5 s. */
const QUIET_SECONDS = 6
/** Folders of what it keeps: samples, and which series there are. */
const [DATA, INDEX] = ['data', 'indexdb']

export interface RivalBytes {
  readonly data: number
  /** With the index of its series. */
  readonly whole: number
}

export function hasRival(): boolean {
  return spawnSync(PROGRAM, ['-version'], { stdio: 'ignore' }).error === undefined
}

/** Gives the bytes that it takes for all series. */
export async function rivalBytes(
  series: readonly MadeSeries[],
  seconds: number,
): Promise<RivalBytes> {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-p10-'))
  const args = [`-storageDataPath=${folder}`, `-httpListenAddr=127.0.0.1:${PORT}`]
  const options = ['-retentionPeriod=100y', '-loggerLevel=ERROR', '-selfScrapeInterval=0']
  const engine = spawn(PROGRAM, [...args, ...options], { stdio: 'ignore' })
  try {
    await until(isThere, `${PROGRAM} to answer`)
    await feed(series, seconds)
    await fetch(`${ADDRESS}/internal/force_flush`)
    await fetch(`${ADDRESS}/internal/force_merge`)
    let bytes = { data: 0, whole: 0 }
    for (let quiet = 0; quiet < QUIET_SECONDS; quiet++) {
      await wait(1000)
      const data = sizeOf(join(folder, DATA))
      const now = { data, whole: data + sizeOf(join(folder, INDEX)) }
      if (data === 0 || now.whole !== bytes.whole) quiet = -1
      bytes = now
    }
    return bytes
  } finally {
    const ended = new Promise((resolve) => engine.once('exit', resolve))
    engine.kill()
    await ended
    rmSync(folder, { recursive: true })
  }
}

async function isThere(): Promise<boolean> {
  return await fetch(`${ADDRESS}/health`).then(
    ({ ok }) => ok,
    () => false,
  )
}

function sizeOf(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.reduce((sum, entry) => {
    const path = join(folder, entry.name)
    return sum + (entry.isDirectory() ? sizeOf(path) : statSync(path).size)
  }, 0)
}

type Column = readonly [labels: Readonly<Record<string, string>>, values: readonly number[]]

async function feed(series: readonly MadeSeries[], seconds: number): Promise<void> {
  const start = (Math.floor(Date.now() / 1000) - seconds - 60) * 1000
  const timestamps = Array.from({ length: seconds }, (_, second) => start + second * 1000)
  let lines: string[] = []
  let size = 0
  const send = async () => {
    const { status } = await fetch(`${ADDRESS}/api/v1/import`, {
      method: 'POST',
      body: lines.join('\n'),
    })
    if (status !== 204) throw new Error(`${PROGRAM} answers ${status}`)
    lines = []
    size = 0
  }
  for (const [i, each] of series.entries()) {
    for (const [labels, all] of columnsOf(each)) {
      const rows = all.flatMap((value, second) => (Number.isNaN(value) ? [] : [second]))
      const values = rows.map((row) => all[row])
      const times = rows.map((row) => timestamps[row])
      const { name, labels: own } = identityAt(i, each.kind)
      const metric = { ...Object.fromEntries(own), ...labels, __name__: name + labels.__name__ }
      lines.push(JSON.stringify({ metric, values, timestamps: times }))
      size += lines.at(-1)!.length
      if (size > BODY_CHARS) await send()
    }
  }
  if (size > 0) await send()
}

function columnsOf(series: MadeSeries): Column[] {
  if ('values' in series) {
    const values = [...series.values]
    return [[{ __name__: '' }, series.kind === 'counter' ? running(values) : values]]
  }
  const column = (name: string, values: number[]): Column => [{ __name__: `_${name}` }, values]
  if (series.kind === 'summary') {
    const of = (read: (cell: Summary) => number, none: number) =>
      series.cells.map((cell) => (cell === undefined ? none : read(cell)))
    return [
      column('count', running(of(({ count }) => count, 0))),
      column('sum', running(of(summarySum, 0))),
      column(
        'min',
        of(({ min }) => min, Number.NaN),
      ),
      column(
        'max',
        of(({ max }) => max, Number.NaN),
      ),
      column('deviation', of(summaryDeviation, Number.NaN)),
    ]
  }
  const { cells } = series
  const ranges = new Map<number, number[]>()
  for (const [second, cell] of cells.entries()) {
    cell?.positive.forEach((index, count) => {
      const range = ranges.get(index) ?? new Array(cells.length).fill(0)
      range[second] += Number(count)
      ranges.set(index, range)
    })
  }
  return [
    column('count', running(cells.map((cell) => Number(cell?.count ?? 0)))),
    column('sum', running(cells.map((cell) => Number(cell?.sum ?? 0)))),
    column(
      'min',
      cells.map((cell) => Number(cell?.min ?? Number.NaN)),
    ),
    column(
      'max',
      cells.map((cell) => Number(cell?.max ?? Number.NaN)),
    ),
    ...[...ranges].map(([range, counts]): Column => {
      return [{ __name__: '_bucket', vmrange: String(range) }, running(counts)]
    }),
  ]
}

function running(values: readonly number[]): number[] {
  let sum = 0
  return values.map((value) => (sum += value))
}
