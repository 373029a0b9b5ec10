/**
 * `pentameter history import FILE`: cells of a CSV or Parquet file into a history that no hub has
 * open. The file is read twice: nothing is written before all of it has been understood.
 */
import { existsSync } from 'node:fs'
import type { PastCell } from '../../history/sqlite/bundles/insertion.ts'
import type { PastSeries } from '../../history/sqlite/slots.ts'
import { SqliteHistory } from '../../history/sqlite/sqlite-history.ts'
import { CommandError, EXIT_USAGE } from '../../terminal/exit.ts'
import { countText, Progress } from './progress.ts'
import { type Row, RowError, RowReader } from './rows.ts'

export interface ImportOptions {
  readonly folder: string
  readonly file: string
  /** Whether cells are added to those that are there of the same time. */
  readonly add: boolean
}

/** Cells that are put into bundles at a time. */
const BATCH = 200_000
/** Rules by which nothing goes: the hub that opens the folder next has its own. */
const KEEP_ALL = {
  ...{ bytesLimit: Number.MAX_SAFE_INTEGER, seriesLimit: Number.MAX_SAFE_INTEGER },
  ...{ secondsKeptS: 2 ** 40, minutesKeptS: 2 ** 40, hoursKeptS: 2 ** 40 },
}

/** @throws {CommandError} {HistoryError} */
export async function importHistory({ folder, file, add }: ImportOptions): Promise<void> {
  if (!existsSync(file)) throw new CommandError(`${file}: there is no such file`, EXIT_USAGE)
  const progress = new Progress('checking')
  const spans = await check(file, progress).finally(() => progress.end())
  const store = new SqliteHistory({ ...KEEP_ALL, folder, nowMs: Date.now })
  try {
    if (!add) await refuseOverlap(store, spans)
    const count = await insert(
      store,
      file,
      [...spans.values()].reduce((n, each) => n + each.cells, 0),
    )
    const counts = `${countText(count, 'cells')} of ${countText(spans.size, 'series')}`
    process.stderr.write(`${counts} are in ${folder}\n`)
  } finally {
    await store.close()
  }
}

interface Span {
  firstS: number
  lastS: number
  cells: number
}

async function* cellsOf(file: string): AsyncGenerator<PastCell> {
  const reader = new RowReader()
  for await (const { line, row } of rowsOf(file)) {
    try {
      yield reader.read(row)
    } catch (error) {
      if (!(error instanceof RowError)) throw error
      throw new RowError(`row ${line}: ${error.message}`)
    }
  }
}

async function* rowsOf(file: string): AsyncGenerator<{ line: number; row: Row }> {
  if (file.endsWith('.parquet')) yield* (await import('./parquet.ts')).readParquet(file)
  else if (file.endsWith('.csv')) yield* (await import('./csv.ts')).readCsv(file)
  else throw new CommandError(`${file}: want a file that ends with .csv or .parquet`, EXIT_USAGE)
}

/** Reads all of a file. @returns what it has of each series */
async function check(file: string, progress: Progress): Promise<Map<PastSeries, Span>> {
  const spans = new Map<PastSeries, Span>()
  let count = 0
  try {
    for await (const { series, endS, widthS } of cellsOf(file)) {
      const span = spans.get(series) ?? { firstS: endS, lastS: endS, cells: 0 }
      span.firstS = Math.min(span.firstS, endS - widthS + 1)
      span.lastS = Math.max(span.lastS, endS)
      span.cells++
      spans.set(series, span)
      if (++count % 1000 === 0) progress.show(undefined, countText(count, 'cells'))
    }
  } catch (error) {
    if (error instanceof CommandError || !(error instanceof Error)) throw error
    throw new CommandError(`${file}: ${error.message}; nothing was imported`)
  }
  return spans
}

async function refuseOverlap(
  store: SqliteHistory,
  spans: ReadonlyMap<PastSeries, Span>,
): Promise<void> {
  let overlapping = 0
  for (const [{ key }, { firstS, lastS }] of spans) {
    const [held] = await store.list({ keys: [key] })
    if (held !== undefined && held.firstS <= lastS && held.lastS >= firstS) overlapping++
  }
  if (overlapping === 0) return
  const text = `${overlapping} of ${spans.size} series have cells of that time already`
  throw new CommandError(`${text}; --add adds to them. Nothing was imported`)
}

async function insert(store: SqliteHistory, file: string, total: number): Promise<number> {
  const progress = new Progress('importing')
  let batch: PastCell[] = []
  let count = 0
  const flush = (): void => {
    store.insert(batch)
    count += batch.length
    batch = []
    progress.show(count / total, countText(count, 'cells'))
  }
  try {
    for await (const cell of cellsOf(file)) {
      batch.push(cell)
      if (batch.length >= BATCH) flush()
    }
    flush()
  } finally {
    progress.end()
  }
  return count
}
