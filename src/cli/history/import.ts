/**
 * `pentameter history import FILE`: cells of a CSV or Parquet file into a history that no hub has
 * open. The file is read twice: nothing is written before all of it has been understood, and all
 * of it is written or nothing. A row that is no cell is refused, and the rest taken.
 */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { PastCell } from '../../history/sqlite/bundles/insertion.ts'
import type { PastSeries } from '../../history/sqlite/slots.ts'
import { SqliteHistory } from '../../history/sqlite/sqlite-history.ts'
import { CommandError, EXIT_USAGE } from '../../terminal/exit.ts'
import { countText, Progress } from './progress.ts'
import { type PlacedRow, RowError, RowReader } from './rows.ts'

export interface ImportOptions {
  readonly folder: string
  readonly file: string
  /** Whether cells are added to those that are there of the same time. */
  readonly add: boolean
}

/** Cells that are put into bundles at a time. */
const BATCH = 200_000
/** Refused rows that are told one by one. */
const TOLD_ROWS = 10
/** Rules by which nothing goes: the hub that opens the folder next has its own. */
const KEEP_ALL = {
  ...{ bytesLimit: Number.MAX_SAFE_INTEGER, seriesLimit: Number.MAX_SAFE_INTEGER },
  ...{ secondsKeptS: 2 ** 40, minutesKeptS: 2 ** 40, hoursKeptS: 2 ** 40 },
}

/**
 * Imports a file.
 * @returns number of rows that were refused
 * @throws {CommandError} {HistoryError} and nothing was imported
 */
export async function importHistory({ folder, file, add }: ImportOptions): Promise<number> {
  if (!existsSync(file)) throw new CommandError(`${file}: there is no such file`, EXIT_USAGE)
  const progress = new Progress('checking')
  const { spans, cells, refused } = await check(file, progress).finally(() => progress.end())
  process.stderr.write(refused.text(file))
  if (cells === 0) throw new CommandError(`${file} has no cells; nothing was imported`)
  const digest = await digestOf(file)
  const store = new SqliteHistory({ ...KEEP_ALL, folder, nowMs: Date.now })
  try {
    if (add) refuseAgain(store, digest, file)
    else await refuseOverlap(store, spans)
    await store.insert(digest, (take) => insert(take, file, cells))
  } finally {
    await store.close()
  }
  const counts = `${countText(cells, 'cells')} of ${countText(spans.size, 'series')}`
  process.stderr.write(`${counts} are in ${folder}\n`)
  return refused.count
}

interface Span {
  firstS: number
  lastS: number
}

/** Rows that are no cells: how many, by the column at fault, and the first ones. */
class Refused {
  count = 0
  readonly #byColumn = new Map<string, number>()
  readonly #first: string[] = []

  take(place: string, { column, message }: RowError): void {
    this.count++
    this.#byColumn.set(column, (this.#byColumn.get(column) ?? 0) + 1)
    if (this.count <= TOLD_ROWS) this.#first.push(`${place}: ${message}`)
  }

  /** Tells of them, a line each; nothing where there are none. */
  text(file: string): string {
    if (this.count === 0) return ''
    const columns = [...this.#byColumn].map(([column, count]) => `${count} by their ${column}`)
    const all = `${countText(this.count, 'rows')} are refused: ${columns.join(', ')}`
    return [...this.#first, all].map((line) => `${file}: ${line}\n`).join('')
  }
}

/** Lists the cells of a file. @param refused is told of the rows that are none */
async function* cellsOf(file: string, refused = new Refused()): AsyncGenerator<PastCell> {
  const reader = new RowReader()
  const noun = file.endsWith('.csv') ? 'line' : 'row'
  for await (const { number, row } of rowsOf(file)) {
    let cell: PastCell
    try {
      cell = reader.read(row())
    } catch (error) {
      if (!(error instanceof RowError)) throw error
      refused.take(`${noun} ${number}`, error)
      continue
    }
    yield cell
  }
}

async function* rowsOf(file: string): AsyncGenerator<PlacedRow> {
  if (file.endsWith('.parquet')) yield* (await import('./parquet.ts')).readParquet(file)
  else if (file.endsWith('.csv')) yield* (await import('./csv.ts')).readCsv(file)
  else throw new CommandError(`${file}: want a file that ends with .csv or .parquet`, EXIT_USAGE)
}

interface Checked {
  /** Time of the cells of each series. */
  readonly spans: ReadonlyMap<PastSeries, Span>
  readonly cells: number
  readonly refused: Refused
}

/** Reads all of a file. */
async function check(file: string, progress: Progress): Promise<Checked> {
  const spans = new Map<PastSeries, Span>()
  const refused = new Refused()
  let cells = 0
  try {
    for await (const { series, endS, widthS } of cellsOf(file, refused)) {
      const span = spans.get(series) ?? { firstS: endS, lastS: endS }
      span.firstS = Math.min(span.firstS, endS - widthS + 1)
      span.lastS = Math.max(span.lastS, endS)
      spans.set(series, span)
      if (++cells % 1000 === 0) progress.show(undefined, countText(cells, 'cells'))
    }
  } catch (error) {
    if (error instanceof CommandError || !(error instanceof Error)) throw error
    throw new CommandError(`${file}: ${error.message}; nothing was imported`)
  }
  return { spans, cells, refused }
}

/** Computes what a file is known by, whatever its name. */
async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** Refuses what was imported before: added once more, each of its cells would count twice. */
function refuseAgain(store: SqliteHistory, digest: string, file: string): void {
  const atS = store.insertedS(digest)
  if (atS === 0) return
  const when = new Date(atS * 1000).toISOString().replace('.000', '')
  throw new CommandError(`${file} was imported at ${when} already. Nothing was imported`)
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

/** Hands the cells of a file on, in batches. */
async function insert(
  take: (cells: readonly PastCell[]) => void,
  file: string,
  total: number,
): Promise<void> {
  const progress = new Progress('importing')
  let batch: PastCell[] = []
  let count = 0
  const flush = (): void => {
    take(batch)
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
}
